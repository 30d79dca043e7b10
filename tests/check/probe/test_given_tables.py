"""Functions that are given cos and sin: what they want, and a layout that is not that of their pairs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from functions import given_tables

from clockhands.check.probe.function import probe
from clockhands.errors import ClockhandsError

SIGNATURE = "q, k, cos, sin"
LOOKED_UP = "q, k, cos, sin, position_ids"
WHOLE = {"rotary_dim": 24, "rotary_dims": "whole", "attention_factor": 1.0, "inv_freq": None}

RIGHT: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    (given_tables.halves, {}, {"layout": "half", "table_layout": "half", **WHOLE}),
    (given_tables.neighbours, {}, {"layout": "interleaved", "table_layout": "interleaved", **WHOLE}),
    (given_tables.either, {"signature": "x, cos, sin", "layout_of_heads": "b t h d"},
     {"layout": "interleaved", "table_layout": "narrow", **WHOLE}),
    (given_tables.as_wide, {},
     {"layout": "half", "table_layout": "half", "rotary_dim": None, "rotary_dims": "prefix"}),
    (given_tables.last_ones, {},
     {"layout": "half", "table_layout": "half", "rotary_dim": None, "rotary_dims": "suffix"}),
    (given_tables.spread, {}, {"layout": "half", "table_layout": "half", **WHOLE}),
    (given_tables.looked_up, {"signature": LOOKED_UP}, {"layout": "half", "table_layout": "half", **WHOLE}),
    (given_tables.complex_pairs, {"signature": "q, k, freqs_cis", "layout_of_heads": "b t h d"},
     {"layout": "interleaved", "table_layout": "narrow", **WHOLE}),
    (given_tables.arrays, {"signature": "x, cos, sin", "layout_of_heads": "t d"},
     {"layout": "half", "table_layout": "narrow", **WHOLE}),
    (given_tables.every_other, {}, {"layout": "half", "table_layout": "interleaved", **WHOLE}),
    (given_tables.stretched, {},
     {"layout": "half", "table_layout": "half", "attention_factor": pytest.approx(1.25)}),
    (given_tables.halves, {"signature": "q, k, cos_half, sin_half"}, {"table_layout": "half"}),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "how", "form"), RIGHT)
def test_what_a_function_wants(fn: Any, how: dict[str, Any], form: dict[str, Any]) -> None:
    subject = probe(fn, **{"head_dim": 24, "signature": SIGNATURE, **how})
    assert [(finding.code, finding.message.en) for finding in subject.found] == []
    assert subject.measured is not None
    (got,) = subject.measured
    assert got.family == "rope"
    assert {name: getattr(got, name) for name in form} == form


WRONG: list[tuple[Any, dict[str, Any], list[str], str]] = [
    (given_tables.torn, {}, ["CH101"], "get two angles"),
    (given_tables.neighbours, {"signature": "q, k, cos_half, sin_half"}, ["CH101"], "get two angles"),
    (given_tables.halves, {"signature": "q, k, cos_interleaved, sin_interleaved"}, ["CH101"], "two angles"),
    (given_tables.every_other, {"signature": "q, k, cos_half, sin_half"}, ["CH101"],
     "dimensions (1, 13) turn by the angle of another hand: 0.2154 rad / token, and not 0.4642"),
    (given_tables.one_hand_late, {}, ["CH101"], "dimensions (0, 12) turn by the angle of another hand"),
    (given_tables.mirrored, {}, ["CH102"], "mirrored"),
    (given_tables.two_pairings, {}, ["CH103"], "q pairs dimensions (0, 12)"),
    (given_tables.crossed, {}, ["CH109"], "turned by a quarter"),
    (given_tables.ignoring, {}, ["CH120"], "cos and sin are ignored"),
    (given_tables.first_row, {}, ["CH122"], "first row"),
    (given_tables.by_index, {"signature": LOOKED_UP}, ["CH120"], "position_ids is ignored"),
    (given_tables.in_place, {}, ["CH140"], "after the call cos is not what it was"),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "how", "codes", "says"), WRONG)
def test_faults(fn: Any, how: dict[str, Any], codes: list[str], says: str) -> None:
    found = probe(fn, **{"head_dim": 24, "signature": SIGNATURE, **how}).found
    assert [(finding.code, finding.severity) for finding in found] == [(code, "error") for code in codes]
    assert says in found[0].message.en
    assert found[0].message.zh != found[0].message.en


@pytest.mark.parametrize(
    ("signature", "says"),
    [
        ("cos, sin", "of which none comes back"),
        ("q, k, cos_half, sin", "are laid out alike"),
        ("q, k, cosine_half", "is no word for an argument"),
    ],
)
def test_signatures_that_are_none(signature: str, says: str) -> None:
    with pytest.raises(ClockhandsError, match=says):
        probe(given_tables.halves, head_dim=24, signature=signature)


def test_by_the_command() -> None:
    where = Path(given_tables.__file__)
    called = ("check", f"{where}:neighbours", "--probe", "--head-dim", "24", "--signature")
    done = subprocess.run(
        [sys.executable, "-m", "clockhands", *called, SIGNATURE, "--format", "json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (layer,) = json.loads(done.stdout)["layers"]
    assert (layer["layout"], layer["table_layout"], layer["rope_theta"]) == (
        "interleaved",
        "interleaved",
        None,
    )
