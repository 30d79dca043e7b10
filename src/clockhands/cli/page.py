"""The help page of a command, in the language of the person who reads it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence

from clockhands.cli.wrapping import columns, padded, wrap
from clockhands.language import Language, Text

USAGE = Text("Usage", "用法")
ARGUMENTS = Text("Arguments", "参数")
OPTIONS = Text("Options", "选项")
COMMANDS = Text("Commands", "命令")
EXAMPLES = Text("Examples", "示例")
OPTIONS_SLOT = Text("[OPTIONS]", "[选项]")

_WIDEST = 100
_WIDEST_TERM = 26


def page_width() -> int:
    """Columns of the terminal, no wider than reads well."""
    return min(shutil.get_terminal_size().columns, _WIDEST)


_PLACEHOLDERS = {
    "ADDRESS": "地址", "CODE": "代码", "DIR": "文件夹", "FILE": "文件", "ID": "名称",
    "JSON": "对象", "MODEL": "模型", "MODULE": "模块", "NAME": "名称", "NAMES": "参数名",
    "OPTIONS": "选项", "SCHEME": "方案", "TARGET": "对象", "TEXT": "文字", "VALUE": "值",
}  # fmt: skip


def placeholder(metavar: str, lang: Language) -> str:
    """What stands for a value, ``NAME=VALUE``; words in capitals are said in the reader's language.

    >>> placeholder("[FILE]...", "zh"), placeholder("N|A:B", "zh")
    ('[文件]...', 'N|A:B')
    """
    if lang == "en":
        return metavar
    return re.sub("[A-Z]{2,}", lambda word: _PLACEHOLDERS.get(word[0], word[0]), metavar)


def heading(text: Text, lang: Language, then: str = "") -> str:
    """A title with its colon, and what follows on the same line."""
    return f"{text.en}: {then}".rstrip() if lang == "en" else f"{text.zh}：{then}"


def paragraph(text: str, width: int) -> str:
    """Wrapped and set in by two columns."""
    return "\n".join(f"  {line}" for line in wrap(text, width - 2))


def definitions(rows: Sequence[tuple[str, str]], width: int) -> str:
    """Two columns, terms and what they mean; a long term gets a line of its own."""
    term_width = min(max(columns(term) for term, _ in rows), _WIDEST_TERM)
    indent = " " * (term_width + 4)
    lines: list[str] = []
    for term, meaning in rows:
        meaning_lines = wrap(meaning, width - len(indent))
        if columns(term) > term_width:
            lines.append(f"  {term}")
        else:
            lines.append(f"  {padded(term, term_width)}  {meaning_lines.pop(0)}")
        lines += [indent + line for line in meaning_lines]
    return "\n".join(lines)


def section(title: Text, lang: Language, body: str) -> str:
    """A title and what stands under it."""
    return f"{heading(title, lang)}\n{body}"


def examples(lines: Iterable[str]) -> str:
    """Command lines to copy, never wrapped."""
    return "\n".join(f"  {line}" for line in lines)
