"""Numbers that are no numbers, sizes that nothing can have, dictionaries that are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clockhands.check.finding import Finding, Rule, Severity
from clockhands.check.read.context import MOST
from clockhands.check.read.rope_parameters import DICTIONARIES
from clockhands.check.rules.written import PROMISED, TRAINED, dictionaries, parts
from clockhands.check.saying import number, said
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.language import Text

IN_DICTIONARY = (
    "factor", TRAINED, "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim",
    "low_freq_factor", "high_freq_factor", "partial_rotary_factor",
)  # fmt: skip

SIZES = (
    "head_dim", "hidden_size", "num_attention_heads", "num_key_value_heads", "num_hidden_layers",
    "relative_attention_num_buckets", "relative_attention_max_distance",
)  # fmt: skip
LENGTHS = (PROMISED, TRAINED, "n_positions")
BESIDE = ("partial_rotary_factor", "rotary_pct")

MOST_SIZE, MOST_LENGTH = 2**31, MOST
"""Tensors have no larger sides; past the second no length is taken for one."""

MOST_HEAD, MOST_FACTOR = 2**20, 2.0**20
"""No head is wider, and no text a million times longer than those a model was trained on."""


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        file, prefix = part.settings.file, part.prefix
        values = {f"{prefix}{name}": file.get(name) for name in (*SIZES, *LENGTHS, *BESIDE)}
        for path, given in dictionaries(part):
            factor = finite(given.get("factor"))
            if factor is not None and factor > MOST_FACTOR:
                yield _no_factor(f"{prefix}{path}.factor", factor)
            values |= {f"{prefix}{path}.{name}": given.get(name) for name in IN_DICTIONARY}
        for key, value in values.items():
            if value is not None and finite(value) is None and not _each_layer(value):
                yield _no_number(key, value)
        latent = (
            part.settings.get("kv_lora_rank") is not None
        )  # such heads have two widths; head_dim is unused
        for name in SIZES if not latent else SIZES[1:]:
            most = MOST_HEAD if name == "head_dim" else MOST_SIZE
            if any(not _counts(each, most) for each in _numbers(file.get(name))):
                yield _no_count(f"{prefix}{name}", file[name], most, "error")
        for name in LENGTHS:  # some files write -1 where they mean no limit
            if any(not _counts(each, MOST_LENGTH) for each in _numbers(file.get(name))):
                yield _no_count(f"{prefix}{name}", file[name], MOST_LENGTH, "warning")
        for name in DICTIONARIES:
            value = file.get(name)
            if value and not isinstance(value, Mapping):
                yield _no_dictionary(f"{prefix}{name}", value)


def _no_number(key: str, value: object) -> Finding:
    given, plain = said(value), Text("write a plain number", "写成普通数字")
    if isinstance(value, str):
        plain = Text(f"{plain.en}, without quotes", f"{plain.zh}，不加引号")
    return RULE.finding(
        "error",
        [key],
        Text(f"{key} is {given.en}: it must be a number", f"{key} 为{given.zh}：它必须是数字"),
        plain,
    )


def _no_count(key: str, value: object, most: int, severity: Severity) -> Finding:
    given = said(value)
    return RULE.finding(
        severity,
        [key],
        Text(
            f"{key} is {given.en}: it must be a whole number from 1 to {most - 1:,}",
            f"{key} 为{given.zh}：它必须是 1 到 {most - 1:,} 的整数",
        ),
        Text("write the number that the weights have", "写上与权重相符的数"),
    )


def _no_factor(key: str, value: float) -> Finding:
    return RULE.finding(
        "error",
        [key],
        Text(
            f"{key} is {number(value)}: it says how many times longer a text may be than in training, and "
            f"nobody goes beyond {number(MOST_FACTOR)}",
            f"{key} 为 {number(value)}：它表示文本可以是训练时的多少倍，没有人会超过 {number(MOST_FACTOR)}",
        ),
        Text("write the wanted length divided by the trained one", "写想要的长度除以训练长度所得的数"),
    )


def _no_dictionary(key: str, value: object) -> Finding:
    given = said(value)
    return RULE.finding(
        "error",
        [key],
        Text(
            f"{key} is {given.en}: it must be an object with rotary parameters, or null",
            f"{key} 为{given.zh}：它必须是装有旋转参数的对象，或 null",
        ),
        Text(
            'write it as {"rope_type": …, "factor": …}, or leave it out',
            '写成 {"rope_type": …, "factor": …}，或去掉它',
        ),
    )


def _numbers(value: object) -> list[float]:
    """The numbers in a value of one number, one a layer, or one a stack; what is none is said elsewhere."""
    each = [*value.values()] if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
    return [number for one in each if (number := finite(one)) is not None]


def _counts(number: float, most: int) -> bool:
    return 1 <= number < most and number == int(number)


def _each_layer(value: object) -> bool:
    """One number for every layer, as models searched by machine have it, or for every stack (LXMERT)."""
    each_one = [*value.values()] if isinstance(value, Mapping) else value
    return (
        isinstance(each_one, list)
        and bool(each_one)
        and all(each is None or finite(each) is not None for each in each_one)
    )


RULE = Rule(
    code="CH010",
    title=Text("a number that is none", "应为数字的值不是数字"),
    story=Text(
        "JSON has numbers, strings and true and false, and programs treat them differently: '8' stops one, "
        "8.0 passes in another, true counts as 1 in a third. NaN and Infinity are no JSON at all, though "
        "Python writes them. Transformers 5.24 logs a line for some of them and goes on. A size of 0, of 1.5 "
        "or below 0, or a rope_scaling that is a word and no object, are of the same kind.",
        "JSON 里有数字、字符串和真假值，不同程序对它们的处理不同：遇到“8”有的中止，8.0 有的放行，true 有的"
        "当作 1。NaN 与 Infinity 根本不是 JSON，尽管 Python 会写出来。transformers 5.24 对其中一部分只记一"
        "行日志就继续。尺寸为 0、1.5 或负数，或者 rope_scaling 是一个词而不是对象，也属于这一类。",
    ),
    check=_check,
)
