"""What became of the hypotheses that were written down before the first step."""

from __future__ import annotations

from collections.abc import Sequence

from clockhands.errors import ClockhandsError
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.results.section import NOTHING, Section, Table, head
from clockhands.experiments.store import Store
from clockhands.experiments.verdicts import Verdict, verdicts
from clockhands.language import Language, Text

OUTCOMES = {
    "supported": Text("supported", "成立"),
    "contradicted": Text("contradicted", "被否定"),
    "open": Text("open: the seeds decide neither way", "未定：种子数不足以判断"),
    "waiting": Text("not finished", "尚未完成"),
    "undefined": Text("no such number", "没有这个数"),
}
HEADING = Text("Hypotheses fixed beforehand", "事先确定的假设")
WORDS = (
    Text("hypothesis", "假设"), Text("outcome", "结果"),
    Text("mean difference from the other or the bound, 95 % interval", "与对照或界限之差的均值，95% 区间"),
    Text("p", "p"),
    Text("p, Holm", "p（Holm）"), Text("seeds", "种子"),
)  # fmt: skip


def judged(stores: Sequence[Store], lang: Language) -> Section | None:
    """Of all parts of a recipe together, by what was promised in each of their folders; None without any.

    A hypothesis about a part that has not begun is shown as not finished.
    """
    begun = [store for store in stores if store.design_file.exists()]
    if not begun:
        return None
    first, *others = (store.promised()["hypotheses"] for store in begun)
    if any(other != first for other in others):
        folders = [str(store.path) for store in begun]
        raise ClockhandsError(
            f"{', '.join(folders)} were begun with different hypotheses, so nothing can be said of any: give "
            "parts of one recipe",
            f"{'、'.join(folders)} 开始时的假设各不相同，因此都不能判断：请给出同一配方的各部分",
        )
    every = [Hypothesis.from_json(one) for one in first]
    if not every:
        return None
    designs = [(store.design(""), store) for store in begun]
    by_task = {task: (design, store.rows(design)) for design, store in designs for task in design.tasks}
    here = [one for one in every if one.task in by_task]
    table: Table = [head(WORDS, lang), *(_row(one, lang) for one in verdicts(here, by_task))]
    waiting = OUTCOMES["waiting"]
    for one in every:
        if one.task not in by_task:
            table.append(head((one.says, waiting, NOTHING, NOTHING, NOTHING, "0"), lang))
    return Section(HEADING.said_in(lang), table, [])


def _row(one: Verdict, lang: Language) -> tuple[str, ...]:
    intervals = "; ".join(f"{each.value:+.3f} [{each.low:+.3f}, {each.high:+.3f}]" for each in one.intervals)
    p, corrected = ((NOTHING if each is None else f"{each:.3g}") for each in (one.p, one.corrected))
    of = f"{one.seeds[0]}/{one.seeds[1]}"
    return head((one.hypothesis.says, OUTCOMES[one.outcome], intervals or NOTHING, p, corrected, of), lang)
