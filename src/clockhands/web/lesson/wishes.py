"""Step 2: what a code of positions should be able to do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.claims.claim import figure
from clockhands.language import Text
from clockhands.web.lesson.step import Answer, Button, Numbers, Question, Step
from clockhands.web.lesson.twins import codes

CODES = (
    Button(Text("integers", "整数"), "mode=0"),
    Button(Text("fractions", "分数"), "mode=1"),
    Button(Text("binary", "二进制"), "mode=2"),
    Button(Text("clock hands", "时钟指针"), "mode=3"),
)
"""Integers p; fractions p / (n - 1); digits in base 2; eight hands."""


LENGTH = 32
"""Positions in the text that codes are measured on."""


def measured() -> dict[str, list[str]]:
    """Of each code: a tick or a cross for every wish, and the numbers it is judged by."""
    found: dict[str, list[str]] = {
        "largests": [],
        "closests": [],
        "stepss": [],
        "longers": [],
        "productss": [],
    }
    for code in range(len(CODES)):
        rows, longer = codes(code, LENGTH), codes(code, 2 * LENGTH)
        gaps = np.linalg.norm(rows[:, None] - rows, axis=-1)
        steps, first = np.diagonal(gaps, 1), float(np.linalg.norm(longer[1] - longer[0]))
        products = (rows[5:] * rows[:-5]).sum(axis=1)
        closest = float(gaps[~np.eye(LENGTH, dtype=bool)].min())
        largest = float(np.abs(rows).max())
        found["largests"].append(_judged(largest <= 1, largest))
        found["closests"].append(_judged(closest > 0.1, closest))
        found["stepss"].append(_judged(float(np.ptp(steps)) < 1e-9, *_ends(steps)))
        found["longers"].append(_judged(abs(steps[0] - first) < 1e-9, float(steps[0]), first))
        found["productss"].append(_judged(float(np.ptp(products)) < 1e-9, *_ends(products)))
    return found


def _ends(values: NDArray[np.float64]) -> list[float]:
    low, high = float(values.min()), float(values.max())
    return [high] if high - low < 1e-9 else [low, high]


def _judged(good: bool, *values: float) -> str:
    """A sign before the numbers, so that no colour has to say it."""
    return f"{'✓' if good else '✗'} {' – '.join(figure(value, 3) for value in values)}"


def _numbers() -> Numbers:
    lists = {name: "|".join(values) for name, values in measured().items()}
    return {"short": 1 / (10 - 1), "long": 1 / (1000 - 1), "length": LENGTH, **lists}


STEP = Step(
    id="wishes",
    title=Text("What we want", "我们想要什么"),
    settings="mode=0",
    prose=(
        Text(
            "So every position gets a *code*: a row of numbers that travels with the word. Before inventing "
            "one, let us write down what it should do. Five wishes:",
            "那就给每个位置一个*编码*：一行数，跟着词一起走。动手发明之前，先把要求写下来。一共五条：",
        ),
        Text(
            "Numbers stay small, since a word's own numbers are about 1 and a 500 beside them would drown "
            "everything. No two positions alike. Every step to the next position is equally long. A step is "
            "as long in a short text as in a long one. And distance shows: how alike two codes are depends "
            "on how far apart they stand, not on where.",
            "数不能大：词自己的数在 1 上下，旁边来个 500，什么都被盖住了。任何两个位置都不同。"
            "到下一个位置的一步，处处一样长。短文章里的一步，和长文章里的一样长。最后，距离要看得出来："
            "两个编码有多像，只取决于隔多远，不取决于在哪里。",
        ),
    ),
    formula=(r"p ↦ code(p) = (c_1, c_2, …, c_d)",),
    buttons=CODES,
    sliders=(),
    pictures=(),
    reading=(
        Text(
            "Largest number in a text of {length} words: <<largest>>",
            "{length} 个词的文章里，最大的数：<<largest>>",
        ),
        Text("The two most alike differ by: <<closest>>", "最像的两个位置相差：<<closest>>"),
        Text("Step to the next position: <<steps>>", "到下一位置的一步：<<steps>>"),
        Text(
            "First step here, and in a text twice as long: <<longer>>",
            "第一步，以及文章加倍后的第一步：<<longer>>",
        ),
        Text("Product of codes five apart: <<products>>", "相隔五个位置的编码的乘积：<<products>>"),
    ),
    surprise=Text(
        "The three codes that come to mind first each fail at least two wishes. The odd one, clock hands, "
        "passes all five.",
        "最先想到的三种编码，每种至少有两条做不到。看上去最怪的时钟指针，五条全过。",
    ),
    question=Question(
        Text(
            "Fractions p / (n − 1) never leave 0 to 1. What goes wrong with them?",
            "分数 p / (n − 1) 永远在 0 和 1 之间。它坏在哪里？",
        ),
        (
            Answer(
                Text("Two positions can get the same fraction", "两个位置可能得到同一个分数"),
                Text(
                    "They come close, but never meet: the two most alike differ by one step. The fourth line "
                    "shows what is wrong.",
                    "会靠得很近，但不会相同：最像的两个也差一步。毛病出在第四行。",
                ),
                "mode=1",
            ),
            Answer(
                Text("The step depends on how long the text is", "一步有多长，要看文章有多长"),
                Text(
                    "Yes. In a text of 10 words a step is {short:.3f}, in one of 1,000 it is {long:.4f}. "
                    "“The next word” would mean something else in every text.",
                    "对。10 个词的文章里，一步是 {short:.3f}；1,000 个词的里，是 {long:.4f}。"
                    "“下一个词”在每篇文章里都成了另一个意思。",
                ),
                "mode=1",
                right=True,
            ),
            Answer(
                Text("Fractions are hard to compute", "分数不好算"),
                Text(
                    "A division is cheap. Read the fourth line.",
                    "做一次除法很便宜。看看第四行。",
                ),
                "mode=1",
            ),
        ),
    ),
    beliefs=(),
    numbers=_numbers,
)
