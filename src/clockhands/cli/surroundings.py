"""What matplotlib finds around it when the command line draws: nothing that is the user's, nothing to say."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_MINE = {"MPLBACKEND": "agg", "MATPLOTLIBRC": os.devnull}
"""Pictures are the same for everyone: a broken setting of the user's must not stop, or show in, any."""


@contextmanager
def matplotlib_left_alone() -> Iterator[None]:
    """Environment and logger for one run of the command; the processes it starts inherit the environment.

    Where matplotlib's own folders can't be written, it gets a temporary one for its list of fonts.
    """
    logger = logging.getLogger("matplotlib")
    level, before = logger.level, {name: os.environ.get(name) for name in (*_MINE, "MPLCONFIGDIR")}
    logger.setLevel(logging.CRITICAL)
    os.environ.update(_MINE)
    try:
        if all(map(_writable, matplotlib_folders(os.environ))):
            yield
        else:
            with tempfile.TemporaryDirectory(prefix="clockhands-", ignore_cleanup_errors=True) as folder:
                os.environ["MPLCONFIGDIR"] = folder
                yield
    finally:
        logger.setLevel(level)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def matplotlib_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Where matplotlib would keep settings and its list of fonts."""
    named = environment.get("MPLCONFIGDIR")
    if named:
        return (Path(named),)
    home = Path(os.path.expanduser("~"))
    folders = [environment.get("XDG_CONFIG_HOME") or home / ".config"]
    folders.append(environment.get("XDG_CACHE_HOME") or home / ".cache")
    return tuple(Path(folder) / "matplotlib" for folder in folders)


def _writable(folder: Path) -> bool:
    """Whether it is, or could be made."""
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
