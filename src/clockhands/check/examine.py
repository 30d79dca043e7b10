"""One target, whatever it is: read or measured, and looked at by every rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from clockhands.check.report import Report, report_of
from clockhands.check.subject import Framework, Subject
from clockhands.errors import ClockhandsError


def examine(
    target: Any,
    *,
    override: Mapping[str, Any] | None = None,
    llama_cpp: Mapping[str, Any] | None = None,
    served_length: int | None = None,
    dtype: str | None = None,
    framework: Framework = "transformers",
    measure: bool = False,
    signature: str | None = None,
    head_dim: int | None = None,
) -> Report:
    """What a target does with position and what is wrong with it.

    target         a configuration (a path, a folder, a dictionary), a ``.gguf`` file, a live transformers
                   model, or a function, given itself or as ``package.module:function``
    override       keys laid over the configuration, as a server's command line does
    llama_cpp      options of llama.cpp's command line, by their long names
    served_length  tokens that it is to be served with
    dtype          that angles are computed in, ``bfloat16`` …
    framework      that serves it
    measure        build a small random model of the configuration's class and measure what that does
    signature      of a function, such as ``"q, k, position_ids"``
    head_dim       width of the heads that a function is given

    Raises ClockhandsError for a target that can't be read.

    >>> config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1e4}
    >>> examine(config).layers[0].family
    'rope'
    """
    from clockhands.check.rules import findings

    subject = _subject(target, override, signature, head_dim, dtype)
    subject = replace(subject, framework=framework, dtype=dtype)
    if llama_cpp:
        from clockhands.check.read.llama_cpp import override as by_options

        subject = by_options(subject, llama_cpp)
    if served_length is not None:
        subject = subject.served(served_length)
    if measure and subject.measured is None:
        from clockhands.check.probe.live import measured_small

        subject = measured_small(subject)
    return report_of(subject, findings(subject))


def _subject(
    target: Any,
    override: Mapping[str, Any] | None,
    signature: str | None,
    head_dim: int | None,
    dtype: str | None,
) -> Subject:
    if isinstance(target, Mapping):
        from clockhands.check.read.config import read_config

        return read_config(target, override=override)
    if isinstance(target, str | Path):
        return _named(str(target), override, signature, head_dim, dtype)
    if _is_model(target):
        from clockhands.check.probe.live import measured

        return measured(target)
    if callable(target):
        from clockhands.check.probe.function import probe

        return probe(target, **_of_function(signature, head_dim, dtype))
    raise ClockhandsError(
        f"a {type(target).__name__} can't be checked: give a config.json, a folder, a .gguf file, a "
        "transformers model, or a function",
        f"无法检查 {type(target).__name__}：请给出 config.json、文件夹、.gguf 文件、transformers 模型或函数",
    )


def _named(
    target: str,
    override: Mapping[str, Any] | None,
    signature: str | None,
    head_dim: int | None,
    dtype: str | None,
) -> Subject:
    path = Path(target)
    if names_function(target) and not path.exists():
        from clockhands.check.probe.function import probe

        return probe(target, **_of_function(signature, head_dim, dtype))
    if path.suffix.lower() == ".gguf":
        from clockhands.check.read.gguf import read_gguf

        return read_gguf(path)
    if path.is_dir():
        from clockhands.check.read.folder import read_folder

        return read_folder(path, override=override)
    from clockhands.check.read.config import read_config

    return read_config(path, override=override)


def names_function(target: str) -> bool:
    """Whether this is ``package.module:function`` or ``file.py:function``, and not a path.

    >>> [names_function(each) for each in ("mine.rope:rotate", "mine/rope.py:rotate", "config.json")]
    [True, True, False]
    """
    return re.fullmatch(r"(?:.+\.py|[A-Za-z_][\w.]*):[A-Za-z_][\w.]*", target) is not None


def _of_function(signature: str | None, head_dim: int | None, dtype: str | None) -> dict[str, Any]:
    asked = {"signature": signature, "head_dim": head_dim, "dtype": dtype}
    return {name: value for name, value in asked.items() if value is not None}


def _is_model(target: Any) -> bool:
    return any(kind.__name__ == "PreTrainedModel" for kind in type(target).__mro__)
