"""The relative clock: both hands turn, the angle between them does not."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.plots.clock import relative_clock
from clockhands.plots.clock.dial import ring_radii
from clockhands.plots.style import PAGE, rgb
from tests.plots.clock.seeing import at, dial, is_hand

SINUSOID = 10000.0 ** (-np.arange(16) / 16)
LARGE = (640, 640)


def test_the_difference_is_the_same_at_every_position():
    query, key, between = relative_clock(SINUSOID, 5, range(0, 10**9, 10**7)).data
    np.testing.assert_allclose(between.values, (5 * SINUSOID) % (2 * np.pi), rtol=1e-14)
    apart = (query.values - key.values) % (2 * np.pi)
    np.testing.assert_allclose(apart, np.broadcast_to(between.values, apart.shape), atol=1e-14)
    assert len(np.unique(key.values[:, 0].round(6))) == 100
    assert key.axes[0].name.en == "key position"


@pytest.mark.parametrize("position", [0, 3, 40])
def test_the_query_is_full_and_the_key_hollow(position):
    place = dial(LARGE)
    picture = relative_clock([0.3], 4, wall=False).frame(position)
    query, key = 0.3 * (position + 4), 0.3 * position
    assert is_hand(at(picture, place, 1.0, query), 0, 1)
    assert (at(picture, place, 1.0, key) == rgb(PAGE)).all()


def test_the_key_of_every_hand_is_paler_than_its_query():
    place, page = dial(LARGE), np.array(rgb(PAGE))
    picture = relative_clock([0.3, 0.2], 4, wall=False).frame(3)
    for share, speed in zip(ring_radii(2), (0.3, 0.2), strict=True):
        key, query = (
            np.abs(at(picture, place, 0.7 * share, speed * position) - page).sum() for position in (3, 7)
        )
        assert 80 < key < 0.85 * query


def test_the_arc_runs_clockwise_from_key_to_query():
    place, page = dial(LARGE), np.array(rgb(PAGE))
    picture = relative_clock([0.3], 4, wall=False).frame(0)
    ink = [np.abs(at(picture, place, 1.0, angle) - page).sum() for angle in (0.6, 1.5, -0.3)]
    assert ink[0] > 150 > max(ink[1:])


def test_a_key_after_its_query():
    picture = relative_clock([0.3], -4, wall=False).frame(0)
    assert is_hand(at(picture, dial(LARGE), 1.0, -1.2), 0, 1)


def test_at_most_24_hands_have_a_dial_and_the_numbers_hold_all():
    animation = relative_clock(np.geomspace(1, 1e-4, 64), 5, wall=False)
    assert animation.data[2].values.shape == (64,)
    assert "24 of 64 hands" in animation.title.en
    assert animation.drawing.drawn.count == 24
    assert animation.drawing.drawn.speed[[0, -1]].tolist() == [1.0, 1e-4]
    picture = animation.frame(0)
    radii = ring_radii(24)
    assert is_hand(at(picture, dial(LARGE), radii[0], 5.0), 0, 24)


@pytest.mark.parametrize("wall", [True, False])
@pytest.mark.parametrize("distance", [0, 1, -3, 10**9])
def test_any_distance_can_be_drawn(wall, distance):
    animation = relative_clock(SINUSOID, distance, 3, wall=wall, size=(520, 300))
    assert [picture.size for picture in animation.frames()] == [(520, 300)] * 3


@pytest.mark.parametrize("distance", [0.5, "far", None, 2**53])
def test_a_distance_is_a_whole_number(distance):
    with pytest.raises(ClockhandsError, match="distance"):
        relative_clock([1.0], distance)


def test_the_slice_on_the_wall_turns_with_its_hands():
    """The number of tinted pixels stays, their places change."""
    tinted = []
    for position in (0, 2, 5):
        indices = np.asarray(relative_clock([0.3], 4, size=(800, 440)).frame(position))
        page, panel, tint = np.argsort(np.bincount(indices[:, 450:].ravel()))[:-4:-1]
        assert page != panel
        tinted.append(indices == tint)
    sizes = [part.sum() for part in tinted]
    assert min(sizes) > 500
    assert max(sizes) < 1.05 * min(sizes)
    assert (tinted[0] & tinted[2]).sum() < 0.5 * sizes[0]
