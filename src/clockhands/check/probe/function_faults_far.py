"""Where does a table end, and does a call change those after it?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clockhands.check.probe import findings_conduct as conduct
from clockhands.check.probe import findings_places as say
from clockhands.check.probe.function_calling import Floats, Refused
from clockhands.check.probe.function_study import Study

FAR = 131_072
LONGEST_START = 16_384
"""Tokens given where only a whole text from 0 on can be: more would take long."""
LENGTHS = (8, 512, 1024, 2048, 4096)
"""Texts asked before and after a long one: where frequencies switch at a trained length, it is one of these."""


def first_answers(study: Study) -> dict[int, Floats]:
    """The code of the last token of a text of each length, asked before anything longer."""
    found: dict[int, Floats] = {}
    for length in LENGTHS:
        try:
            found[length] = study.asked.code_at(length - 1)
        except Refused:
            break
    return found


def check_history(study: Study, before: dict[int, Floats]) -> None:
    """The same questions again, each right after a long text."""
    if study.has(conduct.UNSTEADY):
        return
    far = LONGEST_START - 1 if study.asked.reach == "start" else FAR - 1
    longest = min(far, int(study.facts.get("rows") or far + 1) - 1)
    for length, answer in before.items():
        if length - 1 >= longest:
            break
        try:
            study.asked.code_at(longest)
            after = study.asked.code_at(length - 1)
        except Refused:
            return
        if not study.agree(answer, after) and not study.has(say.STALE):
            study.say(
                say.STAYS, "error", ("length",),
                f"position {length - 1} has another code after a text of {longest + 1} tokens than before it",
                f"读过 {longest + 1} 个词元的文本之后，位置 {length - 1} 的编码与之前不同",
                ("compute frequencies anew for each call, from what this call is given",
                 "每次调用都根据这一次的输入重新计算频率"),
            )  # fmt: skip
            return


def check_ends(study: Study) -> None:
    """How far it can be asked, and whether far tokens still have codes of their own."""
    most = LONGEST_START if study.asked.reach == "start" else FAR
    lengths = [2**n for n in range(4, most.bit_length())]
    fine = 1
    for length in lengths:
        problem = _problem(study, length - 1)
        if problem is not None:
            break
        fine = length
    else:
        return
    low, high = fine, length  # a text of ``low`` tokens is fine, one of ``high`` isn't
    while high - low > 1:
        middle = (low + high) // 2
        if _problem(study, middle - 1) is None:
            low = middle
        else:
            high = middle
    problem = _problem(study, high - 1)
    study.facts["stops_at"] = low
    if problem is not None:
        problem(study, low)


def _problem(study: Study, position: int) -> Callable[[Study, int], None] | None:
    """What is wrong at a position, said by what this returns; None if nothing is."""
    try:
        code, before, start = _three(study, position)
    except Refused:
        return _say_raises
    if not np.isfinite(code).all():
        return _say_not_finite
    if position > 8 and (code == start).all() and (before == start).all():
        return _say_identity
    if position > 8 and (code == before).all():
        further = _quietly(study, position + 1)
        if further is not None and (further == code).all() and _held(study, position, code):
            return _say_repeats
    return None


def _three(study: Study, position: int) -> tuple[Floats, Floats, Floats]:
    """Codes of a position, of the one before it and of position 0."""
    if study.asked.reach == "start":
        codes = study.asked.codes(np.arange(position + 1))[0]
        return codes[-1], codes[-2], codes[0]
    return study.asked.code_at(position), study.asked.code_at(position - 1), study.asked.code_at(0)


def _held(study: Study, position: int, code: Floats) -> bool:
    """Whether codes stay what they are for long, unlike the pairs and eights that rounding leaves."""
    later = _quietly(study, 2 * position + 37)
    return later is None or bool((later == code).all())


def _quietly(study: Study, position: int) -> Floats | None:
    try:
        return study.asked.code_at(position)
    except Refused:
        return None


def _say_raises(study: Study, rows: int) -> None:
    study.facts["rows"] = rows
    severity = "note" if study.facts.get("learned") else "warning"
    study.say(
        say.TABLE_ENDS, severity, ("rows",), f"it has {rows} positions, and position {rows} raises",
        f"它只有 {rows} 个位置，位置 {rows} 会抛出异常",
        (f"admit no text longer than {rows} tokens, or make the table longer", f"不要接受超过 {rows} 个词元的文本，或加长表"),
    )  # fmt: skip


def _say_not_finite(study: Study, rows: int) -> None:
    study.facts["rows"] = rows
    study.say(
        conduct.NOT_FINITE, "error", ("positions",), f"position {rows} gives numbers that are not finite",
        f"位置 {rows} 给出非有限的数",
        ("see what the frequencies are, and that nothing is read past a table", "检查频率的值，并确认没有读到表外"),
    )  # fmt: skip


def _say_identity(study: Study, rows: int) -> None:
    study.say(
        say.STOPS, "error", ("rows",), f"from position {rows} on every token has the code of position 0",
        f"从位置 {rows} 起，每个词元都得到位置 0 的编码",
        (f"admit no text longer than {rows} tokens, or make the table longer", f"不要接受超过 {rows} 个词元的文本，或加长表"),
    )  # fmt: skip


def _say_repeats(study: Study, rows: int) -> None:
    study.say(
        say.REPEATS, "error", ("rows",), f"from position {rows} on every token has the code of position {rows - 1}",
        f"从位置 {rows} 起，每个词元都得到位置 {rows - 1} 的编码",
        (f"admit no text longer than {rows} tokens, or make the table longer", f"不要接受超过 {rows} 个词元的文本，或加长表"),
    )  # fmt: skip
