"""The settings to paste, for each library and server that knows the method."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any, Literal

from clockhands.extend.methods import Method
from clockhands.extend.source import Source
from clockhands.language import Text

Framework = Literal["transformers", "vllm", "sglang", "llama.cpp"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What to write where.

    paste  text to paste: JSON, or a command
    keys   the same as a dictionary: keys of a configuration, or options of llama.cpp by their long names
    """

    framework: Framework
    what: Text
    paste: str
    keys: dict[str, Any]


def settings_for(source: Source, method: Method, to: int, factor: float) -> tuple[Setting, ...]:
    """Those that a method has; empty where no server of these knows it.

    As of transformers 5.24, vLLM 0.11 and later, SGLang 0.5 and llama.cpp of late 2026.
    """
    found: list[Setting] = []
    if method.parameters is not None:
        parameters = _rounded(method.parameters(source, factor))
        new, old = _new(source, parameters, to, method), _old(parameters, to, method, source)
        found.append(_in_config("transformers", Text("config.json, version 5", "config.json（5.x）"), new))
        if not source.nested:
            found.append(_in_config("transformers", Text("config.json, version 4", "config.json（4.x）"), old))
        found.append(
            Setting(
                framework="vllm",
                what=Text("command line", "命令行"),
                paste=f"vllm serve MODEL --max-model-len {to} --hf-overrides {shlex.quote(_json(new))}",
                keys=new,
            )
        )
        found.append(
            Setting(
                framework="sglang",
                what=Text("command line", "命令行"),
                paste=f"python -m sglang.launch_server --model-path MODEL --context-length {to} "
                f"--json-model-override-args {shlex.quote(_json(new))}",
                keys=new,
            )
        )
    options = _llama_cpp(source, method, to, factor)
    if options:
        words = " ".join(f"--{name} {value}" for name, value in options.items())
        found.append(
            Setting(
                framework="llama.cpp",
                what=Text("command line", "命令行"),
                paste=f"llama-server -m MODEL.gguf {words}",
                keys=options,
            )
        )
    return tuple(found)


def _in_config(framework: Framework, what: Text, keys: dict[str, Any]) -> Setting:
    return Setting(framework=framework, what=what, paste=json.dumps(keys, indent=2), keys=keys)


def _new(source: Source, parameters: dict[str, Any], to: int, method: Method) -> dict[str, Any]:
    """Version 5: everything that turns in one dictionary, or in one for each type of layers."""
    told: dict[str, Any] = parameters
    if source.nested:
        assert source.file is not None
        own = dict(source.file["rope_parameters"])
        whole = "full_attention" if "full_attention" in own else source.nested[0]
        told = own | {whole: {**_unscaled(own[whole]), **parameters}}
    return {"rope_parameters": told, **_length(to, method, source)}


def _unscaled(own: dict[str, Any]) -> dict[str, Any]:
    """What isn't of the scaling that is replaced."""
    return {key: value for key, value in own.items() if key in ("partial_rotary_factor",)}


def _old(parameters: dict[str, Any], to: int, method: Method, source: Source) -> dict[str, Any]:
    """Version 4: the base stands outside."""
    scaling = {key: value for key, value in parameters.items() if key != "rope_theta"}
    own = {"rope_theta": parameters["rope_theta"]}
    if scaling["rope_type"] == "default":
        return own | {"rope_scaling": None} | _length(to, method, source)
    return own | {"rope_scaling": scaling} | _length(to, method, source)


def _length(to: int, method: Method, source: Source) -> dict[str, int]:
    """Dynamic NTK takes the promised length for the trained one, so that must stay."""
    return {"max_position_embeddings": source.trained if method.id == "dynamic" else to}


def _llama_cpp(source: Source, method: Method, to: int, factor: float) -> dict[str, Any]:
    theta = source.theta
    size = {"ctx-size": to}
    match method.id:
        case "linear":
            return {**size, "rope-scaling": "linear", "rope-scale": _short(factor)}
        case "ntk":
            width = source.width
            return {**size, "rope-freq-base": _short(theta * factor ** (width / (width - 2)))}
        case "yarn":
            return {
                **size, "rope-scaling": "yarn", "rope-scale": _short(factor), "yarn-orig-ctx": source.original
            }  # fmt: skip
        case _:
            return {}


def _rounded(parameters: dict[str, Any]) -> dict[str, Any]:
    """As one would write it: 7 digits are more than float32 angles know."""
    return {
        key: _short(value) if isinstance(value, float) and key in ("factor", "rope_theta") else value
        for key, value in parameters.items()
    }


def _short(value: float) -> float:
    return float(f"{value:.7g}")


def _json(keys: dict[str, Any]) -> str:
    return json.dumps(keys, separators=(", ", ": "))
