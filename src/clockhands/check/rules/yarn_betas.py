"""YaRN's turns in the wrong order."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        if given.kind != "yarn":
            continue
        fast = given.number("beta_fast") if given.says("beta_fast") else 32.0
        slow = given.number("beta_slow") if given.says("beta_slow") else 1.0
        if fast is None or slow is None or (fast >= slow > 0):
            continue
        keys = [given.key("beta_fast"), given.key("beta_slow")]
        yield RULE.finding(
            "error",
            keys,
            Text(
                f"{keys[0]} is {fast:g} and {keys[1]} is {slow:g}: they count turns within the trained "
                "length, and the first must not be the smaller; both must be above 0",
                f"{keys[0]} 为 {fast:g}，{keys[1]} 为 {slow:g}：两者是训练长度内的圈数，前者不能较小，且都"
                "必须"
                "大于 0",
            ),
            _remedy(fast, slow),
        )


def _remedy(fast: float, slow: float) -> Text:
    if not 0 < fast < slow:
        return Text("write 32 and 1, as YaRN's authors do", "按 YaRN 作者的写法，写 32 与 1")
    return Text(f"swap them: {slow:g} and {fast:g}", f"把两者对调：{slow:g} 与 {fast:g}")


RULE = Rule(
    code="CH015",
    title=Text("YaRN's turns are swapped", "YaRN 的圈数写反了"),
    story=Text(
        "YaRN leaves hands alone that make more than beta_fast turns in the trained length (32), slows "
        "down those with fewer than beta_slow (1) and blends between. Swapped, the ramp runs the wrong "
        "way: slow hands keep their speed and fast ones are slowed. One library had them swapped in a "
        "class and swapped again by the configuration, until someone corrected one of the two.",
        "训练长度内转得比 beta_fast（32）圈多的指针，YaRN 不动；比 beta_slow（1）圈少的放慢；两者之间平滑过"
        "渡。写反之后坡度也反了：慢针保持原速，快针反被放慢。曾有一个库在类里写反，配置里又反了一次，直到有"
        "人只改正了其中一处。",
    ),
    check=_check,
    reference="pytorch/torchtitan #3787",
)
