"""GGUF files in the normal form."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gguf_files import LLAMA, codes, gguf, only

from clockhands.check.compare import differences
from clockhands.check.read.config import read_config
from clockhands.check.read.gguf import read_gguf
from clockhands.check.read.gguf_published import as_published, comparable
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError
from clockhands.formulas.frequencies import from_rope_parameters

LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
}  # fmt: skip


def kinds_of(subject: Subject) -> dict[str, tuple[int, ...]]:
    """Layers by what they do."""
    return {f"{form.family} {form.window}": form.layers for form in subject.declared}


def test_a_llama(read) -> None:
    subject = read("llama", {})
    form = only(subject)
    assert (form.layers, form.family, form.layout) == ((0, 1), "rope", "interleaved")
    assert (form.head_dim, form.rotary_dim, form.rotary_dims, form.rope_theta) == (24, 24, "whole", 500000.0)
    assert (form.rope_type, form.attention_factor) == ("default", 1.0)
    assert form.inv_freq == pytest.approx(500000.0 ** (-np.arange(12) / 12))
    assert form.score_scale == pytest.approx(24**-0.5)
    assert (subject.context.trained, subject.context.promised) == (8192, 8192)
    assert (subject.kind, subject.dialect, subject.found) == ("gguf", "gguf", ())
    assert subject.key("rope_theta") == "llama.rope.freq_base"


@pytest.mark.parametrize("freqs", ["rope_freqs.weight", "blk.0.rope_freqs.weight"])
def test_divisors_of_llama_3_1_are_known_for_what_they_are(read, freqs: str) -> None:
    theirs, _ = from_rope_parameters(LLAMA3, head_dim=24)
    plain = 500000.0 ** (-np.arange(12) / 12)
    form = only(read("llama", {"context_length": 131072}, {freqs: plain / theirs}))
    assert form.rope_type == "llama3"
    assert {"rope_type": form.rope_type, "rope_theta": form.rope_theta, **form.scaling} == LLAMA3
    assert form.inv_freq == pytest.approx(theirs, rel=1e-6)
    assert read("llama", {"context_length": 131072}, {freqs: plain / theirs}).context.trained == 8192


def test_yarn_of_qwen(read) -> None:
    values = {
        "rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "context_length": 131072,
        "rope.scaling.original_context_length": 32768, "rope.freq_base": 1000000.0,
    }  # fmt: skip
    told = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768, "rope_theta": 1e6}
    theirs, amplitude = from_rope_parameters(told, head_dim=24)
    subject = read("qwen2", values)
    form = only(subject)
    assert (form.layout, form.rope_type) == ("half", "yarn")
    assert form.inv_freq == pytest.approx(theirs)
    assert form.attention_factor == pytest.approx(amplitude)
    assert (subject.context.trained, subject.context.promised) == (32768, 131072)
    twice = read("qwen2", {**values, "rope.scaling.attn_factor": float(amplitude)})
    assert codes(twice) == [("CH207", "warning")]
    assert only(twice).attention_factor == pytest.approx(amplitude**2)


def test_longrope_of_phi_3(read) -> None:
    short, long = np.linspace(1, 2, 12), np.linspace(1, 60, 12)
    tensors = {"rope_factors_short.weight": short, "rope_factors_long.weight": long}
    values = {"context_length": 131072, "rope.scaling.original_context_length": 4096,
              "rope.scaling.attn_factor": 1.190238, "rope.freq_base": 10000.0}  # fmt: skip
    form = only(read("phi3", values, tensors))
    assert (form.rope_type, form.scaling["factor"]) == ("longrope", 32.0)
    assert form.inv_freq == pytest.approx(10000.0 ** (-np.arange(12) / 12) / short, rel=1e-6)
    assert form.attention_factor == pytest.approx(1.190238)


def test_linear_in_the_old_key(read) -> None:
    form = only(read("llama", {"rope.scale_linear": 4.0}))
    assert (form.rope_type, form.scaling, form.inv_freq[0]) == ("linear", {"factor": 4.0}, 0.25)


def test_gemma_3_scales_its_full_layers_only(read) -> None:
    values = {"block_count": 12, "attention.sliding_window": 1024, "attention.key_length": 24,
              "rope.freq_base": 1e6, "rope.scaling.type": "linear", "rope.scaling.factor": 8.0}  # fmt: skip
    near, far = read("gemma3", values).declared
    assert (near.layers, near.window, near.rope_theta, near.rope_type) == (
        (0, 1, 2, 3, 4, 6, 7, 8, 9, 10), 1024, 10000.0, "default",
    )  # fmt: skip
    assert (far.layers, far.window, far.rope_theta, far.rope_type) == ((5, 11), None, 1e6, "linear")
    assert (near.inv_freq[0], far.inv_freq[0]) == (1.0, 0.125)


PATTERNS = {
    "cohere2": ({"attention.sliding_window": 16}, {"rope 16": (0, 1, 2, 4, 5, 6), "none None": (3, 7)}),
    "llama4": ({}, {"rope 8192": (0, 1, 2, 4, 5, 6), "none None": (3, 7)}),
    "smollm3": ({}, {"rope None": (0, 1, 2, 4, 5, 6), "none None": (3, 7)}),
    "smallthinker": (
        {"attention.sliding_window": 16},
        {"none None": (0, 4), "rope 4096": (1, 2, 3, 5, 6, 7)},
    ),
    "gemma2": ({}, {"rope 4096": (0, 2, 4, 6), "rope None": (1, 3, 5, 7)}),
    "gpt-oss": ({"attention.sliding_window": 128}, {"rope 128": (0, 2, 4, 6), "rope None": (1, 3, 5, 7)}),
    "modern-bert": ({"attention.sliding_window": 128}, {"rope None": (0, 3, 6), "rope 129": (1, 2, 4, 5, 7)}),
    "gemma3": ({}, {"rope None": tuple(range(8))}),
    "exaone4": ({}, {"rope None": tuple(range(8))}),
    "mimo2": (
        {"attention.sliding_window": 128, "attention.sliding_window_pattern": [False, *[True] * 7]},
        {"rope None": (0,), "rope 128": tuple(range(1, 8))},
    ),
    "granitehybrid": (
        {"attention.head_count_kv": [0, 0, 0, 2] * 2},
        {"none None": (0, 1, 2, 4, 5, 6), "rope None": (3, 7)},
    ),
    "granite": ({"rope.scaling.finetuned": False}, {"none None": tuple(range(8))}),
    "qwen3next": ({}, {"none None": (0, 1, 2, 4, 5, 6), "rope None": (3, 7)}),
    "mamba": ({}, {"none None": tuple(range(8))}),
    "afmoe": ({}, {"rope None": (0, 1, 2, 4, 5, 6), "none None": (3, 7)}),
    "lfm2": (
        {"attention.sliding_window": 16, "attention.head_count_kv": [0, 2] * 4},
        {"none None": (0, 2, 4, 6), "rope 16": (1, 3, 5, 7)},
    ),
    "cohere2moe": (
        {"attention.sliding_window": 16, "leading_dense_block_count": 1},
        {"rope None": (0,), "rope 16": (1, 2, 3, 5, 6, 7), "none None": (4,)},
    ),
    "mellum": ({"attention.sliding_window": 16}, {"rope 16": (0, 1, 2, 4, 5, 6), "rope None": (3, 7)}),
    "jamba": ({"attention.head_count_kv": [0, 2] * 4}, {"none None": (1, 3, 5, 7)}),
}


@pytest.mark.parametrize("arch", PATTERNS)
def test_patterns_that_the_format_does_not_say(read, arch: str) -> None:
    values, expected = PATTERNS[arch]
    assert kinds_of(read(arch, {"block_count": 8, **values})) == expected


def test_recurrences_are_told_from_attention_without_positions(read) -> None:
    forms = read("jamba", {"block_count": 4, "attention.head_count_kv": [0, 2, 0, 2]}).declared
    assert [(form.layers, form.mixer) for form in forms] == [((0, 2), "other"), ((1, 3), "attention")]


def test_alibi_and_tables(read) -> None:
    slopes = only(read("bloom", {"attention.head_count": 6})).slopes
    assert slopes == pytest.approx((0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125))  # B62
    tensors = {"position_embd.weight": np.ones((8192, 4))}
    table, bias = read("mpt", {"attention.max_alibi_bias": 16.0}, tensors).declared
    assert (table.family, table.rows, bias.family) == ("learned", 8192, "alibi")
    assert bias.slopes == pytest.approx([4.0 ** -(h + 1) for h in range(8)])  # twice the exponent
    assert only(read("baichuan", {"block_count": 40})).family == "alibi"
    assert only(read("baichuan", {"block_count": 32})).family == "rope"
    short = read("gpt2", {}, {"position_embd.weight": np.ones((4096, 4))})
    assert (only(short).family, only(short).rows, codes(short)) == ("learned", 4096, [("CH204", "error")])


def test_t5_has_two_stacks(read) -> None:
    values = {"attention.relative_buckets_count": 32, "decoder_block_count": 3, "attention.key_length": 64}
    encoder, decoder = read("t5", values).declared
    assert (encoder.stack, encoder.layers, encoder.bidirectional) == ("encoder", (0, 1), True)
    assert (decoder.stack, decoder.layers, decoder.bidirectional) == ("decoder", (0, 1, 2), False)
    assert (encoder.num_buckets, encoder.max_distance, encoder.score_scale) == (32, 128, 1.0)


def test_sections_of_images(read) -> None:
    form = only(read("qwen2vl", {"rope.dimension_sections": [4, 4, 4, 0]}))
    assert (form.mrope_section, form.mrope_interleaved, form.layout) == ((4, 4, 4), False, "half")
    form = only(read("qwen3vl", {"rope.dimension_sections": [4, 4, 4, 0]}))
    assert form.mrope_interleaved is True
    assert codes(read("qwen2vl", {"rope.dimension_sections": [4, 4, 5, 0]})) == [("CH203", "error")]
    assert only(read("glm4", {})).layout == "interleaved"
    assert only(read("glm4", {"rope.dimension_sections": [4, 4, 4, 0]})).layout == "half"


def test_deepseek_turns_the_end_of_a_head_and_sharpens_the_scores(read) -> None:
    values = {"attention.key_length": 576, "attention.key_length_mla": 192, "rope.dimension_count": 64,
              "attention.kv_lora_rank": 512, "rope.scaling.type": "yarn", "rope.scaling.factor": 40.0,
              "rope.scaling.original_context_length": 4096,
              "rope.scaling.yarn_log_multiplier": 0.0707}  # fmt: skip
    form = only(read("deepseek2", values))
    assert (form.head_dim, form.rotary_dim, form.rotary_dims) == (192, 64, "suffix")
    assert form.attention_factor == 1.0
    assert form.score_scale == pytest.approx(1.589626 * 192**-0.5)  # B23: factor 40, 0.707


def test_gemma_4_stops_hands_by_huge_divisors(read) -> None:
    values = {"attention.sliding_window": 16, "attention.sliding_window_pattern": [True, False],
              "attention.key_length_swa": 64, "rope.dimension_count_swa": 64}  # fmt: skip
    near, far = read("gemma4", values, {"rope_freqs.weight": np.r_[np.ones(3), np.full(9, 1e30)]}).declared
    assert (near.head_dim, near.rotary_dim, near.rope_type) == (64, 64, "default")
    assert (far.head_dim, far.rope_type, far.scaling["partial_rotary_factor"]) == (24, "proportional", 0.25)
    assert far.inv_freq[3:] == (0.0,) * 9


BAD = {
    "rope.freq_base": (0.0, "a finite number above 0"),
    "rope.dimension_count": (23, "even"),
    "attention.head_count": (0, "a whole number from 1"),
    "block_count": (4294967295, "a whole number from 1 to 512"),
    "rope.scaling.type": ("dynamic", "none, linear, yarn or longrope"),
    "rope.scaling.factor": (-1.0, "a finite number above 0"),
    "context_length": ("long", "a whole number"),
    "attention.head_count_kv": ([2], "a list of 2"),
    "attention.head_count_kv ": ([2, -1], "a list of 2"),
    "attention.head_count_kv  ": (2.5, "a whole number"),
}


@pytest.mark.parametrize("key", BAD)
def test_values_that_cannot_be(read, key: str) -> None:
    value, rule = BAD[key]
    key = key.strip()
    found = [each for each in read("llama", {key: value}).found if each.code == "CH203"]
    assert [each.keys for each in found] == [(f"llama.{key}",)]
    assert rule in found[0].message.en


EXTREME = [5e-324, 1e-38, 3.3e38, 1e308, math.nan, math.inf, 0.9999999]
EXTREME_KEYS = ["freq_base", "scaling.factor", "scaling.attn_factor", "scaling.yarn_log_multiplier",
                "scaling.yarn_beta_fast", "scaling.yarn_beta_slow"]  # fmt: skip


@pytest.mark.parametrize("key", EXTREME_KEYS)
def test_extreme_values_end_in_numbers_or_in_none(read, key: str) -> None:
    yarn = {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0}
    for extreme in EXTREME:
        double = struct.pack("<Id", 12, extreme)
        for arch in ("llama", "deepseek2", "mistral3"):
            subject = read(arch, {**yarn, f"rope.{key}": double})
            json.dumps([form.as_record() for form in subject.declared], allow_nan=False)
            unread = [[("CH205", "warning")]] if "beta" in key and arch != "mistral3" else []
            assert codes(subject) in ([], [("CH203", "error")], *unread)


def test_llama_cpp_loads_no_llama_that_turns_in_part(read) -> None:
    assert codes(read("llama", {"rope.dimension_count": 12})) == [("CH203", "error")]
    partial = read("phi2", {"rope.dimension_count": 12})
    assert (only(partial).rotary_dim, only(partial).rotary_dims, partial.found) == (12, "prefix", ())


def test_divisors_that_do_not_fit(read) -> None:
    for array in (np.ones(11), np.zeros(12), np.full(12, np.nan)):
        assert codes(read("llama", {}, {"rope_freqs.weight": array})) == [("CH204", "error")]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", [0, 1, 30])
def test_numbers_in_any_type_and_order(tmp_path: Path, order: str, kind: int) -> None:
    divisors = np.r_[np.ones(6), np.full(6, 1.5)]
    single = divisors.astype(order + "f4")
    upper = (divisors.astype("f4").view("u4") >> 16).astype(order + "u2")  # bfloat16
    raw = {0: single, 1: divisors.astype(order + "f2"), 30: upper}[kind].tobytes()
    file = gguf(LLAMA, info={"rope_freqs.weight": ((12,), kind, 0)}, data=raw, order=order)
    (tmp_path / "model.gguf").write_bytes(file)
    form = only(read_gguf(tmp_path / "model.gguf"))
    assert form.inv_freq == pytest.approx(500000.0 ** (-np.arange(12) / 12) / divisors)


def test_unknown_architectures_have_no_layout(read) -> None:
    subject = read("tomorrow", {})
    assert (only(subject).layout, only(subject).rope_theta) == (None, 500000.0)
    assert codes(subject) == [("CH201", "warning")]


def test_a_file_without_architecture(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf({"general.name": "x"}))
    with pytest.raises(ClockhandsError, match=r"general\.architecture"):
        read_gguf(path)


def test_a_file_equals_the_configuration_it_was_converted_from(read) -> None:
    """Show 2: llama's rows are moved by conversion, so that halves there are neighbours here."""
    config = read_config({
        "model_type": "llama", "hidden_size": 192, "num_attention_heads": 8, "num_key_value_heads": 2,
        "num_hidden_layers": 2, "max_position_embeddings": 131072, "rope_theta": 500000.0,
        "rope_scaling": {key: each for key, each in LLAMA3.items() if key != "rope_theta"},
    })  # fmt: skip
    plain = 500000.0 ** (-np.arange(12) / 12)
    freqs = {"rope_freqs.weight": plain / from_rope_parameters(LLAMA3, head_dim=24)[0]}
    for arch, expected in (("llama", []), ("qwen2", []), ("command-r", ["layout"])):
        subject = read(arch, {"context_length": 131072}, freqs)
        for pair in ((config, subject), (subject, config)):
            assert [each.field for each in differences(*comparable(*pair))] == expected
    both = comparable(read("llama", {}), read("command-r", {}))
    assert [form.layout for layers in both for form in layers] == ["interleaved", "interleaved"]


def test_rows_that_were_not_moved_show_beside_the_configuration(read) -> None:
    """B02, B04."""
    (form,) = as_published(replace(read("llama", {}), facts={"stored_rows": {"layout": "half"}}))
    assert form.layout == "interleaved"
    (form,) = as_published(replace(read("llama", {}), facts={"stored_rows": {"layout": "interleaved"}}))
    assert form.layout == "half"
