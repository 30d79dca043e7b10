"""Writing is a stream: nothing is kept, nothing half-done is left, and progress is told."""

from __future__ import annotations

import weakref
from fractions import Fraction

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.plots.writers import WRITERS, Timing, write_frames
from clockhands.plots.writers.changes import TRANSPARENT, change
from tests.plots.writers.frames import PLACES, frames

THIRD = Timing(Fraction(1, 3))


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_frames_are_not_kept(tmp_path, ending):
    """Memory is flat in the number of frames: while one is written, all but the last are gone."""
    seen: list[weakref.ref] = []
    most = 0

    def watched():
        nonlocal most
        for frame in frames(places=PLACES * 4):
            seen.append(weakref.ref(frame))
            yield frame
            del frame
            most = max(most, sum(ref() is not None for ref in seen))

    write_frames(tmp_path / f"a{ending}", WRITERS[ending], watched(), 4 * len(PLACES), THIRD)
    assert len(seen) == 4 * len(PLACES)
    assert most <= 2


@pytest.mark.parametrize("ending", sorted(WRITERS))
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_write_harms_nothing(tmp_path, ending, error):
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"the old file")

    def interrupted():
        source = frames()
        yield next(source)
        yield next(source)
        raise error

    with pytest.raises(error):
        write_frames(path, WRITERS[ending], interrupted(), len(PLACES), THIRD)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {path.name: b"the old file"}


def test_progress_is_told_after_each_frame(tmp_path):
    told = []
    write_frames(
        tmp_path / "a.gif",
        WRITERS[".gif"],
        frames(),
        5,
        THIRD,
        lambda done, whole: told.append((done, whole)),
    )
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_a_folder_that_is_not_there_is_named(tmp_path, ending):
    with pytest.raises(ClockhandsError, match="nowhere"):
        write_frames(tmp_path / "nowhere" / f"a{ending}", WRITERS[ending], frames(), 5, THIRD)


def test_a_change_is_the_smallest_box():
    before = np.zeros((9, 12), dtype=np.uint8)
    after = before.copy()
    after[2, 3] = 7
    after[5, 8] = 8
    left, top, pixels = change(before, after)
    assert (left, top, pixels.shape) == (3, 2, (4, 6))
    assert (pixels[0, 0], pixels[3, 5]) == (7, 8)
    assert (pixels == TRANSPARENT).sum() == 4 * 6 - 2


def test_no_change_is_one_pixel_that_is_not_drawn():
    still = np.ones((9, 12), dtype=np.uint8)
    assert change(still, still.copy()).pixels.tolist() == [[TRANSPARENT]]
    assert change(None, still).pixels.shape == (9, 12)
