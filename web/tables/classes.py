"""Write what the page knows of model classes: ``python web/tables/classes.py [--check]``.

``clockhands.check.architectures`` says in Python what each class of transformers does with position. The page
reads a dropped ``config.json`` without Python, so the same is written here as data: every architecture as its
fields, and the functions in them as small expressions, ``["//", ["w", "hidden_size"], 12]``, which
``web/src/files/reckon.ts`` works out. A function that ``EXPRESSIONS`` doesn't translate leaves its classes
out, and the page then says which command reads them. Golden files hold the page's reader to Python's.

The words of expressions: ``w`` a whole number above 0 of the file or the class, ``n`` a finite number, ``v``
any value (with what stands in for none), ``f`` a list of the file itself, ``has`` whether the file says it,
``i`` and ``c`` the layer and how many there are, ``k`` the kind that the file gives a layer.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from clockhands.check.architectures import MODULES, record_of
from clockhands.check.architectures.added import Learned, NoPosition, Sinusoidal
from clockhands.check.architectures.axes import ThreeAxes
from clockhands.check.architectures.deepseek import RATIOS, LabelledRope
from clockhands.check.architectures.later_hybrids import NEMOTRON
from clockhands.check.architectures.mixtures import ByLayer, Chosen, Stacks, Together, Within
from clockhands.check.architectures.patterns import FULL, LINEAR, OLDER_NAMES, SLIDING
from clockhands.check.architectures.relative import Alibi, Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.read.context import LENGTHS
from clockhands.check.settings import USUAL, RopeReading

ROOT = Path(__file__).parents[2]
HOME = ROOT / "src" / "clockhands" / "web" / "built" / "classes.json"

Expr = Any


class Untold(Exception):
    """A function that no expression stands for."""


def w(key: str) -> Expr:
    return ["w", key]


def v(key: str, otherwise: Any = None) -> Expr:
    return ["v", key, otherwise]


SPLIT = ["//", w("hidden_size"), w("num_attention_heads")]
WIDTH = ["|", w("head_dim"), SPLIT]
N, COUNT, KIND = ["i"], ["c"], ["k"]
IF_USED = ["?", v("use_sliding_window"), w("sliding_window"), None]
AFTER_PADDING = ["|", ["+", ["int", v("pad_token_id", 1)], 1], 1]
HEADS = w("num_attention_heads")
HALF_LOCAL = ["?", ["has", "sliding_window"], w("sliding_window"), ["//", w("local_attention"), 2]]
TOLD_TURNED = ["f", "no_rope_layers"]
EVERY_FOURTH = ["%", ["+", N, 1], ["|", w("no_rope_layer_interval"), 4]]
TURNED = ["?", ["<", N, ["len", TOLD_TURNED]], ["at", TOLD_TURNED, N], EVERY_FOURTH]
TURNED_WORD = ["?", TURNED, " True", " False"]
KNOWN_SCORES = ["|", ["<", -1, ["find", "c2p", v("pos_att_type")]], ["<", -1, ["find", "p2c", v("pos_att_type")]]]
RELATIVE = ["&", v("relative_attention"), KNOWN_SCORES]
BIASED = v("position_biased_input", True)
SHARE = [
    "|",
    ["?", ["has", "partial_rotary_factor"], ["n", "partial_rotary_factor"], None],
    ["|", ["/", w("qk_rope_head_dim"), w("head_dim")], 64 / 512],
]


def word(condition: Expr) -> Expr:
    """``str(bool(…))`` of Python, which names a choice."""
    return ["?", condition, "True", "False"]


def told(rule: Expr, after: Expr = KIND, key: str = "layer_types") -> Expr:
    """``told_or``: the kind of each layer, as the file lists them, else by the rule; ``after`` goes over it."""
    return ["told", key, rule, after]


def last_of(period: Expr, default: int, last: str = FULL, others: str = SLIDING) -> Expr:
    step = period if isinstance(period, int) else ["|", w(period), default]
    return ["?", ["%", ["+", N, 1], step], others, last]


# By the name that Python gives the function; those in closures are given what is closed over.
EXPRESSIONS: dict[str, Callable[..., Expr]] = {
    "widths:head_width": lambda: WIDTH,
    "widths:split_width": lambda: SPLIT,
    "widths:wide_by_heads": lambda: ["//", ["|", w("n_embed"), w("hidden_size")], HEADS],
    "common:after_padding": lambda: AFTER_PADDING,
    "common:width_by.<locals>.head_dim": lambda heads, width: ["//", w(width), w(heads)],
    "common:told_width": lambda: w("d_kv"),
    "common:ROBERTA.rows": lambda: w("max_position_embeddings"),
    "common:sines.<locals>.<lambda>": lambda: ["+", ["|", w("max_position_embeddings"), 0], 2],
    "common:learned_or_sinusoidal.<locals>.<lambda>": lambda key: ["?", v(key), "sinusoidal", "learned"],
    "common:published_slopes": lambda: ["slopes", HEADS],
    "patterns:told_or.<locals>.kinds": lambda rule, key: told(rule, key=key),
    "patterns:last_of.<locals>.rule": lambda period, default, last, others: last_of(
        period, default, last, others
    ),
    "patterns:first_of.<locals>.<lambda>": lambda period, first, others: ["?", ["%", N, period], others, first],
    "patterns:alike.<locals>.<lambda>": lambda kind: kind,
    "patterns:windows_where.<locals>.<lambda>": lambda rule: ["?", rule, SLIDING, FULL],
    "latent:latent_width": lambda: ["+", w("qk_rope_head_dim"), ["|", w("qk_nope_head_dim"), 0]],
    "latent:turned_width": lambda: w("qk_rope_head_dim"),
    "latent:layout_told": lambda: ["?", v("rope_interleave", True), "interleaved", "half"],
    "qwen:if_used": lambda: IF_USED,
    "qwen:past_the_whole_ones": lambda: [
        "&", ["has!", IF_USED], ["&", ["has!", ["n", "max_window_layers"]], ["!", ["<", N, ["n", "max_window_layers"]]]],
    ],
    "qwen:every_other": lambda: [
        "&", v("use_sliding_window"), ["&", ["!", ["%", N, 2]], ["<", N, ["n", "max_window_layers"]]],
    ],
    "gemma:both_ways": lambda: [
        "?", v("use_bidirectional_attention"), ["+", ["*", 2, ["//", w("sliding_window"), 2]], 1],
        w("sliding_window"),
    ],
    "gemma:all_ways": lambda: [
        "?", ["=", v("use_bidirectional_attention"), "all"],
        ["+", ["*", 2, ["//", w("sliding_window"), 2]], 3], w("sliding_window"),
    ],
    "gemma:last_is_full": lambda: told(last_of(6, 1), ["?", ["=", ["+", N, 1], COUNT], FULL, KIND]),
    "gemma:is_scaled": lambda: ["!", ["=", ["rope", FULL, "rope_type"], "default"]],
    "gemma:full_width": lambda: [
        "?", ["obj", ["?", ["has", "per_layer_config"], v("per_layer_config"), None]], ["untold"],
        ["|", w("global_head_dim"), ["?", ["has", "global_head_dim"], None, 512]],
    ],
    "modern_bert:pattern": lambda: ["?", ["%", N, ["|", w("global_attn_every_n_layers"), 3]], SLIDING, FULL],
    "modern_bert:half": lambda: HALF_LOCAL,
    "modern_bert:both_sides": lambda: ["+", ["*", 2, HALF_LOCAL], 1],
    "letters_d_g:exaone_kinds": lambda: told(
        last_of("sliding_window_pattern", 4),
        ["?", ["=", KIND, SLIDING], SLIDING, ["?", ["has!", v("sliding_window")], FULL, "turned"]],
    ),
    "letters_d_g:esm_kind": lambda: [
        "?", ["<", -1, ["find", v("position_embedding_type", "absolute"), ["q", ["absolute", "rotary"]]]],
        v("position_embedding_type", "absolute"), "",
    ],
    "letters_d_g:falcon_slopes": lambda: ["slopes", HEADS, 8, ["//", ["|", w("n_embed"), w("hidden_size")], HEADS]],
    "letters_h_m:mpt_slopes": lambda: ["slopes", HEADS, ["int", ["get", v("attn_config"), "alibi_bias_max", 8]]],
    "letters_h_m:mimo_pattern": lambda: ["?", N, last_of(6, 1), FULL],
    "letters_h_m:mimo_window": lambda: [
        "|", ["+", w("sliding_window_size"), 1], w("sliding_window"),
    ],
    "letters_h_m:llama4_kinds": lambda: told(
        ["?", ["&", TURNED, w("attention_chunk_size")], "chunked_attention", FULL], ["+", KIND, TURNED_WORD]
    ),
    "letters_s_z:smollm_kinds": lambda: told(
        ["?", ["&", ["&", v("use_sliding_window"), ["has!", v("sliding_window")]], ["!", TURNED]], SLIDING, FULL],
        ["+", KIND, TURNED_WORD],
    ),
    "hybrids:jamba_kinds": lambda: [
        "each", ["|", w("num_hidden_layers"), 1],
        ["?", ["=", ["%", N, ["|", w("attn_layer_period"), 8]], v("attn_layer_offset", 4)], FULL, LINEAR],
    ],
    "later_hybrids:nemotron_kinds": lambda: [
        "?", ["len", ["f", "layer_types"]],
        ["each", ["len", ["f", "layer_types"]], ["older", ["at", ["f", "layer_types"], N]]],
        [
            "?", ["len", v("hybrid_override_pattern")],
            ["each", ["len", v("hybrid_override_pattern")],
             ["get", ["q", NEMOTRON], ["at", v("hybrid_override_pattern"), N], ""]],
            ["q", [LINEAR, "moe", FULL, "mlp"]],
        ],
    ],
    "deepseek:v4_kinds": lambda: told([
        "?", ["<", N, ["len", ["f", "compress_ratios"]]],
        ["get", ["q", {str(ratio): kind for ratio, kind in RATIOS.items()}], ["at", ["f", "compress_ratios"], N], ""],
        ["?", ["&", ["!", ["<", N, 2]], ["%", N, 2]], RATIOS[4], RATIOS[128]],
    ]),
    "gpt:neo_kinds": lambda: [
        "runs", ["|", v("attention_types"), ["q", [[["global", "local"], 10000]]]], ["|", w("num_hidden_layers"), 1]
    ],
    "deberta:narrow": lambda: ["|", w("embedding_size"), w("hidden_size")],
    "deberta:furthest": lambda: ["|", w("max_relative_positions"), w("max_position_embeddings")],
    "deberta:head_v2": lambda: ["|", w("attention_head_size"), SPLIT],
    "deberta:deberta.<locals>.neither": lambda: word(["!", ["|", BIASED, RELATIVE]]),
    "letters_s_z:xlnet.<locals>.<lambda>": lambda: ["|", w("d_head"), SPLIT],
    "longer:radius": lambda: ["+", ["*", 2, w("local_radius")], 1],
}  # fmt: skip

# Functions without a name of their own, by what is written after "lambda".
UNNAMED: dict[str, Expr] = {
    's.whole("rotary_dim")': w("rotary_dim"),
    's.number("rope_theta") or 10000.0': ["|", ["n", "rope_theta"], 10000.0],
    '"alibi" if s.get("alibi") else "rope"': ["?", v("alibi"), "alibi", "rope"],
    'str(s.get("attn_type") == "bi")': word(["=", v("attn_type"), "bi"]),
    'str(bool(s.get("position_biased_input", True)))': word(BIASED),
    'str(bool(s.get("relative_attention") and known(s)))': word(RELATIVE),
    's.whole("max_position_embeddings")': w("max_position_embeddings"),
    '(s.whole("max_position_embeddings") or 0) + 2': ["+", ["|", w("max_position_embeddings"), 0], 2],
    'str(bool(s.get("use_learned_position_embeddings", True)))': word(
        v("use_learned_position_embeddings", True)
    ),
    's.whole("d_head") or split_width(s)': ["|", w("d_head"), SPLIT],
    '"sinusoidal" if s.get(key) else "learned"': None,  # told by its home
}


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
        return leaf("alibi", {"head_dim": width, "slopes": of_function(part.slopes), "bidirectional": part.bidirectional})
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
        "partial": expression(part.partial) or None, "window": expression(part.window), "type": part.layer_type,
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
        over = {"rope_type": "default", "rope_theta": v("rope_theta", 10000.0), "partial_rotary_factor": SHARE}
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
        return leaf("learned", {"rows": w("max_position_embeddings"), "offset": 0, "head_dim": w("hidden_size")})
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


def keys_of(told_by: Any) -> set[str]:
    """Every key that a recipe reads."""
    if isinstance(told_by, Mapping):
        return {key for each in told_by.values() for key in keys_of(each)}
    if not isinstance(told_by, list):
        return set()
    own = {told_by[1]} if len(told_by) > 1 and told_by[0] in ("w", "v", "n", "f", "has", "told", "count") else set()
    if told_by and told_by[0] == "both":
        own |= {told_by[3], told_by[4]}
    return own.union(*(keys_of(each) for each in told_by)) if told_by else own


ALWAYS = {
    "num_hidden_layers", "max_position_embeddings", "original_max_position_embeddings", "head_dim", "rotary_dim",
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
        if key in read and each is not None and not (key == "layer_types")
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
