"""What the control groups of Linux (containers, batch systems, services) still let this process use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path("/")


@dataclass(frozen=True)
class _Files:
    """What one version of the interface calls its files, and the reclaimable line of ``memory.stat``."""

    limit: str
    used: str
    reclaimable: str


_V1 = _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2 = _Files("memory.max", "memory.current", "inactive_file")
_NO_LIMIT = 2**60
"""Version 1 has no word for "no limit": it shows the largest number of whole pages."""


def left_in_cgroups(root: Path = ROOT) -> int | None:
    """Bytes left until the tightest limit of this process's group and of all above it; None without one.

    root  the folder that holds ``proc`` and ``sys``

    A group's use counts the file cache, which the kernel gives back before it refuses memory: its inactive
    part counts as free, as container runtimes count it. Linux: Documentation/admin-guide/cgroup-v2.rst and
    cgroup-v1/memory.rst.
    """
    left = [_left(folder, files) for folder, files in _groups(root)]
    return min((size for size in left if size is not None), default=None)


def text_of(path: Path) -> str:
    """A small system file; nothing where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _left(folder: Path, files: _Files) -> int | None:
    limit, used = text_of(folder / files.limit).strip(), text_of(folder / files.used).strip()
    if not (limit.isdigit() and used.isdigit()) or int(limit) >= _NO_LIMIT:
        return None
    lines = (line.split() for line in text_of(folder / "memory.stat").splitlines())
    cached = sum(int(line[1]) for line in lines if len(line) == 2 and line[0] == files.reclaimable)
    return max(int(limit) - int(used) + cached, 0)


def _groups(root: Path) -> Iterator[tuple[Path, _Files]]:
    """The folder of this process's memory group, in either version, and those of the groups above it."""
    for files, top, mount in _mounts(root):
        inside = _own_path(root, files)
        # A path of another namespace lies elsewhere: all that is seen of it is the mount.
        inside = inside.relative_to(top) if inside.is_relative_to(top) else PurePosixPath()
        for path in (inside, *inside.parents):
            yield root / mount / path, files


def _mounts(root: Path) -> Iterator[tuple[_Files, PurePosixPath, PurePosixPath]]:
    """Where groups with memory files are mounted: version, first group shown there, and the folder."""
    for line in text_of(root / "proc/self/mountinfo").splitlines():
        where, _, what = line.partition(" - ")
        fields, kind = where.split(), what.split()
        if len(fields) < 5 or len(kind) < 3:
            continue
        top, mount = (PurePosixPath(_unescaped(field)) for field in fields[3:5])
        if kind[0] == "cgroup2":
            yield _V2, top, mount.relative_to("/")
        elif kind[0] == "cgroup" and "memory" in kind[2].split(","):
            yield _V1, top, mount.relative_to("/")


def _own_path(root: Path, files: _Files) -> PurePosixPath:
    """This process's group, from the top of its hierarchy on."""
    for line in text_of(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if (number == "0" and not controllers) if files is _V2 else "memory" in controllers.split(","):
            return PurePosixPath(path)
    return PurePosixPath("/")


def _unescaped(field: str) -> str:
    """Blanks in mountinfo are written as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), field)
