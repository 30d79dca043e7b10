"""Write what the page knows of model classes: ``python web/tables/classes.py [--check]``.

``clockhands.check.architectures`` says in Python what each class of transformers does with position. The page
reads a dropped ``config.json`` without Python, so the same is written here as data: every architecture as its
fields, and the functions in them as small expressions, ``["//", ["w", "hidden_size"], 12]``, which
``web/src/files/reckon.ts`` works out. A function that ``EXPRESSIONS`` doesn't translate leaves its classes
out, and the page then says which command reads them. Golden files hold the page's reader to Python's.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from expressions import EXPRESSIONS, SHARE, UNNAMED, Expr, Untold, v, w, word

from clockhands.check.architectures import MODULES, record_of
from clockhands.check.architectures.added import Learned, NoPosition, Sinusoidal
from clockhands.check.architectures.axes import ThreeAxes
from clockhands.check.architectures.deepseek import LabelledRope
from clockhands.check.architectures.mixtures import ByLayer, Chosen, Stacks, Together, Within
from clockhands.check.architectures.patterns import OLDER_NAMES
from clockhands.check.architectures.relative import Alibi, Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.windows import Chunked
from clockhands.check.read.context import LENGTHS
from clockhands.check.settings import USUAL, RopeReading

ROOT = Path(__file__).parents[2]
HOME = ROOT / "src" / "clockhands" / "web" / "built" / "classes.json"


def expression(value: Any) -> Expr:
    """A field as an expression: a key is a whole number, a function what stands for it."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return w(value)
    return of_function(value)


def of_function(function: Any) -> Expr:
    name = f"{function.__module__.split('.')[-1]}:{function.__qualname__}"
    closed = {
        key: of_function(each) if callable(each) else each
        for key, each in inspect.getclosurevars(function).nonlocals.items()
    }
    if name in EXPRESSIONS and set(inspect.signature(EXPRESSIONS[name]).parameters) == set(closed):
        return EXPRESSIONS[name](**closed)
    if "<lambda>" in name:
        source = " ".join(inspect.getsource(function).split()).replace("( ", "(").replace(" )", ")")
        for written, found in UNNAMED.items():
            if f"lambda s: {written}" in source and found is not None:
                return found
    raise Untold(name)


def recipe(part: Any) -> Any:
    """An architecture as data."""
    if isinstance(part, Chunked):  # how a window lies isn't drawn
        return recipe(part.inner)
    if isinstance(part, ByLayer):
        return ["by", of_function(part.kinds), {kind: recipe(each) for kind, each in part.of.items()}]
    if isinstance(part, Chosen):
        return ["one", of_function(part.by), {name: recipe(each) for name, each in part.of.items()}]
    if isinstance(part, Together):
        return ["all", *(recipe(each) for each in part.parts)]
    if isinstance(part, Stacks):
        both = [recipe(part.encoder), recipe(part.decoder)]
        return ["both", *both, part.encoder_layers, part.decoder_layers]
    if isinstance(part, Within):
        inner = None if part.part is None else recipe(part.part)
        return ["in", part.key, inner, part.model_type, part.stack, dict(part.usual), part.filled]
    if isinstance(part, LabelledRope):
        return labelled(part)
    if type(part) in (Rope, ThreeAxes) or type(part).__name__ == "Third":
        return leaf("rope", rope_fields(part))
    if type(part) is Learned:
        offset = expression(part.offset)
        rows = expression(part.rows)
        if isinstance(part.rows, str):
            rows = ["+", rows, offset]
        shape = {"rows": rows, "offset": offset, "head_dim": expression(part.width)}
        return leaf("learned", {**shape, "window": expression(part.window)})
    if type(part) is Sinusoidal:
        width = expression(part.width)
        return leaf("sinusoidal", {
            "layout": part.layout, "head_dim": width, "rope_theta": part.base,
            "inv_freq": ["sines", width, part.base, part.exponent], "rows": expression(part.rows),
            "offset": expression(part.offset), "window": expression(part.window),
        })  # fmt: skip
    if type(part) is NoPosition:
        if part.mixer == "other":
            return leaf("none", {"mixer": "other"})
        return leaf("none", {"head_dim": expression(part.head_dim), "window": expression(part.window)})
    if type(part) is Alibi:
        width = expression(part.head_dim)
        return leaf(
            "alibi",
            {"head_dim": width, "slopes": of_function(part.slopes), "bidirectional": part.bidirectional},
        )
    if type(part) is Bucketed:
        names = ("num_buckets", "max_distance", "head_dim", "window")
        own = {name: expression(getattr(part, name)) for name in names}
        return leaf(part.family, {**own, "bidirectional": part.bidirectional})
    return of_whole(part)


def leaf(family: str, own: Mapping[str, Expr]) -> Any:
    return ["is", family, {name: each for name, each in own.items() if each is not None}]


def rope_fields(part: Rope) -> dict[str, Expr]:
    """``layer_type`` and what the reader of rotary parameters needs; how axes lie is not drawn."""
    layout = part.layout if isinstance(part.layout, str) else of_function(part.layout)
    found: dict[str, Expr] = {
        "layout": layout, "head_dim": expression(part.head_dim), "rotary_dim": expression(part.rotary_dim),
        "partial": expression(part.partial) or None, "window": expression(part.window),
        "type": part.layer_type,
    }  # fmt: skip
    if part.theta is not None:
        found["over"] = {"rope_type": "default", "rope_theta": expression(part.theta)}
    if type(part).__name__ == "Third":
        share = ["rope", None, "partial_rotary_factor"]
        unscaled = ["=", ["rope", None, "rope_type"], "default"]
        found["partial"] = True
        found["over"] = {"partial_rotary_factor": ["?", unscaled, ["|", share, 0.334], share]}
    return found


def labelled(part: LabelledRope) -> Any:
    """DeepSeek-V4: two dictionaries where the file has them, else one that speaks of ``compress``."""
    base = rope_fields(part)
    given = ["|", v("rope_parameters"), v("rope_scaling")]
    both = word(["&", ["obj", ["get", given, "main"]], ["obj", ["get", given, "compress"]]])
    if part.layer_type == "main":
        over = {
            "rope_type": "default",
            "rope_theta": v("rope_theta", 10000.0),
            "partial_rotary_factor": SHARE,
        }
    else:
        yarn = ["=", ["rope", "compress", "rope_type"], "yarn"]
        told_factor = ["rope", "compress", "attention_factor"]
        over = {
            "rope_theta": v("compress_rope_theta", 160000.0), "partial_rotary_factor": SHARE,
            "attention_factor": ["?", yarn, ["|", told_factor, 1], told_factor],
        }  # fmt: skip
    return ["one", both, {"True": leaf("rope", base), "False": leaf("rope", {**base, "over": over})}]


def of_whole(part: Any) -> Any:
    """Architectures that are functions, or classes of their own."""
    name = getattr(part, "__qualname__", type(part).__name__)
    width = w("d_model")
    if name == "gpt2":
        return leaf(
            "learned", {"rows": w("max_position_embeddings"), "offset": 0, "head_dim": w("hidden_size")}
        )
    if name == "whisper":
        table = leaf("learned", {"rows": w("max_target_positions"), "offset": 0, "head_dim": width})
        return ["count", "decoder_layers", table]
    if name == "convolved":
        return ["one", word(w("conv_kernel_size")), {"True": ["first", leaf("none", {"mixer": "other"})]}]
    if name == "Flat":
        inner = recipe(part.part)
        flat = ["as", part.model_type, inner]
        inside = ["in", "text_config", inner, part.model_type, None, {}, False]
        return ["one", word(["has!", v("text_config")]), {"True": inside, "False": flat}]
    raise Untold(name)


NAMING = ("w", "v", "n", "f", "has", "told", "count")
"""Words whose first argument is a key."""


def keys_of(told_by: Any) -> set[str]:
    """Every key that a recipe reads."""
    if isinstance(told_by, Mapping):
        return {key for each in told_by.values() for key in keys_of(each)}
    if not isinstance(told_by, list):
        return set()
    own = {told_by[1]} if len(told_by) > 1 and told_by[0] in NAMING else set()
    if told_by and told_by[0] == "both":
        own |= {told_by[3], told_by[4]}
    return own.union(*(keys_of(each) for each in told_by)) if told_by else own


ALWAYS = {
    "num_hidden_layers", "max_position_embeddings", "original_max_position_embeddings", "head_dim",
    "rotary_dim",
    "rope_scaling", "rope_parameters", *USUAL.values(), *LENGTHS,
}  # fmt: skip


def texts_of(named: Mapping[str, Any]) -> set[str]:
    """Keys in a dictionary that may be nested by the type of layers."""
    nested = (texts_of(each) for each in named.values() if isinstance(each, Mapping))
    return {each for each in named.values() if isinstance(each, str)}.union(*nested)


def class_record(model_type: str, architecture: Any) -> dict[str, Any]:
    """One class; Untold where something in it has no expression."""
    told_of = record_of(model_type)
    found: dict[str, Any] = {"is": recipe(architecture)}
    reading = RopeReading(**told_of["rope"]) if "rope" in told_of else RopeReading()
    usual = asdict(RopeReading())
    rope = {each.name: getattr(reading, each.name) for each in fields(RopeReading)}
    rope = {name: each for name, each in rope.items() if each != usual[name]}
    read = keys_of(found["is"]) | ALWAYS | texts_of(reading.alone) | texts_of(reading.beside)
    aliases = {name: key for name, key in told_of.get("aliases", {}).items() if {name, key} & read}
    read |= {*aliases, *aliases.values()}
    defaults = {
        key: each for key, each in told_of.get("defaults", {}).items()
        if key in read and each is not None and key != "layer_types"
    }  # fmt: skip
    parts = {"defaults": defaults, "aliases": aliases, "rope": rope, "parts": dict(told_of.get("parts", {}))}
    return {**found, **{name: each for name, each in parts.items() if each}}


def classes() -> tuple[dict[str, Any], dict[str, str]]:
    """All classes with what they share told once, and those left out with what was in the way."""
    records: dict[str, Any] = {}
    untold: dict[str, str] = {}
    for module in MODULES.values():
        home = importlib.import_module(f"clockhands.check.architectures.{module}")
        for model_type, architecture in home.ARCHITECTURES.items():
            try:
                records[model_type] = class_record(model_type, architecture)
            except Untold as reason:
                untold[model_type] = str(reason)
    for model_type, record in list(records.items()):
        told = record["is"]
        if told[0] == "in" and told[2] is None and told[3] in untold:
            untold[model_type] = f"its part {told[3]}"
            del records[model_type]
    shared: list[Any] = []
    places: dict[str, int] = {}
    for record in records.values():
        for name in ("is", "aliases", "rope"):
            if name not in record:
                continue
            written = json.dumps(record[name])
            if written not in places:
                places[written] = len(shared)
                shared.append(record[name])
            record[name] = places[written]
    usual = asdict(RopeReading())
    common = {"shared": shared, "usual": usual, "older": OLDER_NAMES, "lengths": LENGTHS}
    return {**common, "classes": records, "untold": sorted(untold)}, untold


if __name__ == "__main__":
    found, left_out = classes()
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"), default=dict) + "\n"
    if "--check" in sys.argv:
        sys.exit(0 if HOME.read_text(encoding="utf-8") == text else f"{HOME.name} is old: run {sys.argv[0]}")
    HOME.write_text(text, encoding="utf-8")
    print(f"{len(found['classes'])} classes, {len(text)} bytes; left out: {len(left_out)}")
    if "--why" in sys.argv:
        for name, reason in sorted(left_out.items()):
            print(name, reason)
