"""A configuration in the normal form of ``clockhands check``, as the page takes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from clockhands.check.read import read_config
from clockhands.check.read.named import read_named
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError

Target: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]


def model_record(target: Target) -> dict[str, Any]:
    """Name, lengths and layers of a configuration or a GGUF file; numbers that JSON can't hold are None.

    Raises ClockhandsError where it can't be read, or says nothing of any layer.

    >>> model_record({"model_type": "gpt2"})["context"]
    {'trained': 1024, 'promised': 1024, 'served': None}
    """
    subject = (
        read_config(target) if isinstance(target, Mapping) else read_named(os.fspath(target), weights=False)
    )
    if not subject.layers:
        raise ClockhandsError(*_nothing_to_draw(subject))
    return _finite(
        {
            "name": _name(subject.target),
            "dialect": subject.dialect,
            "context": subject.context.as_record(),
            "layers": [form.as_record() for form in subject.layers],
        }
    )


def _nothing_to_draw(subject: Subject) -> tuple[str, str]:
    said = subject.found[0].message if subject.found else None
    english = f": {said.en.rstrip('.')}" if said else ""
    chinese = f"：{said.zh.rstrip('。')}" if said else ""
    return (
        f"{subject.target} says nothing of how its layers know position{english}; "
        "clockhands check explains it",
        f"{subject.target} 没有说明各层怎样知道位置{chinese}；可用 clockhands check 查看原因",
    )


def _name(target: str) -> str:
    """What a page calls the model: never the path to it, which says where somebody keeps files.

    >>> _name("models/llama/config.json"), _name("gpt2.json")
    ('llama', 'gpt2.json')
    """
    path = Path(target)
    return path.parent.name if path.name == "config.json" and path.parent.name else path.name


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
