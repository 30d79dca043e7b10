"""What stands beside the scores: costs, probes, depths, and lengths at which a scheme has no number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockhands.experiments.design import Design
from clockhands.experiments.report import Report, Standing
from clockhands.experiments.results.section import NOTHING, Section, Table, head, named
from clockhands.experiments.rows import Row
from clockhands.language import Language, Text


def beside(found: Report, task: str, lang: Language) -> list[Section]:
    """Of one task, what there is of it."""
    standings = [one for one in found.standings if one.task == task]
    made = [costs(found, standings, task, lang), *by_place(standings, task, lang)]
    made += probes(standings, task, lang)
    return [*made, *depths(found, standings, task, lang), *undefined(standings, task, lang)]


_LOWER = Text("lowest", "最低"), Text("lower", "更低")
_HIGHER = Text("highest", "最高"), Text("higher", "更高")


def _well(one: Standing) -> list[Row]:
    return [row for row in one.rows if row.failed is None]


def costs(found: Report, standings: Sequence[Standing], task: str, lang: Language) -> Section:
    """Parameters, work, memory and speed of each scheme."""
    table: Table = [head((
        Text("scheme", "方案"), Text("parameters", "参数"), Text("its own", "自有参数"),
        Text("MLP width", "MLP 宽度"), Text("steps", "步数"), Text("learning rate", "学习率"),
        Text("kFLOP a token", "千次浮点运算 / 词元"), Text("cache, bytes a token", "缓存（字节 / 词元）"),
        Text("steps a second", "步 / 秒"),
    ), lang)]  # fmt: skip
    schemes = {scheme.label: scheme for scheme in found.design.schemes}
    for one in standings:
        well = _well(one)
        if well:
            row, speed = well[0], float(np.median([each.speed for each in well]))
            rates = sorted({each.rate for each in well})
            steps = found.design.steps_of(schemes[one.scheme], task, found.design.steps)
            table.append((
                one.scheme, f"{row.parameters:,}", f"{row.position_parameters:,}", f"{row.hidden:,}",
                f"{steps:,}", ", ".join(f"{rate:g}" for rate in rates), f"{row.flops / 1000:,.1f}",
                f"{row.cache_bytes:,}", f"{speed:.1f}",
            ))  # fmt: skip
    says = Text(
        "speed is that of the machine, with all that it did besides; FLOPs are those of matrix products "
        "forward, attention with whole rows, in a batch of the training length",
        "速度取决于当时的机器负载；浮点运算只计前向的矩阵乘法（注意力按整行计），取训练长度的一批",
    )
    heading = Text("What it costs", "代价").said_in(lang)
    sentences = [says.said_in(lang), *(one.said_in(lang) for one in at_the_edge(found.design, standings))]
    return Section(heading, table, sentences, task)


def at_the_edge(design: Design, standings: Sequence[Standing]) -> list[Text]:
    """Who got the lowest or the highest learning rate that was tried, past which a better one may lie."""
    said = []
    ends = (min(design.rates), *_LOWER), (max(design.rates), *_HIGHER)
    for rate, which, more in ends if design.tunes else ():
        those = [one.scheme for one in standings if any(row.rate == rate for row in _well(one))]
        if those:
            every = len(those) == len(standings)
            names = Text("all", "全部方案") if every else named(those)
            said.append(Text(
                f"{names.en}: the {which.en} learning rate tried did best, and {more.en} ones may do better",
                f"{names.zh}：试过的{which.zh}学习率效果最好，{more.zh}的或许更好",
            ))  # fmt: skip
    return said


def by_place(standings: Sequence[Standing], task: str, lang: Language) -> list[Section]:
    """Medians over seeds of the mean loss between two places in the longest windows, each twice as far."""
    each = {one.scheme: one.by_place for one in standings}
    longest = max((len(places) for places in each.values()), default=0)
    if not longest:
        return []
    ends = [*(2**power for power in range((longest - 1).bit_length())), longest]
    parts = [*zip([0, *ends[:-1]], ends, strict=True)]
    names = [str(end) if end == begin + 1 else f"{begin + 1}–{end}" for begin, end in parts]
    table: Table = [head((Text("scheme", "方案"), *names), lang)]
    for scheme, places in each.items():
        means = [places[begin:end].mean(axis=0) if end <= len(places) else places[:0].sum(axis=0) * np.nan
                 for begin, end in parts]  # fmt: skip
        there = [one[np.isfinite(one)] for one in means]
        table.append((scheme, *(f"{np.median(one):.3f}" if len(one) else NOTHING for one in there)))
    heading = Text("Loss by the place of the token in the longest windows, nats",
                   "最长窗口中各位置词元的损失（纳特）")  # fmt: skip
    return [Section(heading.said_in(lang), table, [], task)]


PROBED = {
    "position": Text("Error of a linear probe of the position, tokens, by layer",
                     "线性探针读出位置的误差（词元），按层"),
    "sliding": Text("Loss of the same tokens by the tokens before them", "同样的词元在不同上文长度下的损失"),
    "shuffle": Text("Loss with the text before in its order and shuffled", "前文保持原序与打乱时的损失"),
}  # fmt: skip
VARIED = {"ordered": Text("in order", "原序"), "shuffled": Text("shuffled", "打乱")}


def probes(standings: Sequence[Standing], task: str, lang: Language) -> list[Section]:
    """Medians over seeds of what each probe found."""
    made = []
    for probe, heading in PROBED.items():
        by_scheme = {
            one.scheme: [row.probes[probe] for row in _well(one) if probe in row.probes] for one in standings
        }
        varied = list(dict.fromkeys(name for rows in by_scheme.values() for row in rows for name in row))
        if not varied:
            continue
        table: Table = [head((Text("scheme", "方案"), *(VARIED.get(name, name) for name in varied)), lang)]
        for scheme, rows in by_scheme.items():
            at = [[row[name].mean for row in rows if name in row] for name in varied]
            table.append((scheme, *(f"{np.median(each):.3f}" if each else NOTHING for each in at)))
        made.append(Section(heading.said_in(lang), table, [], task))
    return made


def depths(found: Report, standings: Sequence[Standing], task: str, lang: Language) -> list[Section]:
    """Medians over seeds of the share of items right, by the group that an item is of."""
    groups = found.design.about(task).groups
    if not groups:
        return []
    words = (Text("scheme", "方案"), Text("length", "长度"), *groups)
    table: Table = [head(words, lang)]
    for one in standings:
        for length in one.lengths:
            rows = [row.measured[length].scores for row in _well(one) if length in row.measured]
            if rows:
                at = [np.median([np.mean(scores[group :: len(groups)]) for scores in rows])
                      for group in range(len(groups))]  # fmt: skip
                table.append((one.scheme, str(length), *(f"{each:.3f}" for each in at)))
    heading = Text("Share of items right by depth, 0 the beginning", "各深度（0 为开头）答对题目的比例")
    return [Section(heading.said_in(lang), table, [], task)] if len(table) > 1 else []


def undefined(standings: Sequence[Standing], task: str, lang: Language) -> list[Section]:
    """Lengths at which schemes have no number by their nature."""
    says = []
    for one in standings:
        if one.undefined:
            lengths = named([str(length) for length in sorted(one.undefined)])
            why = one.undefined[min(one.undefined)]
            says.append(Text(f"{one.scheme} at {lengths.en}: {why.en}",
                             f"{one.scheme}，长度 {lengths.zh}：{why.zh}").said_in(lang))  # fmt: skip
    heading = Text("No number there", "此处没有数").said_in(lang)
    return [Section(heading, [], says, task)] if says else []
