"""What llama.cpp does by architecture: telling entries of the tables, as its own code has them."""

from __future__ import annotations

import math

import pytest
from gguf_files import codes, only

from clockhands.check.read.gguf_kinds import KINDS, ROWS_MOVED


def test_who_squares_the_magnitude_of_yarn_into_the_scores(read) -> None:
    """Graphs of llama.cpp: without a multiplier in the file, all of it lands in both places."""
    values = {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "attention.kv_lora_rank": 512,
              "rope.dimension_count": 12, "rope.scaling.yarn_log_multiplier": 0.05}  # fmt: skip
    whole, half = 0.1 * math.log(4) + 1, 0.05 * math.log(4) + 1
    told = {arch: only(read(arch, values)) for arch in ("deepseek2", "mistral4", "glm-dsa", "minicpm3")}
    assert {arch: form.attention_factor for arch, form in told.items()} == pytest.approx(
        {"deepseek2": 1.0, "mistral4": whole / half, "glm-dsa": whole, "minicpm3": whole}
    )
    assert {arch: form.score_scale * 24**0.5 for arch, form in told.items()} == pytest.approx(
        {"deepseek2": half**2, "mistral4": whole**2, "glm-dsa": whole**2, "minicpm3": 1.0}
    )
    (form,) = read("mistral3", {**values, "attention.kv_lora_rank": None,
                                "rope.scaling.yarn_log_multiplier": 1.0}).declared  # fmt: skip
    assert (form.attention_factor, form.score_scale) == pytest.approx((1.0, 24**-0.5))


def test_layers_of_deepseek_4_turn_by_their_ratio(read) -> None:
    values = {"rope.scaling.type": "yarn", "rope.scaling.factor": 16.0, "rope.dimension_count": 12,
              "attention.compress_ratios": [0, 4, 0], "attention.compress_rope_freq_base": 160000.0,
              "attention.sliding_window": 128}  # fmt: skip
    near, far = read("deepseek4", values).declared
    assert (near.rope_theta, near.rope_type, near.rotary_dims, near.window) == (5e5, "default", "suffix", 128)
    assert (far.rope_theta, far.rope_type, far.attention_factor) == (160000.0, "yarn", 1.0)


def test_window_layers_that_no_scaling_reaches(read) -> None:
    pattern = [True, True, False, True]
    values = {"block_count": 4, "attention.sliding_window": 16, "attention.sliding_window_pattern": pattern,
              "rope.scaling.type": "linear", "rope.scaling.factor": 8.0}  # fmt: skip
    for arch in ("modern-bert", "plamo3", "mimo2", "step35"):
        near, far = read(arch, values).declared
        assert (near.rope_theta, near.inv_freq[0], far.inv_freq[0]) == (10000.0, 1.0, 0.125), arch
    assert (near.rotary_dim, far.rotary_dim, far.rotary_dims) == (24, 12, "prefix")  # step35


def test_parameters_of_yarn_that_llama_cpp_does_not_read(read) -> None:
    values = {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.yarn_beta_fast": 16.0,
              "rope.scaling.yarn_attn_factor": 1.3}  # fmt: skip
    unread, heard = read("qwen3", values), read("mistral3", values)
    assert codes(unread) == [("CH205", "warning")] * 2
    assert [each.keys[0] for each in unread.found] == [
        "qwen3.rope.scaling.yarn_beta_fast", "qwen3.rope.scaling.yarn_attn_factor",
    ]  # fmt: skip
    assert (only(unread).scaling["beta_fast"], only(heard).scaling["beta_fast"]) == (32.0, 16.0)
    assert heard.found == ()
    usual = {"rope.scaling.yarn_beta_fast": 32.0, "rope.scaling.yarn_attn_factor": 0.1 * math.log(4) + 1}
    assert read("qwen3", {**values, **usual}).found == ()


def test_kinds_never_change_by_accident() -> None:
    """B03: one case moved, 39 architectures wrong. Golden for those that most files are of."""
    golden = {
        **dict.fromkeys(("llama", "deepseek2", "command-r", "granite", "smollm3"), "interleaved"),
        **dict.fromkeys(("chatglm", "mistral3", "olmo"), "interleaved"),
        **dict.fromkeys(("qwen2", "qwen3", "gemma3", "phi3", "gptneox", "falcon", "stablelm"), "half"),
        **dict.fromkeys(("orion", "gpt-oss", "olmo2", "minicpm3"), "half"),
        **dict.fromkeys(("gpt2", "bloom", "t5", "mamba"), "none"),
        **dict.fromkeys(("nanbeige", "deepseek32", "cohere2moe"), "interleaved"), "mellum": "half",
        "qwen2vl": "mrope", "qwen3vl": "imrope",
    }  # fmt: skip
    assert {arch: KINDS[arch] for arch in golden} == golden
    moved = {"llama", "granite", "smollm3", "internlm2", "mistral3", "nanbeige", "eagle3", "bailingmoe"}
    published_so = {
        "command-r",
        "cohere2",
        "deepseek2",
        "chatglm",
        "glm4",
        "ernie4_5",
        "llama4",
        "plm",
        "neo-bert",
    }
    assert moved <= ROWS_MOVED
    assert not published_so & ROWS_MOVED
    assert not {arch for arch, kind in KINDS.items() if kind != "interleaved"} & ROWS_MOVED


def test_architectures_of_the_package_gguf_are_known() -> None:
    from gguf.constants import MODEL_ARCH_NAMES

    from clockhands.check.read.gguf_kinds import BY_SECTIONS

    missing = set(MODEL_ARCH_NAMES.values()) - set(KINDS) - set(BY_SECTIONS)
    assert missing == set()
