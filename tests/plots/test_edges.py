"""Numbers at the edge: nothing but zeros, NaN, one value, far too many; drawn without a warning, readable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Annotation

from clockhands.analysis.axes import distance_axis, head_axis
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.analysis.spectrum import spectrum as spectrum_of
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.plots import attention, bias, curves, distance, heatmap, kernel, similarity, spectrum
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.recorder import boxes, collisions, record

NAN = np.nan


def alibi(heads: int) -> Labelled:
    values = -np.geomspace(1, 1e-3, heads)[:, None] * np.arange(50)
    return Labelled("bias", Text("bias", "偏置"), values, (head_axis(heads), distance_axis(np.arange(50))))


def named(name: str, *values: float) -> Labelled:
    axis = Axis(Text("step", "步"), np.arange(len(values)))
    return Labelled(name, Text(name, name), np.array(values), (axis,))


EDGES: dict[str, Callable[[], Picture]] = {
    "a heat map of zeros": lambda: heatmap(np.zeros((3, 2))),
    "a heat map of NaN": lambda: heatmap(np.full((3, 2), NAN)),
    "one cell": lambda: heatmap([[1.0]]),
    "truth values": lambda: heatmap(np.eye(3, dtype=bool)),
    "half precision": lambda: heatmap(np.eye(3, dtype=np.float16)),
    "similarity of one position": lambda: similarity([[1.0]]),
    "similarity of rows of zeros": lambda: similarity(np.full((3, 3), NAN)),
    "a curve of one point": lambda: kernel([1.0]),
    "a curve with a hole": lambda: kernel([NAN, 1.0, 2.0]),
    "a distance with a hole": lambda: distance([NAN, 1.0, 2.0]),
    "distances that are all NaN": lambda: distance([NAN, NAN]),
    "a hand far too fast and one far too slow": lambda: spectrum(spectrum_of([1e6, 1e-300], 100)),
    "only a hand that stands still": lambda: spectrum(spectrum_of([0.0], 100)),
    "a bias of zeros": lambda: bias(np.zeros((1, 4))),
    "a bias at one distance": lambda: bias([[3.0]]),
    "a hundred heads": lambda: bias(alibi(100)),
    "weights of zeros": lambda: attention(np.zeros((1, 3, 3)), ["a", "b", "c"]),
    "weights that are NaN": lambda: attention(np.full((1, 3, 3), NAN), ["a", "b", "c"]),
    "sixty-four heads": lambda: attention(np.full((64, 5, 5), 0.2), list("史进打郑屠")),
    "six layers of twelve heads": lambda: attention(np.full((6, 12, 5, 5), 0.2), list("史进打郑屠")),
    "nine equal losses": lambda: curves([named(f"run {i}", 1.0, 1.0) for i in range(9)]),
    "a loss that is only NaN": lambda: curves([named("lost", NAN, NAN)]),
    "a loss below zero": lambda: curves([named("below", -1.0, -2.0)]),
    "a loss of one step": lambda: curves([named("short", 1.0)]),
    "a loss with a very long name": lambda: curves([named("x" * 90, 1.0, 2.0)]),
}


@pytest.mark.parametrize("edge", EDGES)
def test_numbers_at_the_edge_draw(edge: str) -> None:
    assert collisions(EDGES[edge]()) == []


def test_a_hundred_heads_say_what_the_numbers_are() -> None:
    drawn = record(bias(alibi(100)))
    assert drawn.says("The number of each head is its slope.")
    assert drawn.says("25 of 100 heads are shown.")
    assert not record(bias(alibi(4))).says("The number of each head")


@pytest.mark.parametrize("draw", [heatmap, bias, attention], ids=lambda draw: draw.__name__)
def test_numbers_past_any_axis_are_refused(draw: Any) -> None:
    shape = (2, 2, 2) if draw is attention else (2, 2)
    draw(np.full(shape, 1e100))
    for huge in (1e308, -1.7e308):
        with pytest.raises(ClockhandsError, match="can be drawn: scale the numbers down") as caught:
            draw(np.full(shape, huge))
        assert "缩小" in caught.value.text.zh


@pytest.mark.parametrize("draw", [heatmap, kernel, bias], ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("word", ["title", "about"])
def test_a_title_is_text(draw: Any, word: str) -> None:
    values = np.ones(3) if draw is kernel else np.ones((2, 3))
    assert "mine" in " ".join(text.get_text() for text in draw(values, **{word: "mine"}).figure.texts)
    for wrong in (5, None, ["a"], ("a", "b"), b"a"):
        with pytest.raises(ClockhandsError, match="can't be written on a picture: give text") as caught:
            draw(values, **{word: wrong})
        assert "不能写在图上" in caught.value.text.zh


@pytest.mark.parametrize("wavelength", [70.0, 88.0, 99.0, 101.0, 130.0])
def test_no_line_runs_through_a_wavelength(wavelength: float) -> None:
    drawn = boxes(spectrum(spectrum_of([1.0, 2 * np.pi / wavelength], 100)))
    (number,) = (box for box in drawn if box.text == numeral(wavelength, 3))
    (context,) = (box for box in drawn if box.text == "context 100")
    line = (context.left + context.right) / 2
    assert not number.left <= line <= number.right


def test_a_name_is_tied_to_the_end_of_its_curve() -> None:
    figure = curves([named("low", 1.0, 0.10), named("high", 1.0, 0.11)]).figure
    notes = figure.findobj(Annotation)
    names = {note.get_text().split()[0]: note for note in notes if note.get_text()}
    ties = {note.xyann: note.xy for note in notes if note.arrow_patch is not None}
    assert ties[names["low"].xyann] == (1, 0.10)
    assert ties[names["high"].xyann] == (1, 0.11)
    assert names["high"].xyann[1] - names["low"].xyann[1] > 0.02


@pytest.mark.parametrize("name", ["第 16 层 · 头 0 · 前一词元", "第 11 层 · 头 7 · 邻近词元"])
def test_a_name_beside_a_curve_is_whole_where_there_is_room_for_it(name: str) -> None:
    figure = curves([named(name, 1.0, 0.00509)], lang="zh").figure
    assert f"{name}  0.00509" in [text.get_text() for text in figure.findobj(Annotation)]


def test_a_name_too_long_for_the_margin_is_cut_and_keeps_its_number() -> None:
    figure = curves([named("第 16 层 · 头 0 · " + "很" * 30, 1.0, 0.25)], lang="zh").figure
    (said,) = [
        text.get_text() for text in figure.findobj(Annotation) if text.get_text().startswith("第 16 层")
    ]
    assert said.endswith("…  0.25")
    assert len(said) > 20
