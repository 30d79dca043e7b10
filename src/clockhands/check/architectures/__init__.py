"""What each model class of transformers does with position, by its ``model_type``.

Written by hand from the modelling code of transformers 5.24.0. Entries stand in modules by the first letter
of the model type, so that looking one up loads few of them.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clockhands.check.architectures.mixtures import Architecture
from clockhands.check.settings import RopeReading, Settings

MODULES = {
    "abc": "letters_a_c",
    "defg": "letters_d_g",
    "hijklm": "letters_h_m",
    "nopqr": "letters_n_r",
    "stuvwxyz": "letters_s_z",
}


def find(model_type: str) -> Architecture | None:
    """What this model type does; None where it is not known here."""
    for letters, module in MODULES.items():
        if model_type[:1] in letters:
            home = importlib.import_module(f"clockhands.check.architectures.{module}")
            found = home.ARCHITECTURES.get(model_type)
            if found is not None:
                return found
    if model_type:
        from clockhands.check.architectures.seeing import SEEING

        return SEEING.get(model_type)
    return None


def settings_of(config: Mapping[str, Any]) -> Settings:
    """A configuration over the defaults of its class."""
    model_type = config.get("model_type")
    model_type = model_type if isinstance(model_type, str) else ""
    record = record_of(model_type)
    return Settings(
        config,
        defaults=record.get("defaults"),
        aliases=record.get("aliases"),
        model_type=model_type,
        rope=RopeReading(**record["rope"]) if "rope" in record else None,
    )


def type_of_class(name: str) -> str:
    """The model type whose class is called so, whatever it is used for; empty where there is none.

    >>> type_of_class("DeepseekV3ForCausalLM"), type_of_class("MyOwnModel")
    ('deepseek_v3', '')
    """
    bare = name.split("For")[0].removesuffix("Model").removesuffix("LMHead").lower()
    home = Path(__file__).with_name("defaults.json")
    for line in home.read_text(encoding="utf-8").splitlines():
        if line.startswith('"'):
            known = line.split('"')[1]
            if known.replace("_", "").replace("-", "") == bare:
                return known
    return ""


def parts_of(model_type: str) -> Mapping[str, str]:
    """Keys of parts that are configurations themselves, and the model type each has by default."""
    return record_of(model_type).get("parts", {})


def record_of(model_type: str) -> Mapping[str, Any]:
    """What ``defaults.json`` says of a model type; nothing of one that it doesn't know.

    It is written by ``benchmarks/architectures/defaults.py``, a line for each: only that one is read.
    """
    name = json.dumps(model_type) + ": "
    for line in Path(__file__).with_name("defaults.json").read_text(encoding="utf-8").splitlines():
        if line.startswith(name):
            return json.loads(line.removeprefix(name).rstrip(","))
    return {}
