"""Step 3: integers, fractions and binary digits on one picture."""

from __future__ import annotations

import numpy as np

from clockhands.formulas.codes import binary
from clockhands.language import Text
from clockhands.web.lesson.step import Answer, Numbers, Picture, Question, Slider, Step
from clockhands.web.lesson.wishes import CODES


def _numbers() -> Numbers:
    digits = binary(np.arange(64), 6)
    changed = np.abs(np.diff(digits, axis=0)).sum(axis=1)
    return {
        "at_15": int(changed[15]),
        "at_31": int(changed[31]),
        "at_62": int(changed[62]),
        "third_7": 3 / (7 - 1),
        "third_64": 3 / (64 - 1),
    }


STEP = Step(
    id="failures",
    title=Text("What fails, and how nicely", "失败得很有意思"),
    settings="mode=2&context=64",
    prose=(
        Text(
            "Each column is a position, each row one number of its code; below, how long the step to the "
            "next position is. Integers run off the scale. Fractions stay within it, but position 3 is "
            "{third_7:.2f} in a text of 7 words and {third_64:.2f} in one of 64.",
            "每一列是一个位置，每一行是编码里的一个数；下面的曲线是到下一个位置的一步有多长。整数越跑越大。"
            "分数不出界，可位置 3 在 7 个词的文章里是 {third_7:.2f}，在 64 个词的里是 {third_64:.2f}。",
        ),
        Text(
            "Binary digits are small and never repeat. But look at the curve. From 30 to 31 one digit flips, "
            "from 31 to 32 all {at_31} do. They are neighbours, and look like strangers.",
            "二进制的数小，也从不重复。可是看那条曲线：从 30 到 31 只翻一位，从 31 到 32 却翻了 {at_31} 位。"
            "明明是邻居，看上去像陌生人。",
        ),
    ),
    formula=(r"binary(31) = 11111, binary(32) = 100000",),
    buttons=CODES,
    sliders=(Slider(Text("Length of the text", "文章长度"), "context", 8, 64),),
    pictures=(
        Picture(
            "codes",
            Text(
                "The code of every position in colours, and the length of each step.",
                "每个位置的编码（颜色），以及每一步的长度。",
            ),
        ),
    ),
    reading=(
        Text(
            "Position 3 is written <<third>>. Longest step: <<jump>>.",
            "位置 3 写作 <<third>>。最长的一步：<<jump>>。",
        ),
    ),
    surprise=Text(
        "Look at the rows of the binary code once more. The lowest digit flips at every position, the next "
        "at every second, then at every fourth: wheels, each half as fast as the one before. The idea is "
        "good. The wheels only jerk. Let them glide, and you have clock hands.",
        "再看一眼二进制的那几行。最低位每个位置都翻，下一位每两个翻一次，再下一位每四个：一排轮子，"
        "一个比一个慢一半。主意其实很好，只是轮子一跳一跳的。让它们平滑地转起来，就成了时钟指针。",
    ),
    question=Question(
        Text(
            "Between which neighbours does the binary code jump furthest?",
            "哪两个相邻位置之间，二进制编码跳得最远？",
        ),
        (
            Answer(
                Text("15 and 16", "15 和 16"),
                Text(
                    "A long jump: {at_15} digits. There is a longer one; look for the highest peak.",
                    "跳得不近，翻了 {at_15} 位。还有更远的：找找最高的那个尖。",
                ),
                "mode=2&context=64",
            ),
            Answer(
                Text("31 and 32", "31 和 32"),
                Text(
                    "Yes: all {at_31} digits flip, though it is a step of one.",
                    "对：只走了一步，{at_31} 位全翻了。",
                ),
                "mode=2&context=64",
                right=True,
            ),
            Answer(
                Text("62 and 63, where the numbers are largest", "62 和 63，那里数最大"),
                Text(
                    "Only {at_62} digit flips there. What matters is not size but carrying.",
                    "那里只翻 {at_62} 位。要紧的不是数大，而是进位。",
                ),
                "mode=2&context=64",
            ),
        ),
    ),
    beliefs=(),
    numbers=_numbers,
)
