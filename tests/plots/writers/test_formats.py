"""What was written is what is read: frame by frame, pixel by pixel, and as long as asked for."""

from __future__ import annotations

import struct
import sys
import zlib
from fractions import Fraction

import numpy as np
import pytest
from PIL import Image

from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.plots.writers import WRITERS, StripWriter, Timing, write_frames
from clockhands.plots.writers.strip import columns_of
from tests.plots.writers.frames import PLACES, as_rgb, frames

PICTURES = [".gif", ".apng", ".webp"]
TICK = {".gif": 0.01, ".apng": 0.001, ".webp": 0.001}


THIRD = Timing(Fraction(1, 3))


def write(path, timing=THIRD, places=PLACES, **size):
    write_frames(path, WRITERS[path.suffix], frames(**size, places=places), len(places), timing)
    return path


def read(path):
    """All frames as RGB, and their durations in seconds."""
    with Image.open(path) as picture:
        shown, seconds = [], []
        for number in range(picture.n_frames):
            picture.seek(number)
            shown.append(as_rgb(picture))
            seconds.append(picture.info["duration"] / 1000)
        return shown, seconds


@pytest.mark.parametrize("ending", PICTURES)
@pytest.mark.parametrize("size", [(31, 21), (30, 20)])
def test_every_pixel_of_every_frame_comes_back(tmp_path, ending, size):
    width, height = size
    shown, _ = read(write(tmp_path / f"a{ending}", width=width, height=height))
    assert len(shown) == len(PLACES)
    for read_back, frame in zip(shown, frames(width, height), strict=True):
        np.testing.assert_array_equal(read_back, as_rgb(frame))


@pytest.mark.parametrize("ending", PICTURES)
@pytest.mark.parametrize("per_second", [Fraction(3), Fraction(7), Fraction(24), Fraction(1, 2)])
def test_the_whole_takes_as_long_as_asked(tmp_path, ending, per_second):
    places = PLACES * 9
    _, seconds = read(write(tmp_path / f"a{ending}", Timing(1 / per_second), places))
    assert len(seconds) == len(places)
    assert sum(seconds) == pytest.approx(len(places) / per_second, abs=TICK[ending])
    assert max(seconds) - min(seconds) <= 1.001 * TICK[ending]


@pytest.mark.parametrize(("ending", "key"), [(".gif", None), (".apng", 1), (".webp", 1)])
def test_playing_once_or_for_ever(tmp_path, ending, key):
    with Image.open(write(tmp_path / f"ever{ending}")) as picture:
        assert picture.info["loop"] == 0
    with Image.open(write(tmp_path / f"once{ending}", Timing(Fraction(1, 3), loop=False))) as picture:
        assert picture.info.get("loop") == key


@pytest.mark.parametrize("ending", PICTURES)
def test_one_frame_is_a_whole_file(tmp_path, ending):
    shown, _ = read(write(tmp_path / f"a{ending}", places=(2,)))
    assert len(shown) == 1


@pytest.mark.parametrize("ending", PICTURES)
def test_a_frame_that_stays_for_minutes(tmp_path, ending):
    timing = Timing(Fraction(100))
    _, seconds = read(write(tmp_path / f"a{ending}", timing, places=(1, 5)))
    assert seconds == [100.0, 100.0]


@pytest.mark.parametrize("ending", PICTURES)
def test_only_what_changes_is_encoded(tmp_path, ending):
    """A page of noise with one moving square costs little more than the noise."""
    noise = np.random.default_rng(0).integers(3, 255, (120, 120), dtype=np.uint8)

    def noisy(count):
        for place in range(count):
            pixels = noise.copy()
            pixels[place : place + 4, place : place + 4] = 1
            picture = Image.fromarray(pixels).convert("P")
            picture.putpalette(list(range(256)) * 3)
            yield picture

    for count in (1, 9):
        write_frames(
            tmp_path / f"{count}{ending}", WRITERS[ending], noisy(count), count, Timing(Fraction(1, 3))
        )
    one, nine = ((tmp_path / f"{count}{ending}").stat().st_size for count in (1, 9))
    assert nine < 1.3 * one


def test_gif_refuses_what_viewers_would_slow_down(tmp_path):
    assert write(tmp_path / "a.gif", Timing(Fraction(1, 50))).is_file()
    with pytest.raises(ClockhandsError, match=r"60 frames per second.*at most 50"):
        write(tmp_path / "b.gif", Timing(Fraction(1, 60)))
    assert not (tmp_path / "b.gif").exists()


def test_apng_is_a_png_whose_checksums_hold(tmp_path):
    data = write(tmp_path / "a.apng").read_bytes()
    at, names = 8, []
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 4 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(body)
        names.append(name.decode())
        at += 12 + length
    moving = ["fcTL", "fdAT"] * (len(PLACES) - 1)
    assert names == ["IHDR", "acTL", "PLTE", "tRNS", "fcTL", "IDAT", *moving, "IEND"]


@pytest.mark.parametrize("per_second", [Fraction(3), Fraction(5, 2)])
def test_mp4_has_every_frame_and_even_sides(tmp_path, per_second):
    import av

    path = write(tmp_path / "a.mp4", Timing(1 / per_second))
    with av.open(str(path)) as container:
        video = container.streams.video[0]
        assert (video.width, video.height) == (32, 22)
        assert container.duration / 1e6 == pytest.approx(len(PLACES) / per_second, abs=0.01)
        shown = [frame.to_ndarray(format="rgb24")[:21, :31].astype(int) for frame in container.decode(video)]
    assert len(shown) == len(PLACES)
    for read_back, frame in zip(shown, frames(), strict=True):
        assert np.abs(read_back - as_rgb(frame)).mean() < 6  # H.264 loses a little


def test_mp4_without_the_extra_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    (tmp_path / "a.mp4").write_bytes(b"mine")
    with pytest.raises(MissingExtra, match=r"clockhands\[video\]"):
        write(tmp_path / "a.mp4")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.mp4": b"mine"}


def test_a_short_strip_is_one_row(tmp_path):
    write_frames(tmp_path / "a.png", StripWriter, frames(), len(PLACES), Timing(Fraction(1)))
    page = as_rgb(Image.open(tmp_path / "a.png"))
    assert page.shape == (21, 5 * 31, 3)


def test_a_long_strip_has_several_rows(tmp_path):
    places = (0, 3, 3, 7, 1, 4, 6)
    write_frames(tmp_path / "a.png", StripWriter, frames(places=places), len(places), Timing(Fraction(1)))
    page = as_rgb(Image.open(tmp_path / "a.png"))
    assert page.shape == (2 * 21, 4 * 31, 3)
    for number, frame in enumerate(frames(places=places)):
        row, column = divmod(number, 4)
        part = page[row * 21 : row * 21 + 21, column * 31 : column * 31 + 31]
        np.testing.assert_array_equal(part, as_rgb(frame))


def test_rows_of_a_strip_are_of_one_length_where_they_can_be():
    columns = {count: columns_of(count) for count in range(1, 61)}
    assert [columns[count] for count in range(1, 7)] == [1, 2, 3, 4, 5, 6]
    assert max(columns.values()) == 6
    for count, wide in columns.items():
        rows = -(-count // wide)
        assert rows * wide - count < max(rows, 2)  # the last row lacks fewer than there are rows
        if count % 4 == 0 or count % 5 == 0:
            assert count % wide == 0


def test_a_strip_too_large_for_memory_is_refused_first(tmp_path):
    with pytest.raises(ClockhandsError, match="too many for one strip"):
        write_frames(tmp_path / "a.png", StripWriter, frames(), 10**6, Timing(Fraction(1)))
    assert not list(tmp_path.iterdir())


def test_timings_of_any_speed_lose_no_tick():
    for per_second in (Fraction(7), Fraction(24), Fraction(29), Fraction(1000, 333)):
        timing = Timing(1 / per_second)
        ticks = [timing.ticks(number, 100) for number in range(1000)]
        assert sum(ticks) == round(1000 * 100 / per_second)
