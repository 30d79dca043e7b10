"""How to take a model past the length it was trained on, and what will break: plans, numbers, settings.

>>> from clockhands.extend import METHODS
>>> [method.id for method in METHODS][:4]
['linear', 'ntk', 'dynamic', 'yarn']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from clockhands.extend.methods import IDS, METHODS, Method
from clockhands.extend.plan import Plan, Step, plan
from clockhands.extend.source import Source, read_source

if TYPE_CHECKING:
    from clockhands.extend.trials.run import trial

__all__ = ["IDS", "METHODS", "Method", "Plan", "Source", "Step", "plan", "read_source", "trial"]


def __getattr__(name: str) -> Any:
    if name != "trial":
        raise AttributeError(f"module 'clockhands.extend' has no attribute {name!r}")
    _require_transformers()
    return importlib.import_module("clockhands.extend.trials.run").trial


def _require_transformers() -> None:
    from importlib.util import find_spec

    from clockhands.errors import MissingExtra
    from clockhands.language import Text

    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtra(Text("clockhands.extend.trial", "clockhands.extend.trial "), "hf")
