"""What stands beside the scores: costs, probes, depths, and lengths at which a scheme has no number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockhands.experiments.report import Report, Standing
from clockhands.experiments.results.section import NOTHING, Section, Table, head, named
from clockhands.experiments.rows import Row
from clockhands.language import Language, Text


def beside(found: Report, task: str, lang: Language) -> list[Section]:
    """Of one task, what there is of it."""
    standings = [one for one in found.standings if one.task == task]
    made = [costs(found, standings, task, lang), *probes(standings, task, lang)]
    return [*made, *depths(found, standings, task, lang), *undefined(standings, task, lang)]


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
        "forward, at the training length",
        "速度取决于当时的机器负载；浮点运算只计前向的矩阵乘法，取训练长度",
    )
    heading = Text("What it costs", "代价").said_in(lang)
    return Section(heading, table, [says.said_in(lang)], task)


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
