"""One run in one folder: two at once would write over each other's states."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clockhands.errors import ClockhandsError
from clockhands.writing import cannot_write

LOCK = ".lock"


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Within it no other process gets in here; the system lets go of the folder however this one ends.

    The file ``.lock`` stays, since removing it could let two in. Raises ClockhandsError where another process
    is at work in the folder, or the folder can't be written.
    """
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        if not _locked(handle):
            raise ClockhandsError(
                f"another training is at work in {folder}: wait until it ends, or give another folder",
                f"另一个训练正在使用 {folder}：请等它结束，或换一个目录",
            )
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    """Whether the lock was got; where a file system knows no locks there is none to wait for."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # what POSIX and Windows say of a lock that is taken
        return False
    except OSError:
        return True
    return True
