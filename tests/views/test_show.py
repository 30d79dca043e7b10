"""``show``: whatever names a scheme, checked settings, and refusals a person can act on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np
import pytest
from numpy.typing import NDArray

import clockhands as ch
from clockhands.catalogue import Card, Description, OwnBias, OwnFrequencies, OwnTable, Traits, describe
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.plots import Picture
from clockhands.plots.recorder import record
from clockhands.views import VIEWS, available, data, default_view, draw, show

SPEEDS = [1.0, 0.3, 0.01]


def image_of(drawn: Any, panel: str = "map") -> np.ndarray:
    assert isinstance(drawn, Picture)
    return record(drawn).panel(panel).images[0].values


# what can be shown ---------------------------------------------------------------------------


def test_a_scheme_can_be_named_described_or_given_as_a_class() -> None:
    named = show("sinusoidal", "heatmap", dim=8, positions=5, lang="en")
    described = show(describe("sinusoidal", dim=8), "heatmap", positions=5, lang="en")
    classed = show(ch.SCHEMES["sinusoidal"], "heatmap", dim=8, positions=5, lang="en")
    assert np.array_equal(image_of(named), image_of(described))
    assert np.array_equal(image_of(named), image_of(classed))
    assert ch.show is show


@pytest.mark.parametrize("wrap", [np.asarray, np.ndarray.tolist])
def test_an_array_is_a_table(wrap: Any) -> None:
    table = np.random.default_rng(0).normal(size=(7, 3))
    assert np.array_equal(image_of(show(wrap(table), "heatmap", lang="en")), table.T)


def test_own_frequencies_as_list_callable_and_file(tmp_path: Path) -> None:
    path = tmp_path / "speeds.npy"
    np.save(path, np.array(SPEEDS))
    for given in (SPEEDS, np.array(SPEEDS), str(path), path):
        (speed, *_) = show(inv_freq=given, view="spectrum", lang="en").data
        assert speed.values.tolist() == SPEEDS
    (speed, *_) = show(inv_freq=lambda pairs: np.ones(pairs), head_dim=4, view="spectrum", lang="en").data
    assert speed.values.tolist() == [1.0, 1.0]


def test_own_bias_both_ways_and_causal() -> None:
    assert show(bias=lambda d: -np.abs(d)[None] * 0.5, positions=4, lang="en").data[0].values.tolist() == [
        [-1.5, -1.0, -0.5, -0.0, -0.5, -1.0, -1.5]
    ]
    causal = show(bias=[[0.0, -1.0, -3.0]], lang="en").data[0]
    assert causal.axes[1].values.tolist() == [0, 1, 2]  # as many positions as the numbers have
    two_ways = show(bias=[[5.0, 0.0, -1.0]], first_distance=-1, lang="en").data[0]
    assert two_ways.axes[1].values.tolist() == [-1, 0, 1]
    assert two_ways.values.tolist() == [[5.0, 0.0, -1.0]]


def test_a_causal_map_hides_the_future_and_a_symmetric_one_does_not() -> None:
    causal = image_of(show("alibi", positions=6, lang="en"), "head 0")
    symmetric = image_of(show("alibi", symmetric=True, positions=6, lang="en"), "head 0")
    assert np.isnan(causal[0, 5])
    assert symmetric[0, 5] == symmetric[5, 0] == causal[5, 0]


def test_one_thing_at_a_time() -> None:
    for given in ({}, {"scheme": "rope", "inv_freq": SPEEDS}, {"inv_freq": SPEEDS, "table": [[1.0]]}):
        with pytest.raises(ClockhandsError, match="give one thing to show"):
            show(**given)  # type: ignore[arg-type]  # a call that a person may make


def test_the_first_view_that_makes_sense_is_the_default() -> None:
    assert default_view(describe("alibi")) == "bias"
    assert default_view(describe("nope")) == "card"
    assert default_view(describe("rope")) == "heatmap"
    assert show("alibi", positions=4, lang="en").data[0].id == "bias"


@final
@dataclass(frozen=True, kw_only=True)
class Spiral(Description):
    """A scheme nobody knows: hands whose table grows with the position."""

    card: ClassVar[Card] = Card(
        id="spiral", name="Spiral", title=Text("Spiral", "螺旋"), idea=Text("Grows.", "会变长。"),
        formula="p", sources=(), used_by=(), traits=Traits(),
    )  # fmt: skip

    def inv_freq(self) -> NDArray[np.float64]:
        return np.array([1.0, 0.1])

    def table(self, positions: NDArray[Any]) -> NDArray[np.float64]:
        angle = positions[..., None] * self.inv_freq()
        return np.concatenate([np.sin(angle), np.cos(angle)], axis=-1) * (1 + positions[..., None])

    def bias(self, distance: NDArray[Any]) -> NDArray[np.float64]:
        return -np.abs(distance)[None] * 1.0


def test_a_strangers_scheme_gets_every_view_that_its_hooks_allow() -> None:
    assert set(available(Spiral())) == set(VIEWS) - {"relative", "distance-map"}
    for view in available(Spiral()):
        draw(view, Spiral(), positions=6, lang="zh")


def test_similarity_is_of_the_table_that_is_added_not_of_hands_it_may_have() -> None:
    """An odd width keeps a sine without its cosine, so the hands' curve is not the table's."""
    odd = describe("sinusoidal", dim=5)
    table = odd.table(np.arange(6))
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    assert np.allclose(image_of(draw("similarity", odd, positions=6, lang="en")), units @ units.T, atol=1e-12)
    assert "kernel" not in available(odd)


def test_rotary_hands_are_labelled_as_such() -> None:
    drawn = record(show("rope", "heatmap", dim=4, positions=5, lang="en"))  # type: ignore[arg-type]  # a Picture
    assert drawn.says("Nothing is added to the tokens")
    assert drawn.panel("map").y_ticks == ("sin₀", "cos₀", "sin₁", "cos₁")
    assert not record(show("sinusoidal", "heatmap", dim=4, positions=5, lang="en")).says("Nothing is added")  # type: ignore[arg-type]


def test_a_layer_is_said_on_the_picture() -> None:
    layered = describe("layered", dim=8, first_theta=10.0, last_theta=1000.0, num_layers=3)
    first, last = (layered.at_layer(layer, 3) for layer in (0, 2))
    assert record(draw("spectrum", last, lang="en")).says("base 1,000, layer 2")  # type: ignore[arg-type]
    assert not np.array_equal(data("spectrum", first)[0].values, data("spectrum", last)[0].values)


# numbers ------------------------------------------------------------------------------------------


def test_positions_may_start_anywhere() -> None:
    whole = show("sinusoidal", "heatmap", dim=8, positions=60, lang="en").data[0]
    window = show("sinusoidal", "heatmap", dim=8, positions=range(40, 60), lang="en").data[0]
    assert np.array_equal(window.values, whole.values[40:])
    assert window.axes[0].values.tolist() == list(range(40, 60))
    every_tenth = show("rope", "heatmap", dim=8, positions=range(0, 60, 10), lang="en").data[0]
    assert np.allclose(every_tenth.values, whole.values[::10], atol=1e-14)


def test_a_huge_similarity_map_is_exact_block_means() -> None:
    """Reference: the mean of cos(w (i - j)) over a block, by brute force."""
    matrix = data("similarity", describe("rope", dim=4), positions=8000)[0]
    assert matrix.values.shape == (800, 800)
    speeds = np.array([1.0, 0.01])
    rows, columns = np.arange(50, 60), np.arange(7990, 8000)
    block = np.cos((rows[:, None] - columns)[..., None] * speeds).mean()
    assert matrix.values[5, 799] == pytest.approx(block, abs=1e-12)


def test_the_relative_view_really_turns_one_pair() -> None:
    """The angles drawn belong to the scores drawn: each pair adds |q||k| cos(angle between) to the score."""
    hands, scores, *_ = data("relative", describe("rope", dim=2), positions=20)
    between = hands.values[:, 0] - hands.values[:, 1]
    q, k = np.random.default_rng(0).normal(size=(2, 2))
    expected = np.linalg.norm(q) * np.linalg.norm(k) * np.cos(between)
    query_positions = hands.axes[0].values
    drawn = [scores.values[at, at - 4] for at in query_positions]
    assert np.allclose(drawn, expected)


# refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "positions",
    [
        0,
        -3,
        float("nan"),
        2.5,
        "many",
        True,
        range(5, 5),
        range(9, 3),
        range(9, 3, -1),
        range(3, 9, -1),
        [1, 2],
        10**30,
    ],
)
def test_bad_positions_are_refused(positions: Any) -> None:
    with pytest.raises(ClockhandsError, match="position") as refused:
        show("rope", "heatmap", positions=positions)
    assert "位置" in refused.value.text.zh or "positions" in refused.value.text.zh


@pytest.mark.parametrize(
    ("scheme", "view", "positions"),
    [
        *(("rope", view, 10_000_000) for view in ("heatmap", "distance", "verdict")),
        ("rope", "relative", 20_000),
        ("learned", "similarity", 20_000),
        ("alibi", "bias", 10_000_000),
    ],
)
def test_more_than_can_be_drawn_in_seconds_is_refused(scheme: str, view: str, positions: int) -> None:
    parameters = {"max_positions": positions, "dim": 1} if scheme == "learned" else {}
    with pytest.raises(ClockhandsError, match=r"too large to draw, 67,108,864 is the most") as refused:
        show(scheme, view, positions=positions, **parameters)
    assert "请减少位置" in refused.value.text.zh


def test_pictures_need_room_for_more_than_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clockhands.memory.available_bytes", lambda: 200_000)
    with pytest.raises(ClockhandsError, match="needs"):
        show("rope", "heatmap", positions=200, dim=32)  # 51,200 bytes of numbers
    with pytest.raises(ClockhandsError, match="needs"):
        show("alibi", "bias", positions=400)


@pytest.mark.parametrize("view", ["heatmap", "clock", "kernel", "distance", "verdict", "relative"])
def test_sizes_beyond_the_machine_are_refused_before_trying(view: str) -> None:
    with pytest.raises(ClockhandsError, match=r"memory|needs|too large to draw|can't be played"):
        show("rope", view, positions=10**12)


@pytest.mark.parametrize("view", ["spectrum", "similarity", "card"])
def test_views_with_a_closed_form_take_any_length(view: str) -> None:
    assert show("rope", view, positions=10**12, dim=4, lang="en").data[0].values.size < 10**6


def test_a_huge_bias_is_refused_before_trying() -> None:
    with pytest.raises(ClockhandsError, match="too large to draw"):
        show("alibi", positions=10**12)


@pytest.mark.parametrize("view", ["similarity", "kernel", "distance", "spectrum", "relative", "verdict"])
def test_positions_with_gaps_are_refused_where_neighbours_matter(view: str) -> None:
    with pytest.raises(ClockhandsError, match="step 10"):
        show("rope", view, positions=range(0, 100, 10))


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(ClockhandsError, match="did you mean 'heatmap'"):
        show("rope", "heatmaps")
    with pytest.raises(ClockhandsError, match="did you mean 'sinusoidal'"):
        show("sinusoid")
    with pytest.raises(ClockhandsError, match="no language 'fr'"):
        show("rope", lang="fr")
    with pytest.raises(ClockhandsError, match="did you mean"):
        show("rope", "heatmap", bass=3)


def test_a_position_past_a_learned_table_is_refused_and_the_default_stays_inside() -> None:
    assert show("learned", "heatmap", max_positions=7, dim=4, lang="en").data[0].values.shape == (7, 4)
    with pytest.raises(ClockhandsError, match="position 7 is outside the table of rows 0 to 6"):
        show("learned", "heatmap", max_positions=7, dim=4, positions=8)


def test_one_position_has_no_neighbour() -> None:
    with pytest.raises(ClockhandsError, match="use a whole number from 2"):
        show("rope", "distance", positions=1)


@pytest.mark.parametrize("view", [view for view in available(describe("rope")) if view != "distance"])
def test_one_position_draws(view: str) -> None:
    show("rope", view, positions=1, dim=4, lang="en")


def test_one_position_of_a_remap_draws() -> None:
    assert show("rerope", positions=1, lang="en").data[0].values.tolist() == [[0.0]]


def test_the_card_of_a_scheme_without_numbers_has_no_data() -> None:
    with pytest.raises(ClockhandsError, match="holds no numbers"):
        data("card", describe("nope"))


def test_the_language_of_the_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOCKHANDS_LANG", "zh")
    assert record(show("alibi", positions=3)).says("注意力头")  # type: ignore[arg-type]  # a Picture


def test_own_numbers_are_named_on_the_picture() -> None:
    for own in (OwnFrequencies(SPEEDS), OwnTable(np.eye(4)), OwnBias([[0.0, 1.0]])):
        drawn = draw(None, own, lang="zh")
        assert isinstance(drawn, Picture)
        assert record(drawn).says(own.card.title.zh)


def test_what_hangs_on_the_tokens_is_not_called_nothing() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Reader(Description):
        card: ClassVar[Card] = describe("alibi").card
        content_hooks: ClassVar[tuple[str, ...]] = ("bias",)

    assert available(Reader()) == ("card",)
    with pytest.raises(ClockhandsError, match="what ALiBi does hangs on the tokens") as refused:
        show(Reader(), "bias", lang="en")
    assert "取决于词元的内容" in refused.value.text.zh
