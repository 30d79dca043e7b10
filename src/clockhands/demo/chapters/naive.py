"""Integers, fractions and bits: why each of them nearly works."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.axes import dimension_axis, position_axis
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.neighbours import neighbour_distance, table_neighbours
from clockhands.demo import codes
from clockhands.demo.chapter import Chapter, Story
from clockhands.demo.described import speeds
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.language import Text

STORY = Story(
    title=Text("Three codes that fail", "三种不成功的编码"),
    paragraphs=(
        Text(
            "*Count the words.* Position {last} is then {last} times as large as position one, while the "
            "numbers in a word vector are about as large as one. The position shouts the word down.",
            "*直接数数。*位置 {last} 就是位置一的 {last} 倍，而词向量里的数大约只有一那么大。位置的声音"
            "盖过了词。",
        ),
        Text(
            "*Divide by the length.* Now all is between zero and one, but a step is {short_step:.3f} in "
            "a sentence of {short} words and {long_step:.4f} in one of {positions}. “The next word” has "
            "no fixed size any more.",
            "*除以句长。*现在都在零和一之间了，可是在 {short} 个词的句子里走一步是 {short_step:.3f}，在 "
            "{positions} 个词的句子里是 {long_step:.4f}。“下一个词”没有固定的大小了。",
        ),
        Text(
            "*Write it in binary.* Bounded, and each column flips half as often as the one before. But "
            "the steps jump: from {cliff} to {after} all {flips} bits flip at once, and the neighbours "
            "are {cliff_step:.2f} apart; most steps flip one bit or two.",
            "*写成二进制。*有界，而且每一列的翻转次数是前一列的一半。但是步子忽大忽小：从 {cliff} 到 "
            "{after}，{flips} 位同时翻转，这两个邻居相距 {cliff_step:.2f}；而多数时候只翻一位或两位。",
        ),
    ),
    surprise=Text(
        "Binary is nearly the answer. Each column is a square wave, each slower than the one before. "
        "Round off its corners and you have the clock hands, whose step is {hand_step:.4f} everywhere.",
        "二进制离答案只差一步。每一列都是方波，一列比一列慢。把方波磨圆，就成了时钟指针，它的步长处处都"
        "是 {hand_step:.4f}。",
    ),
    question=Text(
        "Of the {steps} steps in this picture, how many flip exactly one bit, and why?",
        "图里一共 {steps} 步，有多少步恰好只翻一位？为什么？",
    ),
    answer=Text(
        "{single}: every step from an even number to the next, because only the last bit changes. That "
        "is {single_share:.0%} of them.",
        "{single} 步：从偶数走到下一个数时，只有最低位变化。占 {single_share:.0%}。",
    ),
)
POSITIONS, SHORT = 100, 10
PICTURE = Text("Four codes for the same positions", "同样的位置，四种编码")
HEADINGS = {
    "integer": Text("integers", "整数"),
    "fraction": Text("fractions", "小数"),
    "binary": Text("binary", "二进制"),
    "hands": Text("clock hands", "时钟指针"),
}
ALT = Text(
    "Four heat maps, a row for each position: one ramp for integers, a paler ramp for fractions, stripes "
    "that widen from column to column for binary, and smooth waves for clock hands.",
    "四张热力图，每行一个位置：整数是一条越来越深的色带，小数是浅色带，二进制是一列比一列宽的条纹，时钟"
    "指针是平滑的波纹。",
)
CAPTION = Text(
    "The first {positions} positions, each in its own row. Every panel has its own scale.",
    "前 {positions} 个位置，每个一行。每张图各用自己的色标。",
)


def tell(studio: Studio) -> Chapter:
    bits = codes.binary(POSITIONS)
    flips = np.abs(np.diff(bits, axis=0)).sum(axis=1)
    cliff = int(flips.argmax())
    steps = table_neighbours(bits).distance.values
    numbers = {
        "positions": POSITIONS,
        "last": POSITIONS - 1,
        "short": SHORT,
        "short_step": float(codes.fractions(SHORT)[1, 0]),
        "long_step": float(codes.fractions(POSITIONS)[1, 0]),
        "cliff": cliff,
        "after": cliff + 1,
        "flips": int(flips[cliff]),
        "cliff_step": float(steps[cliff]),
        "hand_step": neighbour_distance(speeds("sinusoidal")),
        "steps": len(flips),
        "single": int((flips == 1).sum()),
        "single_share": float((flips == 1).mean()),
    }
    panels = [Map(_labelled(name, code(POSITIONS)), HEADINGS[name]) for name, code in codes.CODES.items()]
    picture = maps(panels, lang=studio.lang, title=PICTURE, shared=False, square=False)
    return STORY.told(numbers, [studio.picture("naive", picture, alt=ALT, caption=said(CAPTION, **numbers))])


def _labelled(id: str, table: codes.Array) -> Labelled:
    axes = (position_axis(np.arange(len(table))), dimension_axis(table.shape[1]))
    return Labelled(id, Text("value", "数值"), table, axes)
