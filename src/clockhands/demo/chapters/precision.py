"""Positions in sixteen bits."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.precision import angle_error, distinct_positions, rounded
from clockhands.demo.chapter import Belief, Chapter, Story
from clockhands.demo.described import speeds
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.language import Text
from clockhands.plots.long_range import long_range, told_apart

STORY = Story(
    title=Text("Sixteen bits are not enough", "十六位不够用"),
    paragraphs=(
        Text(
            "Models calculate in sixteen bits to save memory. bfloat16 has only {bf16_bits} significant "
            "bits, so whole numbers above {bf16_exact} are rounded: {clash_a} and {clash_b} become the "
            "same position.",
            "模型为了省内存，用十六位的数计算。bfloat16 只有 {bf16_bits} 位有效数字，{bf16_exact} 以上的"
            "整数就要舍入：{clash_a} 和 {clash_b} 成了同一个位置。",
        ),
        Text(
            "Of {positions} positions, {bf16_distinct} are still distinct in bfloat16 and "
            "{fp16_distinct} in float16. Two words with one position are, to the hands, at the same "
            "place.",
            "{positions} 个位置里，bfloat16 只分得开 {bf16_distinct} 个，float16 分得开 {fp16_distinct} "
            "个。两个词位置重合，在指针看来就站在同一处。",
        ),
        Text(
            "The cure is an order of steps: positions stay integers, angles are computed in {safe} bits "
            "or more, and only the finished sines and cosines are rounded.",
            "办法在于先后次序：位置始终是整数，角度至少用 {safe} 位计算，最后才把算好的正弦余弦舍入。",
        ),
    ),
    surprise=Text(
        "Thirty-two bits have an end, too. Near position {far} the sine of the worst of {hands} hands is "
        "off by {fp32_error:.3f} in float32; near {near}, by {fp32_near:power}.",
        "三十二位也有尽头。在位置 {far} 附近，{hands} 根针里最差的那根，float32 算出的正弦差 "
        "{fp32_error:.3f}；在 {near} 附近是 {fp32_near:power}。",
    ),
    beliefs=(
        Belief(
            Text("bfloat16 is good enough for positions.", "位置用 bfloat16 就够了。"),
            Text(
                "Of {positions} positions only {bf16_distinct} stay distinct; the first to collide are "
                "{clash_a} and {clash_b}. In float16 it is {fp16_distinct}, from {fp16_a} and {fp16_b} "
                "on.",
                "{positions} 个位置里只有 {bf16_distinct} 个互不相同，最先重合的是 {clash_a} 和 "
                "{clash_b}。float16 是 {fp16_distinct} 个，从 {fp16_a} 和 {fp16_b} 开始重合。",
            ),
        ),
    ),
    question=Text(
        "By how many words can bfloat16 misplace a word near position {positions}?",
        "在位置 {positions} 附近，bfloat16 会把一个词挪开几个位置？",
    ),
    answer=Text(
        "By up to {worst}: there, representable numbers are {spacing} apart.",
        "最多 {worst} 个：那里能表示的数相隔 {spacing}。",
    ),
)
HEAD_DIM, POSITIONS, LONG, FAR, NEAR = 128, 4096, 100_000, 1_000_000, 10_000
ALT = Text(
    "Left, the similarity curve over a hundred thousand positions, which never dies away; right, how "
    "many positions each number format tells apart: bfloat16 bends first, float16 later, float32 not at "
    "all.",
    "左边是十万个位置上的相似度曲线，始终没有消失；右边是每种数字格式还分得开多少位置：bfloat16 最早弯下"
    "来，float16 晚一些，float32 一直不弯。",
)
CAPTION = Text(
    "Left: similarity over {long} positions, {dim} dimensions. Right: how many of the first positions "
    "each number format keeps distinct.",
    "左：{long} 个位置上的相似度，{dim} 维。右：前若干个位置里，每种数字格式还能区分多少个。",
)


def tell(studio: Studio) -> Chapter:
    bf16, fp16 = distinct_positions(POSITIONS, "bf16"), distinct_positions(POSITIONS, "fp16")
    assert bf16.first_clash is not None
    assert fp16.first_clash is not None
    speed = speeds("rope", head_dim=HEAD_DIM)
    below = rounded(np.arange(POSITIONS - 64, POSITIONS), "bf16")
    far, near = (
        angle_error(speed, np.arange(end - 99, end + 1), "fp32").tip.values.max() for end in (FAR, NEAR)
    )
    numbers = {
        "positions": POSITIONS,
        "bf16_bits": bf16.first_clash[0].bit_length() - 1,
        "bf16_exact": bf16.first_clash[0],
        "clash_a": bf16.first_clash[0],
        "clash_b": bf16.first_clash[1],
        "bf16_distinct": bf16.distinct,
        "fp16_distinct": fp16.distinct,
        "fp16_a": fp16.first_clash[0],
        "fp16_b": fp16.first_clash[1],
        "safe": 32,
        "hands": len(speed),
        "far": FAR,
        "fp32_error": far,
        "near": NEAR,
        "fp32_near": near,
        "worst": int(bf16.worst_shift),
        "spacing": int(np.diff(np.unique(below)).min()),
    }
    curve = kernel_range(speeds("sinusoidal", d_model=HEAD_DIM), LONG)
    picture = long_range(curve, told_apart(LONG), lang=studio.lang)
    caption = said(CAPTION, long=LONG, dim=HEAD_DIM)
    return STORY.told(numbers, [studio.picture("precision", picture, alt=ALT, caption=caption)])
