"""Frequencies from the dictionaries that Hugging Face configurations hold, old and new spelling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clockhands.arrays import Array, require_whole
from clockhands.errors import ClockhandsError, nearest, shown
from clockhands.formulas.frequencies.geometric import default_inv_freq
from clockhands.formulas.frequencies.longrope import longrope_attention_factor, longrope_inv_freq
from clockhands.formulas.frequencies.scaled import (
    by_parts_inv_freq,
    dynamic_ntk_inv_freq,
    linear_inv_freq,
)
from clockhands.formulas.frequencies.selected import proportional_inv_freq
from clockhands.formulas.frequencies.stated import divisors, needed, number, optional
from clockhands.formulas.frequencies.yarn import yarn_attention_factor, yarn_inv_freq

OLD_NAMES = {"su": "longrope", "mrope": "default"}
"""``rope_type`` as older configurations spell it; ``mrope`` is about axes, not about frequencies."""


def from_rope_parameters(
    rope_parameters: Mapping[str, Any],
    *,
    head_dim: int,
    max_position_embeddings: int | None = None,
    original_max_position_embeddings: int | None = None,
    seq_len: int | None = None,
    rope_theta: float | None = None,
    layer_type: str | None = None,
) -> tuple[Array, float]:
    """``(inv_freq, attention_factor)`` in float64, as transformers 5.24 means them in float32.

    rope_parameters          what a ``config.json`` has under ``rope_parameters`` or, before version 5, under
                             ``rope_scaling`` (where ``rope_type`` may be called ``type``)
    head_dim                 width of a head; ``partial_rotary_factor`` may turn a part of it only
    max_position_embeddings  of the configuration: where a type needs the trained length and has none itself
    original_max_position_embeddings  the same where the configuration has it beside the dictionary (Phi-3):
                             then it counts, and not what the dictionary says
    seq_len                  tokens of the text, for the types that depend on it (dynamic, longrope)
    rope_theta               of the configuration, where the dictionary has none; else 10000
    layer_type               which of the nested dictionaries, where layers differ

    Raises ClockhandsError for an unknown type, for a number that is missing, none or out of range, and where
    ``layer_type`` is needed.

    >>> from_rope_parameters({"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0}, head_dim=4)
    (array([0.25  , 0.0025]), 1.0)
    """
    _require_dictionary(rope_parameters)
    require_whole(head_dim, "head_dim", least=1)
    if seq_len is not None:
        require_whole(seq_len, "seq_len")
    given = _of_layer(rope_parameters, layer_type)
    kind = str(given.get("rope_type") or given.get("type") or "default")
    compute = _TYPES.get(OLD_NAMES.get(kind, kind))
    if compute is None:
        hint = nearest(kind, (*_TYPES, *OLD_NAMES))
        raise ClockhandsError(f"rope_type is '{kind}': {hint.en}", f"rope_type 为“{kind}”：{hint.zh}")
    theta = given.get("rope_theta")
    theta = rope_theta if theta is None else theta
    trained = original_max_position_embeddings
    if trained is None:
        trained = given.get("original_max_position_embeddings", max_position_embeddings)
    asked = {
        **given, "head_dim": head_dim, "seq_len": seq_len, "kind": kind,
        "rope_theta": 10000.0 if theta is None else number(theta, "rope_theta"),
        "max_position_embeddings": max_position_embeddings,
        "original_max_position_embeddings": trained,
    }  # fmt: skip
    return compute(asked)


def _require_dictionary(rope_parameters: Any) -> None:
    if not isinstance(rope_parameters, Mapping):
        raise ClockhandsError(
            f"rope_parameters are {shown(rope_parameters)}, but they must be a dictionary: "
            "give what config.json has under rope_parameters or rope_scaling",
            f"rope_parameters 为 {shown(rope_parameters)}，但它必须是字典："
            "请给出 config.json 里 rope_parameters 或 rope_scaling 的内容",
        )


def _of_layer(rope_parameters: Mapping[str, Any], layer_type: str | None) -> Mapping[str, Any]:
    nested = [key for key, value in rope_parameters.items() if isinstance(value, Mapping)]
    if not nested:
        return rope_parameters
    if layer_type not in nested:
        known = ", ".join(nested)
        raise ClockhandsError(
            f"these rope parameters differ by layer ({known}), and layer_type is {layer_type!r}: give one",
            f"这些 rope 参数按层的类型区分（{known}），而 layer_type 是 {layer_type!r}：请给出其中一个",
        )
    return rope_parameters[layer_type]


def _default(asked: Mapping[str, Any]) -> tuple[Array, float]:
    return default_inv_freq(_turned(asked), asked["rope_theta"]), 1.0


def _axial(asked: Mapping[str, Any]) -> tuple[Array, float]:
    return default_inv_freq(asked["head_dim"] // 2, asked["rope_theta"]), 1.0


def _linear(asked: Mapping[str, Any]) -> tuple[Array, float]:
    return linear_inv_freq(_turned(asked), asked["rope_theta"], factor=_needed(asked, "factor")), 1.0


def _dynamic(asked: Mapping[str, Any]) -> tuple[Array, float]:
    trained = _needed(asked, "max_position_embeddings")
    length = trained if asked["seq_len"] is None else asked["seq_len"]
    sizes = {"factor": _needed(asked, "factor"), "max_position_embeddings": trained, "length": length}
    return dynamic_ntk_inv_freq(_turned(asked), asked["rope_theta"], **sizes), 1.0


def _yarn(asked: Mapping[str, Any]) -> tuple[Array, float]:
    factor, truncate = _factor(asked), asked.get("truncate", True)
    number(asked["rope_theta"], "rope_theta", above=1.0)  # the ramp divides by its logarithm
    if not isinstance(truncate, bool | None):
        raise ClockhandsError(
            f"truncate is {shown(truncate)}, but it must be true or false: choose one",
            f"truncate 为 {shown(truncate)}，但它必须是 true 或 false：请选一个",
        )
    inv_freq = yarn_inv_freq(
        _turned(asked), asked["rope_theta"], factor=factor,
        original_max_position_embeddings=_needed(asked, "original_max_position_embeddings"),
        beta_fast=number(asked.get("beta_fast") or 32.0, "beta_fast"),
        beta_slow=number(asked.get("beta_slow") or 1.0, "beta_slow"),
        truncate=bool(truncate),
    )  # fmt: skip
    # A weight of 0 is none, as in transformers.
    weights = (
        number(asked[name], name) if asked.get(name) else None for name in ("mscale", "mscale_all_dim")
    )
    return inv_freq, optional(asked, "attention_factor", yarn_attention_factor(factor, *weights))


def _longrope(asked: Mapping[str, Any]) -> tuple[Array, float]:
    trained, pairs = _needed(asked, "original_max_position_embeddings"), (_turned(asked) + 1) // 2
    inv_freq = longrope_inv_freq(
        _turned(asked), asked["rope_theta"],
        short_factor=divisors(asked, "short_factor", pairs),
        long_factor=divisors(asked, "long_factor", pairs),
        original_max_position_embeddings=trained, length=asked["seq_len"] or 0,
    )  # fmt: skip
    magnitude = asked.get("attention_factor")
    if magnitude is None:
        number(trained, "original_max_position_embeddings", above=1.0)  # its logarithm divides
        magnitude = longrope_attention_factor(_factor(asked), trained)
    return inv_freq, number(magnitude, "attention_factor")


def _llama3(asked: Mapping[str, Any]) -> tuple[Array, float]:
    trained = _needed(asked, "original_max_position_embeddings")
    slow, fast = _needed(asked, "low_freq_factor"), _needed(asked, "high_freq_factor")
    if slow >= fast:
        raise ClockhandsError(
            f"low_freq_factor is {slow:g} and high_freq_factor {fast:g}, but the first must be the "
            "smaller one: change one of them",
            f"low_freq_factor 为 {slow:g}，high_freq_factor 为 {fast:g}，但前者必须小于后者：请改其中一个",
        )
    return by_parts_inv_freq(
        _turned(asked), asked["rope_theta"], factor=_needed(asked, "factor"),
        original_max_position_embeddings=trained,
        slow=slow, fast=fast,
    ), 1.0  # fmt: skip


def _proportional(asked: Mapping[str, Any]) -> tuple[Array, float]:
    share = _share(asked)
    moving = proportional_inv_freq(asked["head_dim"], asked["rope_theta"], partial_rotary_factor=share)
    return moving / optional(asked, "factor", 1.0), 1.0


_TYPES: dict[str, Callable[[Mapping[str, Any]], tuple[Array, float]]] = {
    "default": _default,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
    "axial": _axial,
}


def _share(asked: Mapping[str, Any]) -> float:
    return optional(asked, "partial_rotary_factor", 1.0, most=1.0)


def _turned(asked: Mapping[str, Any]) -> int:
    return int(asked["head_dim"] * _share(asked))


def _factor(asked: Mapping[str, Any]) -> float:
    """Given, or else the ratio of the promised to the trained length, as Phi-3's files mean it."""
    if asked.get("factor") is not None:
        return _needed(asked, "factor")
    return _needed(asked, "max_position_embeddings") / _needed(asked, "original_max_position_embeddings")


def _needed(asked: Mapping[str, Any], name: str) -> Any:
    return number(needed(asked, name), name)
