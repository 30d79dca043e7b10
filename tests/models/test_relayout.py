"""A checkpoint moved to the other rotary layout computes the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from clockhands.catalogue.rope import RoPE
from clockhands.errors import ClockhandsError
from clockhands.formulas import angles, default_inv_freq, rotate
from clockhands.formulas.layouts import Layout
from clockhands.models import Transformer, relayout_weights

HEAD = 8
TOKENS = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6]])


def model(layout: Layout, rotary_dim: int | None) -> Transformer:
    """Six query heads share two key heads."""
    rope = RoPE(head_dim=HEAD, layout=layout, rotary_dim=rotary_dim)
    made = Transformer(10, dim=48, heads=6, kv_heads=2, layers=2, encoding=rope, seed=1).double().eval()
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if name.endswith(".bias"):  # which start at values that a wrong order might not show
                parameter.copy_(torch.linspace(-1, 1, parameter.numel()).view_as(parameter))
    return made


@pytest.mark.parametrize("rotary_dim", [None, 4, 6])
@pytest.mark.parametrize(("source", "target"), [("half", "interleaved"), ("interleaved", "half")])
def test_a_model_with_shared_key_heads_gives_the_same(
    source: Layout, target: Layout, rotary_dim: int | None
) -> None:
    given, converted = model(source, rotary_dim), model(target, rotary_dim)
    with torch.no_grad():
        wanted = given(TOKENS, want_weights=True)
        assert not torch.allclose(converted(TOKENS).logits, wanted.logits)
        moved = relayout_weights(given.state_dict(), source, target, head_dim=HEAD, rotary_dim=rotary_dim)
        converted.load_state_dict(moved)
        got = converted(TOKENS, want_weights=True)
    torch.testing.assert_close(got.logits, wanted.logits, rtol=0, atol=1e-12)
    for mine, theirs in zip(got.weights or (), wanted.weights or (), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "part", [{}, {"rotary_dim": 4}, {"rotary_start": 4}, {"rotary_dim": 2, "rotary_start": 4}]
)
def test_there_and_back(part: dict[str, Any]) -> None:
    state = model("half", None).state_dict()
    there = relayout_weights(state, "half", "interleaved", head_dim=HEAD, **part)
    back = relayout_weights(there, "interleaved", "half", head_dim=HEAD, **part)
    assert list(there) == list(back) == list(state)
    changed = {name.split(".")[-2] for name in state if not torch.equal(there[name], state[name])}
    assert changed == (set() if part.get("rotary_dim") == 2 else {"query", "key"})
    assert all(torch.equal(back[name], state[name]) for name in state)
    assert all(there[name] is state[name] for name in state if "value" in name)


def test_norms_of_heads_move_along() -> None:
    """As in Qwen3: queries and keys are scaled dimension by dimension before they turn."""
    random = np.random.default_rng(0)
    weights = {
        "layers.0.q_proj.weight": random.normal(size=(4 * HEAD, 5)),
        "layers.0.k_proj.weight": random.normal(size=(2 * HEAD, 5)),
        "layers.0.q_norm.weight": random.normal(size=HEAD),
        "layers.0.k_norm.weight": random.normal(size=2 * HEAD),  # as in OLMo 2: over all heads at once
    }
    x, angle = random.normal(size=(6, 5)), angles(np.arange(6), default_inv_freq(HEAD))[:, None]

    def logits(weights: dict[str, Any], layout: Layout) -> np.ndarray:
        q, k = (x @ weights[f"layers.0.{part}_proj.weight"].T for part in "qk")
        q = q.reshape(6, 4, HEAD) * weights["layers.0.q_norm.weight"]
        k = (k * weights["layers.0.k_norm.weight"]).reshape(6, 2, HEAD)
        q, k = (rotate(part, np.cos(angle), np.sin(angle), layout) for part in (q, k))
        return np.einsum("thd,shd->hts", q, k.repeat(2, axis=1))

    moved = relayout_weights(weights, "interleaved", "half", head_dim=HEAD)
    wanted = logits(weights, "interleaved")
    np.testing.assert_allclose(logits(moved, "half"), wanted, atol=1e-12)
    without = relayout_weights(weights, "interleaved", "half", head_dim=HEAD, modules=("q_proj", "k_proj"))
    assert not np.allclose(logits(without, "half"), wanted)


def test_the_turned_end_of_a_head() -> None:
    """DeepSeek: the last 64 of 192 dimensions turn; here the last 4 of 8."""
    moved = relayout_weights({"wq.bias": np.arange(16)}, "interleaved", "half", head_dim=8, rotary_start=4)
    assert moved["wq.bias"].tolist() == [0, 1, 2, 3, 4, 6, 5, 7, 8, 9, 10, 11, 12, 14, 13, 15]
    middle = relayout_weights(
        {"wk.bias": np.arange(8)}, "half", "interleaved", head_dim=8, rotary_start=2, rotary_dim=4
    )
    assert middle["wk.bias"].tolist() == [0, 1, 2, 4, 3, 5, 6, 7]


@pytest.mark.parametrize(
    ("name", "sizes", "message"),
    [
        ("v_proj.weight", {"head_dim": 4}, "no weight belongs to a module called query, key, q_proj"),
        ("qkv_proj.weight", {"head_dim": 4}, "give the names of yours as modules"),
        ("k_proj.weight", {"head_dim": 5, "rotary_dim": 4}, "12 rows, which are no whole heads of 5"),
        ("q_proj.lora_A.weight", {"head_dim": 4}, "lora_A.weight belongs to .* merge adapters"),
        ("q_proj.qweight", {"head_dim": 4}, "q_proj.qweight belongs to .* dequantise"),
        ("wq.weight", {"head_dim": 3}, "rotary_dim is 3.*use 2"),
        ("wq.weight", {"head_dim": 4, "rotary_dim": 6}, "rotary_dim is 6.*use 4 or less"),
        ("wq.weight", {"head_dim": 4, "rotary_start": 4}, "rotary_start is 4.*use 3 or less"),
        ("wq.weight", {"head_dim": 4, "rotary_start": 2, "rotary_dim": 4}, "rotary_dim is 4.*use 2 or less"),
        ("wq.weight", {"head_dim": 0}, "head_dim is 0"),
        ("wq.weight", {"head_dim": 4, "target": "halves"}, "target is 'halves'.*one of half, interleaved"),
        ("wq.weight", {"head_dim": 4, "source": 1}, "source is 1"),
    ],
)
def test_what_cannot_be_moved_is_refused(name: str, sizes: dict[str, Any], message: str) -> None:
    weights: dict[str, Tensor] = {name: torch.zeros(12, 3)}
    with pytest.raises(ClockhandsError, match=message):
        relayout_weights(weights, **{"source": "half", "target": "interleaved", **sizes})
