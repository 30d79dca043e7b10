"""Rules that depend on who serves a model, and how long: what each must speak of, and what lies beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from around import GEMMA, GONE, LLAMA, LLAMA3, LONG, TRAINED, YARN, but, found, subject_of

from clockhands.analysis.precision import angle_error
from clockhands.check import examine
from clockhands.check.finding import Finding
from clockhands.check.form import LayerForm
from clockhands.check.rules import findings
from clockhands.check.subject import Subject
from clockhands.formulas.frequencies import default_inv_freq

SCALED, DYNAMIC = but(LLAMA, rope_scaling=YARN), but(LLAMA, rope_scaling={"type": "dynamic", "factor": 4.0})
GPT2 = {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 16}
NEW = but(LLAMA, rope_theta=GONE, rope_parameters={"rope_type": "default", "rope_theta": 5e5})
BLOOM = {"model_type": "bloom", "hidden_size": 64, "n_head": 8, "n_layer": 2, "seq_length": 2048}
SHORT = but(SCALED, max_position_embeddings=8192)  # reaches four times as far
NEOX = {"model_type": "gpt_neox", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
        "max_position_embeddings": 2048, "rope_parameters": {"rope_theta": 5e5}}  # fmt: skip
OWN_CODE = but(LLAMA, auto_map={}, rope_scaling={"rope_type": "default"})
PHI3 = but(LLAMA, model_type="phi3", rope_scaling={"rope_type": "linear", "factor": 4.0})
VLLM, CPP = {"framework": "vllm"}, {"framework": "llama.cpp"}
ONE = but(YARN, attention_factor=1.0)
TRUNCATED = but(
    GEMMA,
    rope_parameters=but(
        GEMMA["rope_parameters"], full_attention={**YARN, "rope_theta": 1e6, "truncate": False}
    ),
)

CASES: tuple[tuple[str, str, str, dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]], ...] = (
    # code, severity, key, what is wrong, as served, what is right, as served
    ("CH004", "error", "rope_scaling.rope_type",
     but(LLAMA, rope_scaling={"rope_type": "ntk"}), {}, but(LLAMA, rope_scaling={"rope_type": "ntk"}), VLLM),
    ("CH005", "error", f"rope_scaling.{TRAINED}",
     but(LLAMA, rope_scaling=but(YARN, **{TRAINED: GONE})), VLLM, SCALED, VLLM),
    ("CH017", "warning", "rope_scaling.short_factor",
     but(LLAMA, rope_scaling=LONG), {"served": 8193}, but(LLAMA, rope_scaling=LONG), {"served": 8192}),
    ("CH017", "warning", "rope_scaling.long_factor",
     but(LLAMA, rope_scaling=LONG), VLLM | {"served": 8193}, but(LLAMA, rope_scaling=LONG), VLLM),
    ("CH019", "warning", "rope_scaling.attention_factor",
     but(LLAMA, rope_scaling=ONE), VLLM, but(LLAMA, rope_scaling=ONE), {}),
    ("CH019", "warning", "rope_scaling.attention_factor", but(LLAMA, rope_scaling=ONE), VLLM,
     but(LLAMA, rope_scaling=but(ONE, attention_factor=0.1 * np.log(4.0) + 1)), VLLM),
    ("CH030", "error", "n_positions", GPT2, {"served": 17}, GPT2, {"served": 16}),
    ("CH030", "error", "max_position_embeddings", LLAMA, VLLM | {"served": 32769}, LLAMA, {"served": 32769}),
    ("CH034", "warning", "max_position_embeddings", LLAMA, {"served": 32769}, LLAMA, {"served": 32768}),
    ("CH034", "warning", "max_position_embeddings", DYNAMIC, VLLM | {"served": 131073},
     DYNAMIC, {"served": 10**6}),  # in transformers the base grows with the text
    ("CH035", "warning", "rope_scaling.factor", DYNAMIC, VLLM, SCALED, VLLM),
    ("CH035", "error", "max_position_embeddings",
     DYNAMIC, VLLM | {"served": 131073}, SCALED, {"served": 131073}),
    ("CH035", "note", "rope_scaling.type",
     DYNAMIC, {"served": 32768}, SCALED, {"served": 32768}),
    ("CH035", "warning", "rope_scaling.type",
     but(LLAMA, rope_scaling={"type": "dynamic", "factor": 1}), {"served": 32769},
     but(LLAMA, rope_scaling={"type": "dynamic", "factor": 1}), VLLM),
    ("CH035", "warning", "rope_scaling.type", DYNAMIC, {"served": 32769}, SCALED, {"served": 32769}),
    ("CH035", "warning", "rope_scaling.type", DYNAMIC, CPP, SCALED, CPP),
    ("CH036", "warning", "max_position_embeddings",
     but(SCALED, max_position_embeddings=32767), CPP, SCALED, CPP),
    ("CH036", "warning", "rope_scaling.factor",
     but(SCALED, max_position_embeddings=8192), CPP, but(SCALED, max_position_embeddings=8192), VLLM),
    ("CH036", "warning", "max_position_embeddings",
     SHORT, CPP, but(LLAMA, rope_scaling={"rope_type": "yarn"}), CPP),
    ("CH036", "warning", "max_position_embeddings",
     SHORT, CPP, but(LLAMA, rope_scaling=but(YARN, factor=1.0)), CPP),
    ("CH038", "warning", "rope_parameters.rope_theta", NEW, VLLM, but(NEW, rope_theta=5e5), VLLM),
    ("CH038", "warning", "rope_parameters.rope_theta", NEW, CPP, NEW, {}),
    ("CH038", "warning", "rope_parameters.rope_theta", NEOX, VLLM, but(NEOX, rotary_emb_base=5e5), VLLM),
    ("CH039", "warning", "rope_scaling.rope_type", OWN_CODE, {}, OWN_CODE, VLLM),
    ("CH004", "error", "rope_scaling.rope_type", PHI3, VLLM, PHI3, CPP),
    ("CH042", "error", "head_dim",
     but(SCALED, model_type="mixtral", head_dim=None), {}, but(SCALED, model_type="mixtral", head_dim=None),
     VLLM),
    ("CH043", "warning", "rope_parameters.full_attention.truncate", TRUNCATED, {}, TRUNCATED, VLLM),
    ("CH043", "warning", "rope_parameters.full_attention.truncate",
     TRUNCATED, {}, but(LLAMA, rope_scaling={**YARN, "truncate": False}), {}),
    ("CH034", "warning", "max_position_embeddings", SHORT, {"served": 32769}, SHORT, {"served": 32768}),
    ("CH034", "note", "seq_length", BLOOM, {"served": 2049}, BLOOM, {"served": 2048}),
    ("CH030", "error", "max_position_embeddings",
     SHORT, VLLM | {"served": 32769}, SHORT, VLLM | {"served": 32768}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "severity", "key", "wrong", "so", "right", "thus"), CASES, ids=lambda value: str(value)[:30]
)
def test_rules_speak_of_what_is_wrong_alone(
    code: str,
    severity: str,
    key: str,
    wrong: dict[str, Any],
    so: dict[str, Any],
    right: dict[str, Any],
    thus: dict[str, Any],
) -> None:
    said = found(wrong, code, **so)
    assert severity in [finding.severity for finding in said if key in finding.keys]
    assert [finding.message.en for finding in found(right, code, **thus)] == []


def test_dynamic_scaling_of_vllm_is_given_with_its_constant() -> None:
    """4 * 4 - 3 = 13 for every length, vllm #41236; a table of four times the length is left alone."""
    said = found(DYNAMIC, "CH035", framework="vllm", served=131072)
    assert [finding.severity for finding in said] == ["warning"]
    assert "13 **" in said[0].message.en


MSCALE = but(YARN, factor=40.0, mscale=1.0, mscale_all_dim=1.0, **{TRAINED: 4096})


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("llama", MSCALE, ("warning", "1.368888")),
        ("llama", but(MSCALE, mscale_all_dim=0.5), None),
        ("llama", but(MSCALE, attention_factor=1.0), ("warning", "first alone")),
        ("llama", but(MSCALE, mscale=GONE, mscale_all_dim=GONE, attention_factor=1.0), None),
        ("ministral3", MSCALE, None),
        ("deepseek_v3", MSCALE, ("note", "1.873854")),
        ("deepseek_v2", but(MSCALE, mscale=0.707, mscale_all_dim=0.707), ("note", "1.589626")),
        ("deepseek_v3", but(MSCALE, mscale=GONE, mscale_all_dim=GONE), ("warning", "1.368888")),
        ("mistral4", but(MSCALE, mscale=GONE, mscale_all_dim=GONE), None),
        ("deepseek_v3", but(MSCALE, factor=1.0), None),
    ],
)
def test_magnitudes_of_yarn_are_told_by_who_multiplies_them(
    kind: str, given: dict[str, Any], expected: tuple[str, str] | None
) -> None:
    """Numbers: exllamav3 #259 (1.36889), transformers #47435 (1.589626, 1.873854)."""
    config = but(LLAMA, model_type=kind, max_position_embeddings=163840, rope_scaling=given)
    said = found(config, "CH018")
    if expected is None:
        assert said == []
    else:
        assert [finding.severity for finding in said] == [expected[0]]
        assert expected[1] in said[0].message.en


def test_attention_factors_that_vllm_ignores_are_told_by_how_much_scores_are_off() -> None:
    """Laguna-XS.2: 1.0 in the file, 1.4158883 from a factor of 64; scores off by 2.005 (vllm #46280)."""
    given = {"rope_type": "yarn", "factor": 64.0, TRAINED: 4096, "attention_factor": 1.0}
    said = found(but(LLAMA, max_position_embeddings=262144, rope_scaling=given), "CH019", framework="vllm")
    assert "1.4158883" in said[0].message.en
    assert "2.005" in said[0].message.en


def test_angles_are_told_by_their_error_at_the_end() -> None:
    """With base 1e4 and heads of 128, 32 bits are off by 0.8 rad at ten million, by 0.03 at a million."""
    config = but(LLAMA, rope_theta=1e4)
    far = found(but(config, max_position_embeddings=10485760), "CH037")
    near = found(but(config, max_position_embeddings=1048576), "CH037")
    off = angle_error(
        default_inv_freq(128, 1e4), np.arange(10485760 - 64, 10485760), "fp32"
    ).angle.values.max()
    assert [finding.severity for finding in far] == ["warning"]
    assert f"{off:.2g} rad" in far[0].message.en
    assert near == []


@pytest.mark.parametrize(
    ("dtype", "length", "silent"),
    [
        ("bfloat16", 4096, False),
        ("fp16", 4096, False),
        ("fp32", 4096, True),
        (None, 4096, True),
        ("bf16", 16, True),
    ],
)
def test_angles_in_sixteen_bits_are_noted(dtype: str | None, length: int, silent: bool) -> None:
    said = found(LLAMA, "CH037", dtype=dtype, served=length)
    assert [finding.severity for finding in said] == ([] if silent else ["note"])


# published models ---------------------------------------------------------------------------

REAL = {
    "model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 131072, "rope_theta": 5e5,
    "rope_scaling": but(LLAMA3, **{TRAINED: 8192}),
}  # fmt: skip


def of_real(config: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    return [(finding.severity, finding.keys) for finding in found(config, "CH040")]


def test_what_an_override_sets_on_purpose_was_not_lost() -> None:
    """CH040 compares what the file says: a scaling laid over it is meant, a base lost beside it is not."""
    file = {"model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "num_hidden_layers": 32,
            "num_attention_heads": 32, "rope_theta": 5e5, "max_position_embeddings": 131072,
            "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192,
                             "low_freq_factor": 1.0, "high_freq_factor": 4.0}}  # fmt: skip
    yarn = {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 16384}

    def told(base: float, **override: Any) -> list[tuple[str, ...]]:
        report = examine(but(file, rope_theta=base), override=override or None)
        return [finding.keys for finding in report.findings if finding.code == "CH040"]

    assert told(5e5, rope_scaling=yarn, max_position_embeddings=524288) == []
    assert told(5e5, rope_scaling=yarn) == []
    assert told(5e5, max_position_embeddings=524288) == []
    assert told(4e5, rope_scaling=yarn) == [("rope_theta",)]
    assert told(4e5) == [("rope_theta",)]
    assert told(4e5, rope_theta=3e5) == []


def scaled(**changed: Any) -> dict[str, Any]:
    return but(REAL, rope_scaling=but(REAL["rope_scaling"], **changed))


def test_one_value_off_a_published_model_is_an_error_and_a_context_of_its_own_is_none() -> None:
    assert of_real(REAL) == []
    assert of_real(scaled(factor=80.0)) == [("error", ("rope_scaling.factor",))]
    assert of_real(scaled(low_freq_factor=2.0)) == [("error", ("rope_scaling.low_freq_factor",))]
    assert of_real(but(REAL, rope_theta=1e4)) == [("error", ("rope_theta",))]
    assert of_real(but(REAL, rope_scaling=None)) == [("error", ("rope_scaling",))]
    assert of_real(but(REAL, max_position_embeddings=65536)) == [("warning", ("max_position_embeddings",))]
    tuned = but(REAL, max_position_embeddings=1048576, rope_theta=3580165449.0, rope_scaling=None)
    assert [severity for severity, _ in of_real(tuned)] == ["note"]


def test_the_older_model_of_the_same_sizes_is_published_too() -> None:
    assert of_real(but(REAL, max_position_embeddings=8192, rope_scaling=None)) == []
    longer = but(REAL, max_position_embeddings=8192, rope_scaling=YARN)  # Llama 3 with YaRN laid over it
    assert of_real(longer) == []


def test_tokens_added_in_tuning_are_the_same_model_and_another_vocabulary_is_not() -> None:
    wrong = but(REAL, rope_theta=1e4)
    assert of_real(but(wrong, vocab_size=128256 + 1024)) == [("error", ("rope_theta",))]
    assert of_real(but(wrong, vocab_size=128256 + 1025)) == []
    assert of_real(but(wrong, vocab_size=128255)) == []


def test_a_published_base_is_expected_where_none_is_written() -> None:
    said = found(but(REAL, rope_theta=GONE, rope_scaling=None), "CH002")
    assert [finding.severity for finding in said] == ["error"]
    assert "500,000" in said[0].message.en
    llama2 = but(REAL, vocab_size=32000, max_position_embeddings=4096, rope_theta=GONE, rope_scaling=None)
    assert found(llama2, "CH002") == []


# declared against measured --------------------------------------------------------------------

FORM = LayerForm(
    layers=(0, 1), family="rope", layout="half", head_dim=64, rotary_dim=64, rotary_dims="whole",
    rope_theta=1e4, rope_type="default", inv_freq=tuple(default_inv_freq(64, 1e4).tolist()),
    attention_factor=1.0, score_scale=0.125,
)  # fmt: skip
ALIBI = LayerForm(layers=(0, 1), family="alibi", head_dim=64, slopes=(0.25, 0.0625), score_scale=0.125)


def disagreements(declared: LayerForm, measured: LayerForm) -> list[Finding]:
    subject: Subject = replace(
        subject_of(LLAMA), declared=(declared,), measured=(replace(measured, source="measured"),)
    )
    return [finding for finding in findings(subject) if finding.code.startswith("CH3")]


@pytest.mark.parametrize(
    ("code", "key", "declared", "changed"),
    [
        ("CH300", "model_type", FORM, {"family": "none"}),
        (
            "CH302",
            "rope_theta",
            FORM,
            {"rope_theta": 1e6, "inv_freq": tuple(default_inv_freq(64, 1e6).tolist())},
        ),
        ("CH303", "rope_interleave", FORM, {"layout": "interleaved"}),
        ("CH303", "partial_rotary_factor", FORM, {"rotary_dims": "suffix"}),
        ("CH304", "attention_factor", FORM, {"attention_factor": 1.2}),
        ("CH304", "head_dim", FORM, {"score_scale": 0.25}),
        ("CH305", "num_attention_heads", ALIBI, {"slopes": (0.25, 0.125)}),
    ],
)
def test_what_is_measured_and_not_declared_is_an_error(
    code: str, key: str, declared: LayerForm, changed: dict[str, Any]
) -> None:
    said = disagreements(declared, replace(declared, **changed))
    assert [(finding.code, finding.severity) for finding in said] == [(code, "error")]
    assert said[0].keys == (key,)


def test_what_measuring_in_32_bits_leaves_is_no_disagreement() -> None:
    assert disagreements(FORM, FORM) == []
    speeds = np.asarray(FORM.inv_freq)
    close = speeds * (1 + 1e-5) + 9e-8 * (speeds > 1e-4)
    assert disagreements(FORM, replace(FORM, inv_freq=tuple(close), score_scale=0.12501)) == []
    for far in (speeds * (1 + 2e-3), speeds * (1 + 4e-5) + 2e-7, speeds.astype(np.float16).astype(float)):
        found = disagreements(FORM, replace(FORM, inv_freq=tuple(far)))
        assert [finding.code for finding in found] == ["CH302"]
    for near in (LayerForm(**{**vars(ALIBI), "slopes": (0.2501, 0.0625)}), replace(FORM, score_scale=0.1249)):
        assert disagreements(ALIBI if near.slopes else FORM, near) == []
