"""Does each token get the position that was given to it, whatever its row, its neighbours and its chunk?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clockhands.check.finding import Rule
from clockhands.check.probe.findings import places as say
from clockhands.check.probe.function.calling import Floats, Refused
from clockhands.check.probe.function.study import Study
from clockhands.check.saying import number

KNOWN = 64
"""Positions whose codes are learned first, to tell later which position a code is of."""
OFFSETS = (1, 3, 8, 13)
CHUNKS = (1, 3, 8)
FAR = 7000
Places = NDArray[np.int64]


def check_places(study: Study) -> None:
    """All about positions given: ``any`` positions are asked more of than an offset is."""
    reach = study.asked.reach
    if reach == "any":
        _length(study)
        if not study.facts.get("length_dependent") and not study.has(say.MISPLACED):
            _stale(study)
            _patterns(study)
    elif reach == "offset":
        _offsets(study)
    else:
        _start(study)
    _chunks(study)
    if study.has(*SPOILT):  # what follows is asked with positions from 0 on, which such functions get right
        study.asked = replace(study.asked, only="start")


SPOILT = (say.IGNORED, say.OFF_BY_ONE, say.ROW_ZERO, say.COUNTS_ON, say.CHUNKS, say.STALE)


def seen_as(study: Study, positions: Places, known: Floats) -> Places | None:
    """The position that each code is of, among those known; None where one is of none of them."""
    codes = study.asked.codes(positions)
    far = np.abs(codes[:, :, None, :] - known[None, None]).max(axis=-1)  # (b, t, known)
    size = max(float(np.abs(known).max()), 1e-30)
    nearest = far.argmin(axis=-1)
    if not np.isfinite(far).all() or float(far.min(axis=-1).max()) > 20 * study.same * size:
        return None
    return nearest


def _known(study: Study) -> Floats:
    return study.asked.codes(np.arange(KNOWN))[0]


def _patterns(study: Study) -> None:
    known = _known(study)
    if (known == known[0]).all():
        return  # no position is told from another: that is no encoding, and no fault in one
    rows = np.array([[3, 4, 5, 6], [10, 11, 12, 13]])
    gaps = np.array([[0, 5, 9, 20]])
    packed = np.array([[0, 1, 2, 0, 1]])
    turned = np.array([[21, 14, 2, 40]])
    asked = {"rows": rows, "gaps": gaps, "packed": packed, "turned": turned}
    seen = {name: seen_as(study, places, known) for name, places in asked.items()}
    wrong = {name for name, places in asked.items() if seen[name] is None or (seen[name] != places).any()}
    if study.has(say.STALE) or not wrong:
        return
    counts = {name: np.arange(places.shape[1])[None].repeat(len(places), 0) for name, places in asked.items()}
    if all(seen[name] is not None and (seen[name] == counts[name]).all() for name in asked):
        _say_ignored(study)
    elif wrong == {"rows"} and _equal(seen["rows"], rows[:1].repeat(2, 0)):
        _say(
            study, say.ROW_ZERO, "rows at positions 3 and 10 both get those of the first row",
            "起点为 3 和 10 的两行都得到了第一行的位置",
            ("use position_ids[row] for each row, and not position_ids[0]",
             "每一行用自己的 position_ids，不要用 position_ids[0]"),
        )  # fmt: skip
    elif all(_equal(seen[name], asked[name][:, :1] + counts[name]) for name in ("gaps", "packed", "turned")):
        _say(
            study, say.COUNTS_ON, "positions 0, 1, 2, 0, 1 are taken as 0, 1, 2, 3, 4",
            "位置 0、1、2、0、1 被当成 0、1、2、3、4",
            ("look each position up, instead of a slice from the first one on",
             "逐个查找位置，不要从第一个位置起切片"),
        )  # fmt: skip
    elif len({int((seen[n] - asked[n]).flat[0]) for n in asked if seen[n] is not None}) == 1 and all(
        seen[n] is not None and np.ptp(seen[n] - asked[n]) == 0 for n in asked
    ):
        first = seen["rows"]
        assert first is not None
        off = int((first - rows).flat[0])
        _say_off(study, off)
    else:
        name = sorted(wrong)[0]
        got = seen[name]
        shown = "codes of no position" if got is None else str(got[0].tolist())
        shown_zh = "不属于任何位置的编码" if got is None else str(got[0].tolist())
        _say(
            study, say.MISPLACED,
            f"positions {asked[name][0].tolist()} get {shown}",
            f"位置 {asked[name][0].tolist()} 得到 {shown_zh}",
            ("compute each token's code from its own position", "每个词元的编码只由它自己的位置计算"),
        )  # fmt: skip


def _equal(seen: Places | None, expected: Places) -> bool:
    return seen is not None and seen.shape == expected.shape and bool((seen == expected).all())


def _stale(study: Study) -> None:
    """Two calls of one shape: does the second get the answer to the first?"""
    first, second = np.arange(11, 18)[None], np.arange(30, 37)[None]
    before, after = study.asked.codes(first), study.asked.codes(second)
    alone = study.asked.codes(np.append(second, 37)[None])[:, :-1]  # another shape
    if study.agree(before, after) and not study.agree(after, alone):
        _say(
            study, say.STALE, "positions 30 … 36 get the codes of positions 11 … 17, of the call before",
            "位置 30 … 36 得到的是上一次调用中位置 11 … 17 的编码",
            ("let no cache depend on shape or length alone: keep none, or compare all that decides the "
             "answer",
             "缓存不要只按形状或长度查找：不用缓存，或比较所有决定结果的因素"),
        )  # fmt: skip


def _length(study: Study) -> None:
    """Does a far neighbour change a near token: in its own row, or in another row of the batch?"""
    try:
        alone = study.asked.codes([[5, 6]])[0, 0]
        beside = study.asked.codes([[5, FAR]])[0, 0]
        apart = None if study.asked.caller.one_row() else study.asked.codes([[5, 6], [FAR, FAR + 1]])[0, 0]
    except Refused:
        return  # a table that is shorter
    between = [study.asked.codes([[5, middle, 40]])[0, 0] for middle in (6, 9)]
    if not study.agree(*between):
        _say(
            study, say.MISPLACED, "position 5 has another code beside position 6 than beside 9",
            "位置 5 与位置 6 相邻时和与位置 9 相邻时的编码不同",
            ("compute each token's code from its own position", "每个词元的编码只由它自己的位置计算"),
        )  # fmt: skip
        return
    if apart is not None and not study.agree(alone, apart) and not study.agree(alone, beside):
        _say(
            study, say.MISPLACED,
            f"position 5 has another code when another row of the batch is at {number(FAR)}: the longest "
            "row decides",
            f"批次中另一行位于 {number(FAR)} 时，位置 5 的编码会变：由最长的一行决定",
            ("take the length of each row for itself", "长度应按各行自己计算"),
        )  # fmt: skip
    if not study.agree(alone, beside):
        study.facts["length_dependent"] = True
        study.say(
            say.LENGTH_DEPENDENT, "note", ("positions",),
            f"position 5 has another code in a text that reaches position {number(FAR)}",
            f"文本到达位置 {number(FAR)} 时，位置 5 的编码会变",
            ("cache keys before they are turned", "缓存转动之前的键"),
        )  # fmt: skip


def _offsets(study: Study) -> None:
    known = _known(study)
    seen = {
        offset: seen_as(study, np.arange(offset, offset + 3)[None].repeat(2, 0), known) for offset in OFFSETS
    }
    wrong = [
        offset
        for offset in OFFSETS
        if not _equal(seen[offset], np.arange(offset, offset + 3)[None].repeat(2, 0))
    ]
    if not wrong:
        return
    if all(_equal(seen[offset], np.arange(3)[None].repeat(2, 0)) for offset in OFFSETS):
        _say_ignored(study)
        return
    off = {None if places is None else int(places[0, 0]) - offset for offset, places in seen.items()}
    if len(off) == 1 and None not in off:
        _say_off(study, int(off.pop() or 0))
        return
    got = seen[wrong[0]]
    _say(
        study, say.CHUNKS,
        f"at offset {wrong[0]} tokens get {'codes of no position' if got is None else got[0].tolist()}",
        f"offset 为 {wrong[0]} 时词元得到{'不属于任何位置的编码' if got is None else got[0].tolist()}",
        ("start at the offset and count on by one", "从 offset 开始逐个加一"),
    )  # fmt: skip


def _start(study: Study) -> None:
    short, long = study.asked.codes(np.arange(8)), study.asked.codes(np.arange(100))[:, :8]
    if not study.agree(short, long):
        study.facts["length_dependent"] = True
        study.say(
            say.LENGTH_DEPENDENT, "note", ("length",),
            "the first tokens of a text of 100 have other codes than those of a text of 8",
            "长度为 100 的文本，开头词元的编码与长度为 8 时不同",
            ("cache keys before they are turned", "缓存转动之前的键"),
        )  # fmt: skip


def _chunks(study: Study) -> None:
    total = sum(CHUNKS)
    if study.facts.get("length_dependent") or study.asked.reach == "start":
        return
    whole = study.asked.codes(np.arange(total))
    start, parts = 0, []
    for size in CHUNKS:
        parts.append(study.asked.codes(np.arange(start, start + size)))
        start += size
    known = (say.IGNORED, say.OFF_BY_ONE, say.CHUNKS, say.COUNTS_ON, say.MISPLACED, say.STALE)
    if not study.has(*known) and not study.agree(whole, np.concatenate(parts, axis=1)):
        _say(
            study, say.CHUNKS, "12 tokens in chunks of 1, 3 and 8 get other codes than at once",
            "12 个词元按 1、3、8 分段时的编码与一次计算不同",
            ("let each token's code depend on its position alone", "每个词元的编码只取决于它的位置"),
        )  # fmt: skip


def _say_ignored(study: Study) -> None:
    name = "position_ids" if study.asked.reach == "any" else "offset"
    _say(
        study, say.IGNORED, f"{name} is ignored: whatever is given, the first token is at position 0",
        f"{name} 被忽略：无论给出什么，第一个词元都在位置 0",
        (f"take positions from {name}, and not from the shape of the input",
         f"位置应取自 {name}，不要取自输入的形状"),
    )  # fmt: skip


def _say_off(study: Study, off: int) -> None:
    sign = "+" if off > 0 else "-"
    _say(
        study, say.OFF_BY_ONE, f"a token at position n gets the code of n {sign} {abs(off)}",
        f"位置 n 的词元得到 n {sign} {abs(off)} 的编码",
        ("count from the number of tokens before: after 9 tokens comes position 9",
         "从已有词元数开始：9 个词元之后是位置 9"),
    )  # fmt: skip


def _say(study: Study, rule: Rule, en: str, zh: str, remedy: tuple[str, str]) -> None:
    name = {"any": "positions", "offset": "offset", "start": "length"}[study.asked.reach]
    study.say(rule, "error", (name,), en, zh, remedy)
