"""Every rope type of transformers 5.24.0: inv_freq and attention factor to 1e-6, by two ways of ours.

The peer calculates in float32; sizes are such that its exponents are exact, so that what is left is rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import Peers

from clockhands.catalogue import describe
from clockhands.formulas import from_rope_parameters

HEAD_DIM, MAX_POSITION = 64, 4096
SHORT = [1.0 + 0.01 * pair for pair in range(32)]
LONG = [1.0 + 0.9 * pair for pair in range(32)]
YARN = {"rope_type": "yarn", "rope_theta": 1e6, "factor": 8.0, "original_max_position_embeddings": 512}
LONGROPE = {
    "rope_type": "longrope", "rope_theta": 1e4, "short_factor": SHORT, "long_factor": LONG,
    "original_max_position_embeddings": 1024,
}  # fmt: skip
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}  # fmt: skip

CASES: dict[str, dict[str, Any]] = {
    "default": {"rope_type": "default", "rope_theta": 5e5},
    "linear": {"rope_type": "linear", "rope_theta": 1e4, "factor": 8.0},
    "linear, half a head": {
        "rope_type": "linear", "rope_theta": 1e4, "factor": 4.0, "partial_rotary_factor": 0.5,
    },
    "dynamic": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 4.0},
    "yarn": YARN,
    "yarn, a quarter of a head": YARN | {"partial_rotary_factor": 0.25},
    "yarn without truncation": YARN | {"truncate": False},
    "yarn, own betas": YARN | {"beta_fast": 20.0, "beta_slow": 2.0},
    "yarn, DeepSeek's pair": YARN | {"mscale": 1.0, "mscale_all_dim": 0.707, "factor": 40.0},
    "yarn, DeepSeek's pair alike": YARN | {"mscale": 1.0, "mscale_all_dim": 1.0, "factor": 40.0},
    "yarn, one of the pair": YARN | {"mscale": 0.707},
    "yarn, attention factor": YARN | {"attention_factor": 1.25, "mscale": 1.0, "mscale_all_dim": 0.707},
    "yarn, attention factor 1": YARN | {"attention_factor": 1.0, "factor": 64.0},
    "yarn, ramp past the pairs": YARN | {"original_max_position_embeddings": 131072, "rope_theta": 1e4},
    "longrope": LONGROPE,
    "longrope, factor": LONGROPE | {"factor": 32.0},
    "longrope, attention factor": LONGROPE | {"attention_factor": 1.5},
    "llama3": LLAMA3,
    "llama3, 32 times": LLAMA3 | {"factor": 32.0},
    "llama3, half a head": LLAMA3 | {"partial_rotary_factor": 0.5},
    "proportional": {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
    "proportional, factor": {
        "rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25, "factor": 8.0,
    },
}  # fmt: skip
LENGTHS = {"dynamic": (None, 1000, 4096, 4097, 8192, 20000), "longrope": (None, 100, 1024, 1025, 4096)}
CELLS = [
    pytest.param(parameters, length, id=f"{name}, {length} tokens" if length else name)
    for name, parameters in CASES.items()
    for length in LENGTHS.get(parameters["rope_type"], (None,))
]

IDS = {
    "default": "rope", "linear": "rope-linear", "dynamic": "dynamic-ntk", "yarn": "yarn",
    "longrope": "longrope", "llama3": "llama3", "proportional": "proportional",
}  # fmt: skip


def llama(peers: Peers, **fields: Any) -> Any:
    sizes = {"hidden_size": 2 * HEAD_DIM, "num_attention_heads": 2, "max_position_embeddings": MAX_POSITION}
    return peers.config("llama", "LlamaConfig", **sizes, **fields)


def theirs(peers: Peers, config: Any, kind: str, length: int | None = None, layer: str | None = None) -> Any:
    if kind == "default":
        return peers.hf("llama").LlamaRotaryEmbedding.compute_default_rope_parameters(config)
    named = {} if layer is None else {"layer_type": layer}
    return peers.rope.ROPE_INIT_FUNCTIONS[kind](config, None, seq_len=length, **named)


def ours(parameters: dict[str, Any], length: int | None = None, **more: Any) -> tuple[Any, float]:
    sizes = {"head_dim": HEAD_DIM, "max_position_embeddings": MAX_POSITION, "seq_len": length}
    return from_rope_parameters(parameters, **sizes, **more)


def alike(made: tuple[Any, float], wanted: tuple[Any, float]) -> None:
    assert made[0].dtype == np.float64
    np.testing.assert_allclose(made[0], wanted[0].numpy(), rtol=1e-6)
    assert made[1] == pytest.approx(wanted[1], rel=1e-6)


@pytest.mark.parametrize(("parameters", "length"), CELLS)
def test_flat_parameters(peers: Peers, parameters: dict[str, Any], length: int | None) -> None:
    config = llama(peers, rope_parameters=dict(parameters))
    alike(ours(parameters, length), theirs(peers, config, parameters["rope_type"], length))


@pytest.mark.parametrize(("parameters", "length"), CELLS)
def test_old_rope_scaling(peers: Peers, parameters: dict[str, Any], length: int | None) -> None:
    """Before version 5: ``rope_theta`` beside a dictionary that says ``type`` and not ``rope_type``."""
    old = {"type": parameters["rope_type"], **parameters}
    del old["rope_type"]
    theta = old.pop("rope_theta")
    config = llama(peers, rope_scaling=dict(old), rope_theta=theta)
    made = ours(old, length, rope_theta=theta)
    alike(made, theirs(peers, config, parameters["rope_type"], length))


@pytest.mark.parametrize(("parameters", "length"), CELLS)
def test_nested_parameters(peers: Peers, parameters: dict[str, Any], length: int | None) -> None:
    """Gemma 3: one dictionary for each kind of layer, each with its own type and base."""
    if parameters.get("truncate") is False:
        parameters = {**parameters, "truncate": True}  # the peer's fault, pinned below
    nested = {"sliding_attention": {"rope_type": "default", "rope_theta": 1e4}, "full_attention": parameters}
    config = peers.config(
        "gemma3", "Gemma3TextConfig", head_dim=HEAD_DIM, max_position_embeddings=MAX_POSITION,
        num_hidden_layers=2, layer_types=list(nested),
        rope_parameters={layer: dict(each) for layer, each in nested.items()},
    )  # fmt: skip
    default = peers.hf("gemma3").Gemma3RotaryEmbedding.compute_default_rope_parameters
    for layer, each in nested.items():
        kind = each["rope_type"]
        if kind == "default":
            wanted = default(config, layer_type=layer)
        else:
            wanted = theirs(peers, config, kind, length, layer)
        alike(ours(nested, length, layer_type=layer), wanted)


@pytest.mark.parametrize(("parameters", "length"), CELLS)
def test_descriptions_of_the_catalogue(peers: Peers, parameters: dict[str, Any], length: int | None) -> None:
    kind = parameters["rope_type"]
    given = {name: value for name, value in parameters.items() if name != "rope_type"} | {
        "head_dim": HEAD_DIM
    }
    factor = 1.0
    if kind == "dynamic":
        given["max_position_embeddings"] = MAX_POSITION
    if kind == "longrope":
        given.setdefault("factor", MAX_POSITION / given["original_max_position_embeddings"])
    if kind == "proportional":
        given["moving_share"], factor = given.pop("partial_rotary_factor"), given.pop("factor", 1.0)
    scheme = describe(IDS[kind], **given)
    made = scheme.inv_freq() if kind not in LENGTHS else scheme.inv_freq_at(length or 1)
    config = llama(peers, rope_parameters=dict(parameters))
    alike((made / factor, scheme.magnitude()), theirs(peers, config, kind, length))


@pytest.mark.parametrize(("head_dim", "share"), [(96, 0.25), (128, 0.5), (80, 1.0), (256, 0.25)])
def test_part_of_a_head_by_default(peers: Peers, head_dim: int, share: float) -> None:
    """GPT-NeoX: exponents over the turned part. For 24 and 80 the peer's exponents round."""
    parameters = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": share}
    sizes = {"hidden_size": 2 * head_dim, "num_attention_heads": 2}
    config = peers.config("gpt_neox", "GPTNeoXConfig", **sizes, rope_parameters=dict(parameters))
    wanted = peers.hf("gpt_neox").GPTNeoXRotaryEmbedding.compute_default_rope_parameters(config)
    alike(from_rope_parameters(parameters, head_dim=head_dim), wanted)
    alike((describe("rope", head_dim=head_dim, partial_rotary_factor=share).inv_freq(), 1.0), wanted)


@pytest.mark.parametrize("length", [4096, 4097])
def test_trained_length_beside_the_dictionary(peers: Peers, length: int) -> None:
    """Phi-3's files: the trained length stands outside; the factor follows from both lengths."""
    old = {"type": "longrope", "short_factor": SHORT, "long_factor": LONG}
    lengths = {"max_position_embeddings": 131072, "original_max_position_embeddings": 4096}
    sizes = {"hidden_size": 2 * HEAD_DIM, "num_attention_heads": 2}
    config = peers.config("phi3", "Phi3Config", **sizes, **lengths, rope_scaling=dict(old), rope_theta=1e4)
    for name in ("longrope", "su"):  # the older spelling, which the peer itself now refuses
        given = {**old, "type": name}
        made = from_rope_parameters(given, head_dim=HEAD_DIM, rope_theta=1e4, seq_len=length, **lengths)
        alike(made, theirs(peers, config, "longrope", length))
        assert made[1] == pytest.approx(1.190238, abs=5e-7)


def test_axial(peers: Peers) -> None:
    """Qwen2-VL's image tower: each of two axes has the hands of half a head."""
    sizes = {"embed_dim": 2 * HEAD_DIM, "num_heads": 2, "hidden_size": 2 * HEAD_DIM}
    config = peers.config("qwen2_vl", "Qwen2VLVisionConfig", **sizes, num_attention_heads=2)
    parameters = config.rope_parameters
    assert parameters == {"rope_type": "axial", "rope_theta": 10000.0}
    wanted = peers.hf("qwen2_vl").Qwen2VLVisionRotaryEmbedding.compute_axial_rope_parameters(config)
    alike(ours(parameters), wanted)
    scheme = describe("axial-2d", head_dim=HEAD_DIM, rope_theta=parameters["rope_theta"])
    for axis in (0, 1):
        hands = scheme.inv_freq()[np.asarray(scheme.pair_axes) == axis]
        alike((hands, scheme.magnitude()), wanted)


def test_axial_has_another_meaning_in_pixtral(peers: Peers) -> None:
    """One name, two schedules: Pixtral deals the hands of a whole head out to rows and columns."""
    sizes = {"hidden_size": 2 * HEAD_DIM, "num_attention_heads": 2}
    config = peers.config("pixtral", "PixtralVisionConfig", **sizes)
    wanted, _ = peers.hf("pixtral").PixtralVisionRotaryEmbedding.compute_axial_rope_parameters(config)
    scheme = describe("axial-2d", head_dim=HEAD_DIM, rope_theta=1e4, spacing="alternate")
    np.testing.assert_allclose(scheme.inv_freq(), wanted.numpy(), rtol=1e-6)
    assert len(from_rope_parameters({"rope_type": "axial"}, head_dim=HEAD_DIM)[0]) == len(wanted) // 2


def test_yarn_truncate_in_a_nested_dictionary(peers: Peers) -> None:
    """The peer reads ``truncate`` from the outer dictionary, where it never is: it always truncates.

    The validator of the same library was mended in huggingface/transformers #45887, the formula was not.
    """
    given = {
        "rope_type": "yarn", "rope_theta": 1e4, "factor": 8.0, "original_max_position_embeddings": 512,
        "truncate": False,
    }  # fmt: skip
    config = peers.config(
        "gemma3", "Gemma3TextConfig", head_dim=HEAD_DIM, max_position_embeddings=MAX_POSITION,
        num_hidden_layers=1, layer_types=["full_attention"], rope_parameters={"full_attention": dict(given)},
    )  # fmt: skip
    wrong, _ = theirs(peers, config, "yarn", layer="full_attention")
    truncated, _ = ours(given | {"truncate": True})
    right, _ = ours({"full_attention": given}, layer_type="full_attention")
    np.testing.assert_allclose(wrong.numpy(), truncated, rtol=1e-6)
    assert np.abs(right / wrong.numpy() - 1).max() == pytest.approx(0.241, abs=0.001)
    flat = llama(peers, rope_parameters=dict(given))
    alike((right, ours(given)[1]), theirs(peers, flat, "yarn"))
