"""Claims about the hands themselves: which way they turn, how far, and in which order they are stored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import TURNS
from clockhands.analysis.hands import hands
from clockhands.analysis.neighbours import table_neighbours
from clockhands.analysis.spectrum import spectrum
from clockhands.claims.claim import TOKENS, Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq, sinusoid, sinusoid_inv_freq
from clockhands.language import Text
from clockhands.plots import Picture

DEGREES = Text("°", "°")
BASE = 10_000.0


def _clockwise_degrees(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far a hand with its tip at (x, y) stands from twelve, clockwise, -180 to 180."""
    return np.degrees(np.arctan2(x, y))


def _cos_sin() -> Verdict:
    tips = hands([1.0], [0, 1]).values[:, 0]
    sines, cosines = tips[:, 0], tips[:, 1]
    wrong, right = _clockwise_degrees(cosines, sines), _clockwise_degrees(sines, cosines)
    start, step = float(wrong[0]), float(wrong[1] - wrong[0])
    return judged(
        abs(start) < 1e-9 and step > 0,
        Text(
            f"Drawn as (cos, sin) the hand starts {figure(start)}° from twelve and moves by "
            f"{figure(step)}° a token: "
            "anticlockwise from three. What the table stores, (sin, cos), starts at "
            f"{figure(float(right[0]))}° and "
            f"moves by {figure(float(right[1] - right[0]))}°: a clock.",
            f"画成 (cos, sin) 时，指针从离十二点 {figure(start)}° 处出发，每个词元转 {figure(step)}°："
            f"从三点逆时针走。表里存的 (sin, cos) 从 {figure(float(right[0]))}° 出发，"
            f"每个词元转 {figure(float(right[1] - right[0]))}°：这才是时钟。",
        ),
        Number(Text("start of (cos, sin)", "(cos, sin) 的起点"), start, DEGREES),
        Number(Text("step of (cos, sin)", "(cos, sin) 的一步"), step, DEGREES),
        Number(Text("start of (sin, cos)", "(sin, cos) 的起点"), float(right[0]), DEGREES),
        Number(Text("step of (sin, cos)", "(sin, cos) 的一步"), float(right[1] - right[0]), DEGREES),
    )


def _draw_two_ways(**page: Any) -> Picture:
    return plots.hand_directions(hands([0.3], range(6)), **page)


def _longest() -> Verdict:
    promised = 2 * np.pi * BASE
    found = {width: spectrum(default_inv_freq(width), 1).longest for width in (32, 128, 512)}
    other = spectrum(sinusoid_inv_freq(128, exponent="i/(d/2-1)"), 1).longest
    seen = " / ".join(figure(longest) for longest in found.values())
    return judged(
        all(np.isclose(longest, promised) for longest in found.values()),
        Text(
            f"With the printed exponent 2i/d the longest is 2π · 10000^((d-2)/d): {seen} for a width of "
            f"32 / 128 / 512, not {figure(promised)}. With the exponent i/(d/2-1) of the released code it is "
            f"{figure(other)}.",
            f"按论文写的指数 2i/d，最长的是 2π · 10000^((d-2)/d)：宽度为 32 / 128 / 512 时是 {seen}，"
            f"不是 {figure(promised)}。按公开代码用的指数 i/(d/2-1)，才是 {figure(other)}。",
        ),
        *(
            Number(Text(f"longest, width {width}", f"最长，宽度 {width}"), longest, TOKENS)
            for width, longest in found.items()
        ),
        Number(Text("2π · 10000", "2π · 10000"), promised, TOKENS),
        condition=Text("with the exponent i/(d/2-1)", "指数为 i/(d/2-1) "),
        holds_then=bool(np.isclose(other, promised)),
    )


def _draw_wavelengths(**page: Any) -> Picture:
    return plots.spectrum(spectrum(default_inv_freq(32), round(2 * np.pi * BASE)), **page)


def _all_turn() -> Verdict:
    asked = ((512, 512), (512, 4096), (128, 512), (128, 4096))
    found = {one: spectrum(default_inv_freq(one[0]), one[1]) for one in asked}
    slowest = found[128, 4096].turns.values.min()
    wide, usual = found[512, 512], found[128, 4096]
    return judged(
        all(one.unfinished == 0 for one in found.values()),
        Text(
            f"Many stand nearly still: at width 512, {wide.unfinished} of 256 hands need more than 512 "
            "tokens for one "
            f"turn; at width 128, {usual.unfinished} of 64 need more than 4,096, and the slowest makes "
            f"{figure(float(slowest), 3)} of a turn.",
            f"很多指针几乎不动：宽度 512 时，256 根指针里有 {wide.unfinished} 根在 512 个词元内转不满一圈；"
            f"宽度 128 时，64 根里有 {usual.unfinished} 根在 4,096 个词元内转不满一圈，"
            f"最慢的只转了 {figure(float(slowest), 3)} 圈。",
        ),
        *(
            Number(
                Text(
                    f"unfinished, width {width}, {length} tokens",
                    f"转不满一圈，宽度 {width}，{length} 个词元",
                ),
                one.unfinished,
                Text("hands", "根"),
            )
            for (width, length), one in found.items()
        ),
        Number(Text("turns of the slowest", "最慢的转了"), float(slowest), TURNS),
    )


def _draw_turns(**page: Any) -> Picture:
    return plots.spectrum(spectrum(default_inv_freq(128), 4096), **page)


def _order() -> Verdict:
    positions, speeds = np.arange(64), default_inv_freq(32)
    tables = [
        sinusoid(positions, speeds, arrangement, first)
        for arrangement in ("interleaved", "concatenated")
        for first in ("sin", "cos")
    ]
    products = [table @ table.T for table in tables]
    apart = max(float(np.abs(product - products[0]).max()) for product in products)
    mispaired = table_neighbours(_mispaired())
    return judged(
        apart > 1e-9,
        Text(
            f"All four orders in use give the same dot products, to {figure(apart)}: a model trained with "
            "one order "
            "doesn't mind which. A frequency counted by dimension, not by pair, is a real fault: the step "
            "between "
            f"neighbours then wobbles by {figure(mispaired.spread / mispaired.mean, 3)} of its mean.",
            f"四种常见顺序的点积完全相同（误差 {figure(apart)}）：用哪一种训练都一样。"
            "把频率按维度而不是按维度对编号，才是真正的错误：那样相邻位置的距离会摆动，"
            f"幅度是平均值的 {figure(mispaired.spread / mispaired.mean, 3)} 倍。",
        ),
        Number(Text("difference of the four orders", "四种顺序之差"), apart),
        Number(Text("wobble of a wrong pairing", "配错频率时的摆动"), mispaired.spread / mispaired.mean),
    )


def _mispaired() -> np.ndarray:
    """The well-known fault: the sine at dimension j and the cosine at j + 1 have frequencies of their own."""
    width, positions = 32, np.arange(64)[:, None]
    dimension = np.arange(width)
    turned = positions * BASE ** (-dimension / width)
    return np.where(dimension % 2 == 0, np.sin(turned), np.cos(turned))


def _draw_mispaired(**page: Any) -> Picture:
    note = Text("frequencies counted by dimension", "频率按维度编号")
    return plots.distance(replace(table_neighbours(_mispaired()).distance, note=note), **page)


CLAIMS = (
    Claim(
        id="cos-sin-clock",
        statement=Text(
            "Drawn as (cos, sin), a pair is a clock hand.", "把一对维度画成 (cos, sin)，就是时钟指针。"
        ),
        source="Vaswani et al. 2017, arXiv 1706.03762, section 3.5 (stores sin first)",
        examine=_cos_sin,
        draw=_draw_two_ways,
    ),
    Claim(
        id="longest-wavelength",
        statement=Text("The wavelengths run from 2π to 10000 · 2π.", "波长从 2π 一直到 10000 · 2π。"),
        source="Vaswani et al. 2017, arXiv 1706.03762, section 3.5; tensorflow/tensor2tensor",
        examine=_longest,
        draw=_draw_wavelengths,
    ),
    Claim(
        id="all-hands-matter",
        statement=Text(
            "All hands matter: each makes its turns within the context.",
            "每根指针都有用：在上下文里都会转上几圈。",
        ),
        source="Liu et al. 2023, arXiv 2310.05209; Barbero et al. 2024, arXiv 2410.06205",
        examine=_all_turn,
        draw=_draw_turns,
    ),
    Claim(
        id="sin-cos-order",
        statement=Text(
            "Whether sines and cosines alternate or stand in halves changes what the code says.",
            "sin 与 cos 交错存放还是前后各半，会改变位置编码的含义。",
        ),
        source="tensorflow issue 37191; tensorflow/tensor2tensor, layers/common_attention.py",
        examine=_order,
        draw=_draw_mispaired,
    ),
)
