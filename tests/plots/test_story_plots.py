"""Plots that tell one thing each: relative hands, four terms, dimensions, long range, verdict, card."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis import add_concatenate
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.verdict import examine
from clockhands.catalogue import SCHEMES, Traits
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import bought, card, dimensions, four_terms, long_range, relative, told_apart, verdict
from clockhands.plots.card import promises
from clockhands.plots.recorder import collisions, record

LANGUAGES: tuple[Language, ...] = ("en", "zh")
SPEEDS = 10000.0 ** (-np.arange(0, 32, 2) / 32)


# relative ------------------------------------------------------------------------------------


def turned_scores(n: int) -> np.ndarray:
    """Scores of one q and one k after a rotation, through complex numbers."""
    generator = np.random.default_rng(1)
    q, k = (generator.normal(size=16) + 1j * generator.normal(size=16) for _ in range(2))
    turn = np.exp(1j * np.arange(n)[:, None] * SPEEDS)
    return ((q * turn) @ (k * turn).conj().T).real


def test_hands_turn_clockwise_and_the_angle_between_stands_still() -> None:
    places = np.array([4, 8, 12])
    hands = np.stack([0.3 * places + 1.0, 0.3 * (places - 4)], axis=1)
    picture = relative(hands, turned_scores(20), 4)
    drawn = record(picture)
    for column, (query, key) in enumerate(hands):
        tips = [line for line in drawn.panel(f"dial {column}").lines if len(line.x) == 1][:2]
        for tip, angle in zip(tips, (key, query), strict=True):
            # Clockwise from twelve: (sin, cos).
            assert np.allclose([tip.x[0], tip.y[0]], [0.86 * np.sin(angle), 0.86 * np.cos(angle)])
    assert drawn.says(f"{np.degrees(0.3 * 4 + 1.0):.1f}°")
    assert drawn.says("q at 0, k at -4")


def test_the_scores_are_said_to_be_constant_along_diagonals_with_their_number() -> None:
    drawn = record(relative(np.zeros((2, 2)), turned_scores(12), 0))
    assert drawn.says("constant along each diagonal (to within")
    image = drawn.panel("scores").images[0]
    assert image.limits[0] == -image.limits[1]


def test_relative_refuses_other_shapes() -> None:
    with pytest.raises(ClockhandsError, match=r"\(2, 3\)"):
        relative(np.zeros((2, 3)), np.eye(3), 1)


# four terms -------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
def test_four_parts_sum_to_the_score_on_one_scale(lang: Language) -> None:
    generator = np.random.default_rng(0)
    words, table = generator.normal(size=(2, 12, 8))
    split = add_concatenate.four_terms(words, table)
    counts = add_concatenate.parameter_counts(100, 16, 4)
    picture = four_terms(split, counts, 2e-15, lang=lang)
    drawn = record(picture)
    parts = [drawn.panel(f"part {place}").images[0] for place in range(5)]
    assert np.allclose(sum(part.values for part in parts[:4]), parts[4].values)
    assert len({part.limits for part in parts}) == 1
    assert drawn.says("2 × 10⁻¹⁵")
    assert drawn.panel("cost").shapes == 2 * len(counts)
    assert picture.data[2].values.sum(axis=1).tolist() == [count.total for count in counts]
    assert collisions(picture) == []


# dimensions ----------------------------------------------------------------------------------------


def test_what_dimensions_buy_in_numbers() -> None:
    """Reference: neighbour distances of the literature; 133 of 256 hands need more than 512 positions."""
    found = bought((32, 128, 512), context=512)
    assert np.allclose(found.step.values, [1.171623, 1.952596, 3.714270], atol=1e-6)
    assert found.hands.values.tolist() == [16, 64, 256]
    assert (found.hands.values - found.finished.values)[2] == 133
    for width, echo, at in zip((32, 128, 512), found.echo.values, found.echo_at.values, strict=True):
        speeds = 10000.0 ** (-np.arange(0, width, 2) / width)
        similar = np.cos(np.arange(64, 513)[:, None] * speeds).mean(axis=1)
        assert echo == pytest.approx(similar.max())
        assert at == 64 + similar.argmax()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_dimensions_are_drawn_as_measured(lang: Language) -> None:
    found = bought((8, 32), context=100)
    picture = dimensions(found, lang=lang)
    drawn = record(picture)
    assert drawn.panel("hands").x_ticks == ("8", "32")
    assert drawn.panel("step").lines[0].y.tolist() == found.step.values.tolist()
    assert drawn.panel("echo").lines[0].y.tolist() == found.echo.values.tolist()
    assert drawn.panel("hands").shapes == 4
    assert collisions(picture) == []


def test_no_widths_is_an_error() -> None:
    with pytest.raises(ClockhandsError, match="no widths"):
        bought(())


# long range ------------------------------------------------------------------------------------------


def test_positions_told_apart_are_the_published_counts() -> None:
    """Reference: of 4,096 positions 769 are distinct in bf16 and 3,073 in fp16; all in fp32."""
    apart = told_apart(4096)
    assert apart.values[:, -1].tolist() == [769, 3073, 4096]
    assert apart.axes[1].values[-1] == 4096
    assert (apart.values[:, 0] == 1).all()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_long_curve_keeps_its_lowest_value(lang: Language) -> None:
    curve = kernel_range(SPEEDS, 20_000)
    picture = long_range(curve, told_apart(20_000), lang=lang)
    drawn = record(picture)
    lowest = min(float(line.y.min()) for line in drawn.panel("kernel").lines)
    assert lowest == curve.values.min()
    assert drawn.says(f"{int(curve.values.argmin()):,}")
    assert len(drawn.panel("told apart").lines) == 3
    assert collisions(picture) == []


# verdict ------------------------------------------------------------------------------------------------


def broken_table() -> np.ndarray:
    angle = np.arange(64)[:, None] * SPEEDS
    table = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(64, -1)
    table[40] = table[12]
    table[:, 8] = 0.3
    return table


@pytest.mark.parametrize("lang", LANGUAGES)
def test_findings_are_marked_where_they_are(lang: Language) -> None:
    table = broken_table()
    found = examine(table)
    picture = verdict(table, found, lang=lang)
    drawn = record(picture)
    marks = [group.tolist() for group in drawn.panel("map").marks]
    assert [[12, -0.5], [40, -0.5]] in marks
    assert [[63.5, 8]] in marks
    for finding in found.findings:
        assert drawn.says(finding.sentence.said_in(lang))
    assert picture.data[1].values.tolist() == [finding.value for finding in found.findings]
    assert collisions(picture) == []


def test_marks_follow_positions_that_do_not_start_at_zero() -> None:
    from clockhands.analysis.axes import dimension_axis, position_axis
    from clockhands.analysis.labelled import Labelled

    table = broken_table()
    given = Labelled("t", Text("v", "v"), table, (position_axis(np.arange(100, 164)), dimension_axis(32)))
    drawn = record(verdict(given, examine(table, start=100)))
    assert [[12, -0.5], [40, -0.5]] in [group.tolist() for group in drawn.panel("map").marks]


def test_a_healthy_table_has_no_marks() -> None:
    angle = np.arange(64)[:, None] * SPEEDS
    table = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    drawn = record(verdict(table, examine(table)))
    assert drawn.panel("map").marks == ()
    assert drawn.says("no fault found")


# card -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("id", SCHEMES)
def test_every_card_can_be_read(id: str, lang: Language) -> None:
    about = SCHEMES[id].card
    picture = card(about, lang=lang, parameters={"dim": 32, "layout": "half", "tags": (1.0,) * 11})
    drawn = record(picture)
    assert drawn.says(about.idea.said_in(lang))
    assert all(drawn.says(source.where) for source in about.sources)
    assert drawn.panel("formula").texts
    assert "".join(drawn.panel("formula").texts).count("$") % 2 == 0
    assert collisions(picture) == []
    assert picture.data[0].values.tolist() == [32]


def test_parameters_are_written_short() -> None:
    said = record(card(SCHEMES["tagged"].card, parameters={"steps": (1.0,) * 11, "x": None, "on": True}))
    assert said.says("steps\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}11\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}1")
    assert said.says("on\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}True")
    assert not said.says("None")


def test_every_trait_has_a_sentence() -> None:
    said = promises(
        Traits(
            reads="content",
            relative=True,
            length_dependent=True,
            max_position=512,
            horizon=64,
            learned=True,
            bidirectional=False,
            mirrored=True,
        )
    )
    for words in (
        "tokens too",
        "differences only",
        "past 511",
        "past 64 tokens",
        "training",
        "length",
        "causal",
        "before and after look alike",
    ):
        assert words in said.en
    assert said.zh.count("。") == 8
