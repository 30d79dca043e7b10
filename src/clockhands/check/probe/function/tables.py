"""Tables that are added to tokens: a sinusoid in one of its conventions, or learned rows."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.detect_sinusoid import recognise
from clockhands.check.form import LayerForm
from clockhands.check.probe.function.calling import Floats, Refused
from clockhands.check.probe.function.fit import fit_sinusoid
from clockhands.check.probe.function.study import Study

ROWS = 256


def rows_of(study: Study, count: int = ROWS) -> Floats:
    """The first rows of the table, ``(n, width)``: what is given back, less what was given in."""
    places = np.arange(count)[None]
    caller = study.asked.caller
    if caller.signature.kind == "table":
        return np.real(study.asked.answer(places)["table"][0])
    nothing = np.zeros((1, count, caller.head_dim))
    return study.asked.answer(places, nothing)[caller.signature.sides[0]][0, :, 0]


def table_form(study: Study) -> LayerForm:
    """What the table is."""
    count = ROWS
    while True:
        try:
            rows = rows_of(study, count)
            break
        except Refused:
            if count <= 8:
                raise
            count //= 2
    width = rows.shape[1]
    if np.abs(rows - rows[:1]).max() == 0:
        return LayerForm(layers=(0,), family="none", head_dim=width, source="measured")
    found = _sinusoid(rows)
    if found is None:
        study.facts["learned"] = True
        return LayerForm(layers=(0,), family="learned", head_dim=width, source="measured")
    layout, speeds, offset, size = found
    fitted = fit_sinusoid(speeds, width)
    study.facts["sinusoid"] = {"offset": offset, "size": size}
    return LayerForm(
        layers=(0,), family="sinusoidal", head_dim=width, offset=offset, attention_factor=None,
        layout="interleaved" if layout == "interleaved" else "half",
        rope_theta=None if fitted is None else fitted.rope_theta,
        rope_type=None if fitted is None else fitted.rope_type,
        inv_freq=tuple(float(speed) for speed in speeds), source="measured",
    )  # fmt: skip


def _sinusoid(rows: Floats) -> tuple[str, Floats, int, float] | None:
    """Arrangement, exact speeds, position of row 0 and length of a hand; None where it is no sinusoid."""
    for offset in (0, 1, 2):
        found = recognise(rows, offset)
        if found is None or (found.inv_freq < 0).any():
            continue
        width = rows.shape[1]
        even = width - width % 2
        half = (width + 1) // 2
        ones, others = (
            (rows[:, 0:even:2], rows[:, 1:even:2])
            if found.arrangement == "interleaved"
            else (rows[:, : width // 2], rows[:, half:])
        )
        hand = others + 1j * ones if found.first == "sin" else ones + 1j * others
        size = float(np.abs(hand).mean())
        phase = np.unwrap(np.angle(hand), axis=0) if (found.inv_freq < 3).all() else None
        if phase is None:
            return found.arrangement, found.inv_freq, offset, size
        places = np.arange(len(rows))
        speeds = (phase[-1] - phase[0]) / places[-1]
        start = phase[0] / np.where(speeds > 0, speeds, 1.0)
        if abs(float(start[0]) - offset) < 0.02 or offset == 2:
            return found.arrangement, speeds, round(float(start[0])), size
    return None
