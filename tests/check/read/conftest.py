"""A GGUF file of some architecture, read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_files import LLAMA, gguf

from clockhands.check.read.gguf import read_gguf
from clockhands.check.subject import Subject


@pytest.fixture
def read(tmp_path: Path):
    def read_file(arch: str, values: dict[str, Any], tensors: dict[str, np.ndarray] | None = None) -> Subject:
        sizes = {
            key.removeprefix("llama."): value for key, value in LLAMA.items() if key.startswith("llama.")
        }
        named = {f"{arch}.{key}": value for key, value in {**sizes, **values}.items() if value is not None}
        path = tmp_path / "model.gguf"
        path.write_bytes(gguf({"general.architecture": arch, **named}, tensors))
        return read_gguf(path)

    return read_file
