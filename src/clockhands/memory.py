"""Saying that something won't fit before trying, instead of being killed while trying."""

from __future__ import annotations

import ctypes
import math
import os
import sys
from collections.abc import Sequence

from clockhands.cgroups import ROOT, left_in_cgroups, text_of
from clockhands.errors import ClockhandsError
from clockhands.language import Text


def require_memory(what: Text, shape: Sequence[int], bytes_each: int = 8) -> None:
    """Raise ClockhandsError where an array of ``shape`` needs more memory than is free now.

    >>> require_memory(Text("the table", "这张表"), (1000, 32))
    """
    need, free = math.prod(shape) * bytes_each, available_bytes()
    if free is not None and need > free:
        size = " x ".join(f"{count:,}" for count in shape)
        raise ClockhandsError(
            f"{what.en} of {size} numbers needs {in_words(need)}, "
            f"but this machine has {in_words(free)} free: use smaller sizes",
            f"{what.zh}（{size} 个数）需要 {in_words(need)} 内存，"
            f"而这台机器只剩 {in_words(free)}：请把尺寸改小",
        )


def in_words(count: int) -> str:
    """A number of bytes as people say it.

    >>> in_words(3_500_000_000)
    '3.5 GB'
    """
    size, units = float(count), ("B", "kB", "MB", "GB", "TB", "PB", "EB")
    for unit in units[:-1]:
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} {units[-1]}"


def available_bytes() -> int | None:
    """Memory free now, in bytes, within the limits of control groups (containers); None where no one says."""
    if sys.platform == "win32":
        return _available_on_windows()
    limits = [size for size in (_meminfo(), left_in_cgroups()) if size is not None]
    if limits:
        return min(limits)
    try:  # macOS says how much there is, not how much is free
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _meminfo() -> int | None:
    lines = text_of(ROOT / "proc/meminfo").splitlines()
    available = next((line for line in lines if line.startswith("MemAvailable:")), None)
    return int(available.split()[1]) * 1024 if available else None


def _available_on_windows() -> int | None:
    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "free", "t1", "f1", "t2", "f2", "extended")),
        )

    status = Status(length=ctypes.sizeof(Status))
    kernel = ctypes.CDLL("kernel32")
    return status.free if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None
