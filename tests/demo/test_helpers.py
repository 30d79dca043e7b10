from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.axes import dimension_axis, position_axis
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.catalogue import describe
from clockhands.demo import codes, toy
from clockhands.demo.chapters.order import nearest_looking
from clockhands.demo.chapters.rotation import moving
from clockhands.demo.described import biases, speeds, speeds_of, table
from clockhands.demo.drawing import Map, dots, maps
from clockhands.demo.rulers import rulers
from clockhands.language import Text

NAME = Text("value", "数值")


def test_a_head_without_positions_only_moves_its_rows() -> None:
    generator = np.random.default_rng(1)
    head, words = toy.Head.random(8, generator), toy.words(("a", "b", "c", "a"), 8, generator)
    order = np.array([2, 0, 3, 1])
    assert head.outputs(words[order]) == pytest.approx(head.outputs(words)[order])
    assert head.weights(words).sum(axis=1) == pytest.approx(1)
    assert (words[0] == words[3]).all()


def test_a_causal_head_sees_no_later_word() -> None:
    generator = np.random.default_rng(1)
    head, words = toy.Head.random(8, generator), generator.normal(size=(4, 8))
    weights = head.weights(words, causal=True)
    assert (np.triu(weights, 1) == 0).all()
    assert weights[0, 0] == 1
    changed = np.concatenate([words[:3], words[3:] + 1])
    assert head.outputs(changed, causal=True)[:3] == pytest.approx(head.outputs(words, causal=True)[:3])


def test_codes_before_clock_hands() -> None:
    assert codes.binary(9)[6].tolist() == [0, 1, 1, 0, 0, 0, 0]
    assert codes.binary(200).shape == (200, 8)
    assert codes.fractions(5)[:, 0].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert codes.fractions(1).tolist() == [[0]]


def test_what_is_measured_of_a_code() -> None:
    bits = codes.measured(codes.binary, length=100, short=10, probe=5, shift=3)
    assert bits.largest == bits.nearest == bits.steps[0] == 1
    assert bits.steps[1] == pytest.approx(7**0.5)  # 63 -> 64 flips seven bits
    assert bits.miss > 0.1
    assert bits.change == 0
    hands = codes.measured(codes.hands, length=100, short=10, probe=5, shift=3)
    assert hands.miss < 1e-10
    assert hands.steps == pytest.approx((1.171623, 1.171623), rel=1e-6)
    integers = codes.measured(codes.integers, length=100, short=10, probe=5, shift=3)
    assert integers.numbers() == pytest.approx((99, 1, 1, 1, 0, 0), abs=1e-10)


def test_moving_on_is_a_rotation_of_the_stored_code() -> None:
    code = table("sinusoidal", 20, d_model=6)
    assert code[:-4] @ moving(speeds("sinusoidal", d_model=6), 4).T == pytest.approx(code[4:])
    matrix = moving(np.array([0.5]), 1)
    assert matrix == pytest.approx(np.array([[np.cos(0.5), np.sin(0.5)], [-np.sin(0.5), np.cos(0.5)]]))


def test_what_the_catalogue_does_not_have_is_an_error() -> None:
    with pytest.raises(AssertionError, match="nope has no hands"):
        speeds_of(describe("nope"))
    with pytest.raises(AssertionError, match="rope adds no table"):
        table("rope", 3)
    with pytest.raises(AssertionError, match="rope has no bias"):
        biases("rope", 3)


def test_random_biases_say_so() -> None:
    assert biases("t5", 3, num_heads=2, seed=4).note.en == "untrained, seed 4"
    assert biases("alibi", 3, num_heads=2).note.en == ""


def test_the_head_that_looks_beside() -> None:
    weights = np.full((1, 2, 4, 4), 0.25)
    weights[0, 1] = np.roll(np.eye(4), -1, axis=1)  # each looks at the word before, the first at the last
    tokens = Axis(Text("query", "查询"), np.array(list("abcd"), dtype=object))
    axes = (Axis(Text("layer", "层"), np.arange(1)), Axis(Text("head", "头"), np.arange(2)), tokens, tokens)
    assert nearest_looking(Labelled("weights", NAME, weights, axes)) == (0, 1, 1.0)


@pytest.mark.parametrize("named", [True, False])
def test_maps_draw_what_they_are_given(named: bool) -> None:
    labels = np.array(["史进", "打", "郑屠"], dtype=object)
    axes = (Axis(NAME, labels),) * 2 if named else (position_axis(np.arange(3)), dimension_axis(3))
    values = np.array([[0.1, -0.5, 0.2], [0, 1, 0], [0.3, 0.3, np.nan]])
    note = Text("untrained, seed 0", "未训练，随机种子 0")
    panels = [Map(Labelled(id, NAME, values, axes, note=note), Text(id, id)) for id in ("one", "two")]
    picture = maps(panels, lang="zh", title=Text("Maps", "图"))
    assert [one.id for one in picture.data] == ["one", "two"]
    images = [axes.images[0] for axes in picture.figure.axes if axes.images]
    assert [image.get_clim() for image in images[:2]] == [(-1, 1)] * 2
    written = " ".join(text.get_text() for text in picture.figure.texts)
    assert "未训练" in written
    assert "one" in written


def test_maps_with_scales_of_their_own() -> None:
    axes = (position_axis(np.arange(2)), dimension_axis(2))
    panels = [Map(Labelled(f"m{size}", NAME, size * np.eye(2), axes), NAME) for size in (1, 7)]
    picture = maps(panels, lang="en", title=NAME, shared=False, weights=True, square=False)
    images = [axes.images[0] for axes in picture.figure.axes if axes.get_label().startswith("map")]
    assert [image.get_clim() for image in images] == [(0, 1), (0, 7)]


def test_dots_name_the_marked_ones() -> None:
    values = Labelled("gap", NAME, np.array([1.0, 0.1, 0.5]), (position_axis(np.array([1, 2, 3])),))
    picture = dots(values, [1], lang="en", title=NAME)
    (panel,) = picture.figure.axes
    assert [text.get_text() for text in panel.texts] == ["2"]
    assert panel.get_yscale() == "log"


def test_rulers_join_the_two_places_of_each_word() -> None:
    words = Axis(NAME, np.array(["a", "b", "c"], dtype=object))
    places = np.array([[0, 1, 2], [0, 0.5, 1.5]])
    positions = Labelled("places", NAME, places, (Axis(NAME, np.array(["x", "y"], dtype=object)), words))
    picture = rulers(positions, (Text("one", "甲"), Text("two", "乙")), lang="en", title=NAME)
    (panel,) = picture.figure.axes
    joined = [line.get_xdata().tolist() for line in panel.lines if len(set(line.get_ydata())) == 2]
    assert joined == places.T.tolist()
