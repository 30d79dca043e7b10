"""Names of the hidden folders beside a gallery, which say whose they are: those of the dead are found."""

from __future__ import annotations

import os
import platform
import re
import secrets
import sys
import zlib
from pathlib import Path
from typing import Literal

Kind = Literal["unfinished", "earlier"]
"""A gallery in the making, or the one that has stepped back for it."""

_LONGEST = 160  # bytes of the gallery's own name; with what is added, 255 are never reached


def name(out: Path, kind: Kind) -> str:
    """A fresh name: the gallery's, this machine, this process, and eight letters of chance."""
    return f"{_beginning(out, kind)}{_machine()}-{os.getpid()}-{secrets.token_hex(4)}"


def left_behind(out: Path, kind: Kind) -> list[Path]:
    """Such folders of processes of this machine that are no more, beside ``out`` or in it, newest first."""
    pattern = re.compile(re.escape(f"{_beginning(out, kind)}{_machine()}") + r"-(\d{1,9})-[0-9a-f]{8}")
    folders = [folder for folder in (out.parent, out) if folder.is_dir() and os.access(folder, os.R_OK)]
    places = [place for folder in folders for place in folder.iterdir()]
    matches = [(place, pattern.fullmatch(place.name)) for place in places]
    dead = [place for place, match in matches if match and not alive(int(match[1])) and place.is_dir()]
    return sorted(dead, key=lambda place: place.stat().st_mtime, reverse=True)


def _beginning(out: Path, kind: Kind) -> str:
    raw = os.fsencode(out.name)
    own = out.name if len(raw) <= _LONGEST else f"{out.name[:30]}-{zlib.crc32(raw):08x}"
    return f".{own}.{kind}-"


def _machine() -> str:
    """A folder may be shared: the processes of another machine can't be asked whether they live."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def alive(process: int) -> bool:
    """Whether a process of this number runs. Windows has no harmless way to ask: yes, to be safe."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
