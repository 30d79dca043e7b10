"""What the options of ``clockhands check`` mean."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clockhands.errors import ClockhandsError, nearest, shown, shown_zh

if TYPE_CHECKING:
    from clockhands.check.report import Report

DTYPES = ("float32", "bfloat16", "float16")
_SHORT = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "half": "float16"}


def examined(
    target: str,
    *,
    overridden: bool,
    override: str | None,
    llama_cpp: str | None,
    served_length: int | None,
    dtype: str | None,
    framework: Any,
    measure: bool,
    probe: bool,
    signature: str | None,
    head_dim: int | None,
    **_: Any,
) -> Report:
    """The report of one target, with overrides where it is to be ``overridden``."""
    from clockhands.check.examine import examine
    from clockhands.check.names import names_function

    named = names_function(target)
    if probe and not named:
        raise ClockhandsError(
            f"--probe runs a function, and {shown(target)} names none: write package.module:function",
            f"--probe 用来运行函数，而{shown_zh(target)}不是函数：请写成 package.module:function",
        )
    return examine(
        target,
        override=None if override is None or not overridden else overriding(override),
        llama_cpp=None if llama_cpp is None or not overridden else options_of(llama_cpp),
        served_length=served_length,
        dtype=None if dtype is None else dtype_named(dtype),
        framework=framework,
        measure=measure,
        signature=signature if named else None,
        head_dim=head_dim if named else None,
    )


def overriding(text: str) -> Mapping[str, Any]:
    """``--override``: a JSON object.

    >>> overriding('{"rope_theta": 1e6}')
    {'rope_theta': 1000000.0}
    """
    from clockhands.check.read.json_file import parse_json

    told = parse_json(text, "--override")
    for path, first, last in told.twice:
        raise ClockhandsError(
            f"--override has {shown(path)} twice, first as {shown(first)}, then as {shown(last)}: keep one",
            f"--override 里{shown_zh(path)}写了两次，先是{shown_zh(first)}，后是{shown_zh(last)}：请只留一个",
        )
    return told.values


def options_of(text: str) -> dict[str, Any]:
    """``--llama-cpp``: options as on its command line; one without a value is True.

    >>> options_of("--rope-scaling yarn --rope-scale 4 -c 32768")
    {'--rope-scaling': 'yarn', '--rope-scale': '4', '-c': '32768'}
    """
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    found: dict[str, Any] = {}
    name = ""
    for word in words:
        bare = word.lstrip("-")
        if word.startswith("-") and bare and not bare[0].isdigit():
            name, _, value = word.partition("=")
            found[name] = value or True
        elif name and found[name] is True:
            found[name] = word
        else:
            found = {}
            break
    if not found:
        raise ClockhandsError(
            f"--llama-cpp is {shown(text)}: write options of llama.cpp, such as '--rope-scale 4 -c 32768'",
            f"--llama-cpp 为{shown_zh(text)}：请写 llama.cpp 的选项，例如 '--rope-scale 4 -c 32768'",
        )
    return found


def dtype_named(name: str) -> str:
    """``--dtype`` as torch calls it.

    >>> dtype_named("bf16"), dtype_named("torch.float16")
    ('bfloat16', 'float16')
    """
    bare = name.lower().removeprefix("torch.")
    bare = _SHORT.get(bare, bare)
    if bare not in DTYPES:
        hint = nearest(name, DTYPES)
        raise ClockhandsError(
            f"--dtype is {shown(name)}: {hint.en}", f"--dtype 为{shown_zh(name)}：{hint.zh}"
        )
    return bare
