"""``docs/results/README.md``: all pages of results in one table, read off the pages themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clockhands.experiments.results.judged import OUTCOMES, WORDS
from clockhands.language import Language, Text

TITLE = Text("Results", "结果")
SAYS = Text(
    "Each page is written by `python -m recipes --write` from the results in `recipes/results/`: what was "
    "expected beforehand, what became of it, with intervals, every seed, cost and versions. What is not "
    "finished says so. So is this one, from the pages.",
    "每一页都由 `python -m recipes --write` 根据 `recipes/results/` 里的结果写成：事先的假设及其结果，以及"
    "区间、每个种子、开销和版本。没有完成的会说明。本页再由这些页写成。",
)
HEAD = (
    Text("question", "问题"),
    Text("hypotheses, fixed beforehand", "事先确定的假设"),
    Text("finished", "完成情况"),
)
COUNTED = {**OUTCOMES, "open": Text("open", "未定")}
"""Without the reason, which pages give."""
ENDINGS: tuple[tuple[Language, str], ...] = (("en", "md"), ("zh", "zh.md"))


def write(docs: Path, names: Sequence[str], into: Path | None = None) -> list[Path]:
    """Both languages, from the pages that there are of those recipes; the files written."""
    written = []
    for lang, ending in ENDINGS:
        other = "[中文](README.zh.md)" if lang == "en" else "[English](README.md)"
        lines = [f"# {TITLE.said_in(lang)}", "", other, "", SAYS.said_in(lang), ""]
        lines += [_row([one.said_in(lang) for one in HEAD]), _row(["---"] * len(HEAD))]
        for name in names:
            page = docs / f"{name}.{ending}"
            if page.exists():
                lines.append(_of(page, lang))
        path = (into or docs) / f"README.{ending}"
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        written.append(path)
    return written


def _of(page: Path, lang: Language) -> str:
    lines = page.read_text("utf-8").splitlines()
    title = lines[0].removeprefix("# ")
    points = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    finished = points[1].replace("：", ": ").partition(": ")[0].rstrip("。.") if len(points) > 1 else ""
    return _row([f"[{title}]({page.name})", _counts(lines, lang), finished])


def _counts(lines: Sequence[str], lang: Language) -> str:
    """How many hypotheses of a page came out in each way: "5 supported, 2 open"."""
    column = WORDS[1].said_in(lang)
    heads = [n for n, line in enumerate(lines) if column in _cells(line)]
    if not heads:
        return ""
    at = _cells(lines[heads[0]]).index(column)
    found = []
    for line in lines[heads[0] + 2 :]:
        if not line.startswith("|"):
            break
        found.append(_cells(line)[at])
    counts = {
        said.said_in(lang): sum(one.startswith(said.said_in(lang)) for one in found)
        for said in COUNTED.values()
    }
    between = ", " if lang == "en" else "，"
    return between.join(f"{count} {said}" for said, count in counts.items() if count)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
