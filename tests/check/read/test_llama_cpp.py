"""Options of llama.cpp over a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_files import LLAMA, gguf

from clockhands.check.read.config import read_config
from clockhands.check.read.gguf import read_gguf
from clockhands.check.read.llama_cpp import override
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError
from clockhands.formulas.frequencies import from_rope_parameters

PLAIN = 500000.0 ** (-np.arange(12) / 12)
YARN = {"rope_type": "yarn", "rope_theta": 5e5, "factor": 4.0, "original_max_position_embeddings": 8192}


@pytest.fixture
def model(tmp_path: Path):
    def made(values: dict[str, Any] | None = None, tensors: dict[str, Any] | None = None) -> Subject:
        (tmp_path / "model.gguf").write_bytes(gguf({**LLAMA, **(values or {})}, tensors))
        return read_gguf(tmp_path / "model.gguf")

    return made


def told(subject: Subject) -> list[tuple[str, str]]:
    return [(each.code, each.keys[0]) for each in subject.found]


def test_linear_by_either_name(model) -> None:
    for options in (
        {"--rope-scale": "4"},
        {"rope_freq_scale": 0.25},
        {"--rope-scaling": "linear", "rope-scale": 4},
    ):
        served = override(model(), options)
        (form,) = served.declared
        assert (form.rope_type, form.scaling, served.found) == ("linear", {"factor": 4.0}, ())
        assert form.inv_freq == pytest.approx(PLAIN / 4)
        assert (served.dialect, served.framework) == ("llama.cpp", "llama.cpp")


def test_base_and_context(model) -> None:
    served = override(model(), {"--rope-freq-base": 1e6, "-c": 4096})
    (form,) = served.declared
    assert (form.rope_theta, served.context.served, served.found) == (1e6, 4096, ())
    assert form.inv_freq == pytest.approx(1e6 ** (-np.arange(12) / 12))


@pytest.mark.parametrize(("base", "codes"), [(1.0, ["CH203"]), (1e-30, ["CH203"]), (1.5, [])])
def test_a_base_that_makes_hands_faster_is_told(model, base: float, codes: list[str]) -> None:
    assert [code for code, _ in told(override(model(), {"--rope-freq-base": base}))] == codes


def test_zero_means_from_the_model(model) -> None:
    zeros = {
        "--rope-freq-base": 0,
        "--rope-freq-scale": 0,
        "--yarn-orig-ctx": 0,
        "--ctx-size": 0,
        "--yarn-attn-factor": -1,
    }
    assert override(model(), zeros).declared == model().declared


def test_yarn_equals_that_of_a_configuration(model) -> None:
    theirs, amplitude = from_rope_parameters(YARN, head_dim=24)
    (form,) = override(model(), {"--rope-scaling": "yarn", "--rope-scale": 4}).declared
    assert form.inv_freq == pytest.approx(theirs)
    assert form.attention_factor == pytest.approx(amplitude)
    assert (form.scaling["original_max_position_embeddings"], form.scaling["factor"]) == (8192.0, 4.0)
    moved = {**YARN, "original_max_position_embeddings": 1024, "beta_fast": 16.0, "beta_slow": 2.0}
    options = {"--yarn-orig-ctx": 1024, "--yarn-beta-fast": 16, "--yarn-beta-slow": 2}
    (form,) = override(model(), {"--rope-scaling": "yarn", "--rope-scale": 4, **options}).declared
    assert form.inv_freq == pytest.approx(from_rope_parameters(moved, head_dim=24)[0])


def test_a_blend_of_nothing_is_linear_and_the_amplitude_then_counts(model) -> None:
    options = {
        "--rope-scaling": "yarn",
        "--rope-scale": 4,
        "--yarn-ext-factor": 0,
        "--yarn-attn-factor": 1.25,
    }
    served = override(model(), options)
    (form,) = served.declared
    assert form.inv_freq == pytest.approx(PLAIN / 4)
    assert (form.attention_factor, served.found) == (1.25, ())


def test_half_a_blend(model) -> None:
    options = {"--rope-scaling": "yarn", "--rope-scale": 4, "--yarn-ext-factor": 0.5}
    (form,) = override(model(), options).declared
    assert form.inv_freq == pytest.approx((from_rope_parameters(YARN, head_dim=24)[0] + PLAIN / 4) / 2)


def test_factors_do_not_pile_up(model) -> None:
    """B29: the attention factor is YaRN's own times the file's, once, whatever the option says."""
    yarn = {"--rope-scaling": "yarn", "--rope-scale": 4}
    for options in (yarn, {**yarn, "--yarn-attn-factor": 3}):
        (form,) = override(model({"llama.rope.scaling.attn_factor": 0.5}), options).declared
        assert form.attention_factor == pytest.approx(0.5 * (0.1 * math.log(4) + 1))


def test_a_file_with_yarn_under_another_factor(model) -> None:
    values = {"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 4.0,
              "llama.rope.scaling.original_context_length": 8192}  # fmt: skip
    (form,) = override(model(values), {"--rope-scale": 8}).declared
    theirs, amplitude = from_rope_parameters({**YARN, "factor": 8.0}, head_dim=24)
    assert form.inv_freq == pytest.approx(theirs)
    assert form.attention_factor == pytest.approx(amplitude)
    (form,) = override(model(values), {"--rope-scaling": "none"}).declared
    assert (form.rope_type, form.attention_factor) == ("default", 1.0)
    assert form.inv_freq == pytest.approx(PLAIN)


def test_divisors_stay_under_another_base(model) -> None:
    divisors = np.linspace(1, 8, 12)
    (form,) = override(model({}, {"rope_freqs.weight": divisors}), {"--rope-freq-base": 1e6}).declared
    assert form.inv_freq == pytest.approx(1e6 ** (-np.arange(12) / 12) / divisors, rel=1e-6)


def test_longrope_takes_its_long_divisors_past_the_trained_length(model) -> None:
    """B73: 4096 tokens are short, 4097 long."""
    tensors = {"rope_factors_short.weight": np.full(12, 2.0), "rope_factors_long.weight": np.full(12, 8.0)}
    subject = model({"llama.rope.scaling.original_context_length": 4096}, tensors)
    for length, divisor in ((4096, 2), (4097, 8)):
        (form,) = override(subject, {"-c": length}).declared
        assert form.inv_freq == pytest.approx(PLAIN / divisor)


NOTHING = [
    ({"--rope-scaling": "none", "--rope-scale": 4}, ["--rope-scale"]),
    ({"--yarn-beta-fast": 16, "--yarn-beta-slow": 2}, ["--yarn-beta-slow", "--yarn-beta-fast"]),
    ({"--yarn-orig-ctx": 1024}, ["--yarn-orig-ctx"]),
    ({"--rope-scaling": "yarn"}, ["--rope-scaling"]),
    ({"--rope-scaling": "yarn", "--rope-scale": 4, "--yarn-attn-factor": 2}, ["--yarn-attn-factor"]),
    ({"--rope-scale": 2, "--rope-freq-scale": 0.5}, ["--rope-scale"]),
]


@pytest.mark.parametrize(("options", "names"), NOTHING)
def test_options_that_change_nothing_are_said(model, options: dict[str, Any], names: list[str]) -> None:
    assert told(override(model(), options)) == [("CH205", name) for name in names]


def test_a_model_that_turns_nothing(tmp_path: Path) -> None:
    values = {key.replace("llama", "bloom"): each for key, each in LLAMA.items()}
    (tmp_path / "model.gguf").write_bytes(gguf({**values, "general.architecture": "bloom"}))
    subject = read_gguf(tmp_path / "model.gguf")
    served = override(subject, {"--rope-freq-base": 1e6, "-c": 1024})
    assert (served.declared, told(served)) == (subject.declared, [("CH205", "--rope-freq-base")])


def test_layers_with_a_window_keep_their_base(tmp_path: Path) -> None:
    values = {key.replace("llama", "gemma3"): each for key, each in LLAMA.items()}
    values |= {
        "general.architecture": "gemma3",
        "gemma3.block_count": 6,
        "gemma3.attention.sliding_window": 512,
    }
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    served = override(read_gguf(tmp_path / "model.gguf"), {"--rope-freq-base": 2e6, "--rope-scale": 8})
    near, far = served.declared
    assert (near.rope_theta, near.inv_freq[0], far.rope_theta, far.inv_freq[0]) == (10000.0, 1.0, 2e6, 0.125)
    assert [(each.severity, each.keys) for each in served.found] == [
        ("note", ("--rope-freq-base",)), ("note", ("--rope-scale",)),
    ]  # fmt: skip


@pytest.mark.parametrize("arch", ["cohere2", "olmo2", "gpt-oss"])
def test_some_graphs_take_the_command_line_s_for_layers_with_a_window_too(tmp_path: Path, arch: str) -> None:
    values = {key.replace("llama", arch): each for key, each in LLAMA.items()}
    values |= {
        "general.architecture": arch,
        f"{arch}.block_count": 4,
        f"{arch}.attention.sliding_window": 512,
    }
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    served = override(read_gguf(tmp_path / "model.gguf"), {"--rope-freq-base": 2e6, "--rope-scale": 8})
    near = served.declared[0]
    expected = {"cohere2": (2e6, 1 / 8, []), "olmo2": (2e6, 1.0, ["--rope-scale"]),
                "gpt-oss": (5e5, 1.0, ["--rope-freq-base", "--rope-scale"])}  # fmt: skip
    assert near.window == 512
    assert (near.rope_theta, near.inv_freq[0], [each.keys[0] for each in served.found]) == expected[arch]


def test_without_scaling_layers_with_a_window_keep_the_file_s_factor(tmp_path: Path) -> None:
    values = {key.replace("llama", "gpt-oss"): each for key, each in LLAMA.items()}
    values |= {"general.architecture": "gpt-oss", "gpt-oss.attention.sliding_window": 512,
               "gpt-oss.rope.scaling.type": "yarn", "gpt-oss.rope.scaling.factor": 32.0}  # fmt: skip
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    near, far = override(read_gguf(tmp_path / "model.gguf"), {"--rope-scaling": "none"}).declared
    assert (near.rope_type, near.inv_freq[0], near.attention_factor) == ("linear", 1 / 32, 1.0)
    assert (far.rope_type, far.inv_freq[0], far.attention_factor) == ("default", 1.0, 1.0)


def test_scores_of_latent_attention_follow_the_factor(tmp_path: Path) -> None:
    """B23: factor 40 and 0.707 give 1.589626; what remains of it under another factor."""
    values = {key.replace("llama", "deepseek2"): each for key, each in LLAMA.items()} | {
        "general.architecture": "deepseek2", "deepseek2.attention.key_length": 576,
        "deepseek2.attention.key_length_mla": 192, "deepseek2.rope.dimension_count": 64,
        "deepseek2.attention.kv_lora_rank": 512, "deepseek2.rope.scaling.type": "yarn",
        "deepseek2.rope.scaling.factor": 40.0, "deepseek2.rope.scaling.yarn_log_multiplier": 0.0707,
    }  # fmt: skip
    (tmp_path / "model.gguf").write_bytes(gguf(values))
    (form,) = override(read_gguf(tmp_path / "model.gguf"), {"--rope-scale": 10}).declared
    assert form.score_scale == pytest.approx((0.0707 * math.log(10) + 1) ** 2 / math.sqrt(192))
    assert form.attention_factor == pytest.approx(1.0)


def test_the_server_s_cap(model) -> None:
    """B30."""
    served = override(model(), {"--rope-scaling": "yarn", "--rope-scale": 4, "-c": 32768})
    assert (told(served), served.context.served) == ([("CH206", "--ctx-size")], 32768)
    assert served.found[0].keys[1] == "llama.context_length"


def test_over_a_configuration() -> None:
    config = {"model_type": "llama", "hidden_size": 192, "num_attention_heads": 8, "num_hidden_layers": 2,
              "max_position_embeddings": 8192, "rope_theta": 500000.0}  # fmt: skip
    (form,) = override(read_config(config), {"--rope-scaling": "yarn", "--rope-scale": 4}).declared
    assert form.inv_freq == pytest.approx(from_rope_parameters(YARN, head_dim=24)[0])
    dynamic = {**config, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}
    (form,) = override(read_config(dynamic), {"--rope-scale": 4}).declared  # it isn't converted
    assert form.inv_freq == pytest.approx(500000.0 ** (-np.arange(12) / 12) / 4)
    unknown = {**config, "rope_scaling": {"rope_type": "axial"}}
    with pytest.raises(ClockhandsError, match="no scaling 'axial'"):
        override(read_config(unknown), {"--rope-scale": 4})


def test_options_reach_as_far_as_the_slowest_hand_is_slowed() -> None:
    """8192 tokens and a hand four times slower: 32768. Hands that go round in training reach any length."""
    slow = {"model_type": "llama", "hidden_size": 192, "num_attention_heads": 8, "num_hidden_layers": 2,
            "max_position_embeddings": 8192, "rope_theta": 500000.0}  # fmt: skip
    scaled = override(read_config(slow), {"--rope-scaling": "linear", "--rope-scale": 4, "-c": 32768})
    assert scaled.context.promised == 32768
    based = override(read_config(slow), {"--rope-freq-base": 500000.0 * 4 ** (24 / 22), "-c": 32768})
    assert based.context.promised == 32768
    assert override(read_config(slow), {"-c": 32768}).context.promised == 8192
    fast = {**slow, "rope_theta": 100.0}
    assert override(read_config(fast), {"--rope-scale": 4}).context.promised == 2**31 - 1


BAD = [
    ({"--rope-sclae": 4}, "did you mean 'rope-scale'"),
    ({"--rope-scaling": "dynamic"}, "none, linear or yarn"),
    ({"--rope-scale": "four"}, "a finite number"),
    ({"--rope-scale": True}, "^--rope-scale has no value"),
    ({"--rope-freq-base": float("nan")}, "a finite number"),
    ({"--ctx-size": 1.5}, "a whole number"),
    ({"--rope-freq-base": -1e4}, "or above"),
    ({"--rope-scale": 0}, "above 0"),
    ({"--yarn-beta-fast": "0"}, "above 0"),
    ({"--ctx-size": 10**30}, "a whole number"),
]


@pytest.mark.parametrize(("options", "said"), BAD)
def test_bad_options(model, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ClockhandsError, match=said):
        override(model(), options)
