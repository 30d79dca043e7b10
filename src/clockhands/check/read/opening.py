"""Opening a file of weights: a plain file, with its size, or one sentence that says why not."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from clockhands.errors import ClockhandsError, reason_of


@contextmanager
def opened(path: str | Path) -> Iterator[tuple[BinaryIO, int]]:
    """The file at ``path`` and its size in bytes. A pipe or a device, which may never end, is not opened."""
    try:
        mode = os.stat(path).st_mode  # before it is opened: opening a pipe waits for a writer
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise ClockhandsError(
                f"{path} is a pipe or a device, and a file is needed",
                f"{path} 是管道或设备，而这里需要文件",
            )
        with open(path, "rb") as file:
            yield file, os.fstat(file.fileno()).st_size
    except OSError as error:
        reason = reason_of(error)
        raise ClockhandsError(
            f"{path} can't be read: {reason.en}", f"无法读取 {path}：{reason.zh}"
        ) from error
