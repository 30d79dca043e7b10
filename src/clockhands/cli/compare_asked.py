"""What ``clockhands compare`` is asked for, as a design."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clockhands.cli.console import tell
from clockhands.cli.kinds import SETTING
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.experiments.design import Contender, Design

_COMMA = re.compile(r",(?![^()]*\))")  # between names, not between the parameters of one
_CALLED = {"rates": "lr"}
"""Options that are called otherwise than what they set."""


def design_of(given: dict[str, Any], lang: Language) -> Design:
    """Of options that were given, the others by preset."""
    from clockhands.experiments.design import Design

    settings = _settings({"preset": "quick"} | given, lang)
    for name in ("schemes", "tasks"):
        if name not in settings:
            raise ClockhandsError(
                f"--{name} is missing: name what is to be compared, with commas",
                f"缺少 --{name}：请用逗号隔开要比较的名称",
            )
    return Design(**settings)


def require_same(design: Design, given: dict[str, Any], lang: Language) -> None:
    """Refuse options that ask for another comparison than the one that is gone on with."""
    for name, value in _settings(given, lang).items():
        if design.with_(**{name: value}) != design:
            option = _CALLED.get(name, name)
            option = "preset" if name not in given else option
            raise ClockhandsError(
                f"--resume goes on with what was asked at the beginning, and --{option} asks for something "
                "else: leave it out, or begin in another folder with -o",
                f"--resume 按开始时的设置继续，而 --{option} 与之不同：请去掉它，或用 -o 在另一个目录开始",
            )


def text_in(path: Path, lang: Language) -> str:
    """Of a file in whatever encoding, which is said."""
    from clockhands.text import read_text

    file = read_text(path)
    tell(Text(f"{path}: read as {file.encoding}", f"{path}：按 {file.encoding} 读取"), lang)
    return file.text


def _settings(given: dict[str, Any], lang: Language) -> dict[str, Any]:
    """As a design takes them."""
    from clockhands.experiments.design import PRESETS

    rest = {name: value for name, value in given.items() if name != "preset"}
    settings = (PRESETS[given["preset"]] if "preset" in given else {}) | rest
    if "schemes" in settings:
        settings["schemes"] = tuple(map(_contender, _COMMA.split(settings["schemes"])))
    for name in ("tasks", "probes"):
        if name in settings:
            settings[name] = tuple(settings[name].split(","))
    if "text" in settings:
        settings["text"] = text_in(settings["text"], lang)
    return settings


def _contender(word: str) -> Contender:
    """``rope`` or ``rope(rope_theta=500)``."""
    from clockhands.experiments.design import RANDOMISED, Contender

    id, opened, rest = word.strip().partition("(")
    if not opened:
        return Contender(id)
    if not rest.endswith(")"):
        raise ClockhandsError(
            f"'{word}' has no closing parenthesis: write for example 'rope(rope_theta=500)'",
            f"“{word}”缺右括号：例如写成“rope(rope_theta=500)”",
        )
    named = [SETTING.convert(one.strip(), None, None) for one in rest[:-1].split(",")]
    parameters = dict(named)
    return Contender(id, parameters, parameters.pop(RANDOMISED, None))
