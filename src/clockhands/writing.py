"""Files are written aside and renamed, so that what is already there is never harmed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clockhands.errors import ClockhandsError, reason_of


@contextmanager
def written_aside(path: str | os.PathLike[str], *, lasting: bool = False) -> Iterator[Path]:
    """A temporary path beside ``path`` to write to; it takes the place of ``path`` only if all went well.

    lasting  also wait until the disk has it, so that not even a power cut can leave half a file

    Raises ClockhandsError if the place can't be written or the disk is full.
    """
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
        os.close(handle)
        aside = Path(name)
        try:
            yield aside
            aside.chmod(0o666 & ~_umask())
            if lasting:
                _flush(aside)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> ClockhandsError:
    """The sentence for a place that can't be written, with the system's reason."""
    reason = reason_of(error)
    return ClockhandsError(f"{path} can't be written: {reason.en}", f"无法写入 {path}：{reason.zh}")


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    """Read by setting it, which is the only way there is."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
