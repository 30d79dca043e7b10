"""A model's folder: what its ``config.json`` says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clockhands.check.read.config import read_config
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError


def read_folder(path: str | Path, *, override: Mapping[str, Any] | None = None) -> Subject:
    """Raises ClockhandsError where the folder has no ``config.json``."""
    if not (Path(path) / "config.json").exists():
        raise ClockhandsError(
            f"{path} has no config.json: give a model's folder, or the file itself",
            f"{path} 里没有 config.json：请给出模型的文件夹，或直接给出文件",
        )
    return read_config(path, override=override)
