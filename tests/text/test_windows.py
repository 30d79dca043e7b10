"""Windows of long texts and batches of short ones."""

import pytest

from clockhands.errors import ClockhandsError
from clockhands.text import cut, padded, parse_window


@pytest.mark.parametrize(
    ("written", "window"),
    [("0:40", (0, 40)), (":40", (0, 40)), ("40:", (40, None)), (" 5:6 ", (5, 6)), (":", (0, None))],
)
def test_windows(written, window):
    assert parse_window(written) == slice(*window)


@pytest.mark.parametrize("written", ["", "40", "a:b", "-1:4", "4:4", "5:4", "1:2:3", "0:-1", "1.5:3", "0:0"])
def test_bad_windows(written):
    with pytest.raises(ClockhandsError, match="START:END") as caught:
        parse_window(written)
    assert "起点:终点" in caught.value.text.zh


def test_padding():
    batch = padded([[5, 6, 7], [8]], pad=9)
    assert batch.ids.tolist() == [[5, 6, 7], [8, 9, 9]]
    assert batch.valid.tolist() == [[True, True, True], [True, False, False]]
    assert padded([[1]], length=3).ids.tolist() == [[1, 0, 0]]
    assert padded([]).ids.shape == (0, 0)


def test_a_row_too_short_is_refused():
    with pytest.raises(ClockhandsError, match="3 tokens"):
        padded([[1, 2, 3]], length=2)


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9])
def test_windows_cover_all_once(length):
    windows = cut(length, 4)
    assert [i for window in windows for i in range(window.start, window.stop)] == list(range(length))
    assert all(0 < window.stop - window.start <= 4 for window in windows)
