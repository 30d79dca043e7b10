"""``docs/results/``: what each recipe found so far, written from its store and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design
from clockhands.experiments.recipes import Recipe
from clockhands.experiments.report import Report, Standing, report
from clockhands.experiments.results.beside import at_the_edge, by_place, probes
from clockhands.experiments.results.judged import judged
from clockhands.experiments.results.sections import not_learnt
from clockhands.experiments.rows import Row
from clockhands.experiments.store import Store
from clockhands.language import Language, Text


def write(recipe: Recipe, results: Path, docs: Path) -> list[Path]:
    """Both languages; ``results`` holds a folder of results for each part. The files written."""
    stores = {name: Store(results / name) for name in recipe.parts}
    begun = {name: store for name, store in stores.items() if store.design_file.exists()}
    reports = {name: report(store) for name, store in begun.items()}
    written = []
    endings: tuple[tuple[Language, str], ...] = (("en", "md"), ("zh", "zh.md"))
    for lang, ending in endings:
        path = docs / f"{recipe.id}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(_page(recipe, begun, reports, lang)), encoding="utf-8")
        written.append(path)
    return written


def _page(recipe: Recipe, begun: dict[str, Store], reports: dict[str, Report], lang: Language) -> list[str]:
    def say(en: str, zh: str) -> str:
        return Text(en, zh).said_in(lang)

    other = f"[中文]({recipe.id}.zh.md)" if lang == "en" else f"[English]({recipe.id}.md)"
    lines = [f"# {recipe.title.said_in(lang)}", "", other, "", recipe.question.said_in(lang), ""]
    for note in recipe.notes:
        lines += [note.said_in(lang), ""]
    if not begun:
        return [*lines, say("Nothing has been run yet.", "还没有运行。"), ""]
    found = {name: (store.design(), store.rows(store.design())) for name, store in begun.items()}
    lines += [*_cost(begun, found, say), ""]
    lines += [*_hypotheses(begun, lang), ""]
    for name, one in reports.items():
        lines += _tables(one, found[name][0], lang, say)
    made = say("Written from the results by `python -m recipes`; nothing here is typed by hand.",
               "由 `python -m recipes` 根据结果写成，没有手工填写的内容。")  # fmt: skip
    return [*lines, made, ""]


def _cost(begun: dict[str, Store], found: dict[str, tuple[Design, list[Row]]], say: Any) -> list[str]:
    every = sum(len(cells(design)) for design, _ in found.values())
    rows = [row for _, rows in found.values() for row in rows]
    seconds = sum(row.seconds for row in rows)
    dates = sorted({store.promised()["written"][:10] for store in begun.values()})
    versions = sorted({f"{name} {one}" for row in rows for name, one in row.versions.items()})
    lines = [
        say(f"Hypotheses and designs fixed on {' and '.join(dates)}, before the first step of each part.",
            f"假设与设计于 {'、'.join(dates)} 确定，早于各部分的第一步训练。"),
        say(f"{len(rows)} of {every} trainings finished, {seconds / 3600:.2f} hours of one core.",
            f"{every} 次训练中完成了 {len(rows)} 次，单核用时 {seconds / 3600:.2f} 小时。"),
    ]  # fmt: skip
    if len(rows) < every:
        lines.append(say("**Not finished: the tables below show what there is.**",
                         "**尚未完成：下表为目前已有的结果。**"))  # fmt: skip
    if versions:
        lines.append(say(f"Computed with {', '.join(versions)}.", f"计算所用版本：{'、'.join(versions)}。"))
    for design, _ in found.values():
        size = design.model
        rates = ", ".join(f"{rate:g}" for rate in design.rates)
        lines.append(say(
            f"{', '.join(design.tasks)}: {design.seeds} seeds, {design.steps:,} steps of {design.batch} "
            f"items, {size.layers} layers, {size.heads} heads, width {size.dim}, as many parameters for all; "
            f"learning rate one of {rates}, chosen within the training length.",
            f"{'、'.join(design.tasks)}：{design.seeds} 个种子，{design.steps:,} 步，每步 {design.batch} 题，"
            f"{size.layers} 层、{size.heads} 个头、宽 {size.dim}，各方案参数一样多；学习率从 {rates} 中"
            "按训练长度内的损失选取。",
        ))  # fmt: skip
    return [f"- {line}" for line in lines]


def _hypotheses(begun: dict[str, Store], lang: Language) -> list[str]:
    """Those that were written down beforehand, not those that the recipe has now."""
    section = judged([*begun.values()], lang)
    if section is None:
        return []
    first, *rows = section.table
    return [f"## {section.heading}", "", *map(_row, (first, ["---"] * len(first), *rows))]


def _tables(found: Report, design: Design, lang: Language, say: Any) -> list[str]:
    lines: list[str] = []
    weak = not_learnt(found)
    for id in design.tasks:
        task = design.about(id)
        unit = task.unit.said_in(lang)
        standings = [one for one in found.standings if one.task == id]
        measure = (
            say("share of items right", "答对的比例") if task.exact else say("loss, nats", "损失（纳特）")
        )
        lines += [
            f"## {task.title.said_in(lang)}", "",
            say(f"Median over seeds of the {measure} by length ({unit}), in brackets the quartiles; trained "
                f"up to {task.length}.",
                f"各长度（{unit}）上{measure}的种子中位数，括号内为四分位数；训练长度不超过 {task.length}。"),
            "",
            _row([say("scheme", "方案"), say("seeds", "种子"), *map(str, task.lengths),
                  *([say("seeds that succeed", "成功的种子")] if task.exact else [])]),
            _row(["---"] * (2 + len(task.lengths) + task.exact)),
            *(_standing(one, design, say) for one in standings), "",
            *(f"{says.said_in(lang)}\n" for task_id, says in weak if task_id == id),
            *_beside(standings, id, lang),
            *_costs(standings, say), "",
            *(f"{says.said_in(lang)}.\n" if lang == "en" else f"{says.zh}。\n"
              for says in at_the_edge(design, standings)),
            say("Speed is that of the machine, with all that it did besides. FLOPs are those of matrix "
                "products forward, attention with whole rows, in a batch of the training length.",
                "速度取决于当时的机器负载。浮点运算只计前向的矩阵乘法（注意力按整行计），取训练长度的一批。"),
            "",
            *_each_seed(standings, task.lengths, say), "",
        ]  # fmt: skip
    return lines


def _standing(one: Standing, design: Design, say: Any) -> str:
    at = []
    for values, length in zip(one.by_length, one.lengths, strict=True):
        there = values[np.isfinite(values)]
        if len(there):
            low, middle, high = np.quantile(there, (0.25, 0.5, 0.75))
            at.append(f"{middle:.3f} ({low:.3f}–{high:.3f})")
        else:
            at.append(say("undefined", "无定义") if length in one.undefined else "–")
    succeed = []
    if one.exact:
        succeed = ["–"]
        if one.successes is not None:
            good, of, low, high = one.successes
            succeed = [f"{good}/{of} [{low:.2f}, {high:.2f}]"]
    return _row([f"`{one.scheme}`", f"{len(one.rows)}/{design.seeds}", *at, *succeed])


def _beside(standings: Sequence[Standing], task: str, lang: Language) -> list[str]:
    """Loss by place, and what the probes found."""
    lines: list[str] = []
    for part in (*by_place(standings, task, lang), *probes(standings, task, lang)):
        first, *rows = part.table
        marked = [(f"`{scheme}`", *cells) for scheme, *cells in rows]
        lines += [f"### {part.heading}", "", *map(_row, (first, ["---"] * len(first), *marked)), ""]
    return lines


def _costs(standings: Sequence[Standing], say: Any) -> list[str]:
    head = [
        say("scheme", "方案"), say("parameters (own)", "参数（自有）"), say("learning rate", "学习率"),
        say("kFLOP a token", "千次浮点运算 / 词元"), say("cache, bytes a token", "缓存，字节 / 词元"),
        say("steps a second", "步 / 秒"), say("failed", "失败"),
    ]  # fmt: skip
    lines = [_row(head), _row(["---"] * len(head))]
    for one in standings:
        well = [row for row in one.rows if row.failed is None]
        if not well:
            continue
        first = well[0]
        speed = np.median([row.speed for row in well])
        lines.append(_row([
            f"`{one.scheme}`", f"{first.parameters:,} ({first.position_parameters:,})", f"{first.rate:g}",
            f"{first.flops / 1000:,.0f}", f"{first.cache_bytes:,}", f"{speed:.1f}", str(one.failed),
        ]))  # fmt: skip
    return lines


def _each_seed(standings: Sequence[Standing], lengths: Sequence[int], say: Any) -> list[str]:
    lines = [f"<details><summary>{say('Every seed', '每个种子')}</summary>", ""]
    lines += [_row([say("scheme", "方案"), say("seed", "种子"), *map(str, lengths)])]
    lines += [_row(["---"] * (2 + len(lengths)))]
    for one in standings:
        for row in one.rows:
            at = [f"{row.measured[n].mean:.3f}" if n in row.measured else "–" for n in lengths]
            lines.append(_row([f"`{one.scheme}`", str(row.seed), *at]))
    return [*lines, "", "</details>"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
