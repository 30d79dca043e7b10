"""Pages of the small models past their length, written from the files of the seeds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clockhands.experiments.promise import LEVEL
from clockhands.experiments.results.judged import OUTCOMES
from clockhands.experiments.statistics import bootstrap, holm, sign_flip
from clockhands.language import Language, Text
from recipes.extending import (
    CONTROL,
    FIRST,
    MULTIPLES,
    SEEDS,
    SLIDES,
    STEPS,
    STRETCHES,
    TO,
    TRAINED,
    TUNED,
    Plan,
)

SAME, WHOLE = 0, 1
"""What of the two numbers at each length."""


def write(results: Path, docs: Path, plan: Plan = FIRST) -> list[Path]:
    """Both languages; the files written."""
    found = [json.loads(path.read_bytes()) for path in results.glob("seed-*.json")]
    found.sort(key=lambda one: one["seed"])
    promised = results / "preregistration.json"
    about = json.loads(promised.read_bytes()) if promised.exists() else None
    written = []
    endings: tuple[tuple[Language, str], ...] = (("en", "md"), ("zh", "zh.md"))
    for lang, ending in endings:
        path = docs / f"{plan.name}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(_page(found, about, plan, lang)), encoding="utf-8")
        written.append(path)
    return written


def _page(
    found: Sequence[Mapping[str, Any]], about: Mapping[str, Any] | None, plan: Plan, lang: Language
) -> list[str]:
    def say(en: str, zh: str) -> str:
        return Text(en, zh).said_in(lang)

    other = f"[中文]({plan.name}.zh.md)" if lang == "en" else f"[English]({plan.name}.md)"
    title, begin = _beginning(plan)
    lines = [f"# {title.said_in(lang)}", "", other, "", begin.said_in(lang), ""]
    if about is None or not found:
        return [*lines, say("Nothing has been run yet.", "还没有运行。"), ""]
    lines += [*(f"- {line}" for line in _cost(found, about, plan, say)), ""]
    lines += [f"## {say('Hypotheses', '假设')}", "", *_hypotheses(found, about, lang, say), ""]
    count = SLIDES * TRAINED // 4
    lines += [
        f"## {say('The same characters, with more and more before them', '同样的字符，前文越来越长')}", "",
        say(f"Mean loss, nats a character, of the same {count:,} characters at the end of windows of each "
            "length in the text that nothing was trained on: median over seeds, in brackets the quartiles. "
            f"Zero-shot methods have the settings for {TO:,} at every length.",
            f"没有用于训练的文本中，各长度窗口末尾同样的 {count:,} 个字符的平均损失（纳特 / 字符）："
            f"种子中位数，括号内为四分位数。不训练的方法在每个长度上都用按 {TO:,} 得出的设置。"), "",
        *_table(found, plan, SAME, lang, say), "",
        f"## {say('Whole windows', '整个窗口')}", "",
        say(f"Mean loss over windows that tile the same {STRETCHES * TO:,} characters; short windows start "
            "with little to guess from, so that longer ones look better than they are.",
            f"窗口平铺在同样的 {STRETCHES * TO:,} 个字符上的平均损失；短窗口开头可依据的前文少，"
            "所以长窗口看起来比实际好。"), "",
        *_table(found, plan, WHOLE, lang, say), "",
        f"<details><summary>{say('Every seed', '每个种子')}</summary>", "",
        *_each(found, plan, lang, say), "", "</details>", "",
        say(f"Written from the results by `python -m recipes {plan.name}`; nothing here is typed by hand.",
            f"由 `python -m recipes {plan.name}` 根据结果写成，没有手工填写的内容。"), "",
    ]  # fmt: skip
    return lines


def _beginning(plan: Plan) -> tuple[Text, Text]:
    """Heading, and what it is about."""
    if plan.name == FIRST.name:
        return (
            Text("A small model past its trained length", "小模型越过训练长度"),
            Text(f"A RoPE model that learned the Water Margin in windows of {TRAINED} characters reads up to "
                 f"{TO:,}: as it is, with every method without training, and after learning on a little.",
                 f"用《水浒传》{TRAINED} 个字符的窗口训练的 RoPE 模型，读到 {TO:,} 个字符：模型原样、"
                 "各种不训练的方法，以及再训练一小段之后。"),
        )  # fmt: skip
    steps = FIRST.more_steps
    return (
        Text("How long an interpolated model takes to catch up", "内插之后，多久能赶上"),
        Text(f"[After {steps} steps](extending.md) a model with linear interpolation had not come within "
             "0.05 nats of one that had learned on as long without. Here others learn on for "
             f"{plan.more_steps} steps: other seeds, and all else as there.",
             f"[再训练 {steps} 步](extending.zh.md)之后，线性内插的模型与不内插而多训练同样步数的模型，"
             f"损失相差还在 0.05 纳特以上。这里换一批种子，再训练 {plan.more_steps} 步，其余相同。"),
    )  # fmt: skip


def _cost(found: Sequence[Mapping[str, Any]], about: Mapping[str, Any], plan: Plan, say: Any) -> list[str]:
    seconds = sum(one["seconds"] for one in found)
    versions = sorted({f"{name} {each}" for one in found for name, each in one["versions"].items()})
    parameters = found[0]["parameters"]
    lines = [
        say(f"Hypotheses and design fixed on {about['written'][:10]}, before the first step.",
            f"假设与设计于 {about['written'][:10]} 确定，早于第一步训练。"),
        say(f"{len(found)} of {SEEDS} seeds finished, {seconds / 60:.1f} minutes of one core: {STEPS} steps, "
            f"then {plan.more_steps} more of as many characters, once interpolated in windows of {TO:,} and "
            "once as before.",
            f"{SEEDS} 个种子完成了 {len(found)} 个，单核用时 {seconds / 60:.1f} 分钟：训练 {STEPS} 步，"
            f"再以同样的字符数训练 {plan.more_steps} 步（一次内插、窗口 {TO:,}，一次照旧）。"),
        say(f"A Llama of {parameters:,} parameters, 3 layers, 4 heads of 16.",
            f"{parameters:,} 个参数的 Llama，3 层，4 个宽 16 的头。"),
        say(f"Computed with {', '.join(versions)}.", f"计算所用版本：{'、'.join(versions)}。"),
    ]  # fmt: skip
    if len(found) < SEEDS:
        lines.append(say("**Not finished: the tables below show what there is.**",
                         "**尚未完成：下表为目前已有的结果。**"))  # fmt: skip
    return lines


def _hypotheses(
    found: Sequence[Mapping[str, Any]], about: Mapping[str, Any], lang: Language, say: Any
) -> list[str]:
    """Those that were written down beforehand."""
    asked = about["design"]["hypotheses"]
    gaps = [_gaps(found, one) for one in asked]
    corrected = holm([sign_flip(each) for each in gaps])
    head = (Text("hypothesis", "假设"), Text("difference, nats", "差（纳特）"), Text("p, Holm", "p（Holm）"),
            Text("outcome", "结果"))  # fmt: skip
    rows = [_row([each.said_in(lang) for each in head]), _row(["---"] * 4)]
    for one, gap, p in zip(asked, gaps, corrected, strict=True):
        interval = bootstrap(gap[:, None] + one["bound"] * np.ones((1, 1)), np.mean)
        rows.append(_row([
            Text(**one["says"]).said_in(lang),
            f"{interval.value:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]", f"{p:.3g}",
            _outcome(gap, p, one["sign"], len(found)).said_in(lang),
        ]))  # fmt: skip
    rows += ["", say(f"One number a seed; exact two-sided sign-flip test against the bound, Holm over the "
                     f"{len(asked)} hypotheses; 95 % intervals over seeds.",
                     f"每个种子一个数；与界限作精确双侧符号翻转检验，对 {len(asked)} 个假设作 Holm 校正；"
                     "区间为对种子重抽样的 95% 区间。")]  # fmt: skip
    return rows


def _gaps(found: Sequence[Mapping[str, Any]], one: Mapping[str, Any]) -> np.ndarray:
    """First minus second minus the bound, ``(seeds,)``."""
    sides = [
        np.array([each["losses"][who][str(times * TRAINED)][SAME] for each in found])
        for who, times in (one["first"], one["second"])
    ]
    return sides[0] - sides[1] - one["bound"]


def _outcome(gap: np.ndarray, p: float, sign: int, seeds: int) -> Text:
    if seeds < SEEDS:
        return OUTCOMES["waiting"]
    interval = bootstrap(gap[:, None], np.mean)
    if p > LEVEL or not interval.excludes_zero:
        return Text("open", "未定")
    return OUTCOMES["supported" if interval.value * sign > 0 else "contradicted"]


def _table(found: Sequence[Mapping[str, Any]], plan: Plan, which: int, lang: Language, say: Any) -> list[str]:
    lengths = [str(TRAINED * each) for each in MULTIPLES]
    rows = [_row([say("method", "方法"), *lengths]), _row(["---"] * (1 + len(lengths)))]
    for who in (*plan.methods, CONTROL, TUNED):
        cells = []
        for length in lengths:
            values = [one["losses"][who][length][which] for one in found]
            low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
            cells.append(f"{middle:.3f} ({low:.3f}–{high:.3f})")
        rows.append(_row([_name(who, plan, lang), *cells]))
    return rows


def _each(found: Sequence[Mapping[str, Any]], plan: Plan, lang: Language, say: Any) -> list[str]:
    lengths = [str(TRAINED * each) for each in MULTIPLES]
    rows = [_row([say("method", "方法"), say("seed", "种子"), *lengths]), _row(["---"] * (2 + len(lengths)))]
    for who in (*plan.methods, CONTROL, TUNED):
        for one in found:
            cells = [f"{one['losses'][who][length][SAME]:.3f}" for length in lengths]
            rows.append(_row([_name(who, plan, lang), str(one["seed"]), *cells]))
    return rows


def _name(who: str, plan: Plan, lang: Language) -> str:
    steps = plan.more_steps
    names = {
        TUNED: Text(f"linear, then {steps} steps", f"linear，再训练 {steps} 步"),
        CONTROL: Text(f"as given, then {steps} steps", f"原样，再训练 {steps} 步"),
        "as-given": Text("as given", "原样"),
    }
    return names[who].said_in(lang) if who in names else f"`{who}`"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
