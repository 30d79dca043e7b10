"""Functions of ``clockhands.check.architectures`` as expressions that the page works out: see ``classes.py``.

The words: ``w`` a whole number above 0 of the file or the class, ``n`` a finite number, ``v`` any value (with
what stands in for none), ``f`` a list of the file itself, ``has`` whether the file says it, ``i`` and ``c``
the layer and how many there are, ``k`` the kind that the file gives a layer. ``web/src/files/reckon.ts`` has
them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clockhands.check.architectures.deepseek import RATIOS
from clockhands.check.architectures.later_hybrids import NEMOTRON
from clockhands.check.architectures.patterns import FULL, LINEAR, SLIDING

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
KNOWN_SCORES = [
    "|",
    ["<", -1, ["find", "c2p", v("pos_att_type")]],
    ["<", -1, ["find", "p2c", v("pos_att_type")]],
]
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
    """``told_or``: the kind of each layer, as the file lists them, else by the rule; then ``after``."""
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
    "patterns:first_of.<locals>.<lambda>": lambda period, first, others: [
        "?", ["%", N, period], others, first
    ],
    "patterns:alike.<locals>.<lambda>": lambda kind: kind,
    "patterns:windows_where.<locals>.<lambda>": lambda rule: ["?", rule, SLIDING, FULL],
    "latent:latent_width": lambda: ["+", w("qk_rope_head_dim"), ["|", w("qk_nope_head_dim"), 0]],
    "latent:turned_width": lambda: w("qk_rope_head_dim"),
    "latent:layout_told": lambda: ["?", v("rope_interleave", True), "interleaved", "half"],
    "qwen:if_used": lambda: IF_USED,
    "qwen:past_the_whole_ones": lambda: [
        "&", ["has!", IF_USED],
        ["&", ["has!", ["n", "max_window_layers"]], ["!", ["<", N, ["n", "max_window_layers"]]]],
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
    "letters_d_g:falcon_slopes": lambda: [
        "slopes", HEADS, 8, ["//", ["|", w("n_embed"), w("hidden_size")], HEADS]
    ],
    "letters_h_m:mpt_slopes": lambda: [
        "slopes", HEADS, ["int", ["get", v("attn_config"), "alibi_bias_max", 8]]
    ],
    "letters_h_m:mimo_pattern": lambda: ["?", N, last_of(6, 1), FULL],
    "letters_h_m:mimo_window": lambda: [
        "|", ["+", w("sliding_window_size"), 1], w("sliding_window"),
    ],
    "letters_h_m:llama4_kinds": lambda: told(
        ["?", ["&", TURNED, w("attention_chunk_size")], "chunked_attention", FULL], ["+", KIND, TURNED_WORD]
    ),
    "letters_s_z:smollm_kinds": lambda: told(
        [
            "?", ["&", ["&", v("use_sliding_window"), ["has!", v("sliding_window")]], ["!", TURNED]],
            SLIDING, FULL,
        ],
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
        [
            "get", ["q", {str(ratio): kind for ratio, kind in RATIOS.items()}],
            ["at", ["f", "compress_ratios"], N], "",
        ],
        ["?", ["&", ["!", ["<", N, 2]], ["%", N, 2]], RATIOS[4], RATIOS[128]],
    ]),
    "gpt:neo_kinds": lambda: [
        "runs", ["|", v("attention_types"), ["q", [[["global", "local"], 10000]]]],
        ["|", w("num_hidden_layers"), 1],
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
