"""What a comparison found, as sections of tables and sentences, in both languages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clockhands.cli.wrapping import columns, padded, wrap
from clockhands.language import Language, Text, counted

if TYPE_CHECKING:
    from clockhands.experiments.report import Pair, Report, Standing

Table = list[tuple[str, ...]]

NOT_YET = Text("no seed yet", "还没有种子")
LEARNT = 0.9
"""Share of items right, below which a task counts as not learnt."""
FAILED = Text("failed", "失败")


class Section(NamedTuple):
    """A heading, perhaps a table, and sentences under it."""

    heading: str
    table: Table
    sentences: list[str]


def sections(found: Report, lang: Language) -> list[Section]:
    """Each task by itself, then what may be concluded."""
    return [
        Section(_head(found).said_in(lang), [], [one.said_in(lang) for one in _about(found)]),
        *(_task(found, task, lang) for task in found.design.tasks),
        *([_pairs(found, lang)] if found.pairs else []),
        Section(
            Text("What this supports", "能下什么结论").said_in(lang),
            [],
            [one.said_in(lang) for one in conclusions(found)],
        ),
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
    return [
        Text(
            f"each run: a decoder of {counted(size.layers, 'layer')}, {counted(size.heads, 'head')}, width "
            f"{size.dim}; {design.steps:,} steps of {design.batch} items; learning rate {tuned.en}; the same "
            "initial weights outside the encoding and the same batches for every scheme with the same seed",
            f"每次训练：{size.layers} 层、{size.heads} 个头、宽 {size.dim} 的解码器；{design.steps:,} 步，"
            f"每步 {design.batch} 题；学习率 {tuned.zh}；种子相同时，各方案的批次、编码以外的初始权重都相同",
        ),
        Text(
            f"in all {found.updates:,} steps, {found.seconds:,.0f} s of computing",
            f"共 {found.updates:,} 步，计算用时 {found.seconds:,.0f} 秒",
        ),
    ]


def _task(found: Report, id: str, lang: Language) -> Section:
    task = found.design.about(id)
    standings = [one for one in found.standings if one.task == id]
    words = [
        Text("scheme", "方案"),
        Text("parameters (own)", "参数（自有）"),
        Text("rate", "学习率"),
        Text("seed", "种子"),
        *(Text(str(length), str(length)) for length in task.lengths),
    ]
    table: Table = [tuple(word.said_in(lang) for word in words)]
    for one in standings:
        table += _rows(one, lang)
    unit = Text("share of items right, by length", "各长度答对题目的比例")
    if not task.exact:
        unit = Text("loss by length, nats a token, lower is better", "各长度的损失，纳特 / 词元（越低越好）")
    trained = Text(f"trained up to {task.length}", f"训练长度不超过 {task.length}")
    head = Text(
        f"{task.title.en} ({id}): {unit.en}; {trained.en}",
        f"{task.title.zh}（{id}）：{unit.zh}；{trained.zh}",
    )
    says = [_summed(one).said_in(lang) for one in standings]
    if task.chance:
        chance = Text(f"guessing gets {task.chance:g} right", f"随机猜测的正确率为 {task.chance:g}")
        says.append(chance.said_in(lang))
    return Section(head.said_in(lang), table, says)


def _rows(one: Standing, lang: Language) -> Table:
    """Every seed."""
    rows: Table = []
    for at, row in enumerate(one.rows):
        if row.failed is not None:
            cells = (f"{FAILED.said_in(lang)}: {row.failed.said_in(lang)}", *("" for _ in one.lengths[1:]))
        else:
            cells = tuple(f"{value:.3f}" for value in one.by_length[:, at])
        own = f"{row.parameters:,} ({row.position_parameters:,})"
        rows.append((one.scheme, own, f"{row.rate:g}", str(row.seed), *cells))
    return rows or [(one.scheme, "", "", NOT_YET.said_in(lang), *("" for _ in one.lengths))]


def _summed(one: Standing) -> Text:
    if one.within is None or one.past is None or one.spread is None:
        return Text(f"{one.scheme}: {NOT_YET.en if not one.rows else FAILED.en}",
                    f"{one.scheme}：{NOT_YET.zh if not one.rows else FAILED.zh}")  # fmt: skip
    within, past = _interval(one.within), _interval(one.past)
    quartiles = f"{one.spread.low:.3f} … {one.spread.high:.3f}"
    en = (
        f"{one.scheme}: median {within} within the training length, {past} past it "
        f"(quartiles of the seeds {quartiles})"
    )
    zh = f"{one.scheme}：中位数在训练长度内为 {within}，超过之后为 {past}（种子的四分位数 {quartiles}）"
    if one.successes is not None:
        good, of, low, high = one.successes
        en += f"; {good} of {of} seeds get 90 % right past it (share {low:.2f} … {high:.2f})"
        zh += f"；{of} 个种子中有 {good} 个在超过之后答对九成（比例 {low:.2f} … {high:.2f}）"
    return Text(en, zh)


def _interval(of: Any) -> str:
    return f"{of.value:.3f} [{of.low:.3f}, {of.high:.3f}]"


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
    table: Table = [tuple(word.said_in(lang) for word in words)]
    table += [_pair(pair, lang) for pair in found.pairs]
    heading = Text("Pairs of schemes, paired by seed", "方案两两比较（按种子配对）")
    return Section(heading.said_in(lang), table, [])


def _pair(pair: Pair, lang: Language) -> tuple[str, ...]:
    verdict = Text("no", "否")
    if pair.better is not None:
        verdict = Text(f"{pair.better} is better", f"{pair.better} 更好")
    detectable = "–" if math.isinf(pair.detectable) else f"{pair.detectable:.3f}"
    return (
        pair.task, f"{pair.first} − {pair.second}", _interval(pair.difference), f"{pair.p:.3g}",
        f"{pair.corrected:.3g}", detectable, verdict.said_in(lang),
    )  # fmt: skip


def conclusions(found: Report) -> list[Text]:
    """What may be said, and what may not."""
    power = found.power
    said = [_few_seeds(found)] if not power.enough else []
    said += _not_learnt(found)
    for task in found.design.tasks:
        order = found.order(task)
        if order is not None:
            said.append(Text(f"{task}: {' > '.join(order)}", f"{task}：{' > '.join(order)}"))
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


def _not_learnt(found: Report) -> list[Text]:
    """Where the task was not learnt at the training length, what lies past it says little."""
    said = []
    for task in found.design.tasks:
        weak = [
            one.scheme
            for one in found.standings
            if one.task == task and one.exact and one.within is not None and one.within.value < LEARNT
        ]
        if weak:
            names = ", ".join(weak)
            said.append(Text(
                f"{task}: not learnt at the training length by {names} (median below {LEARNT:g}), so nothing "
                "follows for longer ones: use more --steps",
                f"{task}：{names} 在训练长度上还没学会（中位数低于 {LEARNT:g}），更长处的结果不说明问题："
                "请增大 --steps",
            ))  # fmt: skip
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


def as_text(parts: Sequence[Section], width: int) -> str:
    """For a terminal."""
    blocks = []
    for part in parts:
        lines = [*wrap(part.heading, width)]
        if part.table:
            widths = [max(columns(row[i]) for row in part.table) for i in range(len(part.table[0]))]
            lines += [
                ("  " + "  ".join(padded(cell, w) for cell, w in zip(row, widths, strict=True))).rstrip()
                for row in part.table
            ]
        for sentence in part.sentences:
            first, *others = wrap(sentence, width - 4)
            lines += [f"  {first}", *(f"    {other}" for other in others)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def as_markdown(parts: Sequence[Section]) -> str:
    """For a document."""
    blocks = []
    for part in parts:
        blocks.append(f"## {part.heading}")
        if part.table:
            head, *body = part.table
            rows = (head, ("---",) * len(head), *body)
            safe = [[cell.replace("|", "&#124;") for cell in row] for row in rows]
            blocks.append("\n".join(f"| {' | '.join(row)} |" for row in safe))
        blocks.append("\n".join(f"- {sentence}" for sentence in part.sentences))
    return "\n\n".join(block for block in blocks if block)


def as_record(found: Report) -> dict[str, Any]:
    """For programs; what is not a number is null."""

    def number(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "design": found.design.to_json(),
        "cells": {"finished": found.cells[0], "all": found.cells[1]},
        "power": found.power._asdict() | {"enough": found.power.enough},
        "standings": [
            {
                "scheme": one.scheme, "task": one.task, "lengths": list(one.lengths),
                "within": one.within and one.within._asdict(), "past": one.past and one.past._asdict(),
                "quartiles": one.spread and one.spread._asdict(),
                "successes": one.successes
                and dict(zip(("count", "of", "low", "high"), one.successes, strict=True)),
                "seeds": [
                    {
                        "seed": row.seed, "rate": row.rate, "parameters": row.parameters,
                        "position_parameters": row.position_parameters, "seconds": row.seconds,
                        "failed": row.failed and row.failed._asdict(),
                        "scores": {str(length): measured.mean for length, measured in row.measured.items()},
                        "tokens": {str(length): measured.tokens for length, measured in row.measured.items()},
                    }
                    for row in one.rows
                ],
            }
            for one in found.standings
        ],
        "pairs": [
            {
                "task": pair.task, "first": pair.first, "second": pair.second,
                "difference": pair.difference._asdict(), "p": pair.p, "corrected": pair.corrected,
                "detectable": number(pair.detectable), "better": pair.better,
            }
            for pair in found.pairs
        ],
        "conclusions": [one._asdict() for one in conclusions(found)],
    }  # fmt: skip
