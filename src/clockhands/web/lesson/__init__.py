"""The lesson: fifteen steps from a shuffled sentence to real attention, each one file of this folder.

Prose, formulas and questions are data in both languages. Every number in them is computed here by
clockhands when the page is written, so no sentence drifts from the mathematics.

>>> STEPS[6].numbers()["rise"]
4
"""

from __future__ import annotations

from clockhands.web.lesson import (
    attention,
    biases,
    curve,
    design,
    failures,
    learned,
    longer,
    many_hands,
    move,
    one_hand,
    precision,
    projections,
    rope,
    shuffle,
    wishes,
)
from clockhands.web.lesson.document import lesson_html
from clockhands.web.lesson.step import Step

STEPS: tuple[Step, ...] = (
    shuffle.STEP,
    wishes.STEP,
    failures.STEP,
    one_hand.STEP,
    many_hands.STEP,
    move.STEP,
    curve.STEP,
    projections.STEP,
    learned.STEP,
    rope.STEP,
    biases.STEP,
    longer.STEP,
    precision.STEP,
    design.STEP,
    attention.STEP,
)

__all__ = ["STEPS", "lesson_html"]
