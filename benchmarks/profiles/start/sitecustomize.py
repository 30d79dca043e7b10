"""Python runs this before a program where the folder is on its path: a thread looks where the program is.

Every few milliseconds it notes the calls that the main thread is in, and the processor time that went by
since it last looked. Code that holds the interpreter's lock is seen as it lets go, and all of its time is
its own. Notes go to the folder ``CLOCKHANDS_PROFILE`` once a second, so that a process may end as it likes.
"""

import atexit
import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType

PAUSE, WRITES = 0.005, 1.0


def _called(frame: FrameType | None) -> tuple[str, ...]:
    """The calls that a thread is in, the innermost first."""
    found: list[str] = []
    while frame is not None:
        found.append(f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}")
        frame = frame.f_back
    return tuple(found)


def _look(folder: Path) -> None:
    spent: Counter[tuple[str, ...]] = Counter()
    file, main = folder / f"{os.getpid()}-{time.time_ns()}.json", threading.main_thread().ident
    lock = threading.Lock()

    def write() -> None:
        with lock:
            aside = file.with_suffix(".part")
            aside.write_text(json.dumps([[list(stack), seconds] for stack, seconds in spent.items()]))
            aside.replace(file)

    atexit.register(write)

    def run() -> None:
        last, written = time.process_time(), time.monotonic()
        while True:
            time.sleep(PAUSE)
            now, stack = time.process_time(), _called(sys._current_frames().get(main or 0))
            with lock:
                spent[stack] += now - last
            last = now
            if time.monotonic() - written > WRITES:
                write()
                written = time.monotonic()

    threading.Thread(target=run, daemon=True).start()


if "CLOCKHANDS_PROFILE" in os.environ:
    _look(Path(os.environ["CLOCKHANDS_PROFILE"]))
