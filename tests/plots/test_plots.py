"""What each plot draws: structure read by the recorder, data twins equal to what is drawn.

Numbers named "reference" are those of the literature or of closed forms written here.
"""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.axes import distance_axis, head_axis
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.analysis.neighbours import Neighbours
from clockhands.analysis.spectrum import spectrum as spectrum_of
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import bias, curves, distance, heatmap, kernel, similarity, spectrum
from clockhands.plots.bias import slope_of
from clockhands.plots.bias_colours import colours_of
from clockhands.plots.kernel import first_rise
from clockhands.plots.picture import Picture
from clockhands.plots.recorder import collisions, record

LANGUAGES: tuple[Language, ...] = ("en", "zh")
SPEEDS = 10000.0 ** (-np.arange(0, 32, 2) / 32)
NOTE = Text("untrained, seed 0", "未训练，随机种子 0")


def sinusoid(positions: int, speeds: np.ndarray = SPEEDS) -> np.ndarray:
    angle = np.arange(positions)[:, None] * speeds
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(positions, -1)


def noted(values: np.ndarray, id: str = "x", *names: str) -> Labelled:
    axes = tuple(Axis(Text(name, name), np.arange(n)) for name, n in zip(names, values.shape, strict=True))
    return Labelled(id, Text("value", "数值"), values, axes, note=NOTE)


# heat map ---------------------------------------------------------------------------------


def test_a_heat_map_shows_the_table_upright_around_zero() -> None:
    table = sinusoid(20) * 3 + 0.5
    picture = heatmap(table)
    (image,) = record(picture).panel("map").images
    assert np.array_equal(image.values, table.T)
    assert picture.data[0].values is not None
    assert np.array_equal(picture.data[0].values.T, image.values)
    assert image.limits == (-np.abs(table).max(), np.abs(table).max())
    assert image.colours == "RdBu_r"


def test_a_wide_table_is_averaged_and_says_so() -> None:
    table = sinusoid(10_000)
    drawn = record(heatmap(table))
    (image,) = drawn.panel("map").images
    assert image.values.shape == (32, 2000)
    assert image.values[31, 7] == pytest.approx(table[35:40, 31].mean())
    assert drawn.says("Each cell is the mean of 5 positions × 1 dimension")
    assert not record(heatmap(sinusoid(100))).says("Each cell is the mean")


def test_numbers_that_are_not_finite_leave_a_hole_and_the_limits_alone() -> None:
    table = np.array([[1.0, np.nan], [np.inf, -2.0]])
    (image,) = record(heatmap(table)).panel("map").images
    assert image.limits == (-2.0, 2.0)
    assert np.isnan(image.values[1, 0])
    assert np.isnan(image.values[0, 1])


@pytest.mark.parametrize("bad", [np.zeros(3), np.zeros((0, 4)), np.zeros((2, 2, 2)), [["a", "b"]], [[1j]]])
def test_what_is_no_table_is_refused_in_both_languages(bad: object) -> None:
    with pytest.raises(ClockhandsError, match="array") as refused:
        heatmap(bad)  # type: ignore[arg-type]  # bad on purpose
    assert "数组" in refused.value.text.zh


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_plot_says_on_its_face_that_it_is_untrained(lang: Language) -> None:
    square, line = noted(np.eye(4), "x", "a", "b"), noted(np.arange(4.0), "y", "a")
    causal = Labelled(
        "bias", Text("b", "b"), -np.ones((1, 4)), (head_axis(1), distance_axis(np.arange(4))), note=NOTE
    )
    pictures: list[Picture] = [
        heatmap(square, lang=lang),
        similarity(square, lang=lang),
        kernel(line, lang=lang),
        distance(line, lang=lang),
        bias(causal, lang=lang),
        curves([line], lang=lang),
    ]
    for picture in pictures:
        assert record(picture).says(NOTE.said_in(lang)), picture.title


# similarity and kernel -----------------------------------------------------------------------


def test_similarity_draws_the_map_and_its_curve() -> None:
    table = sinusoid(30)
    matrix = table @ table.T / 16
    picture = similarity(matrix)
    drawn = record(picture)
    (image,) = drawn.panel("map").images
    assert np.array_equal(image.values, matrix)
    assert image.limits == pytest.approx((-1.0, 1.0))
    curve = next(line for line in drawn.panel("kernel").lines if len(line.x) == 30)
    reference = np.cos(np.arange(30)[:, None] * SPEEDS).mean(axis=1)
    assert np.allclose(curve.y, reference, atol=1e-12)
    assert np.array_equal(picture.data[1].values, curve.y)
    assert drawn.panel("kernel").bands == 0
    assert drawn.says("one curve")


def test_similarity_of_a_learned_table_is_a_band_and_no_curve() -> None:
    table = np.random.default_rng(0).normal(size=(20, 8))
    matrix = table @ table.T
    picture = similarity(matrix)
    drawn = record(picture)
    assert drawn.panel("kernel").bands == 1
    assert drawn.says("no curve over distance describes this map")
    _, mean, lowest, highest = picture.data
    for distance_ in (0, 3, 19):
        line = np.array([matrix[i + distance_, i] for i in range(20 - distance_)])
        assert mean.values[distance_] == pytest.approx(line.mean())
        assert (lowest.values[distance_], highest.values[distance_]) == (line.min(), line.max())


def test_a_matrix_that_is_not_square_is_refused() -> None:
    with pytest.raises(ClockhandsError, match=r"\(2, 3\)"):
        similarity(np.zeros((2, 3)))


@pytest.mark.parametrize(("width", "start"), [(32, 4), (128, 11), (512, 43)])
def test_the_first_rise_is_the_published_one(width: int, start: int) -> None:
    """Reference: first k with K(k + 1) > K(k) for base 10000, by direct evaluation of mean cos(k w)."""
    speeds = 10000.0 ** (-np.arange(0, width, 2) / width)
    curve = kernel_range(speeds, 100)
    assert first_rise(curve.values) == start
    drawn = record(kernel(curve))
    assert drawn.says(f"from distance {start} to {start + 1}")
    share = {32: "47%", 128: "34%", 512: "13%"}[width]
    assert drawn.says(f"{share} of all steps shown go up")
    assert drawn.says("from 0.5264 to 0.52645") == (width == 512)  # told apart however near
    assert drawn.panel("kernel").marks[0].tolist() == [[start, curve.values[start]]]


def test_a_falling_curve_is_not_called_rising() -> None:
    drawn = record(kernel(np.exp(-np.arange(20.0))))
    assert drawn.says("never rises")
    assert drawn.panel("kernel").marks == ()


def test_rounding_is_no_rise() -> None:
    flat = np.ones(10) + 1e-15 * np.arange(10)
    assert first_rise(flat) is None


def test_a_long_curve_is_a_band_that_keeps_its_extremes() -> None:
    curve = kernel_range(SPEEDS, 50_000)
    panel = record(kernel(curve)).panel("kernel")
    assert panel.bands == 1
    assert all(len(line.x) <= 2 for line in panel.lines)
    low, high = panel.y_limits
    assert low <= curve.values.min()
    assert curve.values.max() <= high


# neighbour distance ---------------------------------------------------------------------------


def test_a_constant_distance_is_said_with_its_number_and_drawn_flat() -> None:
    """Reference: sqrt(sum (2 sin(w/2))^2) = 1.17162 for d = 32."""
    steps = np.linalg.norm(np.diff(sinusoid(100), axis=0), axis=1)
    drawn = record(distance(steps))
    panel = drawn.panel("distance")
    assert drawn.says("The same everywhere: 1.17162")
    assert panel.y_limits[0] == 0
    assert np.ptp(panel.lines[0].y) < 1e-6 * panel.y_limits[1]


def test_a_ragged_distance_is_said_with_its_range() -> None:
    drawn = record(distance([1.0, 2.0, 3.0]))
    assert drawn.says("Not the same everywhere: from 1 to 3, 2 on average.")
    assert drawn.panel("distance").y_limits == (0, 3.75)


def test_the_axis_is_the_range_that_the_analysis_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Neighbours, "drawing_range", (0.0, 9.0))
    assert record(distance([1.0, 2.0, 3.0])).panel("distance").y_limits == (0, 9)


def test_distances_of_zero_still_have_an_axis() -> None:
    assert record(distance([0.0, 0.0])).panel("distance").y_limits == (0, 1)


# spectrum ---------------------------------------------------------------------------------------


def test_hands_that_finish_no_turn_are_hollow_and_counted() -> None:
    drawn = record(spectrum(spectrum_of(SPEEDS, 100)))
    assert drawn.says("11 of 16 hands never finish a turn within 100 tokens")
    done, hollow = drawn.panel("spectrum").marks
    assert (len(done), len(hollow)) == (5, 11)
    reference = 2 * np.pi / SPEEDS
    assert np.allclose(np.concatenate([done, hollow])[:, 0], reference)
    assert max(done[:, 0]) <= 100 < min(hollow[:, 0])
    assert drawn.says("35,333")


def test_all_hands_finish_in_a_long_context() -> None:
    drawn = record(spectrum(spectrum_of(SPEEDS, 40_000)))
    assert drawn.says("Every hand makes a full turn within 40,000 tokens")


def test_a_hand_that_stands_still_is_at_infinity() -> None:
    drawn = record(spectrum(spectrum_of([1.0, 0.0], 100)))
    assert drawn.says("∞")
    assert np.isfinite(drawn.panel("spectrum").marks[1]).all()


# bias ---------------------------------------------------------------------------------------------


def alibi(heads: int, distances: np.ndarray) -> Labelled:
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    values = -slopes[:, None] * np.abs(distances)
    return Labelled("bias", Text("bias", "偏置"), values, (head_axis(heads), distance_axis(distances)))


def test_bias_maps_share_one_scale_from_zero_and_hide_the_future() -> None:
    drawn = record(bias(alibi(4, np.arange(10))))
    maps = [drawn.panel(f"head {head}").images[0] for head in range(4)]
    assert {image.limits for image in maps} == {(-9 * 0.25, 0)}  # no number is above 0
    for head, image in enumerate(maps):
        for i in range(10):
            for j in range(10):
                if j > i:
                    assert np.isnan(image.values[i, j])
                else:
                    assert image.values[i, j] == -(0.25 ** (head + 1)) * (i - j)
    assert drawn.says("All heads share one colour scale.")
    assert drawn.says("slope 0.0625")


def test_each_head_has_its_own_scale_only_if_asked() -> None:
    drawn = record(bias(alibi(2, np.arange(5)), shared_scale=False))
    limits = [drawn.panel(f"head {head}").images[0].limits for head in range(2)]
    assert limits == [(-4 * 2.0**-4, 0), (-4 * 2.0**-8, 0)]
    assert drawn.says("a colour scale of its own")
    assert "colours" not in {panel.name for panel in drawn.panels}


def test_a_two_way_bias_has_no_grey() -> None:
    drawn = record(bias(alibi(2, np.arange(-4, 5))))
    image = drawn.panel("head 0").images[0]
    assert np.array_equal(image.values, image.values.T)
    assert np.isfinite(image.values).all()
    assert not drawn.says("masked")


def test_flat_heads_are_not_blank() -> None:
    """On the shared scale the flattest of ALiBi's eight heads still differs from white."""
    heads = [-slope * np.arange(100.0)[None] for slope in 2.0 ** -np.arange(1, 9)]
    colours = colours_of(heads)
    assert colours.cube_root
    *_, flattest = [colours.map(colours.norm(head[0, -1]))[:3] for head in heads]
    assert np.abs(np.subtract(colours.map(colours.norm(0.0))[:3], flattest)).max() > 0.1
    drawn = record(bias(alibi(8, np.arange(100))))
    assert drawn.says("cube root")
    assert drawn.says("flat heads are seen")
    assert colours.ticks() == pytest.approx([-49.5, -10, -1, 0])


def test_a_scale_has_zero_white_and_only_the_sides_that_there_are() -> None:
    for values, limits in (
        ([-2.0, 0.0], (-2, 0)),
        ([0.0, 3.0], (0, 3)),
        ([-1.0, 3.0], (-3, 3)),
        ([0.0], (-1, 1)),
    ):
        colours = colours_of([np.array(values)])
        assert (colours.low, colours.high) == limits
        assert not colours.cube_root
        np.testing.assert_allclose(colours.map(colours.norm(0.0))[:3], 0.97, atol=0.01)
    bluer, redder = (colours_of([np.array([end])]) for end in (-1.0, 1.0))
    assert bluer.map(bluer.norm(-1.0))[2] > 0.35 > bluer.map(bluer.norm(-1.0))[0]
    assert redder.map(redder.norm(1.0))[0] > 0.35 > redder.map(redder.norm(1.0))[2]


def test_curves_of_a_bias_are_named_at_their_ends() -> None:
    texts = record(bias(alibi(8, np.arange(20)))).panel("curves").texts
    assert [text for text in texts if "head" in text] == [f"head {n}" for n in range(1, 9)]


def test_many_heads_are_thinned_and_that_is_said() -> None:
    drawn = record(bias(alibi(112, np.arange(6))))
    assert len([panel for panel in drawn.panels if panel.name.startswith("head")]) == 28
    assert drawn.says("28 of 112 heads are shown.")


def test_curves_of_all_heads_are_drawn() -> None:
    values = alibi(3, np.arange(20))
    lines = [line for line in record(bias(values)).panel("curves").lines if len(line.x) == 20]
    assert [line.y.tolist() for line in lines] == values.values.tolist()


def test_slopes_are_read_from_straight_lines_only() -> None:
    steps = np.arange(5)
    assert slope_of(-0.5 * steps, steps) == 0.5
    assert slope_of(-0.5 * steps**2, steps) is None
    assert slope_of(np.zeros(5), steps) is None
    assert slope_of(1 - 0.5 * steps, steps) is None


@pytest.mark.parametrize("distances", [[0, 2, 3], [1, 2], [-3, -2, -1], [-1, 0, 1, 2], [0.5, 1.5]])
def test_distances_with_gaps_are_refused(distances: list[float]) -> None:
    axes = (head_axis(1), distance_axis(np.array(distances)))
    with pytest.raises(ClockhandsError, match="whole numbers without a gap"):
        bias(Labelled("bias", Text("b", "b"), np.zeros((1, len(distances))), axes))


# curves -----------------------------------------------------------------------------------------------


def test_loss_curves_are_named_at_their_ends_and_start_at_zero() -> None:
    steps = Axis(Text("step", "步"), np.array([10, 20, 30]))
    training = Labelled("train", Text("training", "训练"), np.array([3.0, 2.0, 1.0]), (steps,))
    held = Labelled("held", Text("held-out text", "留出文本"), np.array([3.0, 2.5, 1.02]), (steps,))
    picture = curves([training, held])
    drawn = record(picture)
    assert drawn.panel("curves").y_limits[0] == 0
    assert [line.label for line in drawn.panel("curves").lines] == ["training", "held-out text"]
    assert drawn.panel("curves").lines[1].x.tolist() == [10, 20, 30]
    assert drawn.says("held-out text  1.02")
    assert collisions(picture) == []  # the ends are nearly level, their names are not


def test_a_loss_that_blew_up_still_draws() -> None:
    drawn = record(curves([np.array([1.0, np.nan, np.inf])]))  # type: ignore[list-item]  # plain arrays are fine
    assert drawn.panel("curves").y_limits == (0, 1.06)


def test_no_curves_is_an_error() -> None:
    with pytest.raises(ClockhandsError, match="no curve to draw"):
        curves([])


def test_a_head_that_sees_nothing_far_is_grey_there_and_has_no_slope() -> None:
    drawn = record(bias(np.array([[0.0, -np.inf, -np.inf], [0.0, -0.5, -1.0]]), lang="en"))
    assert drawn.says("Grey below the diagonal: a head sees nothing there.")
    assert drawn.says("slope 0.5")
    assert not drawn.says("slope inf")
    assert not record(bias(np.zeros((2, 3)), lang="en")).says("Grey below the diagonal")
