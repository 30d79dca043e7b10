"""``docs/results/smollm2.md``: SmolLM2 past its trained length, written from the files of the texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.experiments.promise import LEVEL
from clockhands.experiments.results.judged import OUTCOMES
from clockhands.experiments.statistics import holm, sign_flip
from clockhands.extend.trials.design import AS_GIVEN
from clockhands.extend.trials.found import WITHIN, Mean
from clockhands.extend.trials.words import signed
from clockhands.language import Language, Text
from recipes.smollm2 import CHINESE, ENGLISH, METHODS, TEXTS, TO, TRAINED

CALLED = {CHINESE: Text("Chinese", "中文"), ENGLISH: Text("English", "英文")}
"""Texts in a table; what each is, is said above."""
SUPPORTED, CONTRADICTED, OPEN = OUTCOMES["supported"], OUTCOMES["contradicted"], Text("open", "未定")


def write(results: Path, docs: Path) -> list[Path]:
    """Both languages; the files written."""
    found = {
        name: json.loads((results / f"{name}.json").read_bytes())
        for name in TEXTS
        if (results / f"{name}.json").exists()
    }
    promised = results / "preregistration.json"
    about = json.loads(promised.read_bytes()) if promised.exists() else None
    written = []
    endings: tuple[tuple[Language, str], ...] = (("en", "md"), ("zh", "zh.md"))
    for lang, ending in endings:
        path = docs / f"smollm2.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(_page(found, about, lang)), encoding="utf-8")
        written.append(path)
    return written


def _page(
    found: Mapping[str, Mapping[str, Any]], about: Mapping[str, Any] | None, lang: Language
) -> list[str]:
    def say(en: str, zh: str) -> str:
        return Text(en, zh).said_in(lang)

    other = "[中文](smollm2.zh.md)" if lang == "en" else "[English](smollm2.md)"
    lines = [
        f"# {say('SmolLM2 past its trained length', 'SmolLM2 越过训练长度')}", "", other, "",
        say(f"SmolLM2-135M, trained on {TRAINED:,} tokens, reads {TO:,}: as it is, and with five methods, "
            f"none of which trains anything. Each reads the first {TO:,} tokens of two texts, and the second "
            "half of them by itself: a Chinese novel, the Water Margin, and an English one, the manual of "
            "Python.",
            f"训练长度为 {TRAINED:,} 个词元的 SmolLM2-135M 读到 {TO:,} 个：模型原样，以及五种不训练的方法。"
            f"各读两篇文本的前 {TO:,} 个词元，再单独读其中的后一半：中文小说《水浒传》，"
            "和英文的 Python 手册。"), "",
    ]  # fmt: skip
    if about is None or not found:
        return [*lines, say("Nothing has been run yet.", "还没有运行。"), ""]
    compared = next(iter(found.values()))["compared"]
    lines += [*(f"- {line}" for line in _cost(found, about, say)), ""]
    lines += [f"## {say('Hypotheses', '假设')}", "", *_hypotheses(found, about, lang, say), ""]
    lines += [
        f"## {say('The same tokens, with more before them', '同样的词元，前文更长')}", "",
        say(f"Loss of the last {compared:,} tokens, the same at both lengths, against the model as given at "
            f"{TRAINED:,}, nats a token; ± spans 95 % over runs of neighbouring tokens. Methods have the "
            f"settings for {TO:,} at both lengths.",
            f"两种长度下都是最后同样的 {compared:,} 个词元的损失，与原样模型在 {TRAINED:,} 时之差"
            f"（纳特 / 词元）；± 为由相邻各段词元算出的 95% 区间。各方法在两个长度上都用按 {TO:,} "
            "得出的设置。"), "",
        *_table(found, lang, say, _rise), "",
        f"## {say('Perplexity of whole windows', '整个窗口的困惑度')}", "",
        say("It flatters long windows: their first tokens, which have little to be guessed from, weigh less.",
            "长窗口占便宜：开头可依据的前文少，而这部分在长窗口里占比小。"), "",
        *_table(found, lang, say, _perplexity), "",
        say("One model and two texts: other texts may order methods otherwise. Written from the results by "
            "`python -m recipes smollm2`; nothing here is typed by hand.",
            "只有一个模型、两篇文本：换一篇，次序可能不同。由 `python -m recipes smollm2` 根据结果写成，"
            "没有手工填写的内容。"), "",
    ]  # fmt: skip
    return lines


def _cost(found: Mapping[str, Mapping[str, Any]], about: Mapping[str, Any], say: Any) -> list[str]:
    minutes = sum(one["seconds"] for one in found.values()) / 60
    threads = max(one["threads"] for one in found.values())
    ended = max(one["ended"] for one in found.values())[:10]
    versions = sorted({f"{name} {each}" for one in found.values() for name, each in one["versions"].items()})
    lines = [
        say(f"Hypotheses and design fixed on {about['written'][:10]}, before the first window; read until "
            f"{ended}.",
            f"假设与设计于 {about['written'][:10]} 确定，早于第一个窗口；读完于 {ended}。"),
        say(f"{len(found)} of {len(TEXTS)} texts read, {minutes:.1f} minutes with {threads} threads.",
            f"{len(TEXTS)} 篇文本读完 {len(found)} 篇，{threads} 个线程用时 {minutes:.1f} 分钟。"),
        say(f"Computed with {', '.join(versions)}.", f"计算所用版本：{'、'.join(versions)}。"),
    ]  # fmt: skip
    left = {id: why for one in found.values() for id, why in one["left_out"].items()}
    lines += [say(f"Left out: {id}: {why['en']}.", f"未试：{id}：{why['zh']}。") for id, why in left.items()]
    if len(found) < len(TEXTS):
        lines.append(say("**Not finished: the tables below show what there is.**",
                         "**尚未完成：下表为目前已有的结果。**"))  # fmt: skip
    return lines


def _hypotheses(
    found: Mapping[str, Mapping[str, Any]], about: Mapping[str, Any], lang: Language, say: Any
) -> list[str]:
    """Those that were written down beforehand, in each text."""
    asked = [(one, name) for one in about["design"]["hypotheses"] for name in found]
    gaps = [_gap(found[name], one) for one, name in asked]
    corrected = holm([1.0 if each is None else sign_flip(each) for each in gaps])
    head = (Text("hypothesis", "假设"), Text("text", "文本"), Text("difference, nats", "差（纳特）"),
            Text("p, Holm", "p（Holm）"), Text("outcome", "结果"))  # fmt: skip
    rows = [_row([each.said_in(lang) for each in head]), _row(["---"] * len(head))]
    for (one, name), gap, p in zip(asked, gaps, corrected, strict=True):
        rows.append(_row([
            Text(**one["says"]).said_in(lang), CALLED[name].said_in(lang),
            "–" if gap is None else signed(_mean(gap + one["bound"])), "–" if gap is None else f"{p:.3g}",
            outcome(gap, p).said_in(lang),
        ]))  # fmt: skip
    runs = about["design"]["runs"]
    rows += ["", say(f"One number for each of {runs} runs of neighbouring tokens; two-sided sign-flip test "
                     f"against the bound, Holm over all {len(asked)} rows. Runs of one text hang together a "
                     "little, so p is of these texts and of no others.",
                     f"相邻词元分 {runs} 段，每段一个数；与界限作双侧符号翻转检验，对全部 {len(asked)} 行作 "
                     "Holm 校正。同一文本的各段并不完全独立，p 只说明这两篇文本。")]  # fmt: skip
    return rows


def outcome(gap: NDArray[np.float64] | None, p: float) -> Text:
    """Of a difference less its bound, run by run: its sign, if p and the interval leave no doubt of it."""
    if gap is None or p > LEVEL:
        return OPEN
    mean = _mean(gap)
    return SUPPORTED if mean.low > 0 else CONTRADICTED if mean.high < 0 else OPEN


def _gap(one: Mapping[str, Any], asked: Mapping[str, Any]) -> NDArray[np.float64] | None:
    """First minus second minus the bound, of each run; None where a method was left out."""
    sides = [_same(one, who, length) for who, length in (asked["first"], asked["second"])]
    return None if sides[0] is None or sides[1] is None else sides[0] - sides[1] - asked["bound"]


def _same(one: Mapping[str, Any], method: str, length: int) -> NDArray[np.float64] | None:
    told = one["losses"].get(method, {}).get(str(length))
    return None if told is None else np.array(told["same"], dtype=np.float64)


def _mean(values: NDArray[np.float64]) -> Mean:
    return Mean(float(values.mean()), float(WITHIN * values.std(ddof=1) / np.sqrt(len(values))))


def _rise(one: Mapping[str, Any], method: str, length: int) -> str:
    there, before = _same(one, method, length), _same(one, AS_GIVEN, TRAINED)
    return "–" if there is None or before is None else signed(_mean(there - before))


def _perplexity(one: Mapping[str, Any], method: str, length: int) -> str:
    told = one["losses"].get(method, {}).get(str(length))
    return "–" if told is None else f"{exp(told['whole']):,.2f}"


def _table(found: Mapping[str, Mapping[str, Any]], lang: Language, say: Any, cell: Any) -> list[str]:
    places: Sequence[tuple[str, int]] = [(name, length) for name in found for length in (TRAINED, TO)]
    head = [say("method", "方法"), *(f"{CALLED[name].said_in(lang)}, {length:,}" for name, length in places)]
    rows = [_row(head), _row(["---"] * len(head))]
    for method in METHODS:
        name = say("as given", "原样") if method == AS_GIVEN else f"`{method}`"
        rows.append(_row([name, *(cell(found[text], method, length) for text, length in places)]))
    return rows


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
