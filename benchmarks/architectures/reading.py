"""How a configuration class makes rotary parameters out of a file, found by building it with odd values."""

from __future__ import annotations

import copy
import dataclasses
import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from clockhands.check.settings import RopeReading

ODD_BASE, ODD_PART, ODD_WIDTH, ODD_FACTOR = 12345.0, 0.375, 8, 3.0
"""Values that no class takes by itself."""

BASES = (
    "rope_theta", "rotary_emb_base", "global_rope_theta", "rope_local_base_freq", "local_rope_theta",
    "swa_rope_theta", "rotary_embedding_base", "compress_rope_theta",
)  # fmt: skip
PARTS = ("partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_percent")
TYPES = (
    "default",
    "su",
    "yarn",
    "mrope",
    "xdrope",
    "linear",
    "dynamic",
    "longrope",
    "llama3",
    "deepseek_yarn",
)


def reading_of(cls: Any) -> dict[str, Any] | None:
    """The fields of ``RopeReading`` that differ from its defaults; None for a class without RoPE."""
    if not any(each.name == "rope_parameters" for each in dataclasses.fields(cls)):
        return None
    own = built(cls)
    if own is None:
        return None
    kinds = sorted(kind for kind, value in own.items() if isinstance(value, Mapping))
    own = {kind: value for kind, value in own.items() if value is not None} if kinds else own
    dictionary: dict[str, Any] = {"rope_type": "default", "factor": ODD_FACTOR}
    if kinds:
        dictionary = {kind: dict(dictionary) for kind in kinds}
    filled = built(cls, rope_parameters=dictionary)
    found = {
        "own": own,
        "fill": by_kind(
            kinds, filled, lambda one: {k: v for k, v in one.items() if k not in ("rope_type", "factor")}
        ),
        "alone": keys_read(cls, kinds, own, {}),
        "beside": keys_read(cls, kinds, filled, {"rope_parameters": dictionary}),
        "deaf": deaf_to(cls, kinds),
        "types": types_of(cls, kinds),
        "old_type": hears_old_type(cls, kinds),
        "by_width": by_width(cls, kinds),
        "alpha": has_alpha(cls),
    }
    plain = {"own": None, **dataclasses.asdict(RopeReading())}
    return {name: value for name, value in found.items() if value != plain[name]}


def added(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What a class put into a dictionary that said the type and factor only."""
    return {name: value for name, value in parameters.items() if name not in ("rope_type", "factor")}


def built(cls: Any, **given: Any) -> dict[str, Any] | None:
    """Its rotary parameters when built so, None where it refuses; checks of whole classes are left out."""
    from huggingface_hub.errors import StrictDataclassError

    checks, cls.__class_validators__ = cls.__class_validators__, []
    try:
        return cls(**copy.deepcopy(given)).rope_parameters
    except (ValueError, TypeError, KeyError, AttributeError, StrictDataclassError):
        return None
    finally:
        cls.__class_validators__ = checks


def by_kind(kinds: Iterable[str], parameters: Mapping[str, Any] | None, of: Any) -> dict[str, Any]:
    """``of`` the parameters, kind by kind where there are several."""
    parameters = parameters or {}
    if not kinds:
        return of(parameters)
    return {kind: of(parameters.get(kind) or {}) for kind in kinds}


def keys_read(
    cls: Any, kinds: list[str], before: Mapping[str, Any] | None, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Which key outside the dictionary gives the base, and which the part that turns."""
    found: dict[str, Any] = {kind: {} for kind in kinds} if kinds else {}
    for name, keys, odd in (("rope_theta", BASES, ODD_BASE), ("partial_rotary_factor", PARTS, ODD_PART)):
        for key in keys:
            after = built(cls, **given, **{key: odd}) or {}
            for kind in kinds or [None]:
                place, now = (found, after) if kind is None else (found[kind], after.get(kind) or {})
                if now.get(name) == odd and name not in place:
                    place[name] = key
    return found


def deaf_to(cls: Any, kinds: list[str]) -> dict[str, list[str]]:
    """Kinds of layers to which a flat dictionary of either name says nothing."""
    found = {}
    for name in ("rope_scaling", "rope_parameters"):
        after = built(cls, **{name: {"rope_type": "default", "factor": ODD_FACTOR}}) or {}
        found[name] = [kind for kind in kinds if (after.get(kind) or {}).get("factor") != ODD_FACTOR]
    return {name: deaf for name, deaf in found.items() if deaf}


def types_of(cls: Any, kinds: list[str]) -> dict[str, str]:
    """Types that it takes for others."""
    found = {}
    for given in TYPES:
        one = {"rope_type": given, "factor": ODD_FACTOR, "original_max_position_embeddings": 128}
        for name in ("rope_parameters", "rope_scaling"):
            after = built(cls, **{name: {kind: dict(one) for kind in kinds} if kinds else one}) or {}
            after = after.get(kinds[0]) or {} if kinds else after
            heard = not kinds or after.get("factor") == ODD_FACTOR
            if heard and after.get("rope_type", given) != given:
                found[given] = after["rope_type"]
    return found


def hears_old_type(cls: Any, kinds: list[str]) -> bool:
    """Whether ``type`` of a flat ``rope_scaling`` counts: some classes have a ``rope_type`` there already."""
    after = built(cls, rope_scaling={"type": "linear", "factor": ODD_FACTOR}) or {}
    scaled = [one for kind in kinds if (one := after.get(kind) or {}).get("factor") == ODD_FACTOR]
    return not any(one.get("rope_type") != "linear" for one in scaled)


def by_width(cls: Any, kinds: list[str]) -> bool:
    """Whether ``rotary_dim`` tells the part that turns."""
    if kinds or not any(each.name == "head_dim" for each in dataclasses.fields(cls)):
        return False
    given = {"rope_parameters": {"rope_type": "default"}, "rotary_dim": ODD_WIDTH, "head_dim": 64}
    return (built(cls, **given) or {}).get("partial_rotary_factor") == ODD_WIDTH / 64


def has_alpha(cls: Any) -> bool:
    """Whether its modelling code reads ``alpha``."""
    folder = Path(str(importlib.import_module(cls.__module__).__file__)).parent
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("modeling_*.py")))
    return 'rope_parameters["alpha"]' in code
