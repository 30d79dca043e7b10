"""Public bugs around frequencies and rotations, each with its numbers: ours must give the right ones.

Where the fault is in a version that is installed here, both numbers are pinned. Faults of serving, tables and
biases are in ``test_known_bugs_in_use.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from comparing import Peers
from torch import Tensor

import clockhands as ch
from clockhands.catalogue import describe
from clockhands.core.attend import enter
from clockhands.errors import ClockhandsError
from clockhands.formulas import default_inv_freq, from_rope_parameters, rotate, yarn_inv_freq, yarn_ramp
from clockhands.models.relayout import relayout_weights
from clockhands.schemes.building import make

ROTARY = ("rope", "rope-linear", "ntk", "dynamic-ntk", "yarn", "longrope", "llama3", "proportional", "xpos")


def llama_rotary(peers: Peers, head_dim: int, length: int, **parameters: Any) -> Any:
    """The peer's module; without parameters, of type default."""
    given = {"rope_type": "default", "rope_theta": 1e4} | parameters
    sizes = {"hidden_size": head_dim, "num_attention_heads": 1, "max_position_embeddings": length}
    config = peers.config("llama", "LlamaConfig", **sizes, rope_parameters=given)
    return peers.hf("llama").LlamaRotaryEmbedding(config)


def cosines(scheme: Any, ids: Tensor) -> Tensor:
    return scheme.table(ids)[0]


def turned(scheme: Any, x: Tensor, ids: Tensor) -> Tensor:
    _, (placed,) = enter([scheme], torch.zeros(x.shape[0], x.shape[2], 1), ids)
    return scheme.queries(x, placed.table)


# --- layout


def test_both_layouts_are_right_if_weights_match() -> None:
    """huggingface/transformers #25199, rasbt/LLMs-from-scratch #838: outputs differ, scores don't."""
    x, cos, sin = np.asarray([1.0, 2, 3, 4]), np.cos([1, 0.01]), np.sin([1, 0.01])
    half, pairs = rotate(x, cos, sin, "half"), rotate(x, cos, sin, "interleaved")
    np.testing.assert_allclose(half, [-1.98411, 1.95990, 2.46238, 4.01980], atol=5e-6)
    np.testing.assert_allclose(pairs, [-1.14264, 1.92208, 2.95985, 4.02980], atol=5e-6)
    y = np.asarray([0.5, -2.0, 1.5, 3.0])
    permuted = rotate(x[[0, 2, 1, 3]], cos, sin, "interleaved") @ y[[0, 2, 1, 3]]
    assert rotate(x, cos, sin, "half") @ y == pytest.approx(permuted)


def test_key_rows_move_in_as_many_heads_as_there_are() -> None:
    """ggml-org/llama.cpp #3018, karpathy/llama2.c #314: two key heads, permuted like the eight of queries."""
    rows = {"q_proj.weight": torch.arange(32), "k_proj.weight": torch.arange(8)}
    moved = relayout_weights(rows, "interleaved", "half", head_dim=4)
    assert moved["k_proj.weight"].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert moved["q_proj.weight"].tolist() == [4 * head + row for head in range(8) for row in (0, 2, 1, 3)]


@pytest.mark.parametrize("position", [1, 17, 1000])
def test_pairing_shows_everywhere_but_at_zero(position: int) -> None:
    """NeuraLegion/shainet #111: the first token right, then garbage; position 0 turns nothing."""
    x = torch.arange(1.0, 9.0).view(1, 1, 1, 8)
    half, pairs = make("rope", head_dim=8), make("rope", head_dim=8, layout="interleaved")
    ids = torch.tensor([[position]])
    assert (turned(half, x, ids) - turned(pairs, x, ids)).abs().max() > 0.5
    torch.testing.assert_close(turned(half, x, 0 * ids), x)


# --- precision and casts


def test_cast_modules_keep_their_frequencies(peers: Peers) -> None:
    """transformers 5.24.0: ``.half()`` narrows the frequencies and ``.float()`` can't bring them back.

    NVIDIA/Megatron-LM #535, #744; deepspeedai/DeepSpeed #8066.
    """
    ids = torch.arange(2048)[None]
    exact = (ids[0, :, None] * torch.tensor(default_inv_freq(64))).cos()
    for dtype, error in ((torch.float16, 0.32), (torch.bfloat16, 0.86)):
        theirs, _ = llama_rotary(peers, 64, 2048).to(dtype).float()(torch.zeros(1), ids)
        assert (theirs[0, :, :32] - exact).abs().max() == pytest.approx(error, abs=0.006)
        for id in ROTARY:
            before, after = make(id, head_dim=64), make(id, head_dim=64).to(dtype).float()
            assert torch.equal(cosines(before, ids), cosines(after, ids))
        assert (cosines(make("rope", head_dim=64).to(dtype), ids)[0] - exact).abs().max() < 1e-9


@pytest.mark.parametrize("id", ROTARY)
def test_frequencies_survive_the_meta_device(peers: Peers, id: str) -> None:
    """transformers 5.24.0 leaves raw memory there: the first frequency is anything but 1."""
    ids = torch.tensor([[0, 1, 17, 1000]])
    scheme = make(id, head_dim=64).to("meta").to_empty(device="cpu")
    assert torch.equal(cosines(scheme, ids), cosines(make(id, head_dim=64), ids))
    theirs = llama_rotary(peers, 64, 2048).to("meta").to_empty(device="cpu")
    theirs.inv_freq.fill_(float("nan"))  # what is there is left to chance: nothing writes it again
    assert theirs(torch.zeros(1), ids)[0].isnan().all()


def test_tables_are_built_wide_and_cast_last() -> None:
    """EleutherAI/gpt-neox #1003, #1016; transformers #25681: angle 1857 of pair 1, width 32."""
    narrow = {
        dtype: (torch.tensor(1857).to(dtype) * torch.tensor(default_inv_freq(32)[1]).to(dtype)).item()
        for dtype in (torch.float16, torch.bfloat16)
    }
    assert narrow == {torch.float16: 1045.0, torch.bfloat16: 1040.0}
    scheme = make("rope", head_dim=32)
    for dtype in narrow:
        cos = cosines(scheme.to(dtype), torch.tensor([[1857]]))[0, 0, 1]
        assert cos.item() == pytest.approx(math.cos(1044.268), abs=1e-3)


@pytest.mark.parametrize(("position", "wrong"), [(511, 0.63), (2047, 2.5), (4095, 5.0), (32767, 40.0)])
def test_narrow_frequencies_drift(position: int, wrong: float) -> None:
    """huggingface/transformers #29496, #29285: by this much, were they bfloat16; and under autocast."""
    exact = torch.tensor(default_inv_freq(128))
    assert ((exact.bfloat16().double() - exact) * position).abs().max().item() == pytest.approx(
        wrong, rel=0.02
    )
    ids, scheme = torch.tensor([[position]]), make("rope", head_dim=128).bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        cos = cosines(scheme, ids)
    torch.testing.assert_close(cos[0, 0], (exact * position).cos())


def test_positions_are_never_narrow() -> None:
    """huggingface/candle #3520: 15962 is 15936 in bfloat16 and 15960 in float16."""
    position = torch.tensor([[15962]])
    assert (position.bfloat16().item(), position.half().item()) == (15936, 15960)
    x = torch.ones(1, 1, 1, 64, dtype=torch.bfloat16)
    exact = turned(make("rope", head_dim=64), x.double(), position)
    assert (turned(make("rope", head_dim=64), x, position) - exact).abs().max() < 0.008
    assert (turned(make("rope", head_dim=64), x.half(), position) - exact).abs().max() < 0.001


def test_sinusoids_of_narrow_models_know_all_positions() -> None:
    """keras-hub's ``SinePositionEncoding`` casts positions first: 769 different rows in 4096."""
    ids = torch.arange(4096)
    assert len(ids.bfloat16().unique()) == 769
    made, _ = enter([make("sinusoidal", d_model=64)], torch.zeros(1, 4096, 64, dtype=torch.bfloat16))
    exact = describe("sinusoidal", d_model=64).table(np.arange(4096))
    assert np.abs(made[0].double().numpy() - exact).max() < 2**-8


def test_narrow_queries_are_no_fault_far_out() -> None:
    """ml-explore/mlx-lm #1076 asks for float32 queries past 262,144: it is the angle that must be wide."""
    ids = torch.tensor([[262_143, 262_144]])
    x = torch.ones(1, 1, 2, 128)
    exact = turned(make("rope", head_dim=128), x.double(), ids)
    for dtype, most in ((torch.float32, 1e-6), (torch.float16, 1e-3), (torch.bfloat16, 8e-3)):
        assert (turned(make("rope", head_dim=128), x.to(dtype), ids) - exact).abs().max() < most


def test_the_same_shape_in_another_dtype_is_another_call() -> None:
    """tatp22/multidim-positional-encoding keeps its last output by shape alone, dtype and device ignored."""
    scheme = make("sinusoidal", d_model=8)
    for dtype in (torch.float32, torch.float16, torch.float64):
        made, _ = enter([scheme], torch.zeros(1, 5, 8, dtype=dtype))
        assert made.dtype == dtype


# --- dynamic NTK


def test_a_long_text_leaves_no_trace_in_the_next(peers: Peers) -> None:
    """transformers #46624, #27226, #27033: 5.24.0 still hangs on history; at exactly M it does not reset."""
    scaled = {"rope_type": "dynamic", "factor": 4.0}

    def frequencies_after(*lengths: int) -> Tensor:
        rotary = llama_rotary(peers, 64, 2048, **scaled)
        for length in lengths:
            rotary(torch.zeros(1), torch.arange(length)[None])
        return rotary.inv_freq

    def off(*lengths: int) -> float:
        return ((frequencies_after(*lengths) / frequencies_after(lengths[-1])) - 1).abs().max().item()

    assert off(8192, 4096) == pytest.approx(0.62, abs=0.005)
    assert off(8192, 2048) == pytest.approx(0.92, abs=0.005)
    assert off(8192, 1024) == 0
    scheme = make("dynamic-ntk", head_dim=64, factor=4.0, max_position_embeddings=2048)
    for length in (4096, 2048, 1024):
        ids = torch.arange(length)[None]
        fresh = cosines(scheme, ids)
        cosines(scheme, torch.arange(8192)[None])
        assert torch.equal(cosines(scheme, ids), fresh)


def test_rows_of_a_batch_have_their_own_length(peers: Peers) -> None:
    """transformers 5.24.0 takes the longest of the batch: a short row changes by 1.19 beside a long one."""
    short, long = torch.arange(16), torch.arange(8000, 8016)
    rotary = llama_rotary(peers, 64, 2048, rope_type="dynamic", factor=4.0)
    alone, _ = rotary(torch.zeros(1), short[None])
    beside, _ = rotary(torch.zeros(1), torch.stack((short, long)))
    assert (alone[0] - beside[0]).abs().max().item() == pytest.approx(1.19, abs=0.005)
    scheme = make("dynamic-ntk", head_dim=64, factor=4.0, max_position_embeddings=2048)
    assert torch.equal(cosines(scheme, short[None])[0], cosines(scheme, torch.stack((short, long)))[0])


def test_dynamic_grows_with_the_length() -> None:
    """vllm-project/vllm #41236, #3488 (13 whatever the length), #41301 (1 whatever the length)."""
    scheme = describe("dynamic-ntk", head_dim=64, factor=4.0, max_position_embeddings=2048)
    for length, grown in ((2048, 1), (4096, 5), (8192, 13)):
        base = scheme.inv_freq_at(length)[1] ** -32
        assert (base / 1e4) ** (62 / 64) == pytest.approx(grown)


@pytest.mark.parametrize("id", ["ntk", "dynamic-ntk"])
def test_there_is_no_table_to_run_off(id: str) -> None:
    """vllm-project/vllm #55910, flash-attention's tensor offsets: position M on a table of M rows."""
    given = {"max_position_embeddings": 2048} if id == "dynamic-ntk" else {}
    scheme = make(id, head_dim=64, factor=4.0, **given)
    x = torch.ones(1, 1, 1, 64)
    for position in (2047, 2048, 2049, 10_000_000):
        assert (turned(scheme, x, torch.tensor([[position]])) - x).abs().max() > 0.1


# --- YaRN


def test_the_two_weights_of_yarn() -> None:
    """turboderp-org/exllamav3 #259 (1.0 for the plain rule), sgl-project/sglang #22711 (1.277 for 1.0)."""
    assert describe("yarn", factor=40.0).magnitude() == pytest.approx(1.36889, abs=5e-6)
    assert describe("yarn", factor=40.0, mscale=1.0, mscale_all_dim=1.0).magnitude() == 1.0
    assert describe("yarn", factor=16.0).magnitude() == pytest.approx(1.277259, abs=5e-7)
    assert describe("yarn", factor=16.0).magnitude() ** 2 == pytest.approx(1.631390, abs=5e-7)
    assert describe("yarn", factor=16.0, mscale=1.0, mscale_all_dim=1.0).magnitude() == 1.0


@pytest.mark.parametrize(("weight", "scale"), [(0.707, 1.589626), (1.0, 1.873854)])
def test_the_softmax_has_its_share_of_mscale(weight: float, scale: float) -> None:
    """huggingface/transformers #47435, onnxruntime/mobius #548: DeepSeek's square, missing from the scale."""
    yarn = describe("yarn", head_dim=64, factor=40.0, mscale=weight, mscale_all_dim=weight)
    assert yarn.softmax_factor() == pytest.approx(scale, abs=5e-7)
    assert ch.build(yarn).score_scale == pytest.approx(scale, abs=5e-7)


def test_an_explicit_attention_factor_is_taken() -> None:
    """vllm-project/vllm #46280, ml-explore/mlx-lm #1507: 1.4158883 in place of the 1.0 that was given."""
    assert describe("yarn", factor=64.0).magnitude() == pytest.approx(1.4158883, abs=5e-8)
    given = describe("yarn", factor=64.0, attention_factor=1.0)
    assert given.magnitude() == 1.0
    assert ch.build(given).score_scale == 1.0
    assert describe("yarn", factor=64.0).magnitude() ** 2 == pytest.approx(2.005, abs=5e-4)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_attention_factor_counts_once(share: float) -> None:
    """ggml-org/llama.cpp #17945: applied to queries and keys and to the scale as well."""
    scheme = make("yarn", head_dim=64, factor=40.0, partial_rotary_factor=share)
    x = torch.randn(1, 1, 1, 64)
    q = turned(scheme, x, torch.tensor([[5]]))[0, 0, 0]
    part = int(64 * share)
    wanted = 1.36889**2 * x[0, 0, 0, :part].square().sum() + x[0, 0, 0, part:].square().sum()
    assert (scheme.score_scale * q.square().sum()).item() == pytest.approx(wanted.item(), rel=1e-4)


def test_the_ramp_of_yarn_ends_at_the_last_dimension() -> None:
    """keras-team/keras-hub #2981: clamped to the number of pairs, and not truncated by default."""
    low, high = yarn_ramp(64, 1e4, original_max_position_embeddings=131072, truncate=False)
    assert high == pytest.approx(34.55, abs=0.005)
    assert yarn_ramp(64, 1e4, original_max_position_embeddings=2**40)[1] == 63
    assert yarn_ramp(64, 1e4, original_max_position_embeddings=131072) == (math.floor(low), 35)
    assert describe("yarn").truncate is True


def test_swapped_betas_are_refused() -> None:
    """pytorch/torchtitan #3787: swapped in one class and swapped back by its configuration."""
    low, high = yarn_ramp(64, 1e4, original_max_position_embeddings=4096)
    assert low < high
    with pytest.raises(ClockhandsError, match="beta_fast"):
        describe("yarn", beta_fast=1.0, beta_slow=32.0)


# --- parameters


@pytest.mark.parametrize(("distance", "alike"), [(10, 0.87), (100, 0.51), (1000, 0.19)])
def test_theta_is_read_from_either_place(distance: int, alike: float) -> None:
    """vllm-project/vllm #42624, #56066; deepspeedai/DeepSpeed #8345: 1e4 for 5e5 after a key was renamed."""
    right = default_inv_freq(128, 5e5)
    new, _ = from_rope_parameters({"rope_type": "default", "rope_theta": 5e5}, head_dim=128)
    old, _ = from_rope_parameters({"type": "default"}, head_dim=128, rope_theta=5e5)
    assert (new == right).all()
    assert (old == right).all()
    drift = np.cos((default_inv_freq(128, 1e4) - right) * distance).mean()
    assert drift == pytest.approx(alike, abs=0.006)


@pytest.mark.parametrize(("distance", "alike"), [(1000, 0.963), (8192, 0.769), (60000, 0.539)])
def test_llama_3_is_neither_plain_nor_linear(distance: int, alike: float) -> None:
    """unslothai/unsloth #6907, Blaizzy/mlx-vlm #1710 (dropped); lablup/mlxcel #1688 (read as linear)."""
    plain, scaled = default_inv_freq(128, 5e5), describe("llama3", head_dim=128).inv_freq()
    share = scaled / plain
    counts = ((share == 1).sum(), ((share < 1) & (share > 0.126)).sum(), np.isclose(share, 1 / 8).sum())
    assert counts == (29, 6, 29)
    assert np.cos((plain - scaled) * distance).mean() == pytest.approx(alike, abs=6e-4)


def test_layers_of_gemma_3_differ() -> None:
    """transformers #41922, lablup/mlxcel #1340 (factor 8 in all layers), #48392 (nested taken as flat)."""
    nested = {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0},
    }
    local, _ = from_rope_parameters(nested, head_dim=256, layer_type="sliding_attention")
    whole, _ = from_rope_parameters(nested, head_dim=256, layer_type="full_attention")
    np.testing.assert_allclose(local, default_inv_freq(256, 1e4))
    np.testing.assert_allclose(whole, default_inv_freq(256, 1e6) / 8)
    with pytest.raises(ClockhandsError, match="layer_type"):
        from_rope_parameters(nested, head_dim=256)


def test_what_is_built_does_not_change_in_silence() -> None:
    """MakazhanAlpamys/Soup #793: "long context enabled", and nothing changed. A new scheme, or an error."""
    plain = describe("rope", head_dim=64)
    with pytest.raises(AttributeError):
        plain.rope_theta = 777.0  # type: ignore[misc]
    scaled = yarn_inv_freq(64, factor=8.0, original_max_position_embeddings=512)
    assert np.abs(scaled / plain.inv_freq() - 1).max() == pytest.approx(7 / 8)


def test_bases_that_make_no_sense_are_refused() -> None:
    """transformers 5.24.0 takes -5 and 0: frequencies are NaN, and fused attention hides it."""
    for base in (-5.0, 0.0, float("nan")):
        with pytest.raises(ClockhandsError, match="rope_theta"):
            describe("rope", head_dim=64, rope_theta=base)


# --- part of a head, odd sizes


def test_a_quarter_of_a_head_turns() -> None:
    """AI-Hypercomputer/maxtext #4616, ml-explore/mlx-lm #1698, vllm-project/vllm #43770: all of it did."""
    x = torch.randn(1, 1, 1, 256)
    out = turned(make("rope", head_dim=256, partial_rotary_factor=0.25), x, torch.tensor([[1000]]))
    assert torch.equal(out[..., 64:], x[..., 64:])
    assert (out[..., :64] - x[..., :64]).abs().min() > 0
    sections = describe(
        "mrope-interleaved", head_dim=256, partial_rotary_factor=0.25, mrope_section=[11, 11, 10]
    )
    assert len(sections.inv_freq()) == 32


def test_exponents_run_over_what_turns() -> None:
    """pie-project/pie #603, labscommunity/cascadia #69: over the head, 471 rad apart at position 1000."""
    quarter = describe("rope", head_dim=256, rotary_dim=64).inv_freq()
    over_the_head = default_inv_freq(256)[:32]
    assert (quarter[-1], over_the_head[-1]) == (
        pytest.approx(1.3335e-4, rel=1e-4),
        pytest.approx(0.10746, rel=1e-4),
    )
    assert 1000 * np.abs(quarter - over_the_head).max() == pytest.approx(471.55, abs=0.005)


def test_proportional_is_not_partial() -> None:
    """zml/zml #660, jagmarques/nexusquant #12: full-width exponents, and then hands that stand still."""
    np.testing.assert_allclose(
        describe("proportional", head_dim=8, moving_share=0.5).inv_freq(), [1, 0.1, 0, 0]
    )
    np.testing.assert_allclose(describe("rope", head_dim=8, partial_rotary_factor=0.5).inv_freq(), [1, 0.01])


def test_odd_heads_are_refused_before_they_crash() -> None:
    """transformers #48101, #48524, #35233; lucidrains/rotary-embedding-torch #45: 520 / 8, and 4 * 0.75."""
    with pytest.raises(ClockhandsError, match="head_dim is 65"):
        describe("rope", head_dim=520 // 8)
    with pytest.raises(ClockhandsError, match="rotary_dim"):
        describe("rope", head_dim=4, partial_rotary_factor=0.75)


def test_odd_sinusoids_have_a_sine_more() -> None:
    """codertimo/BERT-pytorch #78, zhouhaoyi/Informer2020 #224: a size error at d_model 5."""
    row = describe("sinusoidal", d_model=5).table(np.asarray([1]))[0]
    np.testing.assert_allclose(row, [0.841471, 0.540302, 0.025116, 0.999685, 0.000631], atol=6e-7)
