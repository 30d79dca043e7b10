"""Rotary parameters as transformers' classes make them of a file, in whichever way it is written."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clockhands.check.architectures
from clockhands.check.architectures import record_of, settings_of
from clockhands.check.architectures.rope import Rope
from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import RopeParameters, rope_parameters_of
from clockhands.formulas.frequencies import default_inv_freq, from_rope_parameters

DEFAULTS = Path(clockhands.check.architectures.__file__).with_name("defaults.json")
MODELS: dict[str, Any] = json.loads(DEFAULTS.read_text(encoding="utf-8"))["models"]

LLAMA3 = {
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
YARN = {"factor": 2.0, "original_max_position_embeddings": 512}


def told(file: dict[str, Any], layer_type: str | None = None, partial: bool = True) -> RopeParameters:
    return rope_parameters_of(settings_of(file), layer_type=layer_type, partial=partial)


def form(**file: Any) -> LayerForm:
    sizes = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2}
    return Rope(partial=True)(settings_of({**sizes, **file}))[0]


def test_old_and_new_ways_of_writing_give_the_same_frequencies() -> None:
    old = form(rope_theta=5e5, rope_scaling={"type": "llama3", **LLAMA3})
    new = form(rope_parameters={"rope_type": "llama3", "rope_theta": 5e5, **LLAMA3})
    assert old == new
    expected, _ = from_rope_parameters({"rope_type": "llama3", "rope_theta": 5e5, **LLAMA3}, head_dim=64)
    assert old.inv_freq == tuple(expected.tolist())
    assert old.scaling == LLAMA3


def test_every_value_knows_its_path() -> None:
    file = {"model_type": "llama", "rope_theta": 5e5, "rope_scaling": {"type": "yarn", "factor": 4}}
    found = told({**file, "max_position_embeddings": 4096})
    assert found.paths == {
        "rope_type": "rope_scaling.type", "factor": "rope_scaling.factor", "rope_theta": "rope_theta",
        "original_max_position_embeddings": "max_position_embeddings",
    }  # fmt: skip
    nested = told(
        {"model_type": "gemma3_text", "rope_parameters": {"full_attention": {"rope_theta": 2e6}}},
        "full_attention",
    )
    assert nested.paths == {"rope_theta": "rope_parameters.full_attention.rope_theta"}
    assert nested.values == {"rope_theta": 2e6, "rope_type": "default"}


def test_names_of_each_house_are_read() -> None:
    neox = told({"model_type": "gpt_neox", "rotary_emb_base": 5e4, "rotary_pct": 0.5, "rope_theta": 7.0})
    assert neox.values == {"rope_theta": 5e4, "partial_rotary_factor": 0.5, "rope_type": "default"}
    gemma = {"model_type": "gemma3_text", "rope_theta": 2e6, "rope_local_base_freq": 5e3,
             "rope_scaling": {"rope_type": "linear", "factor": 8.0}}  # fmt: skip
    assert told(gemma, "full_attention").values == {"rope_theta": 2e6, "rope_type": "linear", "factor": 8.0}
    assert told(gemma, "sliding_attention").values == {"rope_theta": 5e3, "rope_type": "default"}
    modern = {"model_type": "modernbert", "global_rope_theta": 8e4, "local_rope_theta": 9e3}
    assert told(modern, "full_attention").values["rope_theta"] == 8e4
    assert told(modern, "sliding_attention").values["rope_theta"] == 9e3
    phi = told({"model_type": "phi3", "original_max_position_embeddings": 4096,
                "rope_scaling": {"type": "su", "original_max_position_embeddings": 9}})  # fmt: skip
    assert phi.values["rope_type"] == "longrope"
    assert phi.values["original_max_position_embeddings"] == 4096
    assert phi.paths["original_max_position_embeddings"] == "original_max_position_embeddings"
    minimax = told({"model_type": "minimax_m2", "head_dim": 128, "rotary_dim": 64})
    assert minimax.values["partial_rotary_factor"] == 0.5


def test_a_key_that_the_code_does_not_read_is_told_as_ignored() -> None:
    found = told({"model_type": "llama", "partial_rotary_factor": 0.5}, partial=False)
    assert "partial_rotary_factor" not in found.values
    assert found.ignored == {"partial_rotary_factor": "partial_rotary_factor"}
    gemma = {"model_type": "gemma3_text", "rope_scaling": {"type": "linear", "factor": 8.0}}
    found = told(gemma, "full_attention")
    assert found.values["rope_type"] == "default"
    assert found.ignored == {"type": "rope_scaling.type"}


def test_part_of_a_head_turns() -> None:
    half = form(partial_rotary_factor=0.5, rope_theta=1e4)
    assert (half.head_dim, half.rotary_dim, half.rotary_dims) == (64, 32, "prefix")
    assert np.allclose(half.inv_freq or (), default_inv_freq(32), rtol=1e-15)


def test_attention_factors_are_those_that_are_published() -> None:
    yarn = form(rope_scaling={"rope_type": "yarn", **YARN, "factor": 16.0}, max_position_embeddings=8192)
    assert yarn.attention_factor == pytest.approx(1.277259, abs=1e-6)  # 0.1 ln 16 + 1
    deepseek = form(
        rope_scaling={"type": "yarn", **YARN, "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0}
    )
    assert deepseek.attention_factor == 1.0
    lists = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32}
    phi = form(model_type="phi3", rope_scaling={"type": "longrope", **lists}, max_position_embeddings=131072,
               original_max_position_embeddings=4096)  # fmt: skip
    assert phi.attention_factor == pytest.approx(1.1902380714, abs=1e-9)
    assert phi.scaling["factor"] == 32.0


def test_hunyuan_stretches_its_base_once_for_all() -> None:
    scaled = {"type": "dynamic", "factor": 1.0, "alpha": 1000.0}
    found = form(model_type="hunyuan_v1_dense", rope_theta=1e4, rope_scaling=scaled, head_dim=64)
    assert found.inv_freq is not None
    assert found.inv_freq[-1] == pytest.approx(default_inv_freq(64, 1e4 * 1000 ** (64 / 62))[-1], rel=1e-12)


@pytest.mark.parametrize(
    "scaling",
    [
        {"type": "llama3", "factor": "8"}, {"type": "linear", "factor": 0},
        {"type": "linear", "factor": -2.0}, {"type": "linear", "factor": True}, {"type": "longrope"},
        {"type": "longrope", "short_factor": [1.0] * 3, "long_factor": [1.0] * 3, "factor": 2.0},
        {"type": "longrope", "short_factor": "no", "long_factor": [0.0] * 32, "factor": 2.0},
        {"type": "dynamic", "factor": float("inf")}, {"type": 7}, {"type": "nonesuch", "factor": 2.0},
        {"type": "yarn", **YARN, "beta_fast": [32]}, {"type": "yarn", **YARN, "beta_fast": float("nan")},
        {"type": "linear", "factor": 2.0, "rope_theta": -1.0}, {"type": "linear", "factor": 2.0,
        "rope_theta": "x"},
        {"type": "linear", "factor": 10**400}, {"type": "linear", "factor": 2.0,
        "partial_rotary_factor": 0.0},
        {"type": "linear", "factor": 2.0, "partial_rotary_factor": 1e300},
    ],
    ids=str,
)  # fmt: skip
def test_bad_values_leave_the_numbers_unknown(scaling: dict[str, Any]) -> None:
    found = form(rope_scaling=scaling)
    assert found.inv_freq is None
    assert found.attention_factor is None
    assert found.family == "rope"


def test_a_head_too_wide_to_be_true_is_not_computed() -> None:
    assert form(head_dim=2**40).inv_freq is None


# against transformers ---------------------------------------------------------------------------


EXOTIC = {
    "cohere_compass_text": "has no rotary parameters unless the file nests them",
    "deepseek_v4": "copies a flat dictionary for each kind and then changes the base",
    "dots3_note_text": "overwrites partial_rotary_factor by its widths",
    "mistral4": "fills in partial_rotary_factor before the dictionary is replaced",
    "step3p5": "mixes its own dictionary into a flat one",
}
"""Classes that do something of their own with some of these files; see ``RopeReading`` for what is read."""

FILES: list[dict[str, Any]] = [
    {},
    {"rope_theta": 777.0},
    {"rope_scaling": {"type": "linear", "factor": 2.0}},
    {"rope_theta": 777.0, "rope_scaling": {"rope_type": "yarn", **YARN}},
    {"rope_theta": 777.0, "rope_scaling": {"rope_type": "yarn", "factor": 2.0}},
    {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 99.0}, "rope_theta": 777.0},
    {"partial_rotary_factor": 0.5, "rope_scaling": {"type": "linear", "factor": 2.0}},
    {"original_max_position_embeddings": 256, "rope_scaling": {"type": "yarn", **YARN}},
    {
        "rope_local_base_freq": 55.0,
        "local_rope_theta": 66.0,
        "global_rope_theta": 88.0,
        "rotary_emb_base": 9.0,
    },
]
SAMPLE = sorted(
    name for place, name in enumerate(name for name, record in MODELS.items() if "rope" in record)
    if set(MODELS[name]["rope"]) - {"own", "fill"} - ({"types"} if name.endswith("vision") else set())
    or place % 12 == 0
)  # fmt: skip
"""Every class that reads its file in a way of its own, and some of those that don't."""


def files_for(kinds: list[Any]) -> Iterator[dict[str, Any]]:
    yield from FILES
    if kinds != [None]:
        nested = {kind: {"rope_type": "linear", "factor": 2.0} for kind in kinds}
        yield {"rope_theta": 777.0, "rope_parameters": nested}


@pytest.mark.parametrize("model_type", [name for name in SAMPLE if name not in EXOTIC])
@pytest.mark.filterwarnings("ignore")
def test_transformers_makes_the_same_of_a_file(model_type: str) -> None:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    cls = CONFIG_MAPPING[model_type]
    own = record_of(model_type)["rope"].get("own", {})
    kinds = [kind for kind, value in own.items() if isinstance(value, dict)] or [None]
    compared = 0
    for file in files_for(kinds):
        made = built(cls, file)
        for kind in kinds:
            given = (
                None
                if made is None
                else made.rope_parameters
                if kind is None
                else made.rope_parameters.get(kind)
            )
            if isinstance(given, dict):
                expected = {name: each for name, each in given.items() if name != "type" and plain(each)}
                found = told({"model_type": model_type, **file}, kind).values
                assert {name: each for name, each in found.items() if plain(each)} == expected, file
                compared += 1
    assert compared >= 3


def plain(value: Any) -> bool:
    return value is not None and not isinstance(value, dict)


def built(cls: Any, file: dict[str, Any]) -> Any:
    from huggingface_hub.errors import StrictDataclassError

    try:
        made = cls(**copy.deepcopy(file))
        if "original_max_position_embeddings" in file:  # read when frequencies are computed, not before
            made.standardize_rope_params()
    except (ValueError, TypeError, KeyError, AttributeError, StrictDataclassError):
        return None
    return made if isinstance(made.rope_parameters, dict) else None


FRESH = """
import json, sys, warnings
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from benchmarks.architectures.defaults import record_of_class
warnings.simplefilter("ignore")
print(json.dumps({each: record_of_class(CONFIG_MAPPING[each]) for each in sys.argv[1:]}))
"""


def test_the_file_of_defaults_is_up_to_date() -> None:
    """Some of it; ``python -m benchmarks.architectures.defaults --check`` looks at all.

    In a process of its own: transformers changes dictionaries that its classes share when models are built.
    """
    from transformers import __version__

    asked = ["llama", "gemma3_text", "gpt_neox", "phi3", "t5", "gemma3", "bart"]
    root = Path(__file__).parents[3]
    said = subprocess.run(
        [sys.executable, "-c", FRESH, *asked], cwd=root, capture_output=True, text=True, check=True
    )
    assert {each: record_of(each) for each in asked} == json.loads(said.stdout.splitlines()[-1])
    assert json.loads(DEFAULTS.read_text(encoding="utf-8"))["transformers"] == __version__
