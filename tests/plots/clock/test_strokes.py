"""Anti-aliased shapes: their area is right, their place is right, and the page's edge is kept."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.plots.clock.canvas import Canvas, Marks
from clockhands.plots.clock.palette import TRANSPARENT, Palette, clock_palette, packed
from clockhands.plots.clock.strokes import disc, discs, fan, line, lines, polar_field, ring, tip
from clockhands.plots.style import INK, PAGE, PANEL, QUIET, hand_colours, mixed, rgb


@pytest.fixture
def canvas():
    return Canvas(60, 50, PAGE)


def shares(canvas, marks):
    """Coverage as a picture; every pixel at most once."""
    assert len(np.unique(marks.pixels)) == len(marks.pixels)
    page = np.zeros(canvas.width * canvas.height)
    page[marks.pixels] = marks.coverage
    return page.reshape(canvas.height, canvas.width)


@pytest.mark.parametrize("end", [(50.0, 25.0), (30.0, 5.0), (48.0, 41.0), (12.3, 7.7), (31.0, 44.0)])
def test_a_line_covers_its_length_times_its_width(canvas, end):
    start, width = (30.0, 25.0), 2.0
    page = shares(canvas, line(canvas, start, end, width))
    length = np.hypot(end[0] - start[0], end[1] - start[1])
    assert page.sum() == pytest.approx(length * width + np.pi * (width / 2) ** 2, rel=0.04)
    for part in (0.0, 0.5, 1.0):
        x, y = (start[axis] + part * (end[axis] - start[axis]) for axis in (0, 1))
        assert page[int(y), int(x)] > 0.5
    rows, columns = np.nonzero(page)
    apart = np.abs(
        (end[0] - start[0]) * (rows + 0.5 - start[1]) - (end[1] - start[1]) * (columns + 0.5 - start[0])
    )
    assert (apart / length < width / 2 + 0.5).all()


def test_a_line_of_no_length_is_a_dot(canvas):
    page = shares(canvas, line(canvas, (20.5, 20.5), (20.5, 20.5), 3.0))
    assert page.sum() == pytest.approx(np.pi * 1.5**2, rel=0.1)


STARTS = np.array([[30.0, 25.0], [4.0, 40.5], [30.0, 25.0], [58.0, 3.0], [7.5, 7.5]])
ENDS = np.array([[50.0, 25.0], [9.3, 2.0], [12.3, 47.7], [70.0, -9.0], [7.5, 7.5]])
WIDTHS = np.array([2.0, 1.0, 3.4, 2.0, 5.0])


def test_many_lines_are_each_what_one_would_be(canvas):
    marks, owner = lines(canvas, STARTS, ENDS, WIDTHS)
    for i, (start, end, width) in enumerate(zip(STARTS, ENDS, WIDTHS, strict=True)):
        alone = line(canvas, tuple(start), tuple(end), width)
        mine = Marks(marks.pixels[owner == i], marks.coverage[owner == i])
        assert np.array_equal(shares(canvas, mine), shares(canvas, alone)), i
    assert (np.diff(owner) >= 0).all()


def test_lines_from_one_place_cross_there_and_are_laid_in_turn(canvas):
    """Pixel for pixel what laying one after the other gives, so that the last one is on top."""
    centre, ends = (30.0, 25.0), np.array([[50.0, 25.0], [50.0, 26.0], [30.0, 5.0], [12.0, 40.0]])
    colours = hand_colours(len(ends))
    marks, hand = lines(canvas, centre, ends, 3.0)
    assert len(np.unique(marks.pixels)) < len(marks.pixels)
    canvas.lay_in_turn(marks, colours[hand], np.linspace(0.5, 1, len(ends), dtype=np.float32)[hand])
    other = Canvas(canvas.width, canvas.height, PAGE)
    for i, end in enumerate(ends):
        other.lay(line(other, centre, tuple(end), 3.0), colours[i], 0.5 + i / 6)
    for each in (canvas, other):
        each.freeze(clock_palette(4))
    assert np.array_equal(np.asarray(canvas.image()), np.asarray(other.image()))


def test_the_first_of_each_kind_is_found(canvas):
    pixels = np.array([7, 3, 7, 7, 0, 3])
    assert canvas.first_of(pixels).tolist() == [True, True, False, False, True, False]
    assert canvas.first_of(pixels[:0]).tolist() == []


@pytest.mark.parametrize("centre", [(30.0, 25.0), (20.3, 31.8)])
def test_discs_and_rings_have_their_area(canvas, centre):
    page = shares(canvas, disc(canvas, centre, 9.0))
    assert page.sum() == pytest.approx(np.pi * 81, rel=0.02)
    assert page[int(centre[1]), int(centre[0])] == 1
    page = shares(canvas, ring(canvas, centre, 12.0, 2.0))
    assert page.sum() == pytest.approx(2 * np.pi * 12 * 2, rel=0.02)
    assert page[int(centre[1]), int(centre[0])] == 0


def test_many_discs_are_each_what_one_would_be(canvas):
    centres = np.array([[10.0, 10.0], [40.5, 30.2]])
    marks, owner = discs(canvas, centres, 4.0)
    both = shares(canvas, marks)
    each = [shares(canvas, disc(canvas, (float(x), float(y)), 4.0)) for x, y in centres]
    np.testing.assert_allclose(both, each[0] + each[1], atol=1e-5)
    assert (owner == (marks.pixels % 60 > 25)).all()


def test_a_pixel_of_two_discs_belongs_to_the_one_that_covers_it_most(canvas):
    centres = np.array([[26.0, 20.3], [19.4, 20.0]])
    marks, owner = discs(canvas, centres, 6.0)
    each = np.array([shares(canvas, disc(canvas, (float(x), float(y)), 6.0)) for x, y in centres])
    assert (each > 0).all(axis=0).sum() > 20
    np.testing.assert_allclose(shares(canvas, marks), each.max(axis=0), atol=1e-5)
    covered = each.reshape(2, -1)[:, marks.pixels]
    apart = np.abs(covered[0] - covered[1]) > 1e-5
    assert (owner == covered.argmax(axis=0))[apart].all()
    assert (owner[~apart] == 0).all()  # both cover it wholly: the first


@pytest.mark.parametrize("shape", ["line", "disc", "ring", "discs"])
def test_what_is_off_the_page_is_cut(canvas, shape):
    marks = {
        "line": lambda: line(canvas, (-20.0, -20.0), (90.0, 80.0), 3.0),
        "disc": lambda: disc(canvas, (0.0, 0.0), 9.0),
        "ring": lambda: ring(canvas, (60.0, 50.0), 9.0, 2.0),
        "discs": lambda: discs(canvas, np.array([[0.0, 50.0], [60.0, 0.0]]), 9.0)[0],
    }[shape]()
    assert len(marks.pixels)
    assert marks.pixels.min() >= 0
    assert marks.pixels.max() < 60 * 50
    if shape == "disc":
        assert shares(canvas, marks).sum() == pytest.approx(np.pi * 81 / 4, rel=0.02)


def test_a_field_knows_angles_clockwise_from_twelve(canvas):
    field = polar_field(canvas, (30.0, 25.0), 12.0)
    at = {pixel: i for i, pixel in enumerate(field.pixels)}
    for angle in (0.01, np.pi / 2, np.pi, 1.5 * np.pi, 5.0):
        x, y = tip((30.0, 25.0), 10.0, angle)
        i = at[int(y) * 60 + int(x)]
        assert field.angle[i] == pytest.approx(angle, abs=0.08)
        assert field.distance[i] == pytest.approx(10.0, abs=0.75)


def test_a_fan_is_its_lines(canvas):
    field = polar_field(canvas, (30.0, 25.0), 20.0)
    angles = np.array([5.0, 0.4, 2.0])
    marks, nearest = fan(field, angles, 15.0, 2.0)
    together = shares(canvas, marks)
    apart = [shares(canvas, line(canvas, (30.0, 25.0), tip((30.0, 25.0), 15.0, a), 2.0)) for a in angles]
    far = np.hypot(*np.meshgrid(np.arange(60) - 29.5, np.arange(50) - 24.5)) > 5
    assert np.abs(together - np.maximum.reduce(apart))[far].mean() < 0.005
    for i, angle in enumerate(angles):
        x, y = tip((30.0, 25.0), 12.0, angle)
        assert nearest[marks.pixels == int(y) * 60 + int(x)].tolist() == [i]


def test_laying_blends_by_coverage_and_clearing_takes_it_back(canvas):
    canvas.lay(Marks(np.array([5]), np.array([1.0], np.float32)), PANEL)
    canvas.freeze(Palette(np.array([rgb(PAGE), rgb(PANEL), (0, 0, 0), (128, 128, 124)], dtype=float)))
    canvas.lay(Marks(np.array([5, 6]), np.array([1.0, 0.5], np.float32)), "#000000")
    shown = np.asarray(canvas.image().convert("RGB")).reshape(-1, 3)
    assert shown[[4, 5, 6]].tolist() == [list(rgb(PAGE)), [0, 0, 0], [128, 128, 124]]
    canvas.clear()
    shown = np.asarray(canvas.image().convert("RGB")).reshape(-1, 3)
    assert shown[[4, 5, 6]].tolist() == [list(rgb(PAGE)), list(rgb(PANEL)), list(rgb(PAGE))]


def test_a_colour_laid_on_itself_changes_nothing(canvas):
    """Rounding is to the nearest: cut off instead, forty layers would darken the page."""
    canvas.freeze(clock_palette(16))
    everywhere = Marks(np.arange(60 * 50), np.full(60 * 50, 0.1, np.float32))
    for _ in range(40):
        canvas.lay(everywhere, PAGE)
    assert canvas.image().convert("RGB").getcolors() == [(60 * 50, rgb(PAGE))]


def test_layers_come_as_near_to_their_colour_as_rounding_lets_them():
    """A tenth of what is missing, to the nearest: 200 is 196 in the end. Cut off it would be 191."""
    canvas = Canvas(2, 1, "#000000")
    canvas.freeze(Palette(np.array([(0, 0, 0), (188, 188, 188), (196, 196, 196)], dtype=float)))
    for _ in range(100):
        canvas.lay(Marks(np.array([1]), np.array([0.1], np.float32)), "#c8c8c8")
    assert np.asarray(canvas.image()).tolist() == [[0, 2]]


def test_a_canvas_must_be_frozen_before_it_is_shown(canvas):
    with pytest.raises(RuntimeError, match="freeze"):
        canvas.image()


@pytest.mark.parametrize("hands", [1, 2, 3, 16, 24, 256])
def test_the_palette_holds_what_must_be_exact(hands):
    palette = clock_palette(hands)
    assert len(palette.colours) <= TRANSPARENT
    exact = [rgb(PAGE), rgb(PANEL), rgb(INK)]
    for colour in exact:
        index = palette.nearest(np.array([packed(colour)], dtype=np.uint32))[0]
        assert tuple(palette.colours[index]) == colour
    wanted = hand_colours(min(hands, 24))
    apart = np.abs(wanted[:, None] - palette.colours.astype(float)).max(axis=2).min(axis=1)
    assert apart.max() <= 1
    assert len(palette.bytes()) == 768


def test_every_colour_finds_a_near_one():
    palette = clock_palette(16)
    page, hand = np.array(rgb(PAGE)), hand_colours(16)
    for share in (0.15, 0.5, 0.85):
        blends = np.rint(page + share * (hand - page)).astype(np.uint32)
        pixels = blends[:, 0] | blends[:, 1] << 8 | blends[:, 2] << 16
        found = palette.colours[palette.nearest(pixels)].astype(float)
        assert np.abs(found - blends).max() < 16


@pytest.mark.parametrize(("colour", "steps"), [(INK, 11), (QUIET, 7)])
def test_text_has_smooth_edges(colour, steps):
    """Greys from the page to the text, in even steps."""
    palette, page = clock_palette(24), np.array(rgb(PAGE), dtype=float)
    known = set(map(tuple, palette.colours.tolist()))
    for step in range(1, steps + 1):
        blend = mixed(np.array(rgb(colour), dtype=float), page, step / steps)
        assert tuple(map(round, blend.tolist())) in known


def test_a_palette_has_no_room_for_more_than_255():
    with pytest.raises(ValueError, match="256"):
        Palette(np.stack([np.arange(256)] * 3, axis=1).astype(float))
