"""A number that the named formula doesn't read."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import TRAINED, Given, givens
from clockhands.check.saying import said
from clockhands.check.subject import Subject
from clockhands.language import Text

READ: dict[str, tuple[str, ...]] = {
    "default": (),
    "axial": (),
    "linear": ("factor",),
    "dynamic": ("factor", "alpha", TRAINED),
    "yarn": (
        "fac"
        "tor", TRAINED, "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate",
    ),
    "longrope": ("factor", TRAINED, "attention_factor", "short_factor", "long_factor"),
    "llama3": ("factor", TRAINED, "low_freq_factor", "high_freq_factor"),
    "proportional": ("factor",),
}  # fmt: skip

OTHERWISE = {"factor": 1, "attention_factor": 1, "mscale": 1, "mscale_all_dim": 1}
"""Values that change nothing, so that writing them where they are not read harms nobody."""

TELLING = {"low_freq_factor": "llama3", "high_freq_factor": "llama3"} | {
    "short_factor": "longrope",
    "long_factor": "longrope",
}
"""Parameters of one formula alone: where they stand, that formula was meant."""


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        if given.kind not in READ or not given.path:
            continue
        unread = [name for name in _known() if name in given.given and name not in READ[given.kind]]
        for name in unread:
            value = given.given[name]
            if value is not None and value != OTHERWISE.get(name, ...):
                yield _finding(given, name)


def _known() -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in READ.values() for name in names))


def _finding(given: Given, name: str) -> Finding:
    key, meant = f"{given.part.prefix}{given.path}.{name}", TELLING.get(name)
    value = said(given.given[name])
    lost = meant is not None or (name == "factor" and given.kind == "default")
    meant = meant or ("linear" if lost else None)
    return RULE.finding(
        "error" if lost else "warning",
        [key, given.key("rope_type")],
        Text(
            f"{key} is {value.en}, and a scaling of type '{given.kind}' doesn't read it",
            f"{key} 为{value.zh}，而“{given.kind}”缩放不读取它",
        ),
        Text(
            f"name the type that was meant, such as '{meant}', or remove the key"
            if lost
            else "remove the key, or name the type that reads it",
            f"写明本来要用的类型，例如“{meant}”，或者删去这个键"
            if lost
            else "删去这个键，或者写明会读取它的类型",
        ),
    )


RULE = Rule(
    code="CH006",
    title=Text("a parameter that the scaling doesn't read", "缩放不读取的参数"),
    story=Text(
        "A factor beside the type 'default' does nothing; the bands of Llama 3 beside the type 'linear' "
        "mean that every hand is slowed down, the fast ones too, which must stay as they are. Ports have "
        "read llama3 files as linear ones, and files have been edited by changing the type alone. "
        "Transformers logs a line.",
        "类型为“default”时，旁边的 factor 不起作用；类型为“linear”时，旁边 Llama 3 的频段参数也不起作用，所"
        "有指针都被放慢，包括本应不变的快针。曾有移植版把 llama3 当作 linear 来读，也有人改文件时只改了类"
        "型。transformers 只记一行日志。",
    ),
    check=_check,
    reference="lablup/mlxcel #1688; unslothai/unsloth #6197",
)
