"""Losses of a trial against brute force: all logits at once, models built from settings, dense remaps."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch
from tiny_models import llama, neox
from torch import Tensor
from torch.nn import functional

import clockhands as ch
from clockhands.check.read.config import laid_over
from clockhands.extend import plan
from clockhands.extend.trials import checking, distances, losses, run
from clockhands.extend.trials.design import AS_GIVEN, Cell
from clockhands.extend.trials.losses import read
from clockhands.extend.trials.variants import Slowed, variant_of

L = 64
REMAPS = ("self-extend", "rerope", "dual-chunk")
SLOWED = ("linear", "ntk", "dynamic", "yarn", "llama3", "longrope")


def tokens(count: int) -> Tensor:
    return torch.randint(0, 61, (count + 1,), generator=torch.Generator().manual_seed(3))


def gemma3(**fields: Any) -> Any:
    """Layers with a window that turn otherwise, a cap on the logits, embeddings for the head."""
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    rope = {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e3},
        "full_attention": {"rope_type": "default", "rope_theta": 1e4},
    }
    config = Gemma3TextConfig(
        vocab_size=61, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=16, max_position_embeddings=L, sliding_window=16,
        layer_types=["sliding_attention", "full_attention"], rope_parameters=rope, eos_token_id=None,
        bos_token_id=None, pad_token_id=None, final_logit_softcapping=2.0, **fields,
    )  # fmt: skip
    torch.manual_seed(1)
    with torch.no_grad():
        model = Gemma3ForCausalLM(config)
        for each in model.parameters():
            each.copy_(0.3 * torch.randn(each.shape, generator=torch.Generator().manual_seed(1)))
    return model.eval()


BUILD = {"llama": llama, "neox": neox, "gemma3": gemma3}


@pytest.fixture(params=BUILD)
def model(request: pytest.FixtureRequest) -> Any:
    fields = {} if request.param == "gemma3" else {"max_position_embeddings": L}
    return BUILD[request.param](**fields)


@torch.no_grad()
def brute(model: Any, ids: Tensor) -> Tensor:
    """Every logit of the window at once."""
    return functional.cross_entropy(model(ids[None, :-1]).logits[0].double(), ids[1:], reduction="none")


def by(model: Any, method: str, ids: Tensor, to: int) -> Tensor:
    made = plan(model.config.to_dict(), to)
    variant = variant_of(made, None if method == AS_GIVEN else made.step(method))
    with variant.applied(model, len(ids) - 1):
        return read(model, ids[:-1], ids[1:]).losses


def test_logits_in_parts_change_nothing(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = tokens(150)
    monkeypatch.setattr(losses, "NUMBERS", 61 * 7)  # seven positions at a time
    whole = read(model, ids[:-1], ids[1:])
    torch.testing.assert_close(whole.losses, brute(model, ids), atol=1e-5, rtol=0)
    last = read(model, ids[:-1], ids[1:], last=20)
    torch.testing.assert_close(last.losses, whole.losses[-20:], atol=1e-5, rtol=0)
    with torch.no_grad():
        assert torch.equal(last.right, (model(ids[None, :-1]).logits[0].argmax(-1) == ids[1:])[-20:])


@pytest.mark.parametrize("method", SLOWED)
def test_a_method_is_the_model_built_from_its_settings(model: Any, method: str) -> None:
    """transformers, given the file with the keys laid over and the same weights, makes the same losses."""
    to, ids = 4 * L, tokens(4 * L)
    keys = next(
        each.keys for each in plan(model.config.to_dict(), to).step(method).settings
        if each.framework == "transformers"
    )  # fmt: skip
    other = type(model)(type(model.config).from_dict(laid_over(model.config.to_dict(), keys))).eval()
    other.load_state_dict(model.state_dict())
    before = brute(model, ids)
    expected = brute(other, ids)
    torch.testing.assert_close(by(model, method, ids, to), expected, atol=1e-5, rtol=0)
    assert (expected - before).abs().max() > 1e-3
    assert torch.equal(brute(model, ids), before)


REMAPPED = {
    "self-extend": {"window": 15, "group_size": 4}, "rerope": {"window": 32},
    "dual-chunk": {"original_max_position_embeddings": 64},
    "string-shift": {"shift": 40, "local": 8}, "lm-infinite": {"global_branch": 4, "window": 50},
}  # fmt: skip


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("id", REMAPPED)
def test_remapped_distances_are_those_of_the_dense_equation(id: str, layout: Any) -> None:
    """Queries and keys turned by positions, as a model gives them, against a rotation at every distance, in
    float64; no multiple of a block, grouped heads, a part of each head that doesn't turn."""
    remap = ch.describe(id, head_dim=8, **REMAPPED[id])
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, h, 300, 12, dtype=torch.float64, generator=generator) for h in (4, 2, 2))
    speeds, at = torch.from_numpy(remap.hands()), torch.arange(300)
    made = distances.Distances.of(remap, speeds, 300, layout=layout, first=2)
    given = [_turned(each, at[:, None] * speeds, layout) for each in (q, k)]
    reach = torch.from_numpy(remap.distance_map(at.numpy(), at.numpy()))
    expected = torch.empty_like(q)
    for i in range(300):
        seen = torch.isfinite(reach[i]) & (at <= i)
        here = _turned(
            q[:, :, i : i + 1].expand(1, 4, 300, 12), reach[i].nan_to_num()[:, None] * speeds, layout
        )
        scores = (here * k.repeat_interleave(2, 1)).sum(-1) * 0.3
        weights = scores.masked_fill(~seen, -torch.inf).softmax(-1)
        expected[:, :, i] = (weights[..., None] * v.repeat_interleave(2, 1)).sum(2)
    torch.testing.assert_close(made.attend(*given, v, 0.3), expected, atol=1e-9, rtol=0)


def _turned(x: Tensor, angles: Tensor, layout: Any) -> Tensor:
    """Dimensions 2 to 9 of 12."""
    turned = ch.formulas.rotate(x[..., 2:10], angles.cos(), angles.sin(), layout)
    return torch.cat((x[..., :2], turned, x[..., 10:]), -1)


@pytest.mark.parametrize("method", REMAPS)
@pytest.mark.parametrize("name", ["llama", "neox"])
def test_a_remapped_model_is_a_swapped_one(name: str, method: str) -> None:
    """To what the models' own tables in float32 are off by at 300 tokens."""
    model, to, ids = BUILD[name](max_position_embeddings=L), 300, tokens(300)
    made = plan(model.config.to_dict(), to)
    with ch.hf.swap(model, made.step(method).method.remap(made.source, made.factor)):
        expected = brute(model, ids)
    before = brute(model, ids)
    assert (expected - before).abs().max() > 1e-2
    torch.testing.assert_close(by(model, method, ids, to), expected, atol=1e-4, rtol=0)
    assert torch.equal(brute(model, ids), before)


@pytest.mark.parametrize("method", ["dynamic", *REMAPS])
def test_as_trained_below_the_trained_length(model: Any, method: str) -> None:
    """What a plan says of exact distances holds of losses: of dynamic NTK up to the trained length."""
    made = plan(model.config.to_dict(), 4 * L)
    exact = made.step(method).look.exact or L
    ids = tokens(L)
    off = (by(model, method, ids, 4 * L) - brute(model, ids)).abs()
    assert off[:exact].max() < 1e-5
    if method in ("self-extend", "rerope"):
        assert off[exact + 1 :].max() > 1e-3


def test_no_window_leaves_something_behind_for_the_next(model: Any) -> None:
    """transformers' dynamic NTK keeps the speeds of a longer text for one of exactly the trained length."""
    made = plan(model.config.to_dict(), 4 * L)
    variant, short, long = variant_of(made, made.step("dynamic")), tokens(L), tokens(4 * L)
    with variant.applied(model, 4 * L):
        read(model, long[:-1], long[1:])
        stale = read(model, short[:-1], short[1:]).losses
    assert (stale - brute(model, short)).abs().max() > 1e-3
    asked = run.Trial(
        model, _design(made), run.Ids(torch.cat((long, tokens(0))), None, None, False), {"dynamic": variant}
    )
    asked.read(Cell("window", "dynamic", 4 * L, 0))
    row = asked.read(Cell("window", "dynamic", L, 0))
    expected = brute(model, asked.ids.ids[-L - 1 :])
    torch.testing.assert_close(torch.from_numpy(row.losses), expected, atol=1e-5, rtol=0)


def _design(made: Any) -> Any:
    return run.Design(
        model="tiny", fingerprint="", trained=L, to=made.to, methods=("dynamic",), lengths=(L, 4 * L),
        tokens=4 * L, text="",
    )  # fmt: skip


def test_scores_are_scaled_as_the_settings_ask() -> None:
    """DeepSeek takes YaRN's factor into its score scale while it is built."""
    from transformers import DeepseekV3Config, DeepseekV3ForCausalLM

    config = DeepseekV3Config(
        vocab_size=61, hidden_size=32, intermediate_size=48, moe_intermediate_size=16, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=2, n_shared_experts=1, n_routed_experts=4, n_group=1,
        topk_group=1, num_experts_per_tok=2, first_k_dense_replace=2, kv_lora_rank=16, q_lora_rank=16,
        qk_rope_head_dim=16, v_head_dim=16, qk_nope_head_dim=16, max_position_embeddings=L,
        rope_parameters={"rope_type": "default", "rope_theta": 1e4},
    )  # fmt: skip
    torch.manual_seed(0)
    model = DeepseekV3ForCausalLM(config).eval()
    keys = {"rope_parameters": {
        "rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": L,
        "mscale": 1.0, "mscale_all_dim": 1.0,
    }}  # fmt: skip
    before = [each.scaling for each in distances.attentions_of(model)]
    with Slowed(keys).applied(model, L):
        within = [each.scaling for each in distances.attentions_of(model)]
    after = [each.scaling for each in distances.attentions_of(model)]
    other = DeepseekV3ForCausalLM(type(config).from_dict(laid_over(config.to_dict(), keys)))
    assert within == [each.scaling for each in distances.attentions_of(other)] != before
    assert after == before


# planted defects -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILD)
def test_a_wrong_pair_layout_is_found_before_the_start(name: str) -> None:
    model = gemma3() if name == "gemma3" else BUILD[name](max_position_embeddings=L)
    ids = run.Ids(tokens(4 * L), None, None, False)
    made = plan(model.config.to_dict(), 4 * L, methods=["linear", "rerope"])
    variants, left_out = checking.checked(model, made, ids)
    assert (set(variants), left_out) == ({AS_GIVEN, "linear", "rerope"}, {})
    form = dataclasses.replace(made.source.form, layout="interleaved")
    planted = dataclasses.replace(made, source=dataclasses.replace(made.source, form=form))
    variants, left_out = checking.checked(model, planted, ids)
    assert set(variants) == {AS_GIVEN, "linear"}
    assert "does more than turn its heads" in left_out["rerope"].en


def test_bfloat16_is_coarse_but_tried() -> None:
    """As ``from_pretrained(dtype=...)`` leaves it: weights are rounded, hands are not."""
    model = llama(max_position_embeddings=L)
    speeds = model.model.rotary_emb.inv_freq.clone()
    model = model.bfloat16()
    model.model.rotary_emb.inv_freq = speeds
    ids = run.Ids(tokens(4 * L), None, None, False)
    made = plan(model.config.to_dict(), 4 * L, methods=["linear", "rerope"])
    assert set(checking.checked(model, made, ids)[0]) == {AS_GIVEN, "linear", "rerope"}
    form = dataclasses.replace(made.source.form, layout="interleaved")
    planted = dataclasses.replace(made, source=dataclasses.replace(made.source, form=form))
    assert set(checking.checked(model, planted, ids)[0]) == {AS_GIVEN, "linear"}


def test_hands_that_the_configuration_does_not_tell_keep_settings_out() -> None:
    """As those of a GGUF file with divisors: settings made of the configuration would lose them."""
    model = llama(max_position_embeddings=L)
    model.model.rotary_emb.inv_freq[-1] /= 8
    made = plan(model.config.to_dict(), 4 * L, methods=["linear", "rerope"])
    variants, left_out = checking.checked(model, made, run.Ids(tokens(4 * L), None, None, False))
    assert set(variants) == {AS_GIVEN, "rerope"}
    assert "holds other hands than its configuration says" in left_out["linear"].en


def test_what_the_models_code_refuses_is_left_out() -> None:
    model = llama(max_position_embeddings=L)
    made = plan(model.config.to_dict(), 4 * L, methods=["linear", "yarn"])
    (setting, *_) = made.steps[0].settings
    keys = {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4}}  # without a factor
    bad = dataclasses.replace(made.steps[0], settings=(dataclasses.replace(setting, keys=keys),))
    planted = dataclasses.replace(made, steps=(bad, made.steps[1]))
    variants, left_out = checking.checked(model, planted, run.Ids(tokens(4 * L), None, None, False))
    assert set(variants) == {AS_GIVEN, "yarn"}
    assert "the model's code refuses the settings (KeyError" in left_out["linear"].en
