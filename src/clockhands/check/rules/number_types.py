"""Numbers that are no numbers: strings, true and false, lists."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import PROMISED, TRAINED, dictionaries, parts
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.errors import shown
from clockhands.language import Text

IN_DICTIONARY = (
    "factor", TRAINED, "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim",
    "low_freq_factor", "high_freq_factor", "partial_rotary_factor",
)  # fmt: skip

BESIDE = (
    PROMISED, TRAINED, "partial_rotary_factor", "rotary_pct", "head_dim", "hidden_size",
    "num_attention_heads", "num_key_value_heads", "num_hidden_layers", "n_positions",
    "relative_attention_num_buckets", "relative_attention_max_distance",
)  # fmt: skip


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        said = {f"{part.prefix}{name}": part.settings.file.get(name) for name in BESIDE}
        for path, given in dictionaries(part):
            said |= {f"{part.prefix}{path}.{name}": given.get(name) for name in IN_DICTIONARY}
        for key, value in said.items():
            if value is not None and finite(value) is None and not _each_layer(value):
                yield RULE.finding(
                    "error",
                    [key],
                    Text(
                        f"{key} is {shown(value)}: it must be a number",
                        f"{key} 为 {shown(value)}：它必须是数字",
                    ),
                    Text(
                        "write it as a plain number, without quotes",
                        "写成普通数字，不加引号",
                    ),
                )


def _each_layer(value: object) -> bool:
    """One number for every layer, as models searched by machine have it."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(each is None or finite(each) is not None for each in value)
    )


RULE = Rule(
    code="CH010",
    title=Text("a number that is none", "应为数字的值不是数字"),
    story=Text(
        "JSON has numbers, strings and true and false, and programs treat them differently: '8' stops one, "
        "8.0 passes in another, true counts as 1 in a third. NaN and Infinity are no JSON at all, though "
        "Python writes them. Transformers 5.24 logs a line for some of them and goes on.",
        "JSON 里有数字、字符串和真假值，不同程序对它们的处理不同：遇到“8”有的中止，8.0 有的放行，true 有的"
        "当作 1。NaN 与 Infinity 根本不是 JSON，尽管 Python 会写出来。transformers 5.24 对其中一部分只记一"
        "行日志就继续。",
    ),
    check=_check,
)
