"""The clock: many hands, each slower than the one before."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.hands import hands
from clockhands.analysis.horizon import nearest_return
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.spectrum import spectrum
from clockhands.demo.chapter import Belief, Chapter, Story
from clockhands.demo.described import speeds
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.language import Text
from clockhands.plots.clock import clock

STORY = Story(
    title=Text("Many hands", "许多根指针"),
    paragraphs=(
        Text(
            "Now mount {hands} hands on one axis, the fastest inside, each slower than the one before by "
            "the factor {ratio:.2f}. Together they write the {dim} numbers of the sinusoidal code. All "
            "start at twelve and turn clockwise, because a hand's tip is stored as (sin, cos): right, "
            "then up.",
            "现在把 {hands} 根指针装在同一根轴上，最快的在最里圈，每根都比前一根慢 {ratio:.2f} 倍。它们"
            "合起来就是正弦编码的 {dim} 个数。所有指针都从十二点出发，顺时针转，因为针尖存成 (sin, cos)："
            "先向右，再向上。",
        ),
        Text(
            "Watch {last} words go by. The fastest hand makes {fast_turns:.1f} turns; the slowest moves "
            "by {slow_turns:.4f} of a turn, which no eye can see. Near words differ in the fast hands, "
            "far words in the slow ones.",
            "看 {last} 个词走过去。最快的针转了 {fast_turns:.1f} 圈，最慢的只转了 {slow_turns:.4f} 圈，"
            "肉眼看不出。近处的词靠快针区分，远处的词靠慢针区分。",
        ),
        Text(
            "It is not quite a clock. A minute hand moves on when the second hand completes a turn; "
            "these hands carry nothing over, each just turns. And with {wide} dimensions the ratio is "
            "only {wide_ratio:.3f}: {wide_hands} hands, each almost as fast as its neighbour.",
            "它又不完全是钟。钟的秒针走满一圈，分针才进一格；这里没有进位，各转各的。维度到 {wide} 时，"
            "相邻两根针的速度只差 {wide_ratio:.3f} 倍：{wide_hands} 根针，几乎一样快。",
        ),
    ),
    surprise=Text(
        "Many hands buy margin. The three fastest alone come back to within {three_near:.3f} of the "
        "start at position {three_at}, nearer than a neighbour ({three_step:.3f}). All {hands} together "
        "come no nearer than {all_near:.3f} within {reach} positions, and that is the very next "
        "position.",
        "针多，余量就大。只用最快的三根，到位置 {three_at} 时离起点只有 {three_near:.3f}，比相邻两个位置"
        "（{three_step:.3f}）还近。{hands} 根一起用，{reach} 个位置之内最近也有 {all_near:.3f}，那正是紧"
        "挨着的下一个位置。",
    ),
    beliefs=(
        Belief(
            Text(
                "The third hand hardly moves in {article_positions} positions.",
                "走过 {article_positions} 个位置，第三根针几乎不动。",
            ),
            Text(
                "Its wavelength is {third_wave:.1f} words, so it makes {third_turns:.1f} turns. It is "
                "the last of {hands} that hardly moves: {slow_turns:.4f} of a turn.",
                "它的波长是 {third_wave:.1f} 个词，转了 {third_turns:.1f} 圈。几乎不动的是第 {hands} 根："
                "{slow_turns:.4f} 圈。",
            ),
        ),
        Belief(
            Text("Wavelengths run from 2π to {base} · 2π.", "波长从 2π 到 {base} · 2π。"),
            Text(
                "The slowest hand needs {longest:,.0f} words for a turn, not {claimed:,.0f}: the "
                "exponent stops one step short. With {wide} dimensions it is {wide_longest:,.0f}.",
                "最慢的针转一圈要 {longest:,.0f} 个词，而不是 {claimed:,.0f}：指数在最后一步之前就停了。"
                "{wide} 维时是 {wide_longest:,.0f}。",
            ),
        ),
        Belief(
            Text(
                "Drawn as (cos, sin), a hand starts at three o'clock and turns anticlockwise; that is "
                "the clock.",
                "把指针画成 (cos, sin)：从三点开始逆时针转，这就是时钟。",
            ),
            Text(
                "The table stores (sin, cos). Read as right and up, position zero is ({zero_x:.0f}, "
                "{zero_y:.0f}), twelve o'clock, and position one is ({one_x:.2f}, {one_y:.2f}), "
                "clockwise from it.",
                "表里存的是 (sin, cos)。横坐标在前，位置零是 ({zero_x:.0f}, {zero_y:.0f})，十二点；位置"
                "一是 ({one_x:.2f}, {one_y:.2f})，在它的顺时针方向。",
            ),
        ),
    ),
    question=Text(
        "Which hand tells position {near} from position {near_next}? Which tells {near} from {far}?",
        "区分位置 {near} 和 {near_next} 靠哪根针？区分 {near} 和 {far} 呢？",
    ),
    answer=Text(
        "From {near} to {near_next} the fastest hand turns by {near_fast:.0f}° and the slowest by "
        "{near_slow:.3f}°: only fast hands notice. From {near} to {far} the fastest has gone round "
        "{far_fast:.0f} times, so where it points says nothing of how far; the slowest has turned by "
        "{far_slow:.0f}°, without ambiguity.",
        "从 {near} 到 {near_next}，最快的针转 {near_fast:.0f}°，最慢的只转 {near_slow:.3f}°：只有快针察"
        "觉得到。从 {near} 到 {far}，最快的针已转了 {far_fast:.0f} 圈，指向哪里说明不了远近；最慢的针转"
        "了 {far_slow:.0f}°，毫不含糊。",
    ),
)
DIM, WIDE, BASE = 32, 512, 10000.0
REACH, REACH_OF_THREE, NEAR, FAR = 100_000, 2000, 3, 3000

ALT = Text(
    "A clock with one dial inside the other, a hand on each: the inner ones run, the outer ones stand "
    "almost still. Beside it, each hand on a small dial of its own with its wavelength.",
    "一个套着许多圈表盘的钟，每圈一根指针：里面的飞快，外面的几乎不动。旁边每根指针各有一个小表盘，写着"
    "波长。",
)
CAPTION = Text(
    "{hands} hands at positions zero to {last}, fastest inside. The tail of each hand shows its last steps.",
    "{hands} 根指针从位置零走到 {last}，最快的在最里圈。针后的尾迹是刚走过的几步。",
)


def tell(studio: Studio) -> Chapter:
    speed = speeds("sinusoidal", d_model=DIM, base=BASE)
    wide = speeds("sinusoidal", d_model=WIDE, base=BASE)
    last = studio.effort.frames - 1
    seen, seen_wide = spectrum(speed, last), spectrum(wide, last)
    three, all_hands = nearest_return(speed[:3], REACH_OF_THREE), nearest_return(speed, REACH)
    tips = hands(speed, [0, 1]).values
    degrees = np.degrees(speed)
    numbers = {
        "dim": DIM, "hands": len(speed), "ratio": speed[0] / speed[1],
        "wide": WIDE, "wide_hands": len(wide), "wide_ratio": wide[0] / wide[1],
        "last": last, "article_positions": studio.effort.frames,
        "fast_turns": seen.turns.values[0], "slow_turns": seen.turns.values[-1],
        "third_wave": seen.wavelength.values[2], "third_turns": seen.turns.values[2],
        "longest": seen.longest, "base": int(BASE), "claimed": 2 * np.pi * BASE,
        "wide_longest": seen_wide.longest,
        "three_near": three.value, "three_at": three.distance, "three_step": neighbour_distance(speed[:3]),
        "all_near": all_hands.value, "reach": REACH, "near": NEAR, "near_next": NEAR + 1, "far": FAR,
        "zero_x": tips[0, 0, 0], "zero_y": tips[0, 0, 1], "one_x": tips[1, 0, 0], "one_y": tips[1, 0, 1],
        "near_fast": degrees[0], "near_slow": degrees[-1],
        "far_fast": degrees[0] * (FAR - NEAR) / 360, "far_slow": degrees[-1] * (FAR - NEAR),
    }  # fmt: skip
    animation = clock(speed, studio.effort.frames, lang=studio.lang)
    caption = said(CAPTION, hands=len(speed), last=last)
    return STORY.told(numbers, [studio.moving("clock", animation, still_at=last, alt=ALT, caption=caption)])
