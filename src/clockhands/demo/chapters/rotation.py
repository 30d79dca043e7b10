"""Going on by k words is one rotation, the same everywhere."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.axes import dimension_axis
from clockhands.analysis.labelled import Labelled
from clockhands.catalogue.description import Array
from clockhands.demo.chapter import Chapter, Story
from clockhands.demo.described import speeds, table
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.formulas import rotation
from clockhands.language import Text

STORY = Story(
    title=Text("Moving on is one rotation", "往前走就是一次旋转"),
    paragraphs=(
        Text(
            "Three words later, every hand has turned by three times its own speed, wherever it was. So "
            "there is one matrix R(k) with PE(p + k) = R(k) PE(p) for *every* p. It is made of little "
            "two-by-two blocks, one a hand, each a plain rotation.",
            "再过三个词，每根针都转过自己速度的三倍，不管原来指着哪里。所以存在一个矩阵 R(k)，对*每一个* "
            "p 都有 PE(p + k) = R(k) PE(p)。它由一个个二乘二的小块组成，每根针一块，每块都是普通的旋转。",
        ),
        Text(
            "Here is R({shift}) for {dim} dimensions. We applied it at {positions} positions up to "
            "{farthest}; the largest error anywhere was {miss:power}.",
            "下图是 {dim} 维时的 R({shift})。我们把它用在直到 {farthest} 的 {positions} 个位置上，最大误"
            "差是 {miss:power}。",
        ),
    ),
    surprise=Text(
        "The matrix contains no p. A model that has learned “look {shift} words back” once has learned "
        "it for position {farthest} too. This is what the sines and cosines are for.",
        "矩阵里没有 p。模型只要学会一次“往回看 {shift} 个词”，在位置 {farthest} 也同样会了。正弦和余弦就"
        "是为了这个。",
    ),
    question=Text(
        "What do you get by moving on {first} words and then {second} more? What undoes R(k)?",
        "先走 {first} 个词，再走 {second} 个词，等于什么？什么能抵消 R(k)？",
    ),
    answer=Text(
        "R({first}) R({second}) = R({both}), here to within {sum_error:power}. And R(−k) undoes R(k); "
        "for rotations that is simply the transpose (to within {inverse_error:power}).",
        "R({first}) R({second}) = R({both})，这里的误差是 {sum_error:power}。R(−k) 抵消 R(k)；对旋转来说"
        "它就是转置（误差 {inverse_error:power}）。",
    ),
)
DIM, SHIFTS, SHIFT = 8, (1, 3, 10), 3
POSITIONS, FARTHEST, FIRST, SECOND = 1000, 100_000, 3, 4
PICTURE = Text("One matrix moves every position on", "一个矩阵，移动所有位置")
ALT = Text(
    "Three matrices that are empty but for two-by-two blocks along the diagonal; the first block changes "
    "most from one to the next.",
    "三个矩阵，只有对角线上的二乘二小块有数；最前面的小块变化最大。",
)
CAPTION = Text(
    "Moving on by {one}, {three} and {ten} words, {dim} dimensions. Each block turns one hand; the fast "
    "hand is top left.",
    "往前走 {one}、{three}、{ten} 个词，{dim} 维。每个小块转一根针，左上角是最快的针。",
)


def tell(studio: Studio) -> Chapter:
    speed = speeds("sinusoidal", d_model=DIM)
    positions = np.linspace(0, FARTHEST, POSITIONS).astype(np.int64)
    moved = table("sinusoidal", positions, d_model=DIM) @ moving(speed, SHIFT).T
    step = {k: moving(speed, k) for k in (FIRST, SECOND, FIRST + SECOND, SHIFT, -SHIFT)}
    numbers = {
        "shift": SHIFT,
        "dim": DIM,
        "positions": POSITIONS,
        "farthest": FARTHEST,
        "miss": np.abs(moved - table("sinusoidal", positions + SHIFT, d_model=DIM)).max(),
        "first": FIRST,
        "second": SECOND,
        "both": FIRST + SECOND,
        "sum_error": np.abs(step[FIRST] @ step[SECOND] - step[FIRST + SECOND]).max(),
        "inverse_error": np.abs(step[-SHIFT] - step[SHIFT].T).max(),
    }
    panels = [Map(_labelled(moving(speed, k), k), Text(f"R({k})", f"R({k})")) for k in SHIFTS]
    picture = maps(panels, lang=studio.lang, title=PICTURE)
    one, three, ten = SHIFTS
    caption = said(CAPTION, one=one, three=three, ten=ten, dim=DIM)
    return STORY.told(numbers, [studio.picture("rotation", picture, alt=ALT, caption=caption)])


def moving(inv_freq: Array, shift: int) -> Array:
    """R(shift), ``(2 * pairs, 2 * pairs)``: turns a code (sin, cos, sin, ...) on by ``shift`` positions."""
    # Stored as (sin, cos), a hand that runs clockwise is the rotation by minus the angle.
    angle = rotation.angles(np.asarray(-shift), inv_freq)
    turned = rotation.rotate(np.eye(2 * len(inv_freq)), np.cos(angle), np.sin(angle), layout="interleaved")
    return turned.T


def _labelled(matrix: Array, shift: int) -> Labelled:
    axes = (dimension_axis(len(matrix)), dimension_axis(len(matrix)))
    return Labelled(f"R{shift}", Text(f"R({shift})", f"R({shift})"), matrix, axes)
