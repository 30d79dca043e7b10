"""``python -m docs.rules`` writes ``check-rules.md`` and ``check-rules.zh.md``: every rule's own story."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path

from clockhands.check.finding import SEVERITIES, Rule, Severity
from clockhands.check.rules import EVERY
from clockhands.check.wording import SEVERITY
from clockhands.language import LANGUAGES, Language, Text
from clockhands.writing import written_aside

FILES: dict[Language, Path] = {
    "en": Path(__file__).parent / "check-rules.md",
    "zh": Path(__file__).parent / "check-rules.zh.md",
}
TITLE = Text("Rules of `check`", "`check` 的规则")
INTRODUCTION = Text(
    "All {count} rules that `clockhands check` has, as `clockhands check --explain CH012` tells them; with "
    "`-o story.png` it draws the picture too. This page is written by `python -m docs.rules`. "
    "[How to check a model](check.md).",
    "`clockhands check` 的全部 {count} 条规则，与 `clockhands check --explain CH012` 讲的相同；加上 "
    "`-o story.png` 还会画图。本页由 `python -m docs.rules` 生成。[怎样检查模型](check.zh.md)。",
)
GROUPS = {
    "CH0": Text("What a configuration says", "配置怎么写"),
    "CH1": Text("What a function does", "函数怎么做"),
    "CH2": Text("What files of weights hold", "权重文件里有什么"),
    "CH3": Text("What is declared and what is measured", "声明与实测"),
}
RESEMBLES = Text("Resembles {of}.", "类似问题：{of}。")
_MARKS = re.compile(r"([*<>\[\]`\\])")


def page(lang: Language) -> str:
    """The whole page in one language."""
    other = "[中文](check-rules.zh.md)" if lang == "en" else "[English](check-rules.md)"
    introduction = INTRODUCTION.filled(count=len(EVERY)).said_in(lang)
    parts = [f"# {TITLE.said_in(lang)}", other, introduction]
    for start, name in GROUPS.items():
        parts.append(f"## {name.said_in(lang)}")
        parts += [each for rule in EVERY if rule.code.startswith(start) for each in _told(rule, lang)]
    return "\n\n".join(parts) + "\n"


def severities(rule: Rule) -> tuple[Severity, ...]:
    """How grave its findings may be, where the file that holds this one rule says it; else empty."""
    module = sys.modules[rule.check.__module__]
    if getattr(module, "RULE", None) is not rule:
        return ()
    named = {
        node.value
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return tuple(each for each in SEVERITIES if each in named)


def _told(rule: Rule, lang: Language) -> list[str]:
    """Heading, story and reference; a paragraph is one line, so that no line of it starts a list."""
    grave = " / ".join(SEVERITY[each].said_in(lang) for each in severities(rule))
    heading = f"### {rule.code} {_plain(rule.title.said_in(lang))}"
    parts = [heading, _plain(rule.story.said_in(lang))]
    if grave:
        parts.insert(1, f"*{grave}*")
    if rule.reference:
        parts.append(RESEMBLES.filled(of=_plain(rule.reference)).said_in(lang))
    return parts


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return _MARKS.sub(r"\\\1", text)


def main() -> None:
    for lang in LANGUAGES:
        with written_aside(FILES[lang]) as aside:
            aside.write_text(page(lang), encoding="utf-8")


if __name__ == "__main__":
    main()
