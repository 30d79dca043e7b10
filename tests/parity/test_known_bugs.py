"""Public bugs around frequencies and rotations, each with its numbers: ours must give the right ones.

Where the fault is in a version that is installed here, both numbers are pinned. What is checked is in
``rotation_checks.py``, so that ``test_planted_bugs.py`` can ask it of code that has the bug. Faults of
serving, tables and biases are in ``test_known_bugs_in_use.py``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import rotation_checks as checks
import torch
from comparing import Peers
from torch import Tensor

from clockhands.catalogue import describe
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


# --- layout


def test_both_layouts_are_right_if_weights_match() -> None:
    """huggingface/transformers #25199, rasbt/LLMs-from-scratch #838: outputs differ, scores don't."""
    checks.layouts_differ_as_published(rotate)


def test_key_rows_move_in_as_many_heads_as_there_are() -> None:
    """ggml-org/llama.cpp #3018, karpathy/llama2.c #314: two key heads, permuted like the eight of queries."""
    checks.key_rows_follow_key_heads(relayout_weights)


@pytest.mark.parametrize("position", [1, 17, 1000])
def test_pairing_shows_everywhere_but_at_zero(position: int) -> None:
    """NeuraLegion/shainet #111: the first token right, then garbage; position 0 turns nothing."""
    checks.layouts_differ_away_from_zero(partial(make, "rope"), position)


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
            checks.survives_casts(partial(make, id), dtype)
        checks.is_exact_after_a_cast(partial(make, "rope"), dtype)


@pytest.mark.parametrize("id", ROTARY)
def test_frequencies_survive_the_meta_device(peers: Peers, id: str) -> None:
    """transformers 5.24.0 leaves raw memory there: the first frequency is anything but 1."""
    checks.survives_the_meta_device(partial(make, id))
    theirs = llama_rotary(peers, 64, 2048).to("meta").to_empty(device="cpu")
    theirs.inv_freq.fill_(float("nan"))  # what is there is left to chance: nothing writes it again
    assert theirs(torch.zeros(1), torch.tensor([[0, 1, 17, 1000]]))[0].isnan().all()


def test_tables_are_built_wide_and_cast_last() -> None:
    """EleutherAI/gpt-neox #1003, #1016; transformers #25681: angle 1857 of pair 1, width 32."""
    narrow = {
        dtype: (torch.tensor(1857).to(dtype) * torch.tensor(default_inv_freq(32)[1]).to(dtype)).item()
        for dtype in (torch.float16, torch.bfloat16)
    }
    assert narrow == {torch.float16: 1045.0, torch.bfloat16: 1040.0}
    for dtype in narrow:
        checks.table_is_cast_last(partial(make, "rope"), dtype)


@pytest.mark.parametrize(("position", "wrong"), [(511, 0.63), (2047, 2.5), (4095, 5.0), (32767, 40.0)])
def test_narrow_frequencies_drift(position: int, wrong: float) -> None:
    """huggingface/transformers #29496, #29285: by this much, were they bfloat16; and under autocast."""
    exact = torch.tensor(default_inv_freq(128))
    assert ((exact.bfloat16().double() - exact) * position).abs().max().item() == pytest.approx(
        wrong, rel=0.02
    )
    checks.frequencies_stay_wide(partial(make, "rope"), position)


def test_positions_are_never_narrow() -> None:
    """huggingface/candle #3520: 15962 is 15936 in bfloat16 and 15960 in float16."""
    position = torch.tensor([[15962]])
    assert (position.bfloat16().item(), position.half().item()) == (15936, 15960)
    checks.positions_stay_whole(partial(make, "rope"))


def test_sinusoids_of_narrow_models_know_all_positions() -> None:
    """keras-hub's ``SinePositionEncoding`` casts positions first: 769 different rows in 4096."""
    assert len(torch.arange(4096).bfloat16().unique()) == 769
    checks.narrow_tokens_know_all_positions(partial(make, "sinusoidal"))


def test_narrow_queries_are_no_fault_far_out() -> None:
    """ml-explore/mlx-lm #1076 asks for float32 queries past 262,144: it is the angle that must be wide."""
    checks.narrow_queries_turn_right_far_out(partial(make, "rope"))


def test_the_same_shape_in_another_dtype_is_another_call() -> None:
    """tatp22/multidim-positional-encoding keeps its last output by shape alone, dtype and device ignored."""
    checks.every_dtype_is_its_own_call(partial(make, "sinusoidal"))


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
    checks.history_leaves_no_trace(partial(make, "dynamic-ntk"))


def test_rows_of_a_batch_have_their_own_length(peers: Peers) -> None:
    """transformers 5.24.0 takes the longest of the batch: a short row changes by 1.19 beside a long one."""
    short, long = torch.arange(16), torch.arange(8000, 8016)
    rotary = llama_rotary(peers, 64, 2048, rope_type="dynamic", factor=4.0)
    alone, _ = rotary(torch.zeros(1), short[None])
    beside, _ = rotary(torch.zeros(1), torch.stack((short, long)))
    assert (alone[0] - beside[0]).abs().max().item() == pytest.approx(1.19, abs=0.005)
    checks.rows_have_their_own_length(partial(make, "dynamic-ntk"))


def test_dynamic_grows_with_the_length() -> None:
    """vllm-project/vllm #41236, #3488 (13 whatever the length), #41301 (1 whatever the length)."""
    scheme = describe("dynamic-ntk", head_dim=64, factor=4.0, max_position_embeddings=2048)
    checks.dynamic_base_grows(scheme.inv_freq_at)


@pytest.mark.parametrize("id", ["ntk", "dynamic-ntk"])
def test_there_is_no_table_to_run_off(id: str) -> None:
    """vllm-project/vllm #55910, flash-attention's tensor offsets: position M on a table of M rows."""
    given = {"max_position_embeddings": 2048} if id == "dynamic-ntk" else {}
    checks.turns_past_the_trained_length(partial(make, id, **given))


# --- YaRN


def test_the_two_weights_of_yarn() -> None:
    """turboderp-org/exllamav3 #259 (1.0 for the plain rule), sgl-project/sglang #22711 (1.277 for 1.0)."""
    checks.mscale_makes_the_magnitude(lambda **given: describe("yarn", **given).magnitude())


@pytest.mark.parametrize(("weight", "scale"), [(0.707, 1.589626), (1.0, 1.873854)])
def test_the_softmax_has_its_share_of_mscale(weight: float, scale: float) -> None:
    """huggingface/transformers #47435, onnxruntime/mobius #548: DeepSeek's square, missing from the scale."""
    for score_scale in (
        lambda **given: describe("yarn", **given).softmax_factor(),
        lambda **given: make("yarn", **given).score_scale,
    ):
        checks.softmax_has_its_share(score_scale, weight, scale)


def test_an_explicit_attention_factor_is_taken() -> None:
    """vllm-project/vllm #46280, ml-explore/mlx-lm #1507: 1.4158883 in place of the 1.0 that was given."""
    checks.attention_factor_is_taken(lambda **given: describe("yarn", **given).magnitude())
    assert make("yarn", factor=64.0, attention_factor=1.0).score_scale == 1.0
    assert describe("yarn", factor=64.0).magnitude() ** 2 == pytest.approx(2.005, abs=5e-4)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_attention_factor_counts_once(share: float) -> None:
    """ggml-org/llama.cpp #17945: applied to queries and keys and to the scale as well."""
    checks.attention_factor_counts_once(partial(make, "yarn"), share)


def test_the_ramp_of_yarn_ends_at_the_last_dimension() -> None:
    """keras-team/keras-hub #2981: clamped to the number of pairs, and not truncated by default."""
    checks.ramp_ends_at_the_last_dimension(yarn_ramp)
    assert describe("yarn").truncate is True


def test_swapped_betas_are_refused() -> None:
    """pytorch/torchtitan #3787: swapped in one class and swapped back by its configuration."""
    low, high = yarn_ramp(64, 1e4, original_max_position_embeddings=4096)
    assert low < high
    checks.swapped_betas_are_refused(partial(describe, "yarn"))


# --- parameters


@pytest.mark.parametrize(("distance", "alike"), [(10, 0.87), (100, 0.51), (1000, 0.19)])
def test_theta_is_read_from_either_place(distance: int, alike: float) -> None:
    """vllm-project/vllm #42624, #56066; deepspeedai/DeepSpeed #8345: 1e4 for 5e5 after a key was renamed."""
    checks.theta_is_read_from_either_place(from_rope_parameters)
    drift = np.cos((default_inv_freq(128, 1e4) - default_inv_freq(128, 5e5)) * distance).mean()
    assert drift == pytest.approx(alike, abs=0.006)


@pytest.mark.parametrize(("distance", "alike"), [(1000, 0.963), (8192, 0.769), (60000, 0.539)])
def test_llama_3_is_neither_plain_nor_linear(distance: int, alike: float) -> None:
    """unslothai/unsloth #6907, Blaizzy/mlx-vlm #1710 (dropped); lablup/mlxcel #1688 (read as linear)."""
    speeds = describe("llama3", head_dim=128).inv_freq()
    assert speeds is not None
    checks.llama3_has_three_bands(speeds, distance, alike)


def test_layers_of_gemma_3_differ() -> None:
    """transformers #41922, lablup/mlxcel #1340 (factor 8 in all layers), #48392 (nested taken as flat)."""
    checks.layer_types_are_told_apart(from_rope_parameters)


def test_what_is_built_does_not_change_in_silence() -> None:
    """MakazhanAlpamys/Soup #793: "long context enabled", and nothing changed. A new scheme, or an error."""
    plain = describe("rope", head_dim=64)
    checks.a_late_change_is_no_silence(plain)
    scaled = yarn_inv_freq(64, factor=8.0, original_max_position_embeddings=512)
    assert np.abs(scaled / plain.inv_freq() - 1).max() == pytest.approx(7 / 8)


def test_bases_that_make_no_sense_are_refused() -> None:
    """transformers 5.24.0 takes -5 and 0: frequencies are NaN, and fused attention hides it."""
    checks.bases_without_sense_are_refused(partial(describe, "rope"))


# --- part of a head, odd sizes


def test_a_quarter_of_a_head_turns() -> None:
    """AI-Hypercomputer/maxtext #4616, ml-explore/mlx-lm #1698, vllm-project/vllm #43770: all of it did."""
    checks.a_quarter_turns(partial(make, "rope"))
    sections = describe(
        "mrope-interleaved", head_dim=256, partial_rotary_factor=0.25, mrope_section=[11, 11, 10]
    )
    assert len(sections.inv_freq()) == 32


def test_exponents_run_over_what_turns() -> None:
    """pie-project/pie #603, labscommunity/cascadia #69: over the head, 471 rad apart at position 1000."""
    quarter = describe("rope", head_dim=256, rotary_dim=64).inv_freq()
    checks.exponents_run_over_what_turns(quarter)
    over_the_head = default_inv_freq(256)[:32]
    assert over_the_head[-1] == pytest.approx(0.10746, rel=1e-4)
    assert 1000 * np.abs(quarter - over_the_head).max() == pytest.approx(471.55, abs=0.005)


def test_proportional_is_not_partial() -> None:
    """zml/zml #660, jagmarques/nexusquant #12: full-width exponents, and then hands that stand still."""
    checks.hands_past_the_share_stand_still(describe("proportional", head_dim=8, moving_share=0.5).inv_freq())
    np.testing.assert_allclose(describe("rope", head_dim=8, partial_rotary_factor=0.5).inv_freq(), [1, 0.01])


def test_odd_heads_are_refused_before_they_crash() -> None:
    """transformers #48101, #48524, #35233; lucidrains/rotary-embedding-torch #45: 520 / 8, and 4 * 0.75."""
    checks.odd_heads_are_refused(partial(describe, "rope"))


def test_odd_sinusoids_have_a_sine_more() -> None:
    """codertimo/BERT-pytorch #78, zhouhaoyi/Informer2020 #224: a size error at d_model 5."""
    checks.odd_widths_have_a_sine_more(describe("sinusoidal", d_model=5).table)
