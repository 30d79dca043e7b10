"""Entries against the configuration classes of transformers 5.24.0: all layers known, any file read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from clockhands.check.architectures import find, settings_of
from clockhands.check.form import LayerForm
from clockhands.errors import BadParameter

MAPPINGS = ("CAUSAL_LM", "MASKED_LM", "SEQ_TO_SEQ_CAUSAL_LM", "TEXT_ENCODING")
EVERY = sorted(
    {each for name in MAPPINGS for each in getattr(modeling_auto, f"MODEL_FOR_{name}_MAPPING_NAMES")}
)

GIVEN: dict[str, dict[str, Any]] = {
    # Their classes take no configuration without these
    "gemma4_assistant": {
        "text_config": {
            "model_type": "gemma4_text",
            "hidden_size_per_layer_input": 0,
            "vocab_size_per_layer_input": 0,
        }
    },
    "cohere_compass_text": {"rope_parameters": {"full_attention": {"rope_theta": 1e4}}},
}


COMPOSITE = {
    model_type
    for model_type in EVERY
    if model_type in CONFIG_MAPPING
    and CONFIG_MAPPING[model_type].sub_configs
    and model_type not in ("esm", "dbrx", "git", "mpt", "moshi", "phi4_multimodal")
} | {
    "funnel", "bart", "bigbird_pegasus", "blenderbot", "blenderbot-small", "fsmt", "led", "longt5", "m2m_100",
    "marian", "mbart", "mt5", "mvp", "longcat_flash", "hrm_text", "nllb-moe", "pegasus", "pegasus_x",
    "perceiver", "plbart", "prophetnet", "seamless_m4t", "seamless_m4t_v2", "switch_transformers", "t5",
    "umt5", "whisper", "inkling2_loop_text",
    # … or by a list that the file must have
    "nemotron_h", "reformer", "zamba2",
}  # fmt: skip
"""Layers are counted within a part or a stack."""

ELEVEN: dict[str, dict[str, Any]] = {
    "gpt_neo": {"attention_types": [[["global", "local"], 5], [["global"], 1]]},
    "esm": {"pad_token_id": 1},
    "dory": {"n_input_layers": 2, "n_output_layers": 3, "n_recurrent_loops": 1},
}


def default_of(model_type: str) -> Any:
    name = {"gpt-sw3": "gpt2"}.get(model_type, model_type)
    return CONFIG_MAPPING[name](**GIVEN.get(model_type, {}))


def file_of(config: Any) -> dict[str, Any]:
    """As it is read again from what was saved."""
    return json.loads(json.dumps(config.to_dict(), default=str))


def forms_of(model_type: str, file: dict[str, Any]) -> tuple[LayerForm, ...]:
    entry = find(model_type)
    assert entry is not None, f"{model_type} is not known"
    return entry(settings_of(file))


def depths(config: Any) -> dict[str | None, int]:
    """Layers of each stack, by the classes' own counts."""
    if config.model_type == "blt":
        parts = {"encoder": "encoder_config", None: "global_config", "decoder": "decoder_config"}
        return {stack: getattr(config, part).num_hidden_layers for stack, part in parts.items()}
    if config.model_type == "encoder-decoder":
        return {side: getattr(config, side).num_hidden_layers for side in ("encoder", "decoder")}
    if config.model_type == "funnel":
        return {"encoder": sum(config.block_sizes), "decoder": config.num_decoder_layers}
    if config.model_type in ("longt5", "mt5", "switch_transformers", "t5", "umt5"):
        return {"encoder": config.num_layers, "decoder": config.num_decoder_layers}
    if config.model_type == "inkling2_loop_text":
        return {None: config.total_num_hidden_layers}
    if config.model_type == "dory":
        return {None: config.num_hidden_layers + (config.n_recurrent_loops - 1) * config.n_recurrent_layers}
    if config.model_type == "t5gemma2":
        return {
            "encoder": config.encoder.text_config.num_hidden_layers,
            "decoder": config.decoder.num_hidden_layers,
        }
    if config.model_type == "t5gemma":
        return {side: getattr(config, side).num_hidden_layers for side in ("encoder", "decoder")}
    if config.model_type == "prophetnet":
        return {"encoder": config.num_encoder_layers, "decoder": config.num_decoder_layers}
    if config.model_type == "perceiver":
        return {None: config.num_self_attends_per_block * config.num_blocks}
    if config.model_type in ("whisper", "trocr"):
        return {None: config.decoder_layers}
    if config.model_type.startswith("musicgen"):
        return {None: config.decoder.num_hidden_layers}
    if getattr(config, "is_encoder_decoder", False) and hasattr(config, "decoder_layers"):
        return {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    return {None: config.get_text_config().num_hidden_layers}


@pytest.mark.parametrize("model_type", EVERY)
@pytest.mark.parametrize("filled", [True, False], ids=["all keys", "no keys"])
def test_every_layer_has_a_form_and_every_turned_one_its_frequencies(model_type: str, filled: bool) -> None:
    config = default_of(model_type)
    file = file_of(config) if filled else {"model_type": config.model_type, **GIVEN.get(model_type, {})}
    forms = forms_of(model_type, file)
    found: dict[str | None, set[int]] = {}
    for form in forms:
        found.setdefault(form.stack, set()).update(form.layers)
        if form.family == "rope":
            assert form.inv_freq, form
            assert form.rotary_dim == 2 * len(form.inv_freq), form
        if form.mixer == "attention" and model_type not in ("fnet", "yoso", "dory"):
            assert form.score_scale, form
            assert form.head_dim, form
    unlisted = set(config.text_config.cross_attention_layers) if model_type == "mllama" else set()
    assert {stack: set(range(count)) - unlisted for stack, count in depths(config).items()} == found


@pytest.mark.parametrize("model_type", [each for each in EVERY if each not in COMPOSITE])
def test_the_pattern_of_layers_is_that_of_the_class(model_type: str) -> None:
    """A file that lists no layers means what the class makes of it, whose own list is in what it saves."""
    config = CONFIG_MAPPING[{"gpt-sw3": "gpt2"}.get(model_type, model_type)](
        num_hidden_layers=11, **ELEVEN.get(model_type, {}), **GIVEN.get(model_type, {})
    )
    short = {"model_type": model_type, "num_hidden_layers": 11, **ELEVEN.get(model_type, {})}
    saved = forms_of(model_type, {**file_of(config), "model_type": model_type})
    assert forms_of(model_type, {**short, **GIVEN.get(model_type, {})}) == saved
    assert {n for form in saved if form.stack is None for n in form.layers} == set(range(11))


ODD: tuple[Any, ...] = (None, "12", -3, 0, 0.5, float("nan"), 10**30, [None, "x", -1], {"a": None})


def survives(model_type: str, file: dict[str, Any]) -> None:
    try:
        forms = forms_of(model_type, file)
    except BadParameter:
        return  # one sentence for the user
    for form in forms:
        json.dumps(form.as_record())


@pytest.mark.parametrize("model_type", EVERY)
def test_a_file_full_of_nonsense_raises_nothing_else(model_type: str) -> None:
    kept = {"model_type": model_type}
    file = file_of(default_of(model_type))
    for odd in ODD:
        survives(model_type, {**dict.fromkeys(file, odd), **kept})
        for part in ("text_config", "encoder", "decoder", "encoder_config", "global_config"):
            if isinstance(file.get(part), dict):
                inner = {**dict.fromkeys(file[part], odd), "model_type": file[part].get("model_type", "")}
                survives(model_type, {**file, part: inner, **kept})
    entry, whole = find(model_type), settings_of(file)
    assert entry is not None
    entry(whole)
    for n, key in enumerate(sorted(whole.read & file.keys())):
        survives(model_type, {**file, key: ODD[n % len(ODD)], **kept})
