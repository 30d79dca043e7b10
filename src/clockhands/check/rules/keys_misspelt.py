"""A key at the top that is nearly one about positions, while the right one is missing."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import parts
from clockhands.check.subject import Subject
from clockhands.language import Text

KEYS = (
    "rope_theta", "rope_scaling", "rope_parameters", "max_position_embeddings", "partial_rotary_factor",
    "original_max_position_embeddings", "sliding_window", "layer_types", "no_rope_layers",
    "no_rope_layer_interval", "sliding_window_pattern", "rope_local_base_freq", "rotary_dim", "rotary_pct",
    "rotary_emb_base", "relative_attention_num_buckets", "relative_attention_max_distance",
    "position_embedding_type", "num_key_value_heads", "num_attention_heads", "qk_rope_head_dim",
)  # fmt: skip
"""Keys about positions that most classes know."""

FARTHEST = 2
"""Letters that a slip changes, drops, adds or swaps."""


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        for name in part.settings.file:
            if not isinstance(name, str) or name in KEYS or name in part.settings.defaults:
                continue
            near = next((key for key in KEYS if _slip(name, key)), None)
            if near is None or near in part.settings.file:
                continue
            key = f"{part.prefix}{name}"
            yield RULE.finding(
                "error",
                [key],
                Text(
                    f"{key} is a key that no class reads, and {part.prefix}{near} is missing: the default "
                    "is used",
                    f"{key} 这个键没有模型类会读取，而缺少 {part.prefix}{near}：于是用默认值",
                ),
                Text(f"did you mean '{near}'?", f"是不是想写“{near}”？"),
            )


def _slip(name: str, key: str) -> bool:
    """Whether one is the other with a slip, and not with a word more or less."""
    if abs(len(name) - len(key)) > FARTHEST or name.count("_") != key.count("_"):
        return False
    return 0 < _distance(name, key) <= FARTHEST


def _distance(one: str, other: str) -> int:
    """Letters to change, drop, add or swap with a neighbour: the distance of Damerau, restricted.

    >>> _distance("rope_thetha", "rope_theta"), _distance("rope_htea", "rope_theta")
    (1, 2)
    """
    before, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]


RULE = Rule(
    code="CH041",
    title=Text("a misspelt key", "拼错的键"),
    story=Text(
        "Configurations accept any key: what no class knows is kept as an attribute that nothing reads. A "
        "rope_thetha of 500,000 leaves the base at 10,000, and the model answers as if nothing had happened "
        "until the text gets long.",
        "配置接受任何键：没有模型类认识的键，只作为无人读取的属性保存下来。把 500,000 写进 rope_thetha，底数"
        "仍是 10,000；文本不长时，模型照常回答，好像什么也没发生。",
    ),
    check=_check,
    reference="huggingface/transformers #38224",
)
