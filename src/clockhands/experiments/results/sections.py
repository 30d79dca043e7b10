"""What a comparison found, as sections of tables and sentences, in both languages."""

from __future__ import annotations

import math

from clockhands.experiments.overall import overall
from clockhands.experiments.report import Pair, Report, Standing
from clockhands.experiments.results.beside import beside
from clockhands.experiments.results.section import NOTHING, Section, Table, head, interval
from clockhands.experiments.tasks import kind_of_task
from clockhands.language import Language, Text, counted

NOT_YET = Text("no seed yet", "还没有种子")
LEARNT = 0.9
"""Share of items right, below which a task counts as not learnt."""
FAILED = Text("failed", "失败")
MATCHED = {
    "parameters": Text("as many parameters for all: what an encoding has of its own, the MLP has less",
                       "各方案参数一样多：编码自有的参数，从 MLP 中扣除"),
    "flops": Text("as many matrix products for all: a scheme whose step takes more of them gets fewer steps",
                  "各方案的矩阵乘法一样多：每步计算量大的方案，步数相应减少"),
    "wall-clock": Text("as much time for all: a scheme whose step takes longer gets fewer steps",
                       "各方案用时一样多：每步更慢的方案，步数相应减少"),
}  # fmt: skip
"""What is equal for all schemes, by the name of the matching."""


def sections(found: Report, lang: Language) -> list[Section]:
    """Each task by itself, then what may be concluded."""
    tasks = [part for task in found.design.tasks for part in _task(found, task, lang)]
    closing = [one.said_in(lang) for one in conclusions(found)]
    return [
        Section(_head(found).said_in(lang), [], [one.said_in(lang) for one in _about(found)]),
        *tasks,
        *([_pairs(found, lang)] if found.pairs else []),
        *_overall(found, lang),
        Section(Text("What this supports", "能下什么结论").said_in(lang), [], closing),
    ]


def _head(found: Report) -> Text:
    done, every = found.cells
    return Text(f"{done} of {every} cells finished", f"{every} 个单元中完成了 {done} 个")


def _about(found: Report) -> list[Text]:
    design = found.design
    size = design.model
    rates = ", ".join(f"{rate:g}" for rate in design.rates)
    tuned = Text(
        f"one of {rates}, chosen within the training length over {counted(design.tuning_seeds, 'seed')} of "
        f"{design.tuning_steps:,} steps" if design.tunes else rates,
        f"从 {rates} 中按训练长度内的损失选取（{design.tuning_seeds} 个种子，各 {design.tuning_steps:,} 步）"
        if design.tunes else rates,
    )  # fmt: skip
    causal = {kind_of_task(task).causal for task in design.tasks}
    kind = Text("a Transformer", "Transformer")
    if len(causal) == 1:
        kind = Text("a decoder", "解码器") if causal == {True} else Text("an encoder", "编码器")
    return [
        Text(
            f"each run: {kind.en} of {counted(size.layers, 'layer')}, {counted(size.heads, 'head')}, width "
            f"{size.dim}; {design.steps:,} steps of {design.batch} items; learning rate {tuned.en}; the same "
            "initial weights outside the encoding and the same batches for every scheme with the same seed",
            f"每次训练：{size.layers} 层、{size.heads} 个头、宽 {size.dim} 的{kind.zh}；{design.steps:,} 步，"
            f"每步 {design.batch} 题；学习率 {tuned.zh}；种子相同时，各方案的批次、编码以外的初始权重都相同",
        ),
        Text(f"matching {design.matching}: {MATCHED[design.matching].en}",
             f"按 {design.matching} 对齐：{MATCHED[design.matching].zh}"),
        Text(
            f"in all {found.updates:,} steps, {found.seconds:,.0f} s of computing",
            f"共 {found.updates:,} 步，计算用时 {found.seconds:,.0f} 秒",
        ),
    ]  # fmt: skip


def _task(found: Report, id: str, lang: Language) -> list[Section]:
    task = found.design.about(id)
    standings = [one for one in found.standings if one.task == id]
    unit = Text("share of items right", "答对题目的比例")
    if not task.exact:
        each = kind_of_task(id).each
        unit = Text(f"loss, nats a {each.en}, lower is better", f"损失（纳特 / {each.zh}，越低越好）")
    trained = Text(f"trained up to {task.length}", f"训练长度不超过 {task.length}")
    heading = Text(
        f"{task.title.en} ({id}): {unit.en}; {trained.en}",
        f"{task.title.zh}（{id}）：{unit.zh}；{trained.zh}",
    )
    says = []
    if task.chance:
        says.append(Text(f"guessing gets {task.chance:g} right", f"随机猜测的正确率为 {task.chance:g}"))
    counts = Text(
        "median over seeds with a 95 % interval from seeds and items drawn anew; a seed succeeds that gets "
        "90 % right past the training length",
        "种子中位数与 95% 区间（对种子和题目重抽样）；超过训练长度后答对九成的种子算成功",
    )
    raw: Table = [
        head((Text("scheme", "方案"), Text("seed", "种子"), *(str(each) for each in task.lengths)), lang)
    ]
    why = []
    for one in standings:
        raw += _rows(one, lang)
        why += [
            Text(f"{one.scheme}, seed {row.seed}: {row.failed.en}",
                 f"{one.scheme}，种子 {row.seed}：{row.failed.zh}").said_in(lang)
            for row in one.rows if row.failed is not None
        ]  # fmt: skip
    every = Text(f"Every seed ({task.unit.en})", f"每个种子（{task.unit.zh}）")
    return [
        Section(heading.said_in(lang), _summary(standings, task.exact, lang),
                [counts.said_in(lang), *(one.said_in(lang) for one in says)], id),
        *beside(found, id, lang),
        Section(every.said_in(lang), raw, why, id),
    ]  # fmt: skip


def _summary(standings: list[Standing], exact: bool, lang: Language) -> Table:
    words = [
        Text("scheme", "方案"), Text("seeds", "种子"), Text("within the training length", "训练长度内"),
        Text("past it", "超过之后"), Text("quartiles of the seeds", "种子的四分位数"),
        *([Text("seeds that succeed", "成功的种子")] if exact else []), Text("failed", "失败"),
    ]  # fmt: skip
    table: Table = [head(words, lang)]
    for one in standings:
        spread = NOTHING if one.spread is None else f"{one.spread.low:.3f} … {one.spread.high:.3f}"
        succeed = [NOTHING] if exact else []
        if one.successes is not None:
            good, of, low, high = one.successes
            succeed = [f"{good}/{of} [{low:.2f}, {high:.2f}]"]
        seeds = str(len(one.rows)) if one.rows else NOT_YET.said_in(lang)
        table.append((one.scheme, seeds, interval(one.within), interval(one.past), spread, *succeed,
                      str(one.failed)))  # fmt: skip
    return table


def _rows(one: Standing, lang: Language) -> Table:
    """Every seed."""
    rows: Table = []
    for at, row in enumerate(one.rows):
        if row.failed is not None:
            cells = (FAILED.said_in(lang), *("" for _ in one.lengths[1:]))
        else:
            cells = tuple(NOTHING if math.isnan(value) else f"{value:.3f}" for value in one.by_length[:, at])
        rows.append((one.scheme, str(row.seed), *cells))
    return rows or [(one.scheme, NOT_YET.said_in(lang), *("" for _ in one.lengths))]


def _overall(found: Report, lang: Language) -> list[Section]:
    """Mean ranks, of several tasks alone."""
    ranks = overall(found)
    if ranks is None:
        return []
    words = (Text("scheme", "方案"), Text("mean rank", "平均名次"))
    order = sorted(zip(ranks.schemes, ranks.ranks, strict=True), key=lambda one: one[1])
    table: Table = [head(words, lang), *((scheme, f"{rank:.2f}") for scheme, rank in order)]
    heading = Text("Mean ranks over the tasks", "各任务的平均名次").said_in(lang)
    return [Section(heading, table, [ranks.says.said_in(lang)])]


def _pairs(found: Report, lang: Language) -> Section:
    words = (
        Text("task", "任务"),
        Text("pair", "配对"),
        Text("mean difference past the training length", "超过训练长度后的平均差"),
        Text("p", "p"),
        Text("p, Holm", "p（Holm）"),
        Text("detectable", "可检出的差"),
        Text("supported", "有依据"),
    )
    table: Table = [head(words, lang)]
    table += [_pair(pair, lang) for pair in found.pairs]
    heading = Text("Pairs of schemes, paired by seed", "方案两两比较（按种子配对）")
    says = Text(
        "detectable: the mean difference that so many seeds, as they spread here, would find four times in "
        "five at the level that Holm asks of the first of all tests",
        "可检出的差：种子数和离散程度如此时，在 Holm 对第一个检验所要求的水平上，五次中有四次能检出的平均差",
    )
    return Section(heading.said_in(lang), table, [says.said_in(lang)])


def _pair(pair: Pair, lang: Language) -> tuple[str, ...]:
    verdict = Text("no", "否")
    if pair.better is not None:
        verdict = Text(f"{pair.better} is better", f"{pair.better} 更好")
    detectable = "–" if math.isinf(pair.detectable) else f"{pair.detectable:.3f}"
    return (
        pair.task, f"{pair.first} − {pair.second}", interval(pair.difference), f"{pair.p:.3g}",
        f"{pair.corrected:.3g}", detectable, verdict.said_in(lang),
    )  # fmt: skip


def conclusions(found: Report) -> list[Text]:
    """What may be said, and what may not."""
    power = found.power
    said = [_few_seeds(found)] if not power.enough else []
    said += [says for _, says in not_learnt(found)]
    for task in found.design.tasks:
        order = found.order(task)
        if order is not None:
            past = {one.scheme: one.past for one in found.standings if one.task == task}
            ranked = " > ".join(f"{scheme} {interval(past[scheme])}" for scheme in order)
            said.append(Text(f"{task}: {ranked}", f"{task}：{ranked}"))
            continue
        better = [
            (pair.better, pair.second if pair.better == pair.first else pair.first)
            for pair in found.pairs
            if pair.task == task and pair.better is not None
        ]
        if better:
            listed = ", ".join(f"{one} > {other}" for one, other in better)
            said.append(Text(f"{task}: {listed}; no ranking of all is supported",
                             f"{task}：{listed}；不足以给全部方案排名"))  # fmt: skip
        else:
            said.append(Text(f"{task}: no difference is supported, so there is no ranking",
                             f"{task}：没有任何差别有依据，因此不排名"))  # fmt: skip
    if found.untested:
        count = len(found.untested)
        said.append(Text(
            f"{counted(count, 'pair')} not tested, since a seed failed or is missing",
            f"有 {count} 对没有检验，因为有种子失败或缺失",
        ))  # fmt: skip
    return said


def not_learnt(found: Report) -> list[tuple[str, Text]]:
    """Tasks that some did not learn at the training length, and what follows of longer ones: little."""
    said = []
    for task in found.design.tasks:
        weak = [
            one.scheme
            for one in found.standings
            if one.task == task and one.exact and one.within is not None and one.within.value < LEARNT
        ]
        if weak:
            names = ", ".join(weak)
            said.append((task, Text(
                f"{task}: not learnt at the training length by {names} (median below {LEARNT:g}), so nothing "
                "follows for longer ones: use more --steps",
                f"{task}：{names} 在训练长度上还没学会（中位数低于 {LEARNT:g}），更长处的结果不说明问题："
                "请增大 --steps",
            )))  # fmt: skip
    return said


def _few_seeds(found: Report) -> Text:
    power = found.power
    tests, n = counted(power.tests, "test"), power.seeds
    return Text(
        f"too few seeds: with {n} the exact sign-flip test can't give a p below "
        f"{power.smallest_p:g}, whatever the difference; {tests} together need {power.seeds_needed} seeds to "
        "reach 0.05, and intervals from so few seeds are too narrow",
        f"种子太少：只有 {n} 个时，无论差别多大，精确符号翻转检验的 p 都不会低于 {power.smallest_p:g}；"
        f"{power.tests} 个检验一起要达到 0.05，需要 {power.seeds_needed} 个种子；种子这么少，区间也偏窄",
    )
