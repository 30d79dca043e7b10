"""What a method does to the hands: which leave what training showed, and what is left of near distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.precision import Precision, angle_error
from clockhands.extend.methods import Method
from clockhands.extend.source import Source
from clockhands.formulas.frequencies import from_rope_parameters

TURN = 2 * np.pi
LAST = 64
"""Positions at the end of the text that precision is looked at."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """The hands of one method at one length.

    inv_freq          rad / token, ``(pairs,)``
    attention_factor  on cos and sin both
    unseen            hands that show angles between query and key which no trained distance showed
    arc               the largest part of a turn that is new to any of them
    untouched, slowed hands as before, and slower ones
    neighbours        how far apart two neighbours' codes are, against before: 1 is as sharp as it was
    exact             distances below it are told apart as before, tokens; None: all, as ``neighbours`` says
    longest           the longest distance that the hands are given, tokens
    angle_error       rad, the worst near the end of the text if angles are computed in ``precision``
    """

    inv_freq: NDArray[np.float64]
    attention_factor: float
    unseen: int
    arc: float
    untouched: int
    slowed: int
    neighbours: float
    exact: int | None
    longest: int
    precision: Precision
    angle_error: float


def look_at(source: Source, method: Method | None, to: int, factor: float, precision: Precision) -> Look:
    """The numbers of a method, or of the model as it is (None), at ``to`` tokens.

    An angle is new where the hand made less than a turn within the trained length and goes farther now.
    """
    before, _ = source.turning(source.trained)
    speeds, attention_factor = source.turning(to)
    longest, exact = _seen_at_most(source, to) - 1, None
    if method is not None and method.parameters is not None:
        speeds, attention_factor = from_rope_parameters(
            method.parameters(source, factor), head_dim=head_of(source),
            max_position_embeddings=source.plain, seq_len=to,
        )  # fmt: skip
    elif method is not None and method.remap is not None:
        speeds, attention_factor = source.turning(source.trained)
        remap = method.remap(source, to / source.trained)
        assert method.reach is not None
        longest, exact = method.reach(remap, min(to, longest + 1))
    arc = unseen_arcs(before, source.trained, speeds, longest)
    slower = speeds < before * (1 - 1e-6)
    return Look(
        inv_freq=speeds,
        attention_factor=float(attention_factor),
        unseen=int((arc > 1e-9).sum()),
        arc=float(arc.max(initial=0.0)),
        untouched=int((~slower).sum()),
        slowed=int(slower.sum()),
        neighbours=_step(speeds) / _step(before),
        exact=exact,
        longest=longest,
        precision=precision,
        angle_error=error_at_the_end(speeds, to, precision),
    )


def unseen_arcs(
    before: NDArray[np.float64], trained: int, speeds: NDArray[np.float64], longest: int
) -> NDArray[np.float64]:
    """Part of a turn that each hand shows at distances to ``longest`` and did not in training, ``(pairs,)``.

    before  rad / token in training, over texts of ``trained`` tokens
    speeds  rad / token now
    """
    seen = np.minimum(before * trained, TURN)
    return np.maximum(np.minimum(speeds * longest, TURN) - seen, 0) / TURN


def error_at_the_end(speeds: NDArray[np.float64], to: int, precision: Precision) -> float:
    """rad, the worst of the last positions where angles are computed in ``precision``."""
    last = np.arange(max(0, to - LAST), to)
    return float(angle_error(speeds, last, precision).angle.values.max())


def head_of(source: Source) -> int:
    """Width that rotary parameters are computed for; a kept ``partial_rotary_factor`` takes its part."""
    part = source.kept.get("partial_rotary_factor")
    if source.form.rope_type == "proportional" or not isinstance(part, int | float) or not 0 < part < 1:
        return source.width
    return round(source.width / part)


def _seen_at_most(source: Source, to: int) -> int:
    """Tokens that a query of the longer text sees: its window, where there is one."""
    return to if source.form.window is None else min(to, source.form.window)


def _step(speeds: NDArray[np.float64]) -> float:
    """Distance between the codes of two neighbours, were all hands of length 1."""
    return float(np.sqrt((4 * np.sin(speeds / 2) ** 2).sum()))
