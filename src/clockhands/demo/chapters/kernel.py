"""The whole similarity matrix is one curve, and the curve doesn't fall steadily."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clockhands.analysis.horizon import horizon
from clockhands.analysis.kernel_map import kernel_map
from clockhands.analysis.neighbours import neighbour_distance, table_neighbours
from clockhands.analysis.similarity import similarity, table_similarity
from clockhands.catalogue.description import Array
from clockhands.demo.chapter import Belief, Chapter, Figure, Story
from clockhands.demo.described import speeds, table
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import plainly, said
from clockhands.demo.studio import Studio
from clockhands.language import Text
from clockhands.plots.similarity import similarity as draw_similarity

STORY = Story(
    title=Text("One curve holds the whole map", "一条曲线，整张图"),
    paragraphs=(
        Text(
            "Compare all positions with all: the famous striped map. Because moving on is a rotation, "
            "and rotations keep angles, the similarity of two positions depends on their distance alone. "
            "Every diagonal is constant, and the whole map is one curve, the average of the cosines of "
            "all hands.",
            "把所有位置两两比较，就得到那张有名的条纹图。往前走是旋转，旋转不改变夹角，所以两个位置的相"
            "似度只取决于距离。每条对角线上的数都相同，整张图其实只是一条曲线：所有指针余弦的平均。",
        ),
        Text(
            "So the map needs no million dot products, and can be of any size: the second picture is a "
            "map of {big} × {big} positions, each pixel the exact mean of its block.",
            "所以画这张图用不着上百万次点积，想画多大都行：第二张是 {big} × {big} 个位置的图，每个像素都"
            "是那一块的精确平均值。",
        ),
    ),
    surprise=Text(
        "The curve does not fall steadily. With {dim} dimensions it first rises between distance "
        "{first_rise} and {after_rise} ({at_rise:.4f}, then {at_after:.4f}). Position {mid} words away "
        "is *less* similar ({at_mid:.3f}) than {echo} words away ({at_echo:.3f}).",
        "曲线并不是一路下降的。{dim} 维时，从距离 {first_rise} 到 {after_rise} 就第一次上升（"
        "{at_rise:.4f} 到 {at_after:.4f}）。相距 {mid} 个词的位置（{at_mid:.3f}）反而*不如*相距 {echo} "
        "个词的（{at_echo:.3f}）相似。",
    ),
    beliefs=(
        Belief(
            Text("Similarity falls steadily with distance.", "距离越远，相似度越低。"),
            Text(
                "First rise at distance {first_rise} with {dim} dimensions, {first_rise_mid} with "
                "{dim_mid}, {first_rise_wide} with {dim_wide}. Of the first {reach} steps, {up:.0%}, "
                "{up_mid:.0%} and {up_wide:.0%} go up. It even turns negative: {lowest:.3f} at distance "
                "{lowest_at}, {dim_wide} dimensions.",
                "{dim} 维时在距离 {first_rise} 处第一次上升，{dim_mid} 维在 {first_rise_mid}，{dim_wide} "
                "维在 {first_rise_wide}。前 {reach} 步里分别有 {up:.0%}、{up_mid:.0%}、{up_wide:.0%} 是"
                "上升的。它甚至会变负：{dim_wide} 维在距离 {lowest_at} 处是 {lowest:.3f}。",
            ),
        ),
        Belief(
            Text(
                "PE(p + k) · PE(p) depends approximately on k alone.", "PE(p + k) · PE(p) 近似地只与 k 有关。"
            ),
            Text(
                "Exactly, not approximately: along a diagonal the dot product varies by {diagonal:power}"
                ". The length of every code is √{half} to within {length_spread:power}, so cosine and "
                "dot product tell the same.",
                "不是近似，是精确：沿对角线点积的变化只有 {diagonal:power}。每个编码的长度都是 √{half}，"
                "误差 {length_spread:power}，所以余弦和点积说的是一回事。",
            ),
        ),
        Belief(
            Text(
                "Plot the distance of neighbouring positions to check that the code is healthy.",
                "画出相邻位置的距离，就能检查编码是否正常。",
            ),
            Text(
                "For clock hands it is a constant: {step:.5f} with {dim} dimensions, {step_mid:.5f} with "
                "{dim_mid}, {step_wide:.5f} with {dim_wide}. What such a plot shows is rounding noise of "
                "{noise:power}, blown up by the axis.",
                "对时钟指针来说它是常数：{dim} 维 {step:.5f}，{dim_mid} 维 {step_mid:.5f}，{dim_wide} 维 "
                "{step_wide:.5f}。图上看到的起伏是 {noise:power} 的舍入噪声，被坐标轴放大了。",
            ),
        ),
    ),
    question=Text(
        "Two words are {mid} apart, two others {echo}. By this curve alone, which pair looks closer?",
        "两个词相距 {mid}，另两个相距 {echo}。只看这条曲线，哪一对显得更近？",
    ),
    answer=Text(
        "The pair at {echo}: {at_echo:.3f} against {at_mid:.3f}. The curve measures how well the hands "
        "line up again, not how far away a word is.",
        "相距 {echo} 的那一对：{at_echo:.3f} 对 {at_mid:.3f}。曲线量的是指针重新对齐的程度，不是词离得多远。",
    ),
)
DIM, DIM_MID, DIM_WIDE = 32, 128, 512
POSITIONS, REACH, FAR, BIG, PIXELS = 100, 100, 20_000, 100_000, 330
MID, ECHO = 50, 57
ALT = Text(
    "Left, the similarity of every two positions as a striped map; right, the same as a curve over "
    "distance, wavy and never quite falling.",
    "左边是所有位置两两相似度的条纹图；右边是同样的内容画成随距离变化的曲线，起起伏伏，并不一路下降。",
)
CAPTION = Text(
    "{positions} positions, {dim} dimensions. The map on the left is nothing but the curve on the right.",
    "{positions} 个位置，{dim} 维。左边整张图，就是右边这一条曲线。",
)
BIG_TITLE = Text("The same map, much larger", "同一张图，大得多")
BIG_HEADING = Text("positions {first:,} to {last:,}", "位置 {first:,} 到 {last:,}")
BIG_ALT = Text(
    "A similarity map of a hundred thousand positions: broad bands beside the diagonal where the slow "
    "hands line up.",
    "十万个位置的相似度图：对角线两旁有宽宽的条带，那是慢针对齐的地方。",
)
BIG_CAPTION = Text(
    "All {big} positions, and a window of {window} in their middle; {dim} dimensions. No matrix of that "
    "size was ever made.",
    "全部 {big} 个位置，以及正中间 {window} 个位置的一个窗口；{dim} 维。这么大的矩阵从没真正算出来过。",
)
WINDOW = 2000


def tell(studio: Studio) -> Chapter:
    hands = {dim: speeds("sinusoidal", d_model=dim) for dim in (DIM, DIM_MID, DIM_WIDE)}
    seen = {dim: horizon(speed, REACH) for dim, speed in hands.items()}
    curve = seen[DIM].kernel.values
    rise = seen[DIM].first_rise
    assert rise is not None, "the sinusoid's curve rises within a hundred words"
    lowest = horizon(hands[DIM_WIDE], FAR).lowest
    rows = table("sinusoidal", POSITIONS, d_model=DIM)
    dots = table_similarity(rows, measure="dot").values
    numbers = {
        "dim": DIM, "half": DIM // 2, "dim_mid": DIM_MID, "dim_wide": DIM_WIDE, "reach": REACH, "big": BIG,
        "first_rise": rise, "after_rise": rise + 1, "at_rise": curve[rise], "at_after": curve[rise + 1],
        "first_rise_mid": seen[DIM_MID].first_rise, "first_rise_wide": seen[DIM_WIDE].first_rise,
        "up": seen[DIM].rising_share, "up_mid": seen[DIM_MID].rising_share,
        "up_wide": seen[DIM_WIDE].rising_share,
        "lowest": lowest.value, "lowest_at": lowest.distance,
        "mid": MID, "at_mid": curve[MID], "echo": ECHO, "at_echo": curve[ECHO],
        "diagonal": max(float(np.ptp(np.diagonal(dots, k))) for k in range(POSITIONS)),
        "length_spread": float(np.abs(np.sqrt(np.diagonal(dots)) - np.sqrt(DIM / 2)).max()),
        "step": neighbour_distance(hands[DIM]), "step_mid": neighbour_distance(hands[DIM_MID]),
        "step_wide": neighbour_distance(hands[DIM_WIDE]), "noise": table_neighbours(rows).spread,
    }  # fmt: skip
    picture = draw_similarity(similarity(hands[DIM], POSITIONS), seen[DIM].kernel, lang=studio.lang)
    figures = [
        studio.picture("kernel", picture, alt=ALT, caption=said(CAPTION, positions=POSITIONS, dim=DIM)),
        _big(studio, hands[DIM_WIDE]),
    ]
    return STORY.told(numbers, figures)


def _big(studio: Studio, speed: Array) -> Figure:
    middle = (BIG - WINDOW) // 2
    panels = []
    for id, (first, last) in {"all": (0, BIG), "window": (middle, middle + WINDOW)}.items():
        cells = kernel_map(speed, (first, last), (first, last), (PIXELS, PIXELS))
        panels.append(Map(replace(cells, id=id), plainly(BIG_HEADING, first=first, last=last - 1)))
    picture = maps(panels, lang=studio.lang, title=BIG_TITLE)
    caption = said(BIG_CAPTION, big=BIG, window=WINDOW, dim=DIM_WIDE)
    return studio.picture("kernel_big", picture, alt=BIG_ALT, caption=caption)
