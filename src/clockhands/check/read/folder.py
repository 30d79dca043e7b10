"""A model's folder: what its ``config.json`` says, and its weights where they are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from clockhands.check.read.config import read_config
from clockhands.check.read.weights import with_weights
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError

WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "*.bin", "*.pt", "*.pth")


def read_folder(path: str | Path, *, override: Mapping[str, Any] | None = None) -> Subject:
    """Raises ClockhandsError where the folder has no ``config.json``."""
    folder = Path(path)
    if not (folder / "config.json").exists():
        raise ClockhandsError(
            f"{path} has no config.json: give a model's folder, or the file itself",
            f"{path} 里没有 config.json：请给出模型的文件夹，或直接给出文件",
        )
    subject = with_weights(read_config(folder, override=override), folder)
    has_weights = any(True for pattern in WEIGHTS for _ in folder.glob(pattern))
    return subject if has_weights else replace(subject, kind="config")
