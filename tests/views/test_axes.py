"""Pictures of schemes whose positions have axes say what is drawn, and which hand reads what."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.catalogue import describe
from clockhands.plots.recorder import record
from clockhands.views import available, data, draw

SMALL = {"head_dim": 16}
BY_AXIS = ("axial-2d", "axial-3d", "mrope", "mrope-interleaved")
LEARNED = ("rope-mixed", "liere", "comrope")


@pytest.mark.parametrize("id", [*BY_AXIS, *LEARNED])
@pytest.mark.parametrize(("lang", "words"), [("en", "all axes moving together"), ("zh", "各轴同步移动")])
def test_pictures_say_that_all_axes_move(id: str, lang: str, words: str) -> None:
    for view in ("kernel", "spectrum", "heatmap"):
        assert record(draw(view, describe(id, **SMALL), positions=12, lang=lang)).says(words)
    assert not record(draw("kernel", describe("rope", **SMALL), positions=12, lang=lang)).says(words)


@pytest.mark.parametrize("id", LEARNED)
@pytest.mark.parametrize("view", ["kernel", "spectrum", "similarity", "heatmap", "distance"])
def test_pictures_of_untrained_hands_say_so(id: str, view: str) -> None:
    assert record(draw(view, describe(id, seed=3, **SMALL), positions=12, lang="en")).says(
        "untrained, seed 3"
    )


def test_scores_that_are_not_relative_have_no_picture_of_it() -> None:
    assert "relative" in available(describe("comrope", **SMALL))
    assert "relative" not in available(describe("liere", **SMALL))
    assert "relative" in available(describe("liere", block_dim=2, **SMALL))


@pytest.mark.parametrize("id", BY_AXIS)
def test_the_spectrum_shows_which_axis_a_hand_reads(id: str) -> None:
    scheme = describe(id, **SMALL)
    *numbers, axis = data("spectrum", scheme, positions=12)
    assert (axis.id, axis.name.zh) == ("axis", "所读的轴")
    assert axis.values.tolist() == list(scheme.pair_axes)
    seen = record(draw("spectrum", scheme, positions=12, lang="en"))
    words = ("Dots read the row, squares read the column.",
             "Dots read the time, squares read the row, triangles read the column.")  # fmt: skip
    assert seen.says(words[len(scheme.axes) - 2])
    marks = np.concatenate(seen.panel("spectrum").marks)  # of each axis apart, finished turns first
    assert sorted(marks[:, 1].tolist()) == list(range(len(axis.values)))
    waves = numbers[1].values
    assert sorted(marks[:, 0].tolist()) == pytest.approx(sorted(waves.tolist()))


def test_hands_that_read_all_axes_are_dots() -> None:
    assert len(data("spectrum", describe("rope-mixed", **SMALL), positions=12)) == 4
    assert not record(draw("spectrum", describe("rope-mixed", **SMALL), positions=12, lang="en")).says(
        "squares"
    )
