"""Public bugs around padding, caches, packing, images, biases, tables and graphs: ours must be right.

Faults of frequencies and rotations are in ``test_known_bugs.py``.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
import use_checks as checks
from comparing import Peers

from clockhands import formulas, positions
from clockhands.catalogue import describe
from clockhands.core.attend import enter
from clockhands.errors import ClockhandsError
from clockhands.models.drop_in import Attention
from clockhands.models.transformer import Transformer
from clockhands.schemes.building import make

SCHEMES = ("learned", "rope", "alibi", "t5")


def decoding(encoding: str) -> checks.Decode:
    made = checks.decoder(encoding)
    return lambda tokens, **marks: made(tokens, **marks).logits


# --- padding


@pytest.mark.parametrize("encoding", SCHEMES)
def test_left_padding_changes_nothing(encoding: str) -> None:
    """unslothai/unsloth #3699, transformers #21080, #29583, ndif-team/nnsight #673: one vector for all rows.

    And the bias of BLOOM and Falcon, from slots: transformers #17866, PaddlePaddle/PaddleNLP #6495.
    """
    checks.mask_makes_positions(positions.from_mask)
    checks.left_padding_changes_nothing(decoding(encoding))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_scores_shift_by_no_more_than_their_rounding(dtype: torch.dtype) -> None:
    """huggingface/transformers #29419, #26137: left and right padding differ a little in float16."""
    checks.scores_shift_by_their_rounding(make("rope", head_dim=64), dtype)


# --- caches


def test_decoding_goes_on_after_the_prompt() -> None:
    """fla-org/flash-linear-attention #766, onnxruntime-genai #2354, tiny-llm #46: off by one, or by all."""
    assert positions.from_offset(9, 1).tolist() == [9]
    checks.positions_go_on_after_the_prompt(positions.following)
    checks.decoding_equals_the_whole(decoding("rope"))


def test_evicted_tokens_still_count() -> None:
    """rajveer43/VeloxQuant-MLX #389, ggml-org/llama.cpp #3825: the next position is 10, though 6 are kept."""
    assert positions.kept_slots(10, sinks=2, window=4).tolist() == [0, 1, 6, 7, 8, 9]
    checks.evicted_tokens_still_count(lambda line, kept: positions.after_eviction(line, kept).following)
    checks.evicted_tokens_still_count(lambda line, kept: positions.following(line[kept], 1))


def test_cached_keys_turn_under_the_new_base() -> None:
    """huggingface/transformers #25104: 2048 tokens and one more, against 2049 at once."""
    sizes = {"head_dim": 8, "factor": 4.0, "max_position_embeddings": 2048}
    checks.keys_turn_with_the_length(partial(make, "dynamic-ntk", **sizes), 2048)


def test_long_factors_begin_with_the_token_after() -> None:
    """transformers #33129, vllm #27414, llama.cpp #8995, onnxruntime-genai #1161: 4096 short, 4097 long."""
    sizes = {"original_max_position_embeddings": 4096, "long_factor": (1.0, 2.0, 4.0, 8.0), "factor": 32.0}
    scheme = describe("longrope", head_dim=8, **sizes)
    checks.long_factors_begin_with_the_token_after(scheme.inv_freq_at)
    assert scheme.magnitude() == pytest.approx(1.190238, abs=5e-7)
    module = make("longrope", head_dim=8, **sizes)
    for last, divisors in ((4095, np.ones(4)), (4096, np.asarray(sizes["long_factor"]))):
        cos, _ = module.table(
            torch.tensor([[0, last]])
        )  # a text of as many tokens as its last position and one
        np.testing.assert_allclose(cos[0, 1], np.cos(last * formulas.default_inv_freq(8) / divisors))
    checks.keys_turn_with_the_length(partial(make, "longrope", head_dim=8, **sizes), 4096)


def test_a_decoded_row_is_the_last_of_the_whole_bias() -> None:
    """huggingface/transformers #8518, #4499; NVIDIA/TensorRT-LLM #13870: the bias dropped once a cache is."""
    layer = Attention(24, 6, "t5", causal=True, seed=0)
    layer.encoding.weights.normal_()
    checks.decoded_bias_is_the_last_row(layer)


# --- packed documents, ranks


def test_packed_documents_start_anew() -> None:
    """NVIDIA/Megatron-LM #453, hiyouga/LlamaFactory #7318, allenai/OLMo-core #503: they kept counting."""
    checks.lengths_make_positions(positions.from_lengths)
    for encoding in SCHEMES:
        checks.packed_documents_start_anew(decoding(encoding))


@pytest.mark.parametrize(("ids", "tokens"), [(1024, 1288), (1234, 1240)])
def test_positions_as_many_as_tokens(ids: int, tokens: int) -> None:
    """hiyouga/LlamaFactory #10737, #10783: tokens were padded and positions not."""
    checks.positions_are_as_many_as_tokens(partial(enter, [make("rope", head_dim=8)]), ids, tokens)


def test_ranks_hold_slices_of_the_whole() -> None:
    """NVIDIA/Megatron-LM #5243, #4075, #1473; TransformerEngine #2077: each rank counted from 0 by itself."""
    checks.ranks_hold_slices(positions.shard_slots, positions.packed_shard_slots)
    shard = positions.sharded(positions.from_lengths([4, 4]), np.asarray([0, 3, 4, 7]))
    assert shard.tolist() == [0, 3, 0, 3]


# --- images


def test_time_starts_where_the_text_ends() -> None:
    """huggingface/transformers #45381 (15 tokens of text, video at 60), #40136; vllm-project/vllm #16878."""
    checks.time_starts_where_the_text_ends(positions.from_parts)
    checks.next_text_follows_the_largest(positions.after_parts)


def test_rows_come_before_columns() -> None:
    """pytorch-image-models #2541, pytorch/torchtitan #4244, VisionLLaMA #4: swapped, and squares hide it."""
    scheme = make("axial-2d", head_dim=8, layout="interleaved")
    checks.rows_come_before_columns(positions.from_grid, scheme)


# --- biases


def test_slopes_of_six_heads() -> None:
    """ml-explore/mlx #343, TensorRT-LLM #1611, flash-attention #540, Baichuan2 #225: one plain series."""
    checks.slopes_of_six_heads(lambda heads: describe("alibi", num_heads=heads).slopes())


def test_the_first_slope_is_no_one() -> None:
    """paiml/aprender #2143: exponents counted from 0."""
    checks.first_slope_is_no_one(lambda heads: describe("alibi", num_heads=heads).slopes())


def test_an_encoder_looks_both_ways() -> None:
    """ofirpress/attention_with_linear_biases #5, mosaicml/llm-foundry #186: a bias of keys alone."""
    checks.encoders_look_both_ways(make("alibi", num_heads=2, symmetric=True))


@pytest.mark.parametrize(
    ("key_minus_query", "both", "bucket"),
    [(-128, True, 15), (128, True, 31), (-128, False, 31), (1, True, 17), (1, False, 0)],
)
def test_buckets_are_clamped_and_signed(key_minus_query: int, both: bool, bucket: int) -> None:
    """lucidrains/x-transformers #10, huggingface/candle #1312, #727, ml-explore/mlx-examples #113."""
    checks.bucket_is(formulas.t5_bucket, key_minus_query, both, bucket)


# --- tables


@pytest.mark.parametrize(("rows", "position"), [(512, 512), (16, 16), (4096, 4096), (4096, 40959)])
def test_past_the_last_row_is_an_error(rows: int, position: int) -> None:
    """transformers #125, #97, facebookresearch/esm #49, fairseq #757; sgl-project/sglang #10788."""
    checks.past_the_last_row_is_an_error(make("learned", d_model=8, max_positions=rows), rows, position)


def test_an_offset_counts_towards_the_last_row(peers: Peers) -> None:
    """x-transformers 2.31.10 checks the length and forgets the offset: an IndexError from inside torch."""
    with pytest.raises(IndexError):
        peers.x.AbsolutePositionalEmbedding(8, 8)(torch.zeros(1, 4, 8), offset=6)
    with pytest.raises(ClockhandsError, match="position"):
        enter([make("learned", d_model=8, max_positions=8)], torch.zeros(1, 4, 8), torch.arange(6, 10)[None])


# --- modules, graphs, checkpoints


@pytest.mark.parametrize("id", ["dynamic-ntk", "longrope", "rope"])
def test_nothing_is_written_in_a_forward(id: str) -> None:
    """vllm-project/vllm #33800, #22453; Fast-dLLM #51; foundation-model-stack #64: graphs lose it."""
    checks.forward_writes_nothing(make(id, head_dim=8))


def test_three_lengths_make_two_graphs_at_most() -> None:
    """Dao-AILab/quack #150, allenai/OLMo-core #500, pytorch/torchtune #1663: a graph for each length."""
    checks.lengths_share_a_graph(make("rope", head_dim=8))


@pytest.mark.parametrize("id", ["rope", "yarn", "longrope", "dynamic-ntk", "xpos", "axial-2d", "mrope"])
def test_checkpoints_hold_no_frequencies(id: str) -> None:
    """EleutherAI/gpt-neox #1168, transformers #24576, neuronx-nemo-megatron #21: ``inv_freq`` is missing."""
    checks.checkpoints_hold_no_frequencies(make(id, head_dim=32))


def test_one_layer_in_four_has_no_position() -> None:
    """transformers #43756, onnxruntime/mobius #233, Camelid #535: 1 means that RoPE is used."""
    patterned = Transformer(
        9, dim=8, heads=1, layers=36, encoding={"R": "rope", "N": "nope"}, pattern="RRRN", seed=0
    )
    checks.every_fourth_layer_has_no_position(encoding.id for encoding in patterned.encodings)
