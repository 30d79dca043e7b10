"""Positions of ranks, of text with pictures and of three axes: right ones stay silent, wrong ones are
named."""

from __future__ import annotations

from typing import Any

import pytest
from functions import making

from clockhands.check.probe.function import probe
from clockhands.check.probe.function.signature import parse
from clockhands.errors import ClockhandsError

RANKS = "length, ranks, rank"
DOCUMENTS = "cu_seqlens, cp_size, cp_rank"
PICTURE = "height, width -> axes"
TEXT = "before, frames, height, width, after -> axes"
THREE = "q, k, axes"
BIAS = "query_length, key_length"


@pytest.mark.parametrize(
    ("fn", "signature", "facts"),
    [
        (making.both_ends, RANKS, {"slices": [[0, 1, 2, 3, 12, 13, 14, 15], [4, 5, 6, 7, 8, 9, 10, 11]]}),
        (making.in_a_row, RANKS, {"slices": [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]}),
        (making.striped, RANKS, {}),
        (making.each_document, DOCUMENTS, {"slices": [[0, 1, 6, 7, 0, 1, 6, 7], [2, 3, 4, 5, 2, 3, 4, 5]]}),
        (making.rows_of_documents, DOCUMENTS, {}),
        (making.picture, PICTURE, {}),
        (making.merged, PICTURE, {}),
        (making.text_and_picture, TEXT, {}),
        (making.codes, "height, width -> cos, sin", {"followed": (["row"] * 8 + ["column"] * 8) * 2}),
        (making.across, f"{BIAS} -> cross_bias", {}),
    ],
)
def test_no_alarms(fn: Any, signature: str, facts: dict[str, Any]) -> None:
    subject = probe(fn, head_dim=32, signature=signature)
    assert [(finding.code, finding.message.en) for finding in subject.found] == []
    assert {name: subject.facts[name] for name in facts} == facts


@pytest.mark.parametrize(
    ("fn", "sections", "interleaved"),
    [(making.in_sections, (2, 4, 6), False), (making.by_turns, (4, 4, 4), True)],
)
def test_axes_of_hands(fn: Any, sections: tuple[int, ...], interleaved: bool) -> None:
    subject = probe(fn, head_dim=24, signature=THREE)
    assert subject.found == ()
    assert subject.measured is not None
    (form,) = subject.measured
    assert (form.mrope_section, form.mrope_interleaved, form.rope_theta) == (sections, interleaved, 1e4)


@pytest.mark.parametrize(
    ("fn", "signature", "code", "keys", "says"),
    [
        (making.from_zero, RANKS, "CH127", ("rank",), "all 2 ranks hold positions [0, 1, 2, 3, 4, 5, 6, 7]"),
        (making.first_half_twice, RANKS, "CH127", ("rank",), "hold [0, 1, 2, 3, 0, 1, 2, 3]"),
        (making.documents_from_zero, DOCUMENTS, "CH127", ("rank",), "all 2 ranks hold"),
        (making.exchanged, PICTURE, "CH128", ("height", "width"), "its rows are [0, 1, 2, 3, 4, 0, 1] …"),
        (making.taken_for_each_other, PICTURE, "CH128", ("height", "width"), "its rows are [0, 0, 0, 1,"),
        (making.codes_of_the_other_shape, "height, width -> cos, sin", "CH128", ("height", "width"),
         "patch 3 begins a new row"),
        (making.codes_of_columns, "height, width -> table", "CH129", ("height",), "rows of a"),
        (making.all_in_one_row, PICTURE, "CH129", ("height",), "are on rows [0, 0, 0, 0, 0, 0, 0] …"),
        (making.time_jumps, TEXT, "CH129", ("frames",), "a picture begins at [60, 4, 4]"),
        (making.goes_on_by_count, TEXT, "CH129", ("after",), "goes on at [34, 34, 34], axis by axis, and the "
         "largest position before it is 8"),
        (making.text_on_one_axis, TEXT, "CH129", ("before",), "is at [[0, 1, 2, 3], [0, 0, 0, 0], "),
        (making.time_goes_on, TEXT, "CH129", ("frames",), "at different times"),
        (making.time_alone, THREE, "CH129", ("axes",), "height and width are ignored"),
        (making.two_axes_a_hand, THREE, "CH129", ("axes",), "hand 0 follows time, height"),
        (making.across_by_distance, f"{BIAS} -> cross_bias", "CH179", ("cross_bias",), "differ by up to 3"),
        (making.weights, BIAS, "CH180", ("bias",), "sums to 1"),
    ],
)  # fmt: skip
def test_faults(fn: Any, signature: str, code: str, keys: tuple[str, ...], says: str) -> None:
    (finding,) = probe(fn, head_dim=24, signature=signature).found
    assert (finding.code, finding.severity, finding.keys) == (code, "error", keys)
    assert says in finding.message.en
    assert finding.message.zh != finding.message.en


def test_what_positions_are_made_of_is_asked_for() -> None:
    assert parse(RANKS).returned == ("positions",)
    with pytest.raises(ClockhandsError, match="of ranks and a rank, or of height and width"):
        probe(making.picture, head_dim=24, signature="length -> positions")


def test_positions_that_are_none() -> None:
    with pytest.raises(ClockhandsError, match="no integers"):
        probe(
            lambda length, ranks, rank: making.in_a_row(length, ranks, rank) / 2, head_dim=8, signature=RANKS
        )
    with pytest.raises(ClockhandsError, match=r"2 or 3 for each of 15 tokens|2 or 3 for each of 60"):
        probe(lambda height, width: making.picture(height, width)[1:], head_dim=8, signature=PICTURE)
