"""The folder a gallery is written to: made aside and renamed, so that a half gallery never looks finished."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from clockhands.demo import hidden
from clockhands.errors import ClockhandsError, reason_of

PAGE = "index.html"
MANIFEST = "gallery.json"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_SYSTEM_FILES = frozenset((".DS_Store", "Thumbs.db", "desktop.ini"))


@contextmanager
def written_aside(out: Path) -> Iterator[Path]:
    """A new folder beside ``out`` that takes its place when the block ends without an error.

    ``out`` may be new, empty, or hold an earlier gallery and nothing else; where it is a link, what it leads
    to is written and the link stays. If the block fails or is
    interrupted, ``out`` is as it was and the new folder is gone; if the process is killed, that is made good
    the next time.

    Raises:
        ClockhandsError: ``out`` is a file, holds files that are not a gallery's, or can't be written.
    """
    out = Path(os.path.realpath(out))
    try:
        clear_up(out)
        check(out)
        aside = _folder_aside(out)
    except OSError as error:
        raise _not_writable(out, error) from error
    try:
        yield aside
        _write_manifest(aside, _files(aside))
        _put_in_place(aside, out)
    except OSError as error:
        if error.errno in _NO_ROOM or str(out.parent) in str(error.filename):
            raise _not_writable(out, error) from error
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def clear_up(out: Path) -> None:
    """Bring back the gallery that a killed run had set aside, and delete what such runs left unfinished."""
    for earlier in hidden.left_behind(out, "earlier"):
        if not out.exists():
            earlier.rename(out)
        elif _known(out):
            shutil.rmtree(earlier, ignore_errors=True)
    for unfinished in hidden.left_behind(out, "unfinished"):
        shutil.rmtree(unfinished, ignore_errors=True)


def check(out: Path) -> None:
    """Raise ClockhandsError unless a gallery may be written to ``out``; nothing is touched."""
    if not out.exists():
        return
    if not out.is_dir():
        raise ClockhandsError(
            f"{out} is a file: give a folder to write the gallery to",
            f"{out} 是一个文件：请给出一个文件夹来存放图集",
        )
    if not os.access(out, os.W_OK | os.X_OK):
        raise _not_writable(out, PermissionError(13, os.strerror(13)))
    foreign = sorted(_files(out) - _known(out))
    if foreign:
        raise ClockhandsError(
            f"{out} holds files that are not a gallery's, such as {foreign[0]}: give a new or empty folder",
            f"{out} 里有不属于图集的文件，例如 {foreign[0]}：请换一个新的或空的文件夹",
        )


def _files(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    return {path.relative_to(folder).as_posix() for path in paths if path.name not in _SYSTEM_FILES}


def _known(folder: Path) -> set[str]:
    """The files that the gallery in this folder says it wrote, none if there is no gallery."""
    try:
        listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return {MANIFEST, *(name for name in map(str, listed) if _lies_inside(name))}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _lies_inside(name: str) -> bool:
    """Whether a name of a manifest stays in its folder, as those that are written there do."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _folder_aside(out: Path) -> Path:
    """A folder that can be renamed to ``out``; inside ``out`` where its parent is closed to us."""
    out.parent.mkdir(parents=True, exist_ok=True)
    name = hidden.name(out, "unfinished")
    aside = out.parent / name
    try:
        aside.mkdir()
    except PermissionError:
        if not out.exists():
            raise
        aside = out / name
        aside.mkdir()
    return aside


def _write_manifest(folder: Path, files: set[str]) -> None:
    manifest = {"made_by": "clockhands demo", "files": sorted(files)}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False), encoding="utf-8")


def _put_in_place(aside: Path, out: Path) -> None:
    """Rename ``aside`` to ``out``; an earlier gallery steps back and is deleted only when that has worked."""
    if not out.exists():
        aside.rename(out)
        return
    if _stand_in(out):  # and would be left in a deleted folder, as would the shell that started us
        _replace_files(aside, out)
        return
    earlier = aside.with_name(hidden.name(out, "earlier"))
    try:
        out.rename(earlier)
    except OSError:  # a mount point, in use, or the parent of ``aside``: its files are replaced one by one
        _replace_files(aside, out)
        return
    try:
        aside.rename(out)
    except BaseException:  # Ctrl-C comes at any moment
        if not out.exists():
            earlier.rename(out)
        raise
    shutil.rmtree(earlier, ignore_errors=True)


def _stand_in(out: Path) -> bool:
    """Whether the folder that this process works in is ``out`` or lies in it."""
    try:
        return Path.cwd().is_relative_to(out)
    except OSError:  # it is gone already
        return False


def _replace_files(aside: Path, out: Path) -> None:
    """The page goes first and comes last: whenever it is there, all it shows is there.

    Meanwhile the manifest names old files and new ones: what a kill leaves is still a gallery's.
    """
    (out / PAGE).unlink(missing_ok=True)
    earlier, fresh = _known(out), _files(aside)
    _write_manifest(out, earlier | fresh)
    for name in sorted(fresh - {MANIFEST, PAGE}):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(aside / name, out / name)
    for name in earlier - fresh:
        (out / name).unlink(missing_ok=True)
    for name in (MANIFEST, PAGE):
        shutil.move(aside / name, out / name)


def _not_writable(out: Path, error: OSError) -> ClockhandsError:
    reason = reason_of(error)
    return ClockhandsError(
        f"cannot write to {out} ({reason.en}): give a folder that you may write to",
        f"无法写入 {out}（{reason.zh}）：请换一个可以写入的文件夹",
    )
