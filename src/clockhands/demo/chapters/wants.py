"""What a position code should do, and four codes measured by it."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.demo import codes
from clockhands.demo.chapter import Chapter, Story
from clockhands.demo.speech import number, said
from clockhands.demo.studio import Studio
from clockhands.language import Text

STORY = Story(
    title=Text("What we want", "好编码该有什么"),
    paragraphs=(
        Text(
            "Before inventing anything, let us say what we want of a code for positions. *Unique*: no "
            "two positions share it. *Bounded*: its numbers stay about as large as those of a word "
            "vector. *Even*: one step is the same step everywhere. *Movable*: going on by k words is one "
            "fixed operation, wherever you start. *Independent*: position {probe} means the same in a "
            "short and in a long sentence. And it should be *cheap* to compare, and still mean something "
            "*past the lengths of training*.",
            "先别急着设计，说说我们想要什么。*唯一*：任何两个位置的编码都不同。*有界*：数的大小和词向量"
            "差不多。*均匀*：走一步，在哪里都是同样的一步。*可平移*：往后 k 个词是同一个固定的运算，不管"
            "从哪里出发。*独立*：位置 {probe} 在短句和长句里含义相同。此外还要*便于比较*，而且*超出训练"
            "长度*以后仍有意义。",
        ),
        Text(
            "Four candidates, the first {positions} positions, five measurements. Only the last row has "
            "no blemish.",
            "四种候选编码，前 {positions} 个位置，五项测量。只有最后一行没有毛病。",
        ),
    ),
    surprise=Text(
        "Being unique is the easy part: every row of the table manages it. What separates the codes is "
        "the size of the numbers and the evenness of the steps.",
        "唯一性最容易：表里每一行都做到了。真正把它们区分开的，是数的大小和步子匀不匀。",
    ),
    question=Text(
        "Fractions (position divided by length) are bounded, unique and even. Which column rules them out?",
        "小数编码（位置除以句长）有界、唯一、步子也匀。它输在哪一列？",
    ),
    answer=Text(
        "The last. Position {probe} of {short} words and position {probe} of {positions} words differ by "
        "{fraction_change:.2f}: the same number stands for different places in different sentences.",
        "最后一列。{short} 个词里的位置 {probe} 和 {positions} 个词里的位置 {probe} 相差 "
        "{fraction_change:.2f}：同一个数，在不同的句子里指不同的地方。",
    ),
)
POSITIONS, SHORT, PROBE, SHIFT = 100, 10, 5, 3
NAMES = {
    "integer": Text("integers", "整数"),
    "fraction": Text("fractions", "小数"),
    "binary": Text("binary", "二进制"),
    "hands": Text("clock hands", "时钟指针"),
}
HEADER = (
    Text("code", "编码"),
    Text("largest number", "最大的数"),
    Text("nearest two positions", "最近的两个位置"),
    Text("smallest step", "最小的一步"),
    Text("largest step", "最大的一步"),
    Text("moving by {shift} misses by", "平移 {shift} 步的误差"),
    Text("changes with the length by", "随句长变化"),
)
SPECS = (",.3g", ".3g", ".3g", ".3g", "power", ".2g")
CAPTION = Text(
    "Distances are Euclidean. “Moving”: the best single matrix (and a constant) that should turn the "
    "code of every position into the code {shift} positions on. “Length”: the code of position {probe} "
    "in {short} words and in {positions}.",
    "距离是欧氏距离。“平移”：用同一个矩阵（可加常数）把每个位置的编码变成往后 {shift} 个位置的编码，取最"
    "好的那个矩阵，看还差多少。“句长”：位置 {probe} 在 {short} 个词和 {positions} 个词里的编码相差多少。",
)


def tell(studio: Studio) -> Chapter:
    measured = {
        name: codes.measured(code, POSITIONS, SHORT, PROBE, SHIFT) for name, code in codes.CODES.items()
    }
    numbers = {
        "positions": POSITIONS,
        "short": SHORT,
        "probe": PROBE,
        "shift": SHIFT,
        "fraction_change": measured["fraction"].change,
    }
    header = [said(text, shift=SHIFT) for text in HEADER]
    rows = [
        [NAMES[name], *(number(x, spec) for x, spec in zip(row.numbers(), SPECS, strict=True))]
        for name, row in measured.items()
    ]
    data = Labelled(
        "codes",
        Text("measurements", "测量结果"),
        np.array([row.numbers() for row in measured.values()]),
        (
            Axis(HEADER[0], np.array(list(measured), dtype=object)),
            Axis(Text("measurement", "测量"), np.array([text.en for text in header[1:]], dtype=object)),
        ),
    )
    return STORY.told(numbers, [studio.table("codes", header, rows, said(CAPTION, **numbers), data)])
