"""What a value on the command line may be; a bad one is refused in both languages."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from clockhands.cli.bilingual import BilingualUsageError
from clockhands.errors import nearest
from clockhands.language import Text


class Choice(click.ParamType[str]):
    """One of a few words."""

    name = "choice"

    def __init__(self, values: Sequence[str]):
        self.values = values

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "|".join(self.values)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.values:
            _refuse(value, param, ctx, nearest(value, self.values))
        return value


class Number(click.ParamType[Any]):
    """What ``parse`` makes of a word; ``rule`` says what it should have been."""

    def __init__(self, name: str, parse: Callable[[str], Any], rule: Text):
        self.name, self._parse, self._rule = name, parse, rule

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except ValueError:
            _refuse(value, param, ctx, self._rule)


def _span(word: str) -> range:
    """``100`` is 0 to 99, ``40:80`` is 40 to 79."""
    start, colon, stop = word.partition(":")
    return range(int(start or 0), int(stop)) if colon else range(int(start))


def _window(word: str) -> str:
    """``40`` is the first 40, as ``0:40`` is; whether the ends make sense is checked where they are used."""
    ends = word if ":" in word else f"0:{word}"
    for end in ends.split(":"):
        int(end or 0)
    return ends


_JSON = {"true": True, "false": False, "null": None}


def setting(word: str) -> tuple[str, Any]:
    """``name=value``; the value is a Python literal, or true, false or null as in JSON, where it can be read
    as one, else plain text. ValueError where that is no such thing."""
    name, equals, value = word.partition("=")
    if not (name and equals and value):
        raise ValueError(word)
    if value in _JSON:
        return name, _JSON[value]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "1or 2" is text, and nothing to warn of
            return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # the last two: nested too deep
        return name, value


WHOLE = Number("N", int, Text("give a whole number", "请给出整数"))
REAL = Number("X", float, Text("give a number", "请给出数字"))
SPAN = Number(
    "N|A:B",
    _span,
    Text("give a count such as 100, or a range such as 40:80", "请给出个数（如 100）或范围（如 40:80）"),
)
WINDOW = Number(
    "N|A:B",
    _window,
    Text("give a count such as 40, or a range such as 0:40", "请给出个数（如 40）或范围（如 0:40）"),
)
SETTING = Number("NAME=VALUE", setting, Text("write name=value", "请写成 名称=值"))


class PathKind(click.ParamType[Path]):
    """A file or folder name; whether it can be read or written is found out by whoever does it."""

    name = "path"

    def __init__(self, metavar: str):
        self._metavar = metavar

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return self._metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if value == "":  # pathlib would take it for the folder we are in
            _refuse(value, param, ctx, Text("give a name", "请给出名字"))
        return Path(value)


FILE, DIR = PathKind("FILE"), PathKind("DIR")


def _refuse(value: str, param: click.Parameter | None, ctx: click.Context | None, rule: Text) -> NoReturn:
    where = param.opts[0] if param is not None else ""
    raise BilingualUsageError(
        Text(f"{where} can't be '{value}': {rule.en}", f"{where} 不能是“{value}”：{rule.zh}"), ctx
    )
