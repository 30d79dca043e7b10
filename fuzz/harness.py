"""What a reader may do with any bytes: give a subject, or one sentence. All else is a fault.

Shared by the atheris scripts of this folder and by the tests.
"""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

from clockhands.check.read.config import read_config
from clockhands.check.read.gguf import read_gguf
from clockhands.check.read.json_file import parse_json
from clockhands.check.read.safetensors_header import read_header
from clockhands.check.read.weights import with_weights
from clockhands.errors import ClockhandsError


def gguf(data: bytes) -> None:
    """A GGUF file, whole: header, values, layers, rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        path.write_bytes(data)
        said(lambda: json.dumps([form.as_record() for form in read_gguf(path).declared]))


def safetensors(data: bytes) -> None:
    """A safetensors file, its header as it is, and again behind an honest length."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        for raw in (data, struct.pack("<Q", len(data)) + data + b"\0" * 64):
            path.write_bytes(raw)
            said(lambda: read_header(path))


def folder(data: bytes) -> None:
    """A folder of weights beside a small configuration; the index, where the bytes begin with one."""
    with tempfile.TemporaryDirectory() as place:
        if data[:1] == b"i":
            (Path(place) / "model.safetensors.index.json").write_bytes(data[1:])
            (Path(place) / "a.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")
        else:
            (Path(place) / "model.safetensors").write_bytes(struct.pack("<Q", len(data)) + data + b"\0" * 256)
        said(lambda: with_weights(read_config(CONFIG), place))


def config(data: bytes) -> None:
    """A configuration: bytes to JSON to layers."""
    said(lambda: parse_json(data, "config.json"))
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "config.json"
        path.write_bytes(data)
        said(lambda: json.dumps([form.as_record() for form in read_config(path).declared]))


CONFIG = {
    "model_type": "llama", "hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1, "head_dim": 4,
    "num_key_value_heads": 1, "max_position_embeddings": 64, "rope_theta": 10000.0,
}  # fmt: skip


def said(read: Callable[[], object]) -> None:
    """What ``read`` raises is one sentence in both languages, if anything."""
    try:
        read()
    except ClockhandsError as error:
        if "\n" in error.text.en or not error.text.zh:
            raise AssertionError(f"no single sentence: {error.text}") from error
