"""Nothing overlaps and nothing leaves the page, at any size and any number of hands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.errors import ClockhandsError
from clockhands.plots.clock.bands import bands_of
from clockhands.plots.clock.layout import Area, Settings, arranged, layout, roomy, table
from clockhands.plots.clock.request import picture_size, shown_positions, speed, trail_steps

SIZES = [(1200, 660), (600, 330), (2400, 1320), (640, 640), (300, 900), (900, 300)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("wall", [True, False])
def test_the_dial_and_its_quarters_are_on_the_page(size, wall):
    places = layout(Settings(size, wall, 6, "en", ""))
    (x, y), radius, unit = places.dial
    reach = radius + 40 * unit
    assert radius > 20
    assert x - reach >= 0
    assert x + reach <= size[0]
    assert y - reach >= 0
    assert y + reach <= size[1]
    assert places.baseline < y - radius
    if wall and size[1] > size[0]:
        assert places.beside.top >= y + reach - 5 * unit
        assert places.beside.top + places.beside.height <= size[1]
    elif wall:
        assert places.beside.left >= x + reach - 20 * unit
        assert places.beside.left + places.beside.width <= size[0]


@given(st.integers(1, 24), st.floats(20, 110))
def test_clocks_on_the_wall_keep_apart(count, text_width):
    area = Area(640, 50, 540, 590)
    radius, centres = arranged(count, area, (text_width, 22.0), 1.0)
    points = np.array(centres)
    assert len(points) == count
    assert radius > 15
    assert (points[:, 0] - radius >= area.left).all()
    assert (points[:, 0] + radius <= area.left + area.width).all()
    assert (points[:, 1] - radius - 22 >= area.top - 1).all()
    assert (points[:, 1] + radius + 22 <= area.top + area.height + 1).all()
    apart = np.abs(points[:, None] - points[None])
    beside, below = apart[..., 0], apart[..., 1]
    same = np.eye(count, dtype=bool)
    assert (same | (beside >= text_width) | (below >= 2 * radius + 40)).all()
    assert (same | (beside >= 2 * radius) | (below >= 2 * radius)).all()


@pytest.mark.parametrize(("count", "rows"), [(1, 1), (3, 1), (4, 2), (16, 4)])
def test_full_rows_are_preferred(count, rows):
    _, centres = arranged(count, Area(640, 50, 540, 590), (60.0, 22.0), 1.0)
    assert len({y for _, y in centres}) == rows


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=300), st.integers(0, 5))
def test_bands_hold_every_hand_once(wavelengths, still):
    wavelength = np.array(sorted(wavelengths) + [np.inf] * still)
    bands = bands_of(wavelength)
    hands = np.concatenate([np.arange(len(wavelength))[band] for band in bands])
    assert hands.tolist() == list(range(len(wavelength)))
    assert len(bands) <= 8
    assert all(np.isfinite(wavelength[band]).all() or np.isinf(wavelength[band]).all() for band in bands)


def test_bands_are_powers_of_ten():
    """d = 512, base 10,000: 13 hands below ten tokens, then 64 to each power of ten, and 51 past 10,000."""
    wavelength = 2 * np.pi * 10000.0 ** (np.arange(256) / 256)
    bands = bands_of(wavelength)
    assert [band.stop - band.start for band in bands] == [13, 64, 64, 64, 51]
    for band in bands:
        assert len(set(np.floor(np.log10(wavelength[band])))) == 1


def test_hands_of_like_speed_are_shared_out_evenly():
    assert [band.stop - band.start for band in bands_of(np.linspace(6, 9, 30))] == [6] * 5


@pytest.mark.parametrize("rows", range(1, 9))
def test_rows_of_the_table_keep_apart(rows):
    area = Area(640, 50, 540, 590)
    radius, head, centres = table(rows, area, 1.0)
    y = np.array(centres)[:, 1]
    assert area.top <= head < y[0] - radius
    assert y[-1] + radius <= area.top + area.height
    assert (np.diff(y) > 2 * radius).all()


@given(st.integers(1, 60), st.floats(1, 30))
def test_labels_on_rings_keep_apart(count, least):
    radii = np.linspace(40, 250, count)
    chosen = roomy(radii, least)
    assert chosen[0] == count - 1
    assert (np.diff(radii[chosen]) <= -least + 1e-9).all()


# what is asked for --------------------------------------------------------------------------------


def test_usual_sizes():
    assert picture_size(None, wall=True) == (1200, 660)
    assert picture_size(None, wall=False) == (640, 640)
    assert picture_size((np.int64(400), 300), wall=False) == (400, 300)


@pytest.mark.parametrize(
    "size", [(640,), (640, 640, 3), (640.5, 640), "ab", 640, (199, 640), (100_000, 100_000)]
)
def test_sizes_that_cannot_be_drawn_are_refused(size):
    with pytest.raises(ClockhandsError):
        picture_size(size, wall=False)


def test_positions_are_a_count_or_a_range():
    assert shown_positions(3, 10**9) == range(10**9, 10**9 + 3)
    assert shown_positions(range(0, 100, 10), 5) == range(0, 100, 10)


@pytest.mark.parametrize(
    "positions",
    [0, -1, 2.5, "ten", None, 10**7, range(0), range(9, 0, -1), range(10**9), range(2**60, 2**60 + 3)],
)
def test_positions_that_cannot_be_played_are_refused(positions):
    with pytest.raises(ClockhandsError):
        shown_positions(positions, 0)


@pytest.mark.parametrize("start", [0.5, "a", 2**53])
def test_a_start_out_of_reach_is_refused(start):
    with pytest.raises(ClockhandsError):
        shown_positions(3, start)


@pytest.mark.parametrize("steps", [0, -1, np.nan, np.inf, "fast", None, 1000])
def test_speeds_that_cannot_be_played_are_refused(steps):
    with pytest.raises(ClockhandsError, match="steps_per_second"):
        speed(steps)


@pytest.mark.parametrize("trail", [-1, 1.5, None])
def test_a_trail_is_a_whole_number(trail):
    with pytest.raises(ClockhandsError, match="trail"):
        trail_steps(trail)
