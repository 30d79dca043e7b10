"""Which layout stored q and k rows have, told from weights alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf_files import LLAMA, gguf

from clockhands.check.read.gguf import read_gguf
from clockhands.check.read.rows import layout_of_rows
from clockhands.formulas.layouts import relayout

HEADS, WIDTH, HIDDEN = 12, 24, 96


def trained(rng: np.random.Generator, kind: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Rows of q and k of one head, stored half, with what training leaves: each hand has one strength of its
    own, and q and k of a hand are turned against each other by one angle, beside noise.

    kind  ``even``: all hands have the same strength and angle, so that the diagonal tells nothing;
          ``straight``: no hand is turned, so that nothing is antisymmetric
    """
    hands = WIDTH // 2
    k = rng.standard_normal((2, hands, HIDDEN))
    angle, strength = rng.uniform(0.3, 2.8, hands)[:, None], rng.lognormal(0, 1, hands)[:, None]
    if kind == "even":
        angle, strength = np.full_like(angle, 1.2), np.ones_like(strength)
    if kind == "straight":
        angle = np.zeros_like(angle)
    turned = np.stack(
        [np.cos(angle) * k[0] + np.sin(angle) * k[1], np.cos(angle) * k[1] - np.sin(angle) * k[0]]
    )
    q = strength * turned + rng.standard_normal((2, hands, HIDDEN))
    return q.reshape(1, WIDTH, HIDDEN), k.reshape(WIDTH, HIDDEN)


def stored(layout: str, seed: int = 0, kind: str = "") -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    heads = [trained(rng, kind) for _ in range(HEADS)]
    return [
        (relayout(q[0], "half", layout, num_heads=1)[None], relayout(k, "half", layout, num_heads=1))
        for q, k in heads
    ]


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize(("seed", "kind"), [(0, ""), (1, ""), (0, "even"), (0, "straight")])
def test_both_layouts_are_told(layout: str, seed: int, kind: str) -> None:
    rows = layout_of_rows(stored(layout, seed, kind), WIDTH)
    assert rows is not None
    assert (rows.layout, rows.heads) == (layout, HEADS)
    assert rows.agree >= 10
    assert (rows.lean > 0) == (layout == "interleaved")


@pytest.mark.parametrize("seed", range(3))
def test_untrained_weights_tell_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heads = [(rng.standard_normal((2, 64, HIDDEN)), rng.standard_normal((64, HIDDEN))) for _ in range(48)]
    rows = layout_of_rows(heads, 64)
    assert rows is not None
    assert rows.layout is None
    assert abs(rows.lean) < 0.2


def test_too_little_to_compare() -> None:
    assert layout_of_rows(stored("half")[:5], WIDTH) is None
    assert layout_of_rows(stored("half"), 4) is None
    dead = [(np.zeros((1, WIDTH, HIDDEN)), np.zeros((WIDTH, HIDDEN)))] * HEADS
    assert layout_of_rows(dead, WIDTH) is None
    assert layout_of_rows([(q * np.nan, k) for q, k in stored("half")], WIDTH) is None


def file_of(path: Path, layout: str, arch: str) -> Path:
    """Four layers with three key heads of one query head each."""
    heads = stored(layout)
    tensors = {}
    for layer in range(4):
        three = heads[3 * layer : 3 * layer + 3]
        tensors[f"blk.{layer}.attn_q.weight"] = np.concatenate([q[0] for q, _ in three])
        tensors[f"blk.{layer}.attn_k.weight"] = np.concatenate([k for _, k in three])
    sizes = {
        "block_count": 4,
        "embedding_length": HIDDEN,
        "context_length": 64,
        "rope.dimension_count": WIDTH,
    }
    heads_of = {"head_count": 3, "head_count_kv": 3, "key_length": WIDTH}
    sizes |= {f"attention.{key}": each for key, each in heads_of.items()}
    values = {"general.architecture": arch, **{f"{arch}.{key}": each for key, each in sizes.items()}}
    path.write_bytes(gguf(values, tensors))
    return path


@pytest.mark.parametrize("arch", ["llama", "qwen2"])
@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_a_file_whose_rows_contradict_its_architecture(tmp_path: Path, arch: str, layout: str) -> None:
    subject = read_gguf(file_of(tmp_path / "model.gguf", layout, arch))
    assert subject.facts["stored_rows"]["layout"] == layout
    (found,) = subject.found
    agree = layout == {"llama": "interleaved", "qwen2": "half"}[arch]
    assert (found.code, found.severity) == (("CH210", "note") if agree else ("CH202", "error"))
    assert read_gguf(tmp_path / "model.gguf", rows=False).found == ()


def test_weights_that_are_too_few_are_left_alone(tmp_path: Path) -> None:
    tensors = {f"blk.{n}.attn_{one}.weight": np.ones((48, 192)) for n in range(2) for one in "qk"}
    (tmp_path / "model.gguf").write_bytes(gguf(LLAMA, tensors))
    subject = read_gguf(tmp_path / "model.gguf")
    assert (subject.facts, subject.found) == ({"stored_rows": None}, ())
