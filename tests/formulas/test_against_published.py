"""The same numbers as published models: ``tests/golden/transformers.json`` says which version made it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clockhands.formulas import (
    alibi_slopes,
    angles,
    default_inv_freq,
    rotate,
    sinusoid,
    sinusoid_inv_freq,
    t5_bucket,
)

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "golden" / "transformers.json").read_text(encoding="utf-8")
)
POSITIONS = np.asarray(GOLDEN["positions"])
FLOAT32 = 2e-6  # the models calculate in float32


@pytest.mark.parametrize("model", ["alibi_bloom", "alibi_mpt"])
def test_slopes_in_the_same_order(model: str) -> None:
    for count, slopes in GOLDEN[model].items():
        np.testing.assert_allclose(alibi_slopes(int(count)), slopes, rtol=1e-6)


@pytest.mark.parametrize("case", range(len(GOLDEN["t5"])))
def test_t5_buckets(case: int) -> None:
    sizes = dict(GOLDEN["t5"][case])
    buckets = sizes.pop("buckets")
    key_minus_query = np.arange(-300, 301)
    assert t5_bucket(-key_minus_query, **sizes).tolist() == buckets


@pytest.mark.parametrize(("model", "layout"), [("llama_half", "half"), ("gptj_interleaved", "interleaved")])
def test_rotations(model: str, layout) -> None:
    angle = angles(POSITIONS, default_inv_freq(8))
    turned = rotate(np.asarray(GOLDEN["head"]), np.cos(angle), np.sin(angle), layout)
    np.testing.assert_allclose(turned, GOLDEN[model]["turned"], atol=FLOAT32)


def test_sinusoids() -> None:
    marian = sinusoid(POSITIONS, sinusoid_inv_freq(10), "concatenated")
    np.testing.assert_allclose(marian, GOLDEN["marian_concatenated"], atol=FLOAT32)
    whisper = sinusoid(POSITIONS, sinusoid_inv_freq(10, exponent="i/(d/2-1)"), "concatenated")
    np.testing.assert_allclose(whisper, GOLDEN["whisper_inclusive"], atol=FLOAT32)
