"""Files are written aside and renamed, so that what is already there is never harmed."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clockhands.errors import ClockhandsError, reason_of, shown

_LETTERS = 40  # of a name and of its ending that a temporary name keeps: the longest has no room to spare


class CannotWrite(ClockhandsError):
    """A place that can't be written, or a disk that is full: what was to be kept there is not at fault."""


def file_path(given: Any) -> Path:
    """``given`` as a path, if it can name a file at all; ClockhandsError if not.

    >>> file_path("picture.png").suffix
    '.png'
    """
    name = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    if not isinstance(name, str) or not name or "\0" in name:
        raise ClockhandsError(
            f"{shown(given)} can't name a file: give text such as 'picture.png', or a path",
            f"{shown(given)} 不能作为文件名：请给出文字（例如 'picture.png'）或路径",
        )
    return Path(name)


def require_place(path: str | os.PathLike[str]) -> None:
    """Raise ClockhandsError where ``written_aside`` would: said before work that takes long, not after."""
    path = file_path(path)
    try:
        target, _ = _target(path)
        if not target.parent.exists():
            raise FileNotFoundError(errno.ENOENT, "", str(target.parent))
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "", str(target.parent))
    except OSError as error:
        raise cannot_write(path, error) from error


@contextmanager
def written_aside(path: str | os.PathLike[str], *, lasting: bool = False) -> Iterator[Path]:
    """A temporary path beside ``path`` to write to; it takes the place of ``path`` only if all went well.

    Where ``path`` is a link, the file that it leads to is replaced and the link stays. What is neither file
    nor link (a folder, a pipe, a device) is refused.

    lasting  also wait until the disk has it, so that not even a power cut can leave half a file

    Raises ClockhandsError if the place can't be written or the disk is full.
    """
    path = file_path(path)
    try:
        target, mode = _target(path)
        prefix, suffix = _around(path)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=suffix)
        os.close(handle)
        aside = Path(name)
        try:
            yield aside
            aside.chmod(0o666 & ~_umask() if mode is None else mode)
            if lasting:
                _flush(aside)
            aside.replace(target)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error


def make_folder(path: Path) -> None:
    """The folder ``path`` and those above it, where they are missing. CannotWrite where that can't be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:  # it is no folder
        raise cannot_write(path, NotADirectoryError(errno.ENOTDIR, "")) from error
    except OSError as error:
        raise cannot_write(path, error) from error


def clear_asides(path: Path) -> None:
    """Remove what writes of ``path`` left behind whose process was killed.

    Only where no one else may be writing it. Files with other names than those that it gets are left alone.
    """
    prefix, suffix = _around(path)
    made = re.compile(
        f"{re.escape(prefix)}[a-z0-9_]{{8}}{re.escape(suffix)}"
    )  # eight, as tempfile draws them
    for aside in Path(os.path.realpath(path)).parent.iterdir():
        if made.fullmatch(aside.name):
            aside.unlink(missing_ok=True)


def cannot_write(path: Path, error: OSError) -> CannotWrite:
    """The sentence for a place that can't be written, with the system's reason."""
    reason = reason_of(error)
    return CannotWrite(f"{path} can't be written: {reason.en}", f"无法写入 {path}：{reason.zh}")


def _around(path: Path) -> tuple[str, str]:
    """What stands before and after the random letters in the name of a temporary file."""
    return f".{path.stem[:_LETTERS]}-", path.suffix[:_LETTERS]


def _target(path: Path) -> tuple[Path, int | None]:
    """What ``path`` leads to, and its permissions if it is there; OSError if it can't be replaced."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return target, None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise ClockhandsError(
            f"{path} is a pipe or a device: give the name of a file",
            f"{path} 是管道或设备：请给出文件名",
        )
    return target, stat.S_IMODE(mode)


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
