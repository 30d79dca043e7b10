"""Windows that slide are told from pieces that a text is cut into, by rules of masks and by masks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from clockhands.check.agreement import disagreements
from clockhands.check.probe.hf import bias, masks, measure
from clockhands.check.probe.live import measured_small
from clockhands.check.read import read_config
from clockhands.check.rules import findings

Rule = Callable[[Any, Any, Any, Any], Any]

RULES: list[tuple[Rule, Any]] = [
    (lambda b, h, q, k: (k <= q) & (q - k < 9), (9, "sliding")),
    (lambda b, h, q, k: (q - k).abs() <= 4, (9, "sliding")),
    (lambda b, h, q, k: (k <= q) & (q // 9 == k // 9), (9, "chunked")),
    (lambda b, h, q, k: q // 9 == k // 9, (9, "chunked")),
    (lambda b, h, q, k: (k <= q) & (q // 64 == k // 64), (64, "chunked")),
    (lambda b, h, q, k: k <= q, None),
    (lambda b, h, q, k: (k == k) | (q < 0), None),
]


@pytest.mark.parametrize(("rule", "window"), RULES)
def test_by_the_rule_of_a_mask(rule: Rule, window: Any) -> None:
    assert masks.window(rule) == window


@pytest.mark.parametrize(("rule", "window"), RULES[:4] + RULES[5:])
@pytest.mark.parametrize("count", [19, 27, 31])
def test_by_what_is_seen(rule: Rule, window: Any, count: int) -> None:
    """27 ends with a whole piece of 9, 19 with one token of the third, 31 in the middle of one."""
    import torch

    q, k = torch.arange(count)[:, None], torch.arange(count)[None]
    assert bias.window_of(np.asarray(rule(0, 0, q, k))) == window


def test_pieces_that_are_declared_to_slide_are_a_disagreement() -> None:
    config = {
        "model_type": "llama4_text", "hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 64, "num_hidden_layers": 4, "vocab_size": 300, "num_local_experts": 2,
        "attention_chunk_size": 700,
    }  # fmt: skip
    subject = measured_small(read_config(config))
    assert [form.window_kind for form in subject.declared] == ["chunked", None]
    assert disagreements(subject) == ()
    sliding = replace(
        subject,
        declared=tuple(replace(form, window_kind=form.window and "sliding") for form in subject.declared),
    )
    assert [(each.field, each.first, each.second) for each in disagreements(sliding)] == [
        ("window_kind", "sliding", "chunked")
    ]
    (finding,) = (each for each in findings(sliding) if each.code == "CH305")
    assert finding.severity == "error"
    assert finding.keys == ("layer_types",)


@pytest.mark.parametrize("time_first", [False, True])
def test_tokens_before_a_text_are_counted_whichever_axis_is_time(time_first: bool) -> None:
    import torch

    from clockhands.check.probe.hf.feed import ROWS
    from clockhands.check.probe.hf.layers import before
    from clockhands.check.probe.hf.seen import Layer

    hidden = torch.ones(ROWS, 3 + 19, 8)
    hidden[:, :3] = torch.randn(3, 8, generator=torch.Generator().manual_seed(0))
    assert before(Layer("layers.0", hidden.transpose(0, 1) if time_first else hidden), 19) == 3
    assert before(Layer("layers.0", hidden[:, 3:]), 19) == 0


def test_a_window_of_a_class_that_makes_its_masks_itself_shows_in_a_long_text() -> None:
    """GPT-Neo's local layers hide what lies 40 tokens behind, in a mask of their own that no rule tells."""
    config = hf.GPTNeoConfig(
        vocab_size=40, hidden_size=24, num_layers=2, num_heads=3, intermediate_size=32, window_size=40,
        attention_types=[[["global", "local"], 1]], max_position_embeddings=200,
    )  # fmt: skip
    torch.manual_seed(0)
    forms = measure(hf.GPTNeoForCausalLM(config).eval())
    assert [(form.layers, form.window) for form in forms] == [((0,), None), ((1,), 40)]
