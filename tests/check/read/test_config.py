"""Configurations of every dialect: what is read and remarked, and that harm ends in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clockhands.check.form import Context
from clockhands.check.read import read_config
from clockhands.check.read.folder import read_folder
from clockhands.check.read.plain_text import parse_yaml
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError
from clockhands.formulas.frequencies import by_parts_inv_freq, default_inv_freq, linear_inv_freq

LLAMA_3_1: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                     "original_max_position_embeddings": 8192, "rope_type": "llama3"},
}  # fmt: skip

MEGATRON = """
MODEL_ARGS=(
   --num-layers 32
   --hidden-size 4096
   --num-attention-heads 32 \\
   --group-query-attention --num-query-groups 8
   --max-position-embeddings 131072
   --use-rotary-position-embeddings   # turned
   --rotary-base 500000
   --use-rope-scaling --rope-scaling-factor=8.0
   --normalization "RMSNorm"
)
"""

NEMO = """
trainer:
  devices: 8
model:
  num_layers: 4
  hidden_size: 256
  num_attention_heads: 4
  max_position_embeddings: 4096
  position_embedding_type: rope # turned
  rotary_percentage: 0.5
  seq_len_interpolation_factor: 4
  rotary_interleaved: true
  window_size: [127, 0]
  no_rope_freq: 2
"""


def codes(subject: Subject) -> list[str]:
    return [finding.code for finding in subject.found]


def test_a_file_a_folder_and_a_mapping_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA_3_1), encoding="utf-8")
    subjects = [
        read_config(LLAMA_3_1), read_config(tmp_path / "config.json"), read_config(tmp_path),
        read_folder(tmp_path),
    ]  # fmt: skip
    for subject in subjects:
        (form,) = subject.declared
        assert form == subjects[0].declared[0]
        assert subject.context == Context(trained=8192, promised=131072)
        assert (subject.dialect, subject.kind, subject.found) == ("transformers-old", "config", ())
    assert (form.layers, form.layout, form.rotary_dim, form.rope_theta) == (
        tuple(range(32)),
        "half",
        128,
        5e5,
    )
    with pytest.raises(ClockhandsError, match=r"no config\.json"):
        read_folder(tmp_path.parent / "pytest-none")


def test_megatron_says_what_transformers_says(tmp_path: Path) -> None:
    path = tmp_path / "train.sh"
    path.write_text(MEGATRON, encoding="utf-8")
    subject = read_config(path)
    assert subject.dialect == "megatron"
    assert subject.context == Context(trained=8192, promised=131072)
    assert subject.declared == read_config(LLAMA_3_1).declared
    assert subject.key("rope_theta") == "rotary_base"


def test_nemo_recipes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(NEMO, encoding="utf-8")
    turned, still = read_config(path).declared
    assert (turned.layers, still.layers, still.family) == ((0, 2), (1, 3), "none")
    assert (turned.layout, turned.head_dim, turned.rotary_dim, turned.window) == ("interleaved", 64, 32, 128)
    assert turned.inv_freq == tuple(linear_inv_freq(32, factor=4.0).tolist())


def test_megatron_other_kinds() -> None:
    base = {"num_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 128}
    learned = read_config({**base, "position_embedding_type": "learned_absolute"}).declared[0]
    assert (learned.family, learned.rows) == ("learned", 128)
    assert read_config({**base, "position_embedding_type": "none"}).declared[0].family == "none"
    yarn = read_config({**base, "kv_channels": 64, "position_embedding_type": "yarn"}).declared[0]
    assert (yarn.rope_type, yarn.scaling["factor"], yarn.scaling["original_max_position_embeddings"]) == (
        "yarn", 40.0, 4096.0)  # fmt: skip


@pytest.mark.parametrize(
    ("scaling", "trained", "promised"),
    [
        (None, 32768, 32768),
        ({"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}, 32768, 131072),
        ({"type": "dynamic", "factor": 2.0}, 32768, 65536),
        ({"type": "linear", "factor": 4.0}, None, 32768),
        ({"type": "linear", "factor": 4.0, "original_max_position_embeddings": 8192}, 8192, 32768),
    ],
)
def test_lengths_that_are_trained_and_promised(scaling: Any, trained: int | None, promised: int) -> None:
    subject = read_config({"model_type": "qwen2", "max_position_embeddings": 32768, "rope_scaling": scaling})
    assert subject.context == Context(trained=trained, promised=promised)


def test_an_override_replaces_rotary_parameters_under_either_name() -> None:
    new = {"model_type": "llama", "rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}
    linear = {"rope_type": "linear", "factor": 2.0}
    lost = read_config(new, override={"rope_scaling": linear})
    assert lost.declared[0].rope_theta == 10000.0  # the dictionary was replaced, and its base with it
    kept = read_config(LLAMA_3_1, override={"rope_parameters": {**linear, "rope_theta": 1e6}})
    assert (kept.declared[0].rope_type, kept.declared[0].rope_theta) == ("linear", 1e6)
    part = {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "num_hidden_layers": 6}}
    wider = read_config(part, override={"text_config": {"rope_theta": 3e6}})
    assert [form.rope_theta for form in wider.declared] == [10000.0, 3e6]
    assert LLAMA_3_1["rope_scaling"]["rope_type"] == "llama3"


def test_parts_are_found() -> None:
    subject = read_config(
        {"model_type": "llava_of_mine", "text_config": {**LLAMA_3_1, "num_hidden_layers": 3}}
    )
    assert subject.declared[0].layers == (0, 1, 2)
    sizes = {"factor": 8.0, "original_max_position_embeddings": 8192, "slow": 1.0, "fast": 4.0}
    assert subject.declared[0].inv_freq == tuple(by_parts_inv_freq(128, 5e5, **sizes).tolist())
    assert subject.context == Context(trained=8192, promised=131072)


def test_an_unknown_type_is_taken_for_a_llama_and_said_so() -> None:
    file = {"model_type": "of_mine", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 7e4,
            "partial_rotary_factor": 0.5}  # fmt: skip
    subject = read_config(file)
    assert codes(subject) == ["CH092"]
    assert "of_mine" in subject.found[0].message.en
    assert subject.declared[0].inv_freq == tuple(default_inv_freq(8, 7e4).tolist())
    mute = read_config({"model_type": "of_mine"})
    assert (mute.declared, codes(mute)) == ((), ["CH092"])


def test_a_class_of_the_models_own_that_is_named_as_a_known_one_is_taken_for_it() -> None:
    own = {
        "model_type": "kimi_k2", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64,
        "num_attention_heads": 4, "num_hidden_layers": 1, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4,
        "kv_lora_rank": 8, "q_lora_rank": 8, "v_head_dim": 8, "max_position_embeddings": 512,
    }  # fmt: skip
    subject = read_config(own)
    (form,) = subject.declared
    assert (form.layout, form.head_dim, form.rotary_dim, form.rotary_dims) == ("interleaved", 12, 4, "suffix")
    assert codes(subject) == ["CH092"]
    assert "taken for deepseek_v3" in subject.found[0].message.en
    (form,) = read_config({**own, "architectures": ["KimiForCausalLM"], "rope_theta": 1e4}).declared
    assert (form.layout, form.rotary_dim) == ("half", 16)
    assert read_config({"architectures": ["LlamaForCausalLM"], "rope_theta": 1e4}).found == ()


def test_what_is_strange_about_the_writing_is_remarked(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "llama", "rope_theta": 1e4, "rope_theta": NaN, "x": {"y": 1, "y": 1}}')
    found = {finding.keys[0]: (finding.code, finding.severity) for finding in read_config(path).found}
    assert found == {"x.y": ("CH090", "warning"), "rope_theta": ("CH091", "error")}
    (twice,) = [
        each for each in read_config(path).found if each.keys == ("rope_theta",) and each.code == "CH090"
    ]
    assert "10,000.0" in twice.message.en
    assert "NaN" in twice.message.en


@pytest.mark.parametrize("layers", [10**5, 2**62, 10**400])
def test_layers_without_number_are_refused_or_left_out(layers: int) -> None:
    file = {"model_type": "llama", "num_hidden_layers": layers}
    if layers >= 2**63:  # no number of layers at all: rules say so
        assert len(read_config(file).declared[0].layers) == 1
    else:
        with pytest.raises(ClockhandsError, match="num_hidden_layers is"):
            read_config(file)


@pytest.mark.parametrize("text", ["", "words and nothing else", "--", "key without: colon\nbut no", "\0\1\2"])
def test_other_text_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "thing.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ClockhandsError):
        read_config(path)


KEYS = [
    "hidden_size", "num_hidden_layers", "num_attention_heads", "head_dim", "rope_theta", "rope_scaling",
    "rope_parameters", "partial_rotary_factor", "max_position_embeddings", "original_max_position_embeddings",
    "sliding_window", "layer_types", "use_sliding_window", "max_window_layers", "sliding_window_pattern",
    "query_pre_attn_scalar", "n_embd", "n_head", "n_layer", "n_positions", "scale_attn_by_inverse_layer_idx",
    "rotary_dim", "rotary_pct", "rotary_emb_base", "qk_rope_head_dim", "qk_nope_head_dim", "rope_interleave",
    "text_config", "d_model", "d_kv", "num_heads", "num_layers", "num_decoder_layers", "architectures",
    "relative_attention_num_buckets", "relative_attention_max_distance", "use_bidirectional_attention",
    "rotary_base", "rotary_percent", "position_embedding_type", "use_rope_scaling", "window_size",
    "no_rope_freq",
    "rotary_seq_len_interpolation_factor", "kv_channels", "rope_local_base_freq", "model_type",
    "word_embed_proj_dim",
]  # fmt: skip
INNER = [
    "type", "rope_type", "rope_theta", "factor", "attention_factor", "beta_fast", "beta_slow", "mscale",
    "truncate",
    "mscale_all_dim", "low_freq_factor", "high_freq_factor", "short_factor", "long_factor", "mrope_section",
    "original_max_position_embeddings", "partial_rotary_factor", "alpha",
]  # fmt: skip
MODELS = [
    "llama", "mistral", "qwen2", "gemma2", "gemma3_text", "gpt2", "gpt_neox", "gptj", "phi3", "t5", "opt",
    "deepseek_v3", "hunyuan_v1_dense", "unknown",
]  # fmt: skip
TYPES = [
    "default",
    "linear",
    "dynamic",
    "yarn",
    "longrope",
    "llama3",
    "proportional",
    "axial",
    "su",
    "mrope",
    "x",
]

number = st.one_of(
    st.integers(-3, 300), st.floats(), st.sampled_from([2**31, 2**62, 10**300, 10**400, 1e-300, 1e308, -0.0])
)
odd = st.one_of(
    st.none(), st.booleans(), number, st.text(max_size=3), st.lists(number, max_size=4), st.just({}),
    st.sampled_from(["8", "full_attention", "rope", "learned_absolute"]),
)  # fmt: skip
rotary = st.dictionaries(st.sampled_from(INNER), odd, max_size=7).flatmap(
    lambda given: st.sampled_from(TYPES).map(lambda kind: {**given, "rope_type": kind})
)
nested = st.dictionaries(
    st.sampled_from(["full_attention", "sliding_attention", "x"]), odd | rotary, max_size=3
)
value = st.one_of(odd, rotary, nested)


@given(st.sampled_from(MODELS), st.dictionaries(st.sampled_from(KEYS), value, max_size=9), rotary)
@settings(max_examples=150)
def test_any_values_are_read_or_refused(
    model_type: str, file: dict[str, Any], scaling: dict[str, Any]
) -> None:
    given = {"model_type": model_type, "rope_scaling": scaling, **file}
    for config in (given, {"model_type": "wrapped", "text_config": given}, file):
        try:
            subject = read_config(config)
        except ClockhandsError:
            continue
        for form in subject.declared:
            assert all(type(speed) is float and speed >= 0 for speed in form.inv_freq or ())
        assert json.dumps([form.as_record() for form in subject.declared], allow_nan=False)


@given(
    st.dictionaries(st.sampled_from(KEYS), value, max_size=5),
    st.dictionaries(st.text(max_size=3), value, max_size=3),
)
@settings(max_examples=60)
def test_any_override_is_laid_over_or_refused(override: dict[str, Any], others: dict[str, Any]) -> None:
    try:
        read_config(LLAMA_3_1, override={**override, **others})
    except ClockhandsError:
        return


@given(
    st.text(st.sampled_from("ab:_-# \n[],\"'1e.{}()=\\\t"), max_size=80), st.sampled_from(["y.yaml", "t.txt"])
)
@settings(max_examples=150)
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str, name: str) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_text(text, encoding="utf-8")
    try:
        read_config(path)
    except ClockhandsError:
        return


def test_a_part_that_reads_text_may_stand_flat() -> None:
    text = {
        "hidden_size": 3584, "num_attention_heads": 28, "num_hidden_layers": 28, "rope_theta": 1e6,
        "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
    }  # fmt: skip
    flat = read_config({"model_type": "qwen2_5_vl", **text})
    nested = read_config({"model_type": "qwen2_5_vl", "text_config": text})
    assert flat.declared == nested.declared
    (form,) = flat.declared
    assert (form.mrope_section, form.mrope_interleaved, form.rope_type) == ((16, 24, 24), False, "default")
    assert not flat.found


@pytest.mark.parametrize(("length", "factor"), [(2048, 2.0), (0, None), (None, 1.0)])
def test_a_factor_that_is_left_out_is_that_of_the_lengths(length: int | None, factor: float | None) -> None:
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
              "max_position_embeddings": 4096, "rope_theta": 10000.0}  # fmt: skip
    scaling = {"rope_type": "yarn", "original_max_position_embeddings": length}
    subject = read_config({**config, "rope_scaling": {k: v for k, v in scaling.items() if v is not None}})
    assert [form.scaling.get("factor") for form in subject.declared] == [factor]
    assert [each.code for each in subject.found] == []


def test_lists_with_dashes() -> None:
    assert parse_yaml("rotary_base: 1e6\nsections:\n  - 16\n  - 24\n")["sections"] == [16, 24]
