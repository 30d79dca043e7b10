"""What each model class of transformers does with position, by its ``model_type``.

Written by hand from the modelling code of transformers 5.24.0. Entries stand in modules by the first letter
of the model type, so that looking one up loads few of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from clockhands.check.architectures.mixtures import Architecture
from clockhands.check.settings import Settings

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
            return home.ARCHITECTURES.get(model_type)
    return None


def settings_of(config: Mapping[str, Any]) -> Settings:
    """A configuration over the defaults of its class."""
    return Settings(config, model_type=str(config.get("model_type", "")))
