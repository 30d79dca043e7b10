"""clockhands: see, check and compare how transformers know position.

>>> import clockhands as ch
>>> ch.position_encoding(100, 32).shape
(100, 32)

Names are loaded when first used, so ``import clockhands`` is light and needs no torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clockhands import (
        analysis,
        catalogue,
        check,
        claims,
        conformance,
        extend,
        formulas,
        plots,
        positions,
        schemes,
        text,
        views,
        web,
    )
    from clockhands.catalogue import SCHEMES, describe
    from clockhands.catalogue.description import Description
    from clockhands.catalogue.own import OwnBias, OwnFrequencies, OwnTable
    from clockhands.core.encoding import Encoding
    from clockhands.errors import ClockhandsError
    from clockhands.models import Attention, Transformer
    from clockhands.real import attention, hf
    from clockhands.schemes import build, make
    from clockhands.shortcuts import position_encoding, rotary_caches, rotate
    from clockhands.views import show
    from clockhands.web import widget

__version__ = "0.1.0"

__all__ = [
    "SCHEMES",
    "Attention",
    "ClockhandsError",
    "Description",
    "Encoding",
    "OwnBias",
    "OwnFrequencies",
    "OwnTable",
    "Transformer",
    "__version__",
    "analysis",
    "attention",
    "build",
    "catalogue",
    "check",
    "claims",
    "conformance",
    "describe",
    "extend",
    "formulas",
    "hf",
    "make",
    "plots",
    "position_encoding",
    "positions",
    "rotary_caches",
    "rotate",
    "schemes",
    "show",
    "text",
    "views",
    "web",
    "widget",
]

# Where each public name lives; a name that maps to itself is a subpackage.
_HOMES = {
    "SCHEMES": "catalogue",
    "describe": "catalogue",
    "Description": "catalogue.description",
    "OwnBias": "catalogue.own",
    "OwnFrequencies": "catalogue.own",
    "OwnTable": "catalogue.own",
    "Encoding": "core.encoding",
    "ClockhandsError": "errors",
    "Attention": "models",
    "Transformer": "models",
    "attention": "real",
    "build": "schemes",
    "hf": "real",
    "make": "schemes",
    "position_encoding": "shortcuts",
    "rotary_caches": "shortcuts",
    "rotate": "shortcuts",
    "show": "views",
    "widget": "web",
}
_PACKAGES = frozenset(
    (
        "analysis",
        "catalogue",
        "check",
        "claims",
        "conformance",
        "extend",
        "formulas",
        "plots",
        "positions",
        "schemes",
        "text",
        "views",
        "web",
    )
)
_NEED_TORCH = frozenset(("Encoding", "Attention", "Transformer", "build", "make", "schemes", "conformance"))


def __getattr__(name: str) -> Any:
    if name in ("attention", "hf"):
        _require("torch", name, "hf")
        _require("transformers", name, "hf")
    elif name in _NEED_TORCH:
        _require("torch", name, "torch")
    if name in _PACKAGES:
        return importlib.import_module(f"clockhands.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"clockhands.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'clockhands' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def _require(package: str, name: str, extra: str) -> None:
    from importlib.util import find_spec

    from clockhands.errors import MissingExtra
    from clockhands.language import Text

    if find_spec(package) is None:
        raise MissingExtra(Text(f"clockhands.{name}", f"clockhands.{name} "), extra)
