"""Step 13: few bits, caches and padding."""

from __future__ import annotations

from clockhands.analysis.precision import distinct_positions
from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Slider, Step

COUNT = 4096


def _numbers() -> Numbers:
    bf16, fp16 = distinct_positions(COUNT, "bf16"), distinct_positions(COUNT, "fp16")
    first, half = bf16.first_clash or (0, 0), fp16.first_clash or (0, 0)
    return {
        "count": COUNT,
        "bf16": bf16.distinct,
        "fp16": fp16.distinct,
        "first": first[0],
        "then": first[1],
        "half": half[0],
        "half_then": half[1],
        "error": claimed("bf16-is-fine")["worst angle error in bf16"],
    }


STEP = Step(
    id="precision",
    title=Text("Few bits, caches, padding", "精度、缓存与填充"),
    settings="dtype=bf16&context=4096&pos=256&dim=128",
    prose=(
        Text(
            "Modern models compute in 16 bits. bf16 keeps 8 binary digits of a number: enough for weights, "
            "not for counting. Store positions in it and beyond {first} neighbours melt together.",
            "如今的模型用 16 位计算。bf16 只留 8 位有效二进制数字：存权重够了，数数不够。用它存位置，"
            "过了 {first}，邻居就粘在一起了。",
        ),
        Text(
            "Two more traps around positions. With a KV cache the next word is not at 0 but after all that "
            "is cached. And padding on the left must not count, or each sentence of a batch starts "
            "somewhere else. RoPE forgives a shift of *all* positions, a learned table doesn't. A gap in "
            "the middle changes distances, and that RoPE doesn't forgive either.",
            "位置还有两个坑。用 KV 缓存时，下一个词不在 0，而是接在缓存之后。左侧填充不能算数，"
            "否则同一批里每句话的起点都不一样。*全体*平移，RoPE 不在乎，可学习的表在乎。中间多出一段空档，"
            "距离就变了，RoPE 也受不了。",
        ),
    ),
    formula=(r"p_{next} = n_{cached}, angle = ω p",),
    buttons=(
        Button(Text("bf16", "bf16"), "dtype=bf16"),
        Button(Text("fp16", "fp16"), "dtype=fp16"),
        Button(Text("fp32", "fp32"), "dtype=fp32"),
    ),
    sliders=(Slider(Text("Position", "位置"), "pos", 0, 4095),),
    pictures=(Picture("precision"),),
    reading=(),
    surprise=Text(
        "Of {count:,} positions only {bf16} stay distinct in bf16, and {fp16:,} in fp16. Angles multiplied "
        "in bf16 are off by up to {error:.1f} rad on the way: some fast hands point anywhere.",
        "{count:,} 个位置，用 bf16 存只剩 {bf16} 个互不相同，fp16 剩 {fp16:,} 个。角度要是用 bf16 来乘，"
        "途中最多差 {error:.1f} 弧度：有些快针指到哪儿都有可能。",
    ),
    question=Question(
        Text(
            "Positions kept in bf16: which are the first two neighbours to become one?",
            "用 bf16 存位置：最先合成一个的是哪两个邻居？",
        ),
        (
            Answer(
                Text("128 and 129", "128 和 129"),
                Text(
                    "Still apart: up to {first}, 8 digits hold every whole number.",
                    "还分得开：到 {first} 为止，8 位存得下每个整数。",
                ),
                "dtype=bf16&pos=128",
            ),
            Answer(
                Text("{first} and {then}", "{first} 和 {then}"),
                Text(
                    "Yes. {then} needs a ninth digit, and is rounded to {first}.",
                    "对。{then} 需要第九位，于是被舍成 {first}。",
                ),
                "dtype=bf16&pos={first}",
                right=True,
            ),
            Answer(
                Text("{half:,} and {half_then:,}", "{half:,} 和 {half_then:,}"),
                Text(
                    "That is where fp16 begins to fail. bf16 gives up long before.",
                    "那是 fp16 开始出错的地方。bf16 早就不行了。",
                ),
                "dtype=fp16&pos={half}",
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text("bf16 is fine, so it is fine for positions.", "bf16 够用，存位置当然也够用。"),
            Text(
                "Keep positions as integers, compute angles in at least float32, and cast sine and cosine "
                "last.",
                "位置用整数存，角度至少用 float32 算，最后才转换 sin 和 cos。",
            ),
        ),
    ),
    numbers=_numbers,
)
