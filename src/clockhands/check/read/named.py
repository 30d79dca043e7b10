"""A target by its name: a path, or what the name stands for on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from clockhands.check.names import place_of
from clockhands.check.read.config import read_config
from clockhands.check.read.folder import read_folder
from clockhands.check.read.gguf import read_gguf
from clockhands.check.read.safetensors_folder import refuse_pickle
from clockhands.check.subject import Subject


def read_named(
    target: str | Path, *, override: Mapping[str, Any] | None = None, weights: bool = True
) -> Subject:
    """A configuration, a folder or a ``.gguf`` file; ``smollm2``; or the id of a model in the hub's cache.

    weights  False: of a folder its configuration alone, and of a GGUF file no rows of q and k

    Raises ClockhandsError for what isn't there or can't be read.
    """
    path = place_of(str(target))
    if path.suffix.lower() == ".gguf":
        subject = read_gguf(path, rows=weights)
    elif weights and path.is_dir():
        subject = read_folder(path, override=override)
    else:
        refuse_pickle(path)
        subject = read_config(path, override=override)
    return replace(subject, target=str(target))
