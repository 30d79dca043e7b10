"""What a plan reads of a target, and what it says of one that it can't help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_files import LLAMA, gguf

from clockhands.errors import BadParameter, ClockhandsError
from clockhands.extend import IDS, METHODS, plan, read_source
from clockhands.extend.wording import heading

LAYERS: dict[str, Any] = {"hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 4}
ROPE: dict[str, Any] = {"model_type": "llama", "rope_theta": 1e4, "max_position_embeddings": 64, **LAYERS}


@pytest.fixture
def file(tmp_path: Path):
    def made(**values: Any) -> Path:
        (tmp_path / "model.gguf").write_bytes(gguf({**LLAMA, **values}))
        return tmp_path / "model.gguf"

    return made


REFUSED = [
    ({"model_type": "bloom", **LAYERS}, "its bias goes on by itself"),
    ({"model_type": "t5", "d_model": 32, "num_heads": 2}, "its last bucket holds all farther distances"),
    ({"model_type": "gpt2", **LAYERS}, "a learned table has no row past its last"),
    ({"model_type": "mamba", "hidden_size": 32}, "no encoding is there"),
    ({**ROPE, "model_type": "mistral", "sliding_window": 16}, "a window of at most 16 tokens"),
    ({**ROPE, "model_type": "mistral", "sliding_window": 64}, "a window of at most 64 tokens"),
    ({key: value for key, value in ROPE.items() if key != "max_position_embeddings"} | {"model_type": "what"},
     "trained is missing: configuration doesn't say how long"),
    ({**ROPE, "rope_scaling": {"rope_type": "what"}}, "says of no layer how fast its hands turn"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "said"), REFUSED)
def test_what_can_not_be_extended_says_why(config: dict[str, Any], said: str) -> None:
    with pytest.raises(ClockhandsError, match=said) as raised:
        plan(config, 256)
    assert any("\u4e00" <= letter <= "\u9fff" for letter in raised.value.text.zh)


@pytest.mark.parametrize("to", [0, 1, -4, 2**27 + 1, True, 2.5, None])
def test_lengths_that_make_no_sense(to: Any) -> None:
    with pytest.raises(BadParameter, match="it must be a number of tokens"):
        plan(ROPE, to)
    with pytest.raises(BadParameter, match="it must be a number of tokens"):
        plan(ROPE, 256, trained=to if to is not None else 1)


def test_names_that_make_no_sense() -> None:
    with pytest.raises(ClockhandsError, match="no method 'yarm': did you mean 'yarn'"):
        plan(ROPE, 256, methods=["yarm"])
    with pytest.raises(ClockhandsError, match="dtype is 'bf61'"):
        plan(ROPE, 256, dtype="bf61")
    with pytest.raises(ClockhandsError, match="nothing is downloaded"):
        plan("meta-llama/Llama-2", 256)


def test_the_longest_that_is_planned() -> None:
    made = plan(ROPE, 2**27)
    assert len(made.steps) == 6
    assert {why.en for _, why in made.left_out} == {
        "windows and groups of more than 1,000,000 tokens are not counted here"
    }
    far = plan(ROPE, 64 * 500_000)
    assert len(far.steps) == len(METHODS)
    assert far.step("self-extend").look.longest <= 63
    assert made.reasons[-1].en.startswith("2.1e+06 times is past what papers show")


@pytest.mark.parametrize("to", [2, 63, 64])
def test_within_the_trained_length_nothing_is_to_be_done(to: int) -> None:
    made = plan(ROPE, to)
    assert (made.steps, made.begin) == ((), None)
    assert (
        made.reasons[0].en == f"{to} tokens are within the 64 that the model knows: nothing is to be changed"
    )
    assert made.as_it_is.unseen == 0


def test_the_trained_length_can_be_told() -> None:
    """And dynamic NTK then promises that."""
    made = plan(ROPE, 256, trained=32)
    assert (made.source.trained, made.factor) == (32, 8)
    assert made.step("dynamic").settings[0].keys["max_position_embeddings"] == 32
    assert made.step("linear").settings[0].keys["rope_parameters"]["factor"] == 8


def test_layers_that_turn_in_two_ways_are_refused() -> None:
    config = {**ROPE, "model_type": "gemma3_text", "layer_types": ["sliding_attention", "full_attention"] * 2,
              "sliding_window": 512, "head_dim": 16, "rope_theta": 1e6}  # fmt: skip
    with pytest.raises(ClockhandsError, match="turn in 2 ways"):
        plan(config, 256)
    windowed = read_source({**config, "sliding_window": 16}).windowed
    assert [form.layers for form in windowed] == [(0, 2)]


def test_a_gguf_file_has_the_settings_of_its_kind(file) -> None:
    """A llama's config.json has the base at the top; llama.cpp's options are read back by the check."""
    made = plan(file(), 32768)
    yarn = made.step("yarn")
    assert yarn.frameworks == ("transformers", "vllm", "sglang", "llama.cpp")
    assert yarn.settings[-1].paste == (
        "llama-server -m MODEL.gguf --ctx-size 32768 --rope-scaling yarn --rope-scale 4 --yarn-orig-ctx 8192"
    )
    assert made.step("linear").settings[-1].keys == {
        "ctx-size": 32768,
        "rope-scaling": "linear",
        "rope-scale": 4,
    }
    base = made.step("ntk").settings[-1].keys["rope-freq-base"]
    assert base == pytest.approx(5e5 * 4 ** (24 / 22), rel=1e-6)


def test_a_gguf_file_of_another_kind_has_options_alone(file) -> None:
    values = {key.replace("llama.", "phi2."): value for key, value in LLAMA.items()}
    values["general.architecture"] = "phi2"
    made = plan(file(**values), 32768)
    assert made.step("yarn").frameworks == ("llama.cpp",)
    assert "give the config.json" in made.step("yarn").missing[0].why.en


def test_a_gguf_file_with_yarn_goes_on_with_yarn(file) -> None:
    scaling = {"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 4.0,
               "llama.rope.scaling.original_context_length": 2048}  # fmt: skip
    made = plan(file(**scaling), 32768)
    assert (made.begin, made.source.original, made.source.before) == ("yarn", 2048, 4.0)
    options = made.step("yarn").settings[-1].keys
    assert (options["rope-scale"], options["yarn-orig-ctx"]) == (16, 2048)
    ntk = made.step("ntk").settings[-1].keys
    assert ntk["rope-scaling"] == "none"


def test_a_broken_gguf_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "cut.gguf").write_bytes(gguf(LLAMA)[:60])
    with pytest.raises(ClockhandsError, match="it is damaged or was cut off"):
        plan(tmp_path / "cut.gguf", 32768)
    with pytest.raises(ClockhandsError, match="no such file"):
        plan(tmp_path, 32768)


def test_advice_follows_the_numbers() -> None:
    """Plain: YaRN, with no new angle and in all four; without it Llama 3; linear where nothing else is."""

    def begun(*methods: str, **changed: Any) -> str | None:
        return plan({**ROPE, **changed}, 256, methods=methods or None).begin

    assert begun() == "yarn"
    assert begun(*(id for id in IDS if id != "yarn")) == "llama3"
    assert begun("ntk", "linear") == "ntk"
    assert begun("linear", "dynamic") == "linear"
    assert begun("dynamic", "self-extend") == "dynamic"
    assert begun("self-extend", "rerope") in ("self-extend", "rerope")
    told = plan(ROPE, 256).reasons
    assert told[0].en == "no hand shows an angle that training didn't"
    near = plan(ROPE, 256, methods=["linear"]).reasons[1]
    assert near.en.startswith("neighbours are only 2")
    none = plan(ROPE, 256, methods=["rerope"]).reasons
    assert none[1].en == "distances below 32 stay exact, and none is longer than 32"
    assert none[2].en == "no library or server here has it: it takes code"
    assert "past what papers" in plan(ROPE, 1024).reasons[-1].en
    assert "past what papers" not in plan(ROPE, 512).reasons[-1].en


def test_hunyuans_fixed_alpha_is_in_the_base() -> None:
    scaling = {"rope_type": "dynamic", "alpha": 1000.0, "factor": 1.0}
    config = {**ROPE, "model_type": "hunyuan_v1_dense", "head_dim": 16, "rope_scaling": scaling}
    made = plan(config, 256)
    np.testing.assert_allclose(made.as_it_is.inv_freq, made.source.theta ** (-np.arange(8) / 8))
    assert made.source.theta == pytest.approx(1e4 * 1000 ** (16 / 14))
    np.testing.assert_allclose(made.step("linear").look.inv_freq, made.as_it_is.inv_freq / 4)
    assert made.step("linear").frameworks == ("transformers", "vllm", "sglang", "llama.cpp")


def test_a_record_holds_what_a_plan_holds() -> None:
    made = plan(ROPE, 256)
    english, chinese = made.as_record(), made.as_record("zh")
    assert [each["id"] for each in english["methods"]] == list(IDS)
    assert english["begin"] == "yarn"
    assert english["methods"][0]["settings"][0]["keys"] == chinese["methods"][0]["settings"][0]["keys"]
    assert english["methods"][0]["hazard"] != chinese["methods"][0]["hazard"]
    assert english["methods"][5]["settings"][0]["announced"].keys() == {"CH017"}
    assert english["methods"][6]["missing"].keys() == {"transformers", "vllm", "sglang", "llama.cpp"}


def test_windowed_layers_that_share_the_dictionary_slow_along() -> None:
    """Gemma 2 has one dictionary for all layers, Gemma 3 one for each kind: what stays is said."""
    gemma2 = {**ROPE, "model_type": "gemma2", "head_dim": 16, "sliding_window": 16}
    gemma3 = {**gemma2, "model_type": "gemma3_text", "rope_theta": 1e6,
              "layer_types": ["sliding_attention", "full_attention"] * 2}  # fmt: skip
    assert [len(read_source(each).apart) for each in (gemma2, gemma3)] == [0, 1]
    scaled = {
        **gemma3,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
        "max_position_embeddings": 128,
    }
    assert heading(plan(scaled, 256))[1].en == "its own scaling: linear, factor 8 over 16 tokens"
    (along,) = [text.en for text in heading(plan(gemma2, 256)) if "layers see" in text.en]
    (stay,) = [text.en for text in heading(plan(gemma3, 256)) if "layers see" in text.en]
    assert along.endswith("they need nothing, but share the settings and slow along")
    assert stay == "2 of its layers see at most 16 tokens, whatever the text: they stay as they are"


def test_a_part_is_looked_into_where_the_file_has_no_sizes_itself() -> None:
    inner = {**ROPE, "rope_theta": 1e6}
    assert read_source({"model_type": "llava", "text_config": inner}).path == ("text_config",)
    assert read_source({**ROPE, "text_config": inner}).path == ()


@pytest.mark.parametrize(("to", "trains"), [(512, False), (513, True)])
def test_past_eight_times_training_is_advised(to: int, trains: bool) -> None:
    reasons = plan(ROPE, to, methods=["yarn"]).reasons
    assert ("plan to train" in reasons[-1].en) is trains
