"""One target, whatever it is: read or measured, and looked at by every rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from clockhands.check.names import DTYPES, names_function
from clockhands.check.report import Report, report_of
from clockhands.check.saying import said
from clockhands.check.subject import Framework, Subject
from clockhands.errors import BadParameter, ClockhandsError, nearest, shown, shown_zh
from clockhands.language import Text

HEAD = 64
"""Width of the heads that a function is given where nothing is told."""

LONGEST = 2**52
"""Tokens, as far as angles are known."""

HEARD = {
    "config": (("override", "llama_cpp"), Text("a configuration", "配置")),
    "gguf": (("llama_cpp",), Text("a GGUF file", "GGUF 文件")),
    "model": ((), Text("a live model", "正在运行的模型")),
    "function": (("signature", "head_dim"), Text("a function", "函数")),
}
"""Options that each kind of target hears, and what it is called."""


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

    target         a configuration (a path, a folder, a dictionary), a ``.gguf`` file, ``smollm2``, the id of
                   a model in the hub's cache, a live transformers model, or a function, given itself or as
                   ``package.module:function``
    override       keys laid over the configuration, as a server's command line does
    llama_cpp      options of llama.cpp's command line, by their long names
    served_length  tokens that it is to be served with
    dtype          that angles are computed in, ``bfloat16`` …
    framework      that serves it
    measure        build a small random model of the configuration's class and measure what that does
    signature      of a function, such as ``"q, k, position_ids"``
    head_dim       width of the heads that a function is given, 64 unless told

    Raises ClockhandsError for a target that can't be read.

    >>> config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1e4}
    >>> examine(config).layers[0].family
    'rope'
    """
    from clockhands.check.rules import findings

    if served_length is not None:
        _require_length(served_length)
    _require_words(framework, dtype)
    _require_keys(override=override, llama_cpp=llama_cpp)
    subject = _subject(target, override, signature, head_dim, dtype)
    read = subject.kind == "model" and not is_model(target)  # a folder with weights
    _refuse_unheard(
        "config" if read else subject.kind,
        override=override, llama_cpp=llama_cpp, signature=signature, head_dim=head_dim,
    )  # fmt: skip
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
    if is_model(target):
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
    if names_function(target) and not Path(target).exists():
        from clockhands.check.probe.function import probe

        return probe(target, **_of_function(signature, head_dim, dtype))
    from clockhands.check.read.named import read_named

    return read_named(target, override=override)


def _of_function(signature: str | None, head_dim: int | None, dtype: str | None) -> dict[str, Any]:
    asked = {"signature": signature, "head_dim": HEAD if head_dim is None else head_dim, "dtype": dtype}
    return {name: value for name, value in asked.items() if value is not None}


def _require_length(length: Any) -> None:
    if not isinstance(length, int) or isinstance(length, bool) or not 0 < length <= LONGEST:
        given = said(length)
        raise BadParameter(
            "served_length",
            f" is {given.en}, but it must be a number of tokens: use 1 to 2**52",
            f" 为{given.zh}，但它必须是词元数：请用 1 到 2**52 的整数",
        )


def _require_words(framework: Any, dtype: Any) -> None:
    for name, value, known in (("framework", framework, get_args(Framework)), ("dtype", dtype, DTYPES)):
        bare = str(value).lower().removeprefix("torch.")
        if value is not None and (not isinstance(value, str) or bare not in known):
            hint = nearest(bare, known)
            raise BadParameter(name, f" is {shown(value)}: {hint.en}", f" 为{shown_zh(value)}：{hint.zh}")


def _require_keys(**given: Any) -> None:
    for name, value in given.items():
        if value is not None and not isinstance(value, Mapping):
            raise BadParameter(
                name,
                f" is {shown(value)}, but it must be a dictionary: give one of keys and values",
                f" 为{shown_zh(value)}，但它必须是字典：请给出键和值",
            )


def _refuse_unheard(kind: str, **given: Any) -> None:
    """Raises BadParameter for an option that would change nothing of such a target."""
    heard, named = HEARD[kind]
    for name, value in given.items():
        if value is not None and name not in heard:
            raise BadParameter(
                name,
                f" changes nothing of {named.en}: leave it out",
                f" 对{named.zh}不起作用：请去掉",
            )


def is_model(target: Any) -> bool:
    """Whether it is a live model of transformers, asked without importing them."""
    return any(kind.__name__ == "PreTrainedModel" for kind in type(target).__mro__)
