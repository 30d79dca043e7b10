"""Stories of scores that change when query and key move together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.axes import LOGITS, TOKENS
from clockhands.analysis.labelled import Axis
from clockhands.analysis.precision import rounded
from clockhands.check.outputs.stories.kinds.curves import Curve, curves
from clockhands.check.outputs.stories.story import MEANT, RIGHT, USED, WRONG, Story
from clockhands.formulas.frequencies.geometric import default_inv_freq
from clockhands.formulas.rotation import rotate
from clockhands.language import Text
from clockhands.plots.numerals import numeral

Floats = NDArray[np.float64]
WIDTH, APART = 16, 5
SHIFTS = np.arange(0, 400)


def example() -> tuple[Floats, Floats]:
    """A query and a key, ``(16,)`` each, drawn once with seed 0."""
    draw = np.random.default_rng(0)
    return draw.standard_normal(WIDTH), draw.standard_normal(WIDTH)


def scores(shifts: NDArray[np.int64], *, mirrored: bool = False, bits: bool = False) -> Floats:
    """Score of a query at m + 5 and a key at m for each shift m, ``(shifts,)``.

    mirrored  the sine has one sign too many: pairs are mirrored, not turned
    bits      angles are rounded to bf16
    """
    q, k = example()
    speed = default_inv_freq(WIDTH)

    def turned(x: Floats, at: NDArray[np.int64]) -> Floats:
        angle = at[:, None] * speed
        angle = rounded(angle, "bf16") if bits else angle
        cos, sin = np.cos(angle), np.sin(angle)
        if not mirrored:
            return rotate(np.broadcast_to(x, (len(at), WIDTH)), cos, sin)
        first, second = x[: WIDTH // 2], x[WIDTH // 2 :]
        return np.concatenate([first * cos + second * sin, second * cos + first * sin], axis=1)

    return (turned(q, shifts + APART) * turned(k, shifts)).sum(axis=1)


def sign_wrong() -> Story:
    """CH102: scores of turned pairs against mirrored ones, wherever both tokens are."""
    return _shifted(
        scores(SHIFTS, mirrored=True),
        Text(
            "One score, 5 tokens apart: {right} wherever both are, but from {low} to {high} "
            "with a wrong sign.",
            "同一个得分，相距 5 个词元：无论在哪里都应是 {right}，符号错了就在 {low} 到 {high} 之间。",
        ),
    )


def place_matters() -> Story:
    """CH104: scores with exact angles against angles in bf16, wherever both tokens are."""
    return _shifted(
        scores(SHIFTS, bits=True),
        Text(
            "One score, 5 tokens apart: {right} wherever both are, but from {low} to {high} "
            "with angles in bf16.",
            "同一个得分，相距 5 个词元：无论在哪里都应是 {right}，角度用 bf16 时在 {low} 到 {high} 之间。",
        ),
    )


def _shifted(wrong: Floats, says: Text) -> Story:
    right = scores(SHIFTS)
    return curves(
        says.filled(
            right=numeral(float(right[0]), 3),
            low=numeral(float(wrong.min()), 3),
            high=numeral(float(wrong.max()), 3),
        ),
        Axis(Text("position of the key", "键的位置"), SHIFTS, TOKENS),
        Text("score", "得分"),
        [Curve(MEANT, right, RIGHT), Curve(USED, wrong, WRONG, "dots")],
        unit=LOGITS,
    )
