"""Public bugs around padding, caches, packing, images, biases, tables and graphs: ours must be right.

Faults of frequencies and rotations are in ``test_known_bugs.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from comparing import Peers
from torch import Tensor

from clockhands import formulas, positions
from clockhands.catalogue import describe
from clockhands.core.attend import attend, enter
from clockhands.core.cache import Cache, LayerCache
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.models.drop_in import Attention
from clockhands.models.transformer import Transformer
from clockhands.positions import Grid
from clockhands.schemes.building import make

SCHEMES = ("learned", "rope", "alibi", "t5")


def close(ours: Tensor, theirs: Tensor, atol: float = 1e-5) -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=atol)


def model(encoding: str, **more: Any) -> Transformer:
    return Transformer(50, dim=24, heads=6, layers=2, encoding=encoding, seed=0, **more).eval()


def one_head(id: str, length: int, cache: LayerCache | None = None, at: int = 0, **given: Any) -> Tensor:
    """What comes out of one head of 8 for the tokens ``at`` … ``at + length - 1`` of one fixed text."""
    text = torch.randn(3, 1, 1, 5000, 8, generator=torch.Generator().manual_seed(3))
    q, k, v = text[..., at : at + length, :]
    _, (placed,) = enter([make(id, head_dim=8, **given)], q[:, 0], torch.arange(at, at + length)[None])
    return attend(placed, q, k, v, cache=cache).output


# --- padding


@pytest.mark.parametrize("encoding", SCHEMES)
def test_left_padding_changes_nothing(encoding: str) -> None:
    """unslothai/unsloth #3699, transformers #21080, #29583, ndif-team/nnsight #673: one vector for all rows.

    And the bias of BLOOM and Falcon, from slots: transformers #17866, PaddlePaddle/PaddleNLP #6495.
    """
    valid = torch.tensor([[False] * 3 + [True] * 3, [True] * 6])
    assert positions.from_mask(valid)[0].tolist() == [0, 0, 0, 0, 1, 2]
    tokens = torch.tensor([[0, 0, 0, 7, 9, 4], [5, 6, 7, 8, 9, 4]])
    decoder = model(encoding)
    padded = decoder(tokens, valid=valid).logits
    close(padded[0, 3:], decoder(tokens[:1, 3:]).logits[0])
    close(padded[1], decoder(tokens[1:]).logits[0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_scores_shift_by_no_more_than_their_rounding(dtype: torch.dtype) -> None:
    """huggingface/transformers #29419, #26137: left and right padding differ a little in float16."""
    scheme, rounding = make("rope", head_dim=64), torch.finfo(dtype).eps
    q, k = torch.randn(2, 1, 1, 1, 64, generator=torch.Generator().manual_seed(2)).to(dtype)
    scores = []
    for shift in (0, 1000, 100_000):
        table = scheme.table(torch.tensor([[shift + 5]])), scheme.table(torch.tensor([[shift]]))
        scores.append((scheme.queries(q, table[0]).double() * scheme.keys(k, table[1]).double()).sum().item())
    size = (q.double().norm() * k.double().norm()).item()
    assert max(scores) - min(scores) < 2 * rounding * size


# --- caches


def test_decoding_goes_on_after_the_prompt() -> None:
    """fla-org/flash-linear-attention #766, onnxruntime-genai #2354, tiny-llm #46: off by one, or by all."""
    assert positions.from_offset(9, 1).tolist() == [9]
    assert positions.following(torch.arange(6)[None], 3).tolist() == [[6, 7, 8]]
    tokens, cache = torch.randint(50, (1, 13)), Cache(2)
    decoder = model("rope")
    whole = decoder(tokens).logits
    parts = [
        decoder(tokens[:, start:stop], cache=cache).logits for start, stop in ((0, 9), (9, 10), (10, 13))
    ]
    close(torch.cat(parts, dim=1), whole)


def test_evicted_tokens_still_count() -> None:
    """rajveer43/VeloxQuant-MLX #389, ggml-org/llama.cpp #3825: the next position is 10, though 6 are kept."""
    slots = positions.kept_slots(10, sinks=2, window=4)
    assert len(slots) == 6
    assert positions.after_eviction(np.arange(10), slots).following.tolist() == [10]
    assert positions.following(np.arange(10)[slots], 1).tolist() == [10]


def test_cached_keys_turn_under_the_new_base() -> None:
    """huggingface/transformers #25104: 2048 tokens and one more, against 2049 at once."""
    sizes, cache = {"factor": 4.0, "max_position_embeddings": 2048}, LayerCache()
    one_head("dynamic-ntk", 2048, cache, **sizes)
    last = one_head("dynamic-ntk", 1, cache, at=2048, **sizes)
    close(last, one_head("dynamic-ntk", 2049, **sizes)[:, :, -1:])


def test_long_factors_begin_with_the_token_after() -> None:
    """transformers #33129, vllm #27414, llama.cpp #8995, onnxruntime-genai #1161: 4096 short, 4097 long."""
    sizes = {"original_max_position_embeddings": 4096, "long_factor": (1.0, 2.0, 4.0, 8.0), "factor": 32.0}
    scheme = describe("longrope", head_dim=8, **sizes)
    assert (scheme.inv_freq_at(4096) == formulas.default_inv_freq(8)).all()
    assert (scheme.inv_freq_at(4097) == formulas.default_inv_freq(8) / sizes["long_factor"]).all()
    assert scheme.magnitude() == pytest.approx(1.190238, abs=5e-7)
    module = make("longrope", head_dim=8, **sizes)
    for last, divisors in ((4095, np.ones(4)), (4096, np.asarray(sizes["long_factor"]))):
        cos, _ = module.table(
            torch.tensor([[0, last]])
        )  # a text of as many tokens as its last position and one
        np.testing.assert_allclose(cos[0, 1], np.cos(last * formulas.default_inv_freq(8) / divisors))
    cache = LayerCache()
    one_head("longrope", 4096, cache, **sizes)
    last = one_head("longrope", 1, cache, at=4096, **sizes)
    close(last, one_head("longrope", 4097, **sizes)[:, :, -1:])


def test_a_decoded_row_is_the_last_of_the_whole_bias() -> None:
    """huggingface/transformers #8518, #4499; NVIDIA/TensorRT-LLM #13870: the bias dropped once a cache is."""
    x, cache = torch.randn(1, 40, 24), LayerCache()
    layer = Attention(24, 6, "t5", causal=True, seed=0)
    layer.encoding.weights.normal_()
    whole = layer.attended(x).weights
    layer(x[:, :-1], cache=cache)
    last = layer.attended(x[:, -1:], cache=cache).weights
    assert whole is not None
    assert last is not None
    close(last, whole[:, :, -1:])


# --- packed documents, ranks


def test_packed_documents_start_anew() -> None:
    """NVIDIA/Megatron-LM #453, hiyouga/LlamaFactory #7318, allenai/OLMo-core #503: they kept counting."""
    assert positions.from_lengths([3, 2]).tolist() == [0, 1, 2, 0, 1]
    documents, tokens = torch.tensor([[0, 0, 0, 1, 1]]), torch.tensor([[3, 4, 5, 6, 7]])
    for encoding in SCHEMES:
        packed = model(encoding)(tokens, documents=documents).logits
        close(packed[:, 3:], model(encoding)(tokens[:, 3:]).logits)


@pytest.mark.parametrize(("ids", "tokens"), [(1024, 1288), (1234, 1240)])
def test_positions_as_many_as_tokens(ids: int, tokens: int) -> None:
    """hiyouga/LlamaFactory #10737, #10783: tokens were padded and positions not."""
    with pytest.raises(ClockhandsError, match="positions have shape"):
        enter([make("rope", head_dim=8)], torch.zeros(1, tokens, 8), torch.arange(ids)[None])


def test_ranks_hold_slices_of_the_whole() -> None:
    """NVIDIA/Megatron-LM #5243, #4075, #1473; TransformerEngine #2077: each rank counted from 0 by itself."""
    assert positions.packed_shard_slots([4, 4], 0, 2).tolist() == [0, 3, 4, 7]
    assert positions.sharded(positions.from_lengths([4, 4]), np.asarray([0, 3, 4, 7])).tolist() == [
        0,
        3,
        0,
        3,
    ]
    assert positions.shard_slots(8, 0, 2).tolist() == [0, 1, 6, 7]
    assert positions.shard_slots(8, 1, 2).tolist() == [2, 3, 4, 5]


# --- images


def test_time_starts_where_the_text_ends() -> None:
    """huggingface/transformers #45381 (15 tokens of text, video at 60), #40136; vllm-project/vllm #16878."""
    made = positions.from_parts([15, Grid(1, 24, 32, merge=2, interval=4.0), 1])
    assert made[15].tolist() == [15, 15, 15]
    assert (made[15:-1, 0] == 15).all()
    assert made[-1].tolist() == [31, 31, 31]
    text = positions.from_parts([7])
    assert (text == np.arange(7)[:, None]).all()
    assert positions.after_parts(made, 1).tolist() == [[32, 32, 32]]  # not the number of tokens
    assert positions.from_parts([3], start=40).tolist() == [[40] * 3, [41] * 3, [42] * 3]


def test_rows_come_before_columns() -> None:
    """pytorch-image-models #2541, pytorch/torchtitan #4244, VisionLLaMA #4: swapped, and squares hide it."""
    grid = positions.from_grid(3, 5)
    assert grid[5].tolist() == [1, 0]
    scheme, x = make("axial-2d", head_dim=8, layout="interleaved"), torch.ones(1, 1, 15, 8)
    _, (placed,) = enter([scheme], torch.zeros(1, 15, 1), torch.tensor(grid)[None])
    moved = (scheme.queries(x, placed.table) != x)[0, 0]
    assert moved[5].tolist() == [True] * 4 + [False] * 4  # a row down: the first half of the head
    assert moved[1].tolist() == [False] * 4 + [True] * 4  # a column to the right: the second


# --- biases


def test_slopes_of_six_heads() -> None:
    """ml-explore/mlx #343, TensorRT-LLM #1611, flash-attention #540, Baichuan2 #225: one plain series."""
    slopes = describe("alibi", num_heads=6).slopes()
    np.testing.assert_allclose(slopes, [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125])


def test_the_first_slope_is_no_one() -> None:
    """paiml/aprender #2143: exponents counted from 0."""
    slopes = describe("alibi", num_heads=8).slopes()
    assert (slopes[0], slopes[-1]) == (0.5, 0.00390625)


def test_an_encoder_looks_both_ways() -> None:
    """ofirpress/attention_with_linear_biases #5, mosaicml/llm-foundry #186: a bias of keys alone."""
    q = torch.zeros(1, 2, 5, 8)
    _, (placed,) = enter([make("alibi", num_heads=2, symmetric=True)], torch.zeros(1, 5, 1))
    weights = attend(placed, q, q, q, visibility=Visibility(causal=False), want_weights=True)
    distance = (torch.arange(5)[:, None] - torch.arange(5)).abs()
    close(weights.weights, (-torch.tensor([0.0625, 0.00390625])[:, None, None] * distance).softmax(-1)[None])


@pytest.mark.parametrize(
    ("key_minus_query", "both", "bucket"),
    [(-128, True, 15), (128, True, 31), (-128, False, 31), (1, True, 17), (1, False, 0)],
)
def test_buckets_are_clamped_and_signed(key_minus_query: int, both: bool, bucket: int) -> None:
    """lucidrains/x-transformers #10, huggingface/candle #1312, #727, ml-explore/mlx-examples #113."""
    assert formulas.t5_bucket(np.asarray([-key_minus_query]), bidirectional=both).tolist() == [bucket]


# --- tables


@pytest.mark.parametrize(("rows", "position"), [(512, 512), (16, 16), (4096, 4096), (4096, 40959)])
def test_past_the_last_row_is_an_error(rows: int, position: int) -> None:
    """transformers #125, #97, facebookresearch/esm #49, fairseq #757; sgl-project/sglang #10788."""
    scheme = make("learned", d_model=8, max_positions=rows)
    enter([scheme], torch.zeros(1, 1, 8), torch.tensor([[rows - 1]]))
    with pytest.raises(ClockhandsError, match=str(position)):
        enter([scheme], torch.zeros(1, 1, 8), torch.tensor([[position]]))


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
    scheme = make(id, head_dim=8)
    before = {name: (part, part._version) for name, part in vars(scheme).items() if isinstance(part, Tensor)}
    before |= {name: (part, part._version) for name, part in scheme.named_buffers()}
    assert before
    for length in (4, 10_000, 4):
        scheme.table(torch.arange(length)[None])
    after = vars(scheme) | dict(scheme.named_buffers())
    for name, (part, version) in before.items():
        assert after[name] is part
        assert part._version == version


def test_three_lengths_make_two_graphs_at_most() -> None:
    """Dao-AILab/quack #150, allenai/OLMo-core #500, pytorch/torchtune #1663: a graph for each length."""
    graphs = 0

    def counting(graph: Any, _: Any) -> Any:
        nonlocal graphs
        graphs += 1
        return graph.forward

    torch.compiler.reset()
    scheme = make("rope", head_dim=8)
    compiled = torch.compile(
        lambda x, ids: scheme.queries(x, scheme.table(ids)), backend=counting, fullgraph=True
    )
    for length in (7, 12, 33):
        x, ids = torch.randn(1, 2, length, 8), torch.arange(length)[None]
        close(compiled(x, ids), scheme.queries(x, scheme.table(ids)))
    assert graphs <= 2


@pytest.mark.parametrize("id", ["rope", "yarn", "longrope", "dynamic-ntk", "xpos", "axial-2d", "mrope"])
def test_checkpoints_hold_no_frequencies(id: str) -> None:
    """EleutherAI/gpt-neox #1168, transformers #24576, neuronx-nemo-megatron #21: ``inv_freq`` is missing."""
    scheme = make(id, head_dim=32)
    assert scheme.state_dict() == {}
    assert scheme.load_state_dict({}).missing_keys == []


def test_one_layer_in_four_has_no_position() -> None:
    """transformers #43756, onnxruntime/mobius #233, Camelid #535: 1 means that RoPE is used."""
    by_layer = Transformer(
        9, dim=8, heads=1, layers=36, encoding={"R": "rope", "N": "nope"}, pattern="RRRN", seed=0
    ).encodings
    without = [layer for layer, encoding in enumerate(by_layer) if encoding.id == "nope"]
    assert without == list(range(3, 36, 4))
