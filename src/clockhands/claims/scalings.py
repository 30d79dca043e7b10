"""Claims about the scalings of RoPE for longer contexts."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import TOKENS, pair_axis
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.ramp import compare_yarn_ramps, slowing
from clockhands.analysis.spectrum import spectrum
from clockhands.claims.claim import Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq, linear_inv_freq, ntk_inv_freq, proportional_inv_freq
from clockhands.formulas.rotation import angles
from clockhands.language import Text
from clockhands.plots import Picture

HEAD_DIM, FACTOR = 128, 8.0
LLAMA_2 = (128, 1e4, 4096, 16.0)
"""Head width, base, trained length and factor of YaRN's 64k models."""


def _interpolation() -> Verdict:
    positions = np.arange(0, 32_768, 7)
    scaled = angles(positions, linear_inv_freq(HEAD_DIM, factor=FACTOR))
    divided = angles(positions / FACTOR, default_inv_freq(HEAD_DIM))
    gap = float(np.abs(scaled - divided).max())
    return judged(
        gap < 1e-9,
        Text(
            f"Dividing every hand's speed by {FACTOR:.0f} and dividing every position by {FACTOR:.0f} give "
            "the "
            f"same angles, to {figure(gap)} rad over 32,768 positions.",
            f"把每根指针的角频率除以 {FACTOR:.0f}，与把每个位置除以 {FACTOR:.0f}，得到的角度相同："
            f"在 32,768 个位置上只差 {figure(gap)} 弧度。",
        ),
        Number(Text("largest difference", "最大差"), gap, Text("rad", "弧度")),
    )


def _ntk() -> Verdict:
    ratio = default_inv_freq(HEAD_DIM) / ntk_inv_freq(HEAD_DIM, factor=FACTOR)
    first, middle, last = (float(ratio[pair]) for pair in (0, len(ratio) // 2, -1))
    return judged(
        abs(first - 1) < 1e-9 and abs(last - FACTOR) < 1e-9,
        Text(
            f"With a factor of {FACTOR:.0f} the speed of the fastest hand is divided by {figure(first)}, of "
            f"the slowest by {figure(last)}, of the middle one by {figure(middle, 3)}.",
            f"缩放因子为 {FACTOR:.0f} 时，最快指针的角频率除以 {figure(first)}，"
            f"最慢的除以 {figure(last)}，中间的除以 {figure(middle, 3)}。",
        ),
        Number(Text("divisor of the fastest", "最快指针的除数"), first),
        Number(Text("divisor of the slowest", "最慢指针的除数"), last),
    )


def _draw_slowing(**page: Any) -> Picture:
    plain = default_inv_freq(HEAD_DIM)
    lines = [
        slowing(plain, linear_inv_freq(HEAD_DIM, factor=FACTOR), FACTOR, Text("interpolation", "位置内插")),
        slowing(plain, ntk_inv_freq(HEAD_DIM, factor=FACTOR), FACTOR, Text("NTK-aware", "NTK-aware")),
    ]
    says = Text(
        f"0: the hand is unchanged; 1: it is {FACTOR:.0f} times slower.",
        f"0：指针不变；1：放慢到原来的 1/{FACTOR:.0f}。",
    )
    return plots.curves(lines, says=says, measured=Text("how far slowed", "放慢的程度"), **page)


def _yarn() -> Verdict:
    found = compare_yarn_ramps(*LLAMA_2)
    (low, high), (first, last) = found.exact, found.used
    gap = np.abs(found.code.values - found.paper.values)
    pair = int(gap.argmax())
    return judged(
        found.worst < 1e-6,
        Text(
            "The paper's ramp is straight in the turns of a hand, the code's in the number of the pair, "
            "and the code "
            f"moves its ends from {low:.2f} and {high:.2f} to {first} and {last}. For Llama 2 at factor "
            "16, pair "
            f"{pair} is slowed by {found.code.values[pair]:.0%} in the code and "
            f"{found.paper.values[pair]:.0%} in the "
            f"paper; speeds differ by up to {found.worst:.0%}.",
            f"论文里的过渡按指针转过的圈数是直线，代码里按维度对的编号是直线，"
            f"代码还把两端从 {low:.2f} 和 {high:.2f} 挪到 {first} 和 {last}。"
            f"以 Llama 2、缩放因子 16 为例，第 {pair} 对在代码里减速 {found.code.values[pair]:.0%}，"
            f"在论文里减速 {found.paper.values[pair]:.0%}；角频率最多相差 {found.worst:.0%}。",
        ),
        Number(Text("start of the ramp, exact", "过渡起点，精确值"), low, Text("pair", "维度对")),
        Number(Text("start of the ramp, used", "过渡起点，实际用"), first, Text("pair", "维度对")),
        Number(Text("end of the ramp, exact", "过渡终点，精确值"), high, Text("pair", "维度对")),
        Number(Text("end of the ramp, used", "过渡终点，实际用"), last, Text("pair", "维度对")),
        Number(Text("largest difference of speeds", "角频率的最大差"), 100 * found.worst, Text("%", "%")),
    )


def _draw_yarn(**page: Any) -> Picture:
    found = compare_yarn_ramps(*LLAMA_2)
    says = Text("0: the hand is unchanged; 1: it is 16 times slower.", "0：指针不变；1：放慢到原来的 1/16。")
    return plots.curves(
        [found.code, found.paper], says=says, measured=Text("how far slowed", "放慢的程度"), **page
    )


def _wavelengths() -> tuple[np.ndarray, np.ndarray]:
    """Longest wavelengths of a head of 512 at base 1e6: a quarter turned, a quarter of the hands kept."""
    partial = spectrum(default_inv_freq(128, 1e6), 1).wavelength.values
    kept = spectrum(proportional_inv_freq(512, 1e6, partial_rotary_factor=0.25), 1).wavelength.values
    return partial, kept[np.isfinite(kept)]


def _partial() -> Verdict:
    partial, kept = _wavelengths()
    slow, fast = float(partial.max()), float(kept.max())
    return judged(
        len(partial) == len(kept) and bool(np.allclose(partial, kept)),
        Text(
            f"Both turn {len(kept)} pairs of a head of 512 at base 1e6. Partial rotation spreads its hands "
            "over the "
            f"whole range, up to {figure(slow)} tokens a turn; p-RoPE keeps the fastest only, up to "
            f"{figure(fast)}.",
            f"头宽 512、底数 1e6 时，两者都转 {len(kept)} 对。部分旋转让指针铺满整个范围，最长一圈 "
            f"{figure(slow)} 个词元；p-RoPE 只留下最快的，最长 {figure(fast)} 个词元。",
        ),
        Number(Text("longest, partial rotation", "最长，部分旋转"), slow, TOKENS),
        Number(Text("longest, p-RoPE", "最长，p-RoPE"), fast, TOKENS),
    )


def _draw_partial(**page: Any) -> Picture:
    names = (Text("partial rotation", "部分旋转"), Text("p-RoPE", "p-RoPE"))
    lines = [
        Labelled("wavelength", name, np.log10(waves), (pair_axis(len(waves)),))
        for name, waves in zip(names, _wavelengths(), strict=True)
    ]
    says = Text(
        "Wavelength of each moving hand, log10 of tokens.", "每根转动的指针的波长（词元数的 log10）。"
    )
    return plots.curves(
        lines, says=says, measured=Text("log10 of the wavelength in tokens", "波长（词元数）的 log10"), **page
    )


CLAIMS = (
    Claim(
        id="interpolation-scales-positions",
        statement=Text("Position interpolation is dividing positions.", "位置内插就是把位置除以缩放因子。"),
        source="Chen et al. 2023, arXiv 2306.15595, equation 4",
        examine=_interpolation,
        draw=_draw_slowing,
    ),
    Claim(
        id="ntk-ends",
        statement=Text(
            "NTK-aware scaling keeps the fastest hand and slows the slowest by the whole factor.",
            "NTK-aware 缩放保留最快的指针，把最慢指针的角频率除以整个缩放因子。",
        ),
        source="bloc97 2023, in Peng et al. 2023, arXiv 2309.00071, section 3.1",
        examine=_ntk,
        draw=_draw_slowing,
    ),
    Claim(
        id="yarn-code-is-paper",
        statement=Text("YaRN's code computes the ramp of its paper.", "YaRN 的代码与论文中的过渡函数相同。"),
        source="Peng et al. 2023, arXiv 2309.00071, section 3.2; jquesnelle/yarn",
        examine=_yarn,
        draw=_draw_yarn,
    ),
    Claim(
        id="partial-is-proportional",
        statement=Text(
            "Turning a quarter of the dimensions is the same as p-RoPE with a quarter.",
            "只转四分之一的维度，与保留四分之一指针的 p-RoPE 是一回事。",
        ),
        source="Barbero et al. 2024, arXiv 2410.06205, section 6",
        examine=_partial,
        draw=_draw_partial,
    ),
)
