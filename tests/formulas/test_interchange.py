"""Rotation in the shapes of others, against ONNX's own reference and against transformers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import onnx as torch_onnx

import clockhands as ch
from clockhands.errors import ClockhandsError
from clockhands.formulas import angles, doubled, halved, onnx_rotary, rotary, rotate

B, H, T, HD, PLACES = 2, 3, 5, 8, 40
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(B, H, T, HD)).astype(np.float32)
POSITIONS = RANDOM.integers(0, PLACES, (B, T))


def by_onnx(inputs: dict[str, np.ndarray], **attributes: int) -> np.ndarray:
    """The operator as onnx itself computes it: a model of one node, checked, in its reference evaluator."""
    from onnx import TensorProto, checker, helper
    from onnx.reference import ReferenceEvaluator

    kinds = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64}
    infos = [helper.make_tensor_value_info(k, kinds[v.dtype.name], v.shape) for k, v in inputs.items()]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, inputs["x"].shape)
    node = helper.make_node("RotaryEmbedding", list(inputs), ["y"], **attributes)
    graph = helper.make_graph([node], "rotation", infos, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])
    checker.check_model(model)
    return ReferenceEvaluator(model).run(None, inputs)[0]


def as_library(library: str, *arrays: Any) -> list[Any]:
    return [torch.as_tensor(each) if library == "torch" else each for each in arrays]


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("rotary_dim", [0, 4])
@pytest.mark.parametrize("flat", [False, True], ids=["heads", "hidden"])
@pytest.mark.parametrize("indexed", [True, False], ids=["position_ids", "rows"])
def test_is_onnxs_operator(
    library: str, interleaved: bool, rotary_dim: int, flat: bool, indexed: bool
) -> None:
    cos, sin = ch.rotary_caches("rope", PLACES, head_dim=rotary_dim or HD)
    x = X.transpose(0, 2, 1, 3).reshape(B, T, H * HD) if flat else X
    inputs = {"x": x, "cos": cos, "sin": sin, "positions": POSITIONS}
    if not indexed:
        inputs = {"x": x, "cos": cos[POSITIONS], "sin": sin[POSITIONS]}
    attributes = {"interleaved": int(interleaved), "rotary_embedding_dim": rotary_dim}
    attributes |= {"num_heads": H} if flat else {}
    expected = by_onnx(inputs, **attributes)
    made = onnx_rotary(*as_library(library, *inputs.values()), **attributes)
    assert tuple(made.shape) == x.shape
    assert made.dtype == as_library(library, x)[0].dtype
    np.testing.assert_allclose(np.asarray(made), expected, atol=1e-6)


@pytest.mark.parametrize("interleaved", [False, True])
def test_is_what_torch_exports_as_that_operator(interleaved: bool) -> None:
    cos, sin = ch.rotary_caches("rope", PLACES, head_dim=HD)
    given = as_library("torch", X, cos, sin, POSITIONS)
    expected = torch_onnx.ops.rotary_embedding(*given, interleaved=interleaved)
    torch.testing.assert_close(onnx_rotary(*given, interleaved=interleaved), expected)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("interleaved", [False, True])
def test_the_functional_form_turns_as_rotate_does(library: str, interleaved: bool) -> None:
    rope = ch.describe("rope", head_dim=HD, rotary_dim=4)
    cos, sin = ch.rotary_caches(rope, PLACES, "float64")
    angle = angles(POSITIONS, rope.inv_freq())[:, None]
    layout = "interleaved" if interleaved else "half"
    expected = rotate(X, np.cos(angle), np.sin(angle), layout)
    x, cos, sin, ids = as_library(library, X, cos, sin, POSITIONS)
    np.testing.assert_allclose(rotary(x, cos, sin, ids, interleaved=interleaved), expected, atol=1e-6)
    rows = rotary(x, cos[ids][:, None], sin[ids][:, None], interleaved=interleaved)
    np.testing.assert_allclose(rows, expected, atol=1e-6)
    counted = rotary(x, cos[:T], sin[:T], interleaved=interleaved)  # (t, pairs): positions 0, 1, 2, ...
    same = rotary(x, cos, sin, as_library(library, np.arange(T)[None])[0], interleaved=interleaved)
    np.testing.assert_array_equal(counted, same)


def test_the_functional_form_is_one_graph_with_gradients() -> None:
    cos, sin = (torch.as_tensor(each) for each in ch.rotary_caches("rope", PLACES, head_dim=HD))
    x, ids = torch.tensor(X, requires_grad=True), torch.as_tensor(POSITIONS)
    compiled = torch.compile(rotary, backend="eager", fullgraph=True)
    made = compiled(x, cos, sin, ids)
    torch.testing.assert_close(made, rotary(x, cos, sin, ids))
    made.square().sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, 2 * x.detach())  # turning keeps lengths


def test_doubled_caches_are_those_of_transformers() -> None:
    """Llama pairs i with i + pairs; Cohere pairs neighbours. transformers 5.24."""
    from transformers.models.cohere import modeling_cohere
    from transformers.models.llama import modeling_llama

    x = torch.as_tensor(X)
    cos, sin = (
        torch.as_tensor(each)[torch.as_tensor(POSITIONS)]
        for each in ch.rotary_caches("rope", PLACES, head_dim=HD)
    )
    for module, layout in ((modeling_llama, "half"), (modeling_cohere, "interleaved")):
        wide = [doubled(each, layout) for each in (cos, sin)]
        expected = module.apply_rotary_pos_emb(x, x, *wide)[0]
        torch.testing.assert_close(rotate(x, cos[:, None], sin[:, None], layout), expected)
        assert all(torch.equal(halved(two, layout), one) for two, one in zip(wide, (cos, sin), strict=True))


def test_caches_are_those_of_a_yarn_model() -> None:
    """cos and sin of transformers 5.24, which multiplies them by the attention factor."""
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    rope = {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, "original_max_position_embeddings": 64}
    config = LlamaConfig(
        hidden_size=64, num_attention_heads=4, max_position_embeddings=256, rope_parameters=rope
    )
    cos, sin = LlamaRotaryEmbedding(config)(torch.zeros(1), torch.arange(256)[None])
    parameters = {name: value for name, value in rope.items() if name != "rope_type"}
    ours = ch.rotary_caches("yarn", 256, head_dim=16, **parameters)
    np.testing.assert_allclose(doubled(ours[0]), cos[0], atol=3e-5)
    np.testing.assert_allclose(doubled(ours[1]), sin[0], atol=3e-5)


def test_caches_of_ones_own_frequencies_stay_in_their_library() -> None:
    inv_freq = torch.tensor([1.0, 0.1], dtype=torch.float64)
    cos, sin = ch.rotary_caches(inv_freq, 3, "bfloat16")
    assert isinstance(cos, torch.Tensor)
    assert cos.dtype == sin.dtype == torch.bfloat16
    exact = ch.rotary_caches(np.asarray([1.0, 0.1]), 3, "float64")
    np.testing.assert_array_equal(exact[1], np.sin(np.arange(3)[:, None] * np.asarray([1.0, 0.1])))


def test_caches_depend_on_the_length_where_frequencies_do() -> None:
    short, long = (ch.rotary_caches("dynamic-ntk", n, head_dim=8)[0][1] for n in (2048, 8192))
    assert abs(short[-1] - long[-1]) > 1e-9
    np.testing.assert_array_equal(short, ch.rotary_caches("rope", 2, head_dim=8)[0][1])


@pytest.mark.parametrize(
    "id", ["alibi", "sinusoidal", "xpos", "axial-2d", "rope-values", "pope-polar", "fope", "temperature-rope"]
)
def test_what_cos_and_sin_cannot_say_is_refused(id: str) -> None:
    with pytest.raises(ClockhandsError, match=f"{id} with these parameters does not just turn"):
        ch.rotary_caches(id, 8)


def test_bad_input_is_refused() -> None:
    cos, sin = ch.rotary_caches("rope", PLACES, head_dim=HD)
    with pytest.raises(ClockhandsError, match="does not just turn the first dimensions"):
        ch.rotary_caches("rope", 8, head_dim=8, rotary_dim=4, rotary_part="last")
    with pytest.raises(ClockhandsError, match="length is 0"):
        ch.rotary_caches("rope", 0)
    with pytest.raises(ClockhandsError, match="dtype is 'bfloat16'"):
        ch.rotary_caches("rope", 4, "bfloat16")  # numpy has none
    with pytest.raises(ClockhandsError, match="num_heads is 0: give num_heads"):
        onnx_rotary(X[:, 0], cos, sin, POSITIONS)
    with pytest.raises(
        ClockhandsError, match="cos_cache has 4 columns, but 4 dimensions turn in pairs: give 2"
    ):
        onnx_rotary(X, cos, sin, POSITIONS, rotary_embedding_dim=4)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        # Without position ids a cache of rows used to be spread over the batch: two rows came out of one.
        (
            lambda cos, sin: onnx_rotary(X, cos, sin),
            r"cos_cache has shape \(40, 4\), .* must be \(b, t, pairs\)",
        ),
        (lambda cos, sin: onnx_rotary(X, cos[POSITIONS], sin, POSITIONS), r"must be \(positions, pairs\)"),
        (lambda cos, sin: onnx_rotary(X[0, 0], cos, sin, POSITIONS), r"x has shape \(5, 8\), but it must be"),
        (
            lambda cos, sin: onnx_rotary(X[:, 0], cos, sin, POSITIONS, num_heads=3),
            "8 columns, .* not 3 heads",
        ),
        (lambda cos, sin: onnx_rotary(X, cos, sin, POSITIONS, num_heads=-1), "num_heads is -1"),
        (
            lambda cos, sin: onnx_rotary(X, cos, sin, POSITIONS + PLACES),
            "position_ids hold a number outside the 40",
        ),
        (lambda cos, sin: onnx_rotary(X, cos, sin, POSITIONS + 0.5), "position_ids has shape .* float64"),
        (lambda cos, sin: rotary(X, cos, sin, POSITIONS + PLACES), "use 0 to 39"),
        (lambda cos, sin: rotary(X, cos, sin, POSITIONS[0]), "along 2 or more axes"),
        (lambda cos, sin: ch.rotary_caches(cos, 4), r"rotation has shape \(40, 4\)"),
        (lambda cos, sin: ch.rotary_caches(np.arange(4), 4), "type int64, but frequencies are real"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said) as caught:
        call(*ch.rotary_caches("rope", PLACES, head_dim=HD))
    assert "请" in caught.value.text.zh
