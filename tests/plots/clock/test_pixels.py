"""What is seen: hands turn clockwise from twelve, the fastest inside, trails behind, nothing left over."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.plots.clock import clock
from clockhands.plots.clock.dial import ring_radii
from clockhands.plots.clock.palette import SECTOR_OPACITY
from clockhands.plots.clock.polar import polar_radii, round_rings, some_of
from clockhands.plots.style import PAGE, PANEL, RULE, hand_colours, mixed, rgb
from tests.plots.clock.seeing import SMALL, at, dial, differing, is_hand

QUARTER = np.pi / 2
PLACE = dial()
LARGE = (640, 640)
BARE = sum(abs(a - b) for a, b in zip(rgb(RULE), rgb(PAGE), strict=True))
"""How much a ring without a trail differs from the page, all channels together, where it is darkest."""


def frame(inv_freq, position, **options):
    options = {"size": SMALL, "wall": False} | options
    return clock(inv_freq, 9, **options).frame(position)


def geometric(count):
    return 10000.0 ** (-np.arange(count) / count)


@pytest.mark.parametrize("count", [1, 3, 16, 24])
def test_at_position_0_all_point_to_twelve(count):
    picture = frame(geometric(count), 0)
    radii = ring_radii(count)
    for hand, radius in enumerate(radii):
        assert is_hand(at(picture, PLACE, radius, 0.0), hand, count)
        for elsewhere in (0.5, QUARTER, 1.5 * QUARTER, 3 * QUARTER):
            assert not is_hand(at(picture, PLACE, radius, elsewhere), hand, count, within=60)


def test_where_hands_lie_on_each_other_the_fastest_is_on_top():
    """At position 0 all point to twelve; each is the shortest past the ring of the one before."""
    picture, place = frame(geometric(3), 0, size=LARGE), dial(LARGE)
    radii = ring_radii(3)
    for hand, (inner, outer) in enumerate(zip([0.05, *radii[:2]], radii, strict=True)):
        off = np.abs(hand_colours(3) - at(picture, place, (inner + outer) / 2, 0.0)).sum(axis=1)
        assert off.argmin() == hand


@pytest.mark.parametrize(
    ("position", "oclock"), [(0, 0), (1, 3), (2, 6), (3, 9), (4, 12), (-1, 9), (10**9, 12)]
)
def test_a_quarter_turn_a_token_points_to_three(position, oclock):
    picture = frame([QUARTER], position, trail=0)
    for hour in (0, 3, 6, 9):
        assert is_hand(at(picture, PLACE, 1.0, hour * np.pi / 6), 0, 1) == (hour == oclock % 12), hour


def test_a_hand_of_negative_speed_turns_the_other_way():
    assert is_hand(at(frame([-QUARTER], 1, trail=0), PLACE, 1.0, 3 * QUARTER), 0, 1)


def test_the_fastest_hand_is_innermost_whatever_its_index():
    picture = frame([0.0, QUARTER, 2 * QUARTER], 1, trail=0)
    inner, middle, outer = ring_radii(3)
    assert inner < middle < outer
    assert is_hand(at(picture, PLACE, inner, 2 * QUARTER), 0, 3)
    assert is_hand(at(picture, PLACE, middle, QUARTER), 1, 3)
    assert is_hand(at(picture, PLACE, outer, 0.0), 2, 3)


@pytest.mark.parametrize("speed", [0.4, -0.4])
def test_the_trail_lies_behind_and_fades(speed):
    picture = frame([speed], 5, trail=3, size=LARGE)
    page = np.array(rgb(PAGE))
    ink = [
        np.abs(at(picture, dial(LARGE), 1.0, speed * back) - page).sum() for back in (4.5, 3.5, 2.5, 5.7, 1.6)
    ]
    near, middle, far, ahead, past = ink
    assert near > middle + 30 > far + 60
    assert max(ahead, past) <= BARE


def test_a_trail_reaches_back_to_position_0_and_no_farther():
    picture, page = frame([0.4], 2, trail=9), np.array(rgb(PAGE))
    behind, before = (np.abs(at(picture, PLACE, 1.0, angle) - page).sum() for angle in (0.4, -0.4))
    assert behind > before + 60
    assert differing(frame([0.4], 0, trail=0), frame([0.4], 0, trail=9)) == 0


def test_a_trail_of_many_turns_is_a_whole_ring():
    picture, page = frame([3.0], 40, trail=30, size=LARGE), np.array(rgb(PAGE))
    around = np.arange(0, 12) * np.pi / 6
    ink = [np.abs(at(picture, dial(LARGE), 1.0, angle) - page).sum() for angle in around]
    assert sum(value > BARE for value in ink) == len(ink) - 1  # the wavelength is written at six o'clock


@pytest.mark.parametrize("count", [16, 256])
@pytest.mark.parametrize("wall", [True, False])
def test_nothing_is_left_of_the_frames_before(count, wall):
    size = (520, 300) if wall else SMALL
    animation = clock(geometric(count), 40, wall=wall, size=size)
    last = list(animation.frames([0, 3, 39, 17]))[-1]
    assert differing(last, clock(geometric(count), 40, wall=wall, size=size).frame(17)) == 0
    assert differing(last, animation.frame(18)) > 0


def test_frames_share_one_palette_and_leave_its_last_index_free():
    palettes = set()
    for picture in clock(geometric(16), 4, size=(520, 300)).frames():
        assert picture.mode == "P"
        assert np.asarray(picture).max() < 255
        palettes.add(bytes(picture.getpalette()))
    assert len(palettes) == 1


@pytest.mark.parametrize("side", [320, 640, 1280])
def test_a_picture_of_twice_the_size_has_lines_of_twice_the_width(side):
    """1.7 pixels at 640 × 640, at 85 % opacity."""
    picture, place = frame([1.0], 0, trail=0, size=(side, side)), dial((side, side))
    row = np.asarray(picture.convert("RGB"))[int(place.centre[1] - 0.5 * place.radius)].astype(float)
    page, hand = np.array(rgb(PAGE)), hand_colours(1)[0]
    covered = (np.abs(row - page) / np.abs(hand - page)).mean(axis=1)
    middle = slice(side // 2 - 20, side // 2 + 20)
    assert covered[middle].sum() == pytest.approx(1.7 * side / 640 * 0.85, rel=0.12)


def test_edges_are_anti_aliased():
    """Beside the colours of page, rings, text and hands there are many between."""
    colours = frame(geometric(3), 5).convert("RGB").getcolors(10**6)
    assert len(colours) > 40


# the wall --------------------------------------------------------------------------------------


def wall_centres(count, size, lang="en"):
    """Centres and radius of the small clocks, found as the white discs beside the dial."""
    picture = np.asarray(clock(geometric(count), 1, size=size, lang=lang).frame(0).convert("RGB"))
    white = (picture == rgb(PANEL)).all(axis=2)
    columns = np.flatnonzero(white.any(axis=0))
    return white, columns


def test_a_wall_stands_beside_the_dial_and_not_without():
    white, columns = wall_centres(16, (800, 440))
    assert columns.min() > 2 * dial((800, 440), True).centre[0] - 40
    assert not (np.asarray(frame(geometric(16), 0).convert("RGB")) == rgb(PANEL)).all(axis=2).any()
    assert white.sum() > 20_000


@pytest.mark.parametrize(("speed", "tinted", "bare"), [(QUARTER, 0.5, 3.0), (-QUARTER, -0.5, -3.0)])
def test_the_slice_from_twelve_to_the_hand_is_tinted(speed, tinted, bare):
    white, _ = wall_centres(1, (800, 440))
    rows, columns = np.nonzero(white)
    x, y = columns.mean(), rows.mean()
    radius = (rows.max() - rows.min()) / 2
    picture = np.asarray(clock([speed], 2, size=(800, 440)).frame(1).convert("RGB"))

    def seen(angle):
        return tuple(picture[int(y - 0.6 * radius * np.cos(angle)), int(x + 0.6 * radius * np.sin(angle))])

    assert seen(tinted) not in {rgb(PANEL), rgb(PAGE)}
    assert seen(bare) == rgb(PANEL)


def test_each_small_clock_has_its_own_colours():
    """The tint between twelve and the hand is that of the hand, and lies beside it."""
    panel = np.array(rgb(PANEL), dtype=float)
    picture = np.asarray(clock([1.0] * 3 + [0.9], 2, size=(800, 440)).frame(1).convert("RGB"))[:, 400:]
    for hand in hand_colours(4):
        tint = mixed(hand[None], panel, SECTOR_OPACITY)[0]
        full, pale = (np.argwhere(np.abs(picture - colour).max(axis=2) <= 4) for colour in (hand, tint))
        assert min(len(full), len(pale)) > 50
        assert np.abs(full.mean(axis=0) - pale.mean(axis=0)).max() < 25


# many hands ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("position", [0, 20])
def test_many_hands_become_a_map_of_dots(position):
    """No line from the centre any more: half way to an outer tip the page is bare."""
    count = 25
    speeds = np.linspace(0.5, 0.02, count)
    picture = frame(speeds, position, trail=0, size=LARGE)
    radii = polar_radii(count)
    for hand in (0, 12, 24):
        assert is_hand(at(picture, dial(LARGE), radii[hand], speeds[hand] * position), hand, count, within=30)
    assert (at(picture, dial(LARGE), 0.1, speeds[-1] * position) == rgb(PAGE)).all()
    with_lines = frame(speeds[:24], 0)
    assert not (at(with_lines, PLACE, 0.1, 0.0) == rgb(PAGE)).all()


def test_rings_of_a_map_stand_at_powers_of_ten():
    wavelengths, radii = round_rings(2 * np.pi * 10000.0 ** (np.arange(256) / 256), polar_radii(256))
    assert wavelengths[1:-1].tolist() == [10, 100, 1000, 10000]
    assert np.diff(radii[1:-1]) == pytest.approx([radii[2] - radii[1]] * 3)
    assert (np.diff(radii) > 0).all()


def test_between_two_powers_of_ten_rings_stand_at_some_hands():
    wavelengths, _ = round_rings(np.linspace(20, 900, 40), polar_radii(40))
    assert len(wavelengths) == 6
    assert wavelengths[[0, -1]].tolist() == [20, 900]
    wavelengths, _ = round_rings(np.geomspace(5, 900, 40), polar_radii(40))
    assert wavelengths.round(9).tolist() == [5, 10, 100, 900]
    wavelengths, _ = round_rings(np.geomspace(10, 10000, 40), polar_radii(40))
    assert wavelengths.round(9).tolist() == [10, 100, 1000, 10000]


@pytest.mark.parametrize("wavelength", [[np.inf] * 30, [6.0] + [np.inf] * 29, np.linspace(6, 9, 30)])
def test_a_map_of_odd_wavelengths_has_rings_too(wavelength):
    marked, radii = round_rings(np.array(wavelength), polar_radii(30))
    assert len(marked) == len(radii) >= 2
    assert (np.diff(radii) >= 0).all()


@pytest.mark.parametrize(("count", "drawn"), [(1, 1), (512, 512), (513, 257), (65_536, 512)])
def test_at_most_512_tips_are_drawn(count, drawn):
    assert len(some_of(count)) == drawn
    assert some_of(count)[0] == 0


@pytest.mark.parametrize("speeds", [[0.0], [0.0] * 30, [1e-9, 0.0], np.zeros(300), np.ones(40), [1e6, 1.0]])
@pytest.mark.parametrize("wall", [True, False])
def test_odd_speeds_can_be_drawn(speeds, wall):
    assert clock(speeds, 3, wall=wall, size=(520, 300)).frame(10**9).size == (520, 300)
