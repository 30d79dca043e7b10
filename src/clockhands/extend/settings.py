"""The settings to paste, for each library and server that knows the method; and why others get none."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from clockhands.extend.keys import arrives, server, version_4, version_5
from clockhands.extend.llama_cpp import options_for
from clockhands.extend.methods import Method
from clockhands.extend.source import Source
from clockhands.extend.words import (
    CAPPED,
    FLAT,
    NO_FILE,
    NOT_DYNAMIC,
    NOT_KNOWN,
    NOT_TAKEN,
    ONE_LIST,
    ONLY_OLD,
    SWITCHES,
)  # fmt: skip
from clockhands.language import Text

Framework = Literal["transformers", "vllm", "sglang", "llama.cpp"]

FRAMEWORKS: tuple[Framework, ...] = ("transformers", "vllm", "sglang", "llama.cpp")

CHUNKING = ("qwen2", "qwen2_moe", "qwen3", "qwen3_moe")
"""Classes of SGLang that read ``dual_chunk_attention_config``."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What to write where.

    paste      text to paste: JSON, or a command
    keys       the same as a dictionary: keys of a configuration, or options of llama.cpp by their long names
    announced  hazards that stay, by the code under which ``clockhands check`` tells them
    """

    framework: Framework
    what: Text
    paste: str
    keys: dict[str, Any]
    announced: Mapping[str, Text] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Where a method can't be had, and why."""

    framework: Framework
    why: Text


def settings_for(
    source: Source, method: Method, to: int, factor: float
) -> tuple[tuple[Setting, ...], tuple[Missing, ...]]:
    """Those that a method has, and the frameworks that have none of it.

    As of transformers 5.24, vLLM 0.11 and later, SGLang 0.5 and llama.cpp of late 2026.
    """
    if method.parameters is None:
        return _by_distance(source, method, to)
    parameters = _rounded(method.parameters(source, factor))
    found: list[Setting] = []
    missing: list[Missing] = []
    for each in _by_speeds(source, method, to, factor, parameters):
        (found if isinstance(each, Setting) else missing).append(each)  # type: ignore[arg-type]
    return tuple(found), tuple(missing)


def _by_speeds(
    source: Source, method: Method, to: int, factor: float, parameters: Mapping[str, Any]
) -> Iterator[Setting | Missing]:
    yield from _transformers(source, method, to, parameters)
    if method.id == "dynamic":
        yield Missing(framework="vllm", why=NOT_DYNAMIC)
        yield Missing(framework="sglang", why=NOT_DYNAMIC)
    else:
        yield _vllm(source, method, to, parameters)
        yield _sglang(source, method, to, parameters)
    options, why = options_for(source, method, to, factor)
    if options is None:
        yield Missing(framework="llama.cpp", why=why or NOT_KNOWN)
    else:
        words = " ".join(f"--{name} {value}" for name, value in options.items())
        yield Setting(
            framework="llama.cpp", what=COMMAND, paste=f"llama-server -m MODEL.gguf {words}", keys=options,
            announced={"CH206": CAPPED},
        )  # fmt: skip


COMMAND = Text("command line", "命令行")
WITH_BACK_END = Text(
    "command line (no hand is slowed: the back end keeps distances short, so leave it in)",
    "命令行（没有放慢任何指针：让距离变短的是注意力后端，不能去掉）",
)
BOTH = Text("config.json, versions 4 and 5", "config.json（4.x 与 5.x）")
NEW = Text("config.json, version 5", "config.json（5.x）")
OLD = Text("config.json, version 4", "config.json（4.x）")


def _transformers(
    source: Source, method: Method, to: int, parameters: Mapping[str, Any]
) -> Iterator[Setting | Missing]:
    """Version 5 and version 4; one for both in files whose own code looks types up that version 5 lost."""
    if source.file is None:
        yield Missing(framework="transformers", why=NO_FILE)
        return
    hazards = _hazards(method, SWITCHES)
    new, old = (write(source, parameters, to, method) for write in (version_5, version_4))
    takes_new, takes_old = (arrives(source, keys, parameters) for keys in (new, old))
    own_code = "auto_map" in source.file and parameters["rope_type"] == "default"
    if own_code and takes_old:
        yield _in_config(BOTH, old, hazards)
        return
    if takes_new:
        yield _in_config(NEW, new, hazards)
    if takes_old:
        yield _in_config(OLD, old, hazards)
    if not takes_new and not takes_old:
        yield Missing(framework="transformers", why=NOT_TAKEN)


def _vllm(source: Source, method: Method, to: int, parameters: Mapping[str, Any]) -> Setting | Missing:
    if source.file is None:
        return Missing(framework="vllm", why=NO_FILE)
    keys = server(source, parameters, to, "rope_parameters", method)
    if not arrives(source, keys, parameters):
        return Missing(framework="vllm", why=NOT_TAKEN)
    return Setting(
        framework="vllm", what=COMMAND, keys=keys, announced=_hazards(method, ONE_LIST),
        paste=f"vllm serve MODEL --max-model-len {to} --hf-overrides {shlex.quote(_json(keys))}",
    )  # fmt: skip


def _sglang(source: Source, method: Method, to: int, parameters: Mapping[str, Any]) -> Setting | Missing:
    """Its override sets attributes one by one: a nested part would be replaced as a whole."""
    if source.file is None:
        return Missing(framework="sglang", why=NO_FILE)
    if source.path:
        return Missing(framework="sglang", why=FLAT)
    if source.nested:
        return Missing(framework="sglang", why=ONLY_OLD)
    keys = server(source, parameters, to, "rope_scaling", method)
    if not arrives(source, keys, parameters):
        return Missing(framework="sglang", why=NOT_TAKEN)
    return Setting(
        framework="sglang", what=COMMAND, keys=keys, announced=_hazards(method, ONE_LIST),
        paste=f"python -m sglang.launch_server --model-path MODEL --context-length {to} "
        f"--json-model-override-args {shlex.quote(_json(keys))}",
    )  # fmt: skip


def _by_distance(source: Source, method: Method, to: int) -> tuple[tuple[Setting, ...], tuple[Missing, ...]]:
    """Of the remaps only dual chunk has a server, for two families; the others have papers' code."""
    assert method.remap is not None
    missing = tuple(Missing(framework=each, why=method.elsewhere or NOT_KNOWN) for each in FRAMEWORKS)
    kind = source.part.model_type if source.part is not None else ""
    if method.id != "dual-chunk" or kind not in CHUNKING or source.path or source.file is None:
        return (), missing
    chunk = method.remap(source, to / source.trained).chunk
    keys = {
        "dual_chunk_attention_config": {
            "chunk_size": chunk, "local_size": source.trained - chunk,
            "original_max_position_embeddings": source.trained,
        },
        "max_position_embeddings": to,
    }  # fmt: skip
    setting = Setting(
        framework="sglang", what=WITH_BACK_END, keys=keys,
        paste=f"python -m sglang.launch_server --model-path MODEL --context-length {to} "
        "--attention-backend dual_chunk_flash_attn "
        f"--json-model-override-args {shlex.quote(_json(keys))}",
    )  # fmt: skip
    return (setting,), tuple(each for each in missing if each.framework != "sglang")


def _hazards(method: Method, of_lists: Text) -> dict[str, Text]:
    if method.id == "longrope":
        return {"CH017": of_lists}
    return {"CH035": method.hazard} if method.id == "dynamic" else {}


def _in_config(what: Text, keys: dict[str, Any], announced: Mapping[str, Text]) -> Setting:
    return Setting(
        framework="transformers", what=what, paste=json.dumps(keys, indent=2), keys=keys, announced=announced
    )


def _rounded(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """As one would write it: 7 digits are more than float32 angles know."""
    return {
        key: float(f"{value:.7g}") if isinstance(value, float) and key in ("factor", "rope_theta") else value
        for key, value in parameters.items()
    }


def _json(keys: dict[str, Any]) -> str:
    return json.dumps(keys, separators=(", ", ": "))
