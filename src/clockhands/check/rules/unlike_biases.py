"""Biases, tables or windows that are not those declared."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.disagreement import disagreeing
from clockhands.check.subject import Subject
from clockhands.language import Text

FIELDS = {
    "slopes": "num_attention_heads",
    "num_buckets": "relative_attention_num_buckets",
    "max_distance": "relative_attention_max_distance",
    "bidirectional": "is_decoder",
    "rows": "max_position_embeddings",
    "offset": "pad_token_id",
    "window": "sliding_window",
    "window_kind": "layer_types",
}
"""Of the normal form, with the key of a configuration that says each."""

REMEDY = Text(
    "compare the code with that of the original model at this key",
    "在这个键上与原模型的代码核对",
)


def _check(subject: Subject) -> Iterator[Finding]:
    yield from disagreeing(subject, RULE, FIELDS, REMEDY)


RULE = Rule(
    code="CH305",
    title=Text("another bias, table or window than declared", "偏置、位置表或窗口与声明的不同"),
    story=Text(
        "Slopes of ALiBi for heads that are no power of two, the sign of T5's distance, the two rows by "
        "which RoBERTa's table is shifted, a window that is off by one: each is a line of code, and each "
        "port writes it again.",
        "头数不是 2 的幂时 ALiBi 的斜率、T5 距离的正负号、RoBERTa 位置表错开的两行、差一的窗口：都只是一行"
        "代码，而每个移植版都要重写一遍。",
    ),
    check=_check,
    reference="ml-explore/mlx #343; huggingface/candle #1312; huggingface/transformers #8518",
)
