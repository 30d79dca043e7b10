"""The fuzz targets hold on their seeds, on what fuzzing found, and on a short run of damaged seeds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz import harness, seeds

TARGETS = ("gguf", "safetensors", "folder", "config")
FOUND = Path(seeds.__file__).parent / "found"
"""Bytes that once made a reader fail, where there are any, by target: ``gguf-1``."""


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_what_fuzzing_found(target: str) -> None:
    for seed in [*seeds.of(target), *(path.read_bytes() for path in FOUND.glob(f"{target}-*"))]:
        getattr(harness, target)(seed)


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=60)
@given(data=st.data())
def test_damaged_seeds(target: str, data: st.DataObject) -> None:
    raw = bytearray(data.draw(st.sampled_from(seeds.of(target))))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    getattr(harness, target)(bytes(raw))


def test_a_reader_that_fails_is_caught() -> None:
    """The harness itself: anything but one sentence comes through."""
    with pytest.raises(ZeroDivisionError):
        harness.said(lambda: 1 / 0)
