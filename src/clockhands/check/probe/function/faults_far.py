"""Where does a table end, and does a call change those after it?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clockhands.check.finding import Rule
from clockhands.check.probe.findings import conduct as conduct
from clockhands.check.probe.findings import places as say
from clockhands.check.probe.function.calling import Floats, Refused
from clockhands.check.probe.function.study import Study
from clockhands.check.saying import number

FAR = 131_072
LONGEST_START = 16_384
"""Tokens given where only a whole text from 0 on can be: more would take long."""
LENGTHS = (8, 512, 1024, 2048, 4096)
"""Texts asked before and after a long one: usual trained lengths are among them."""
KNOWN = 4097
"""Codes that far ones are compared with."""


def first_answers(study: Study) -> dict[int, Floats]:
    """The code of the last token of a text of each length, asked before anything longer."""
    found: dict[int, Floats] = {}
    asked = study.asked.lean()
    for length in LENGTHS:
        try:
            found[length] = asked.code_at(length - 1)
        except Refused:
            break
    return found


def check_history(study: Study, before: dict[int, Floats]) -> None:
    """The same questions again, each right after a long text."""
    if study.has(say.STALE) or study.asked.only is not None:
        return
    asked = study.asked.lean()
    longest = min(_most(study), int(study.facts.get("rows") or FAR)) - 1
    for length, answer in before.items():
        if length - 1 >= longest:
            break
        try:
            asked.code_at(longest)
            after = asked.code_at(length - 1)
        except Refused:
            return
        if not study.agree(answer, after):
            study.say(
                say.STAYS, "error", ("length",),
                f"position {number(length - 1)} has another code after a text of {number(longest + 1)} "
                "tokens "
                "than before it",
                f"读过 {number(longest + 1)} 个词元的文本之后，位置 {number(length - 1)} 的编码与之前不同",
                ("compute frequencies anew for each call, from what this call is given",
                 "每次调用都根据这一次的输入重新计算频率"),
            )  # fmt: skip
            return


def find_rows(study: Study) -> None:
    """``facts["rows"]``: how many positions there are, where later ones raise; numbers that aren't finite."""
    asked = study.asked.lean()

    def fine(length: int) -> bool:
        try:
            return bool(np.isfinite(asked.code_at(length - 1)).all())
        except Refused:
            return False

    rows = _last_fine(_most(study), fine)
    if rows is None:
        return
    study.facts["rows"] = rows
    try:
        asked.code_at(rows)
    except Refused:
        return
    study.say(
        conduct.NOT_FINITE, "error", ("positions",),
        f"position {number(rows)} gives numbers that are not finite",
        f"位置 {number(rows)} 给出非有限的数",
        ("see what the frequencies are, and that nothing is read past a table",
         "检查频率的值，并确认没有读到表外"),
    )  # fmt: skip


def say_rows(study: Study) -> None:
    """That a table ends, once it is known whether its rows are learned."""
    rows = study.facts.get("rows")
    if rows is None or study.has(conduct.NOT_FINITE):
        return
    study.say(
        say.TABLE_ENDS, "note" if study.facts.get("learned") else "warning", ("rows",),
        f"it has {number(rows)} positions, and position {number(rows)} raises",
        f"它只有 {number(rows)} 个位置，位置 {number(rows)} 会抛出异常",
        _shorter(rows),
    )  # fmt: skip


def check_silent_ends(study: Study) -> None:
    """Whether far tokens have codes of their own, and not exactly those of earlier ones."""
    if study.has(say.POSITIONS_ROUNDED, say.ANGLES_ROUNDED, say.STALE) or study.facts.get("length_dependent"):
        return
    asked = study.asked.lean()
    most = min(_most(study), int(study.facts.get("rows") or FAR))
    known = asked.codes(np.arange(min(KNOWN, most)))[0]
    if len(known) < 16 or (known == known[0]).all():
        return

    def fine(length: int) -> bool:
        before = known[: length - 1]
        code = known[length - 1] if length <= len(known) else asked.code_at(length - 1)
        return not bool((before == code).all(axis=1).any())

    rows = _last_fine(most, fine)
    if rows is None:
        return
    study.facts["stops_at"] = rows
    code = known[rows] if rows < len(known) else asked.code_at(rows)
    equal = int(np.flatnonzero((known[:rows] == code).all(axis=1))[0])
    further = known[rows + 1] if rows + 1 < len(known) else asked.code_at(rows + 1)
    stays = bool((further == code).all())
    rule: Rule = say.STOPS if stays and equal == 0 else say.REPEATS
    if stays:
        en = f"from position {number(rows)} on every token has the code of position {number(equal)}"
        zh = f"从位置 {number(rows)} 起，每个词元都得到位置 {number(equal)} 的编码"
    else:
        en = f"position {number(rows)} has the code of position {number(equal)}, and so on from there"
        zh = f"位置 {number(rows)} 得到位置 {number(equal)} 的编码，之后的依次类推"
    study.say(rule, "error", ("rows",), en, zh, _shorter(rows))


def _last_fine(most: int, fine: Callable[[int], bool]) -> int | None:
    """The greatest length that is fine, if ``most`` isn't; lengths double until one isn't, then halve."""
    low, high = 1, 16
    while high < most and fine(high):
        low, high = high, 2 * high
    high = min(high, most)
    if fine(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fine(middle) else (low, middle)
    return low


def _most(study: Study) -> int:
    return LONGEST_START if study.asked.reach == "start" else FAR


def _shorter(rows: int) -> tuple[str, str]:
    return (
        f"admit no text longer than {number(rows)} tokens, or make the table longer",
        f"不要接受超过 {number(rows)} 个词元的文本，或加长表",
    )
