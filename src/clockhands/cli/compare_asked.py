"""What ``clockhands compare`` is asked for, as a design."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clockhands.cli.console import tell
from clockhands.cli.kinds import setting
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.experiments.design import Contender, Design

_OPEN, _SHUT, _QUOTES = "([{", ")]}", "'\""
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
    """Refuse options that ask for another comparison than the one that is gone on with.

    design  as it was begun; it need not have its text, which takes long to cut into words
    """
    for name, value in _settings(given, lang).items():
        if not _asks_the_same(design, name, value):
            option = called(name if name in given else "preset")
            raise ClockhandsError(
                f"--resume goes on with what was asked at the beginning, and {option} asks for something "
                "else: leave it out, or begin in another folder with -o",
                f"--resume 按开始时的设置继续，而 {option} 与之不同：请去掉它，或用 -o 在另一个目录开始",
            )


def _asks_the_same(design: Design, name: str, value: Any) -> bool:
    if name == "text":
        return hashlib.sha256(value.encode()).hexdigest() == design.text_sha256
    try:
        asked = design.with_(**{name: value})
    except ClockhandsError:  # whatever it is, it is not what could be begun
        return False
    if name == "multiples":  # those that a task has by itself may be said, too
        return all(asked.about(task).lengths == design.about(task).lengths for task in design.tasks)
    return asked == design


def called(name: str) -> str:
    """The option that sets something.

    >>> called("rates"), called("gpus_per_cell")
    ('--lr', '--gpus-per-cell')
    """
    return f"--{_CALLED.get(name, name).replace('_', '-')}"


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
        settings["schemes"] = tuple(map(_contender, between_commas(settings["schemes"])))
    for name in ("tasks", "probes"):
        if name in settings:
            settings[name] = tuple(one.strip() for one in settings[name].split(","))
    if "text" in settings:
        settings["text"] = text_in(settings["text"], lang)
    return settings


def between_commas(words: str) -> list[str]:
    """What commas part, those within brackets or quotation marks left alone.

    >>> between_commas("nope, rope(rope_theta=500, scaling={'rope_type': 'linear', 'factor': 2})")
    ['nope', "rope(rope_theta=500, scaling={'rope_type': 'linear', 'factor': 2})"]
    """
    found, depth, quoted, plain = [""], 0, "", False
    for letter in words:
        if plain:  # behind a backslash
            plain = False
        elif quoted:
            plain, quoted = letter == "\\", "" if letter == quoted else quoted
        elif letter in _QUOTES:
            quoted = letter
        else:
            depth = max(0, depth + (letter in _OPEN) - (letter in _SHUT))
        if letter == "," and not quoted and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [one.strip() for one in found]


def _contender(word: str) -> Contender:
    """``rope`` or ``rope(rope_theta=500)``."""
    from clockhands.experiments.design import RANDOMISED, Contender

    id, opened, rest = word.partition("(")
    if not opened:
        return Contender(id)
    if not rest.endswith(")"):
        raise ClockhandsError(
            f"'{word}' has no closing parenthesis: write for example 'rope(rope_theta=500)'",
            f"“{word}”缺右括号：例如写成“rope(rope_theta=500)”",
        )
    parameters: dict[str, Any] = {}
    for one in between_commas(rest[:-1]) if rest[:-1].strip() else ():
        try:
            name, value = setting(one)
        except ValueError as error:
            raise ClockhandsError(
                f"'{word}' has '{one}' where name=value belongs: write for example 'rope(rope_theta=500)'",
                f"“{word}”中的“{one}”应写成 名称=值：例如“rope(rope_theta=500)”",
            ) from error
        if name in parameters:
            raise ClockhandsError(
                f"'{word}' gives {name} twice: leave one out",
                f"“{word}”中 {name} 写了两次：请去掉一个",
            )
        parameters[name] = value
    return Contender(id.strip(), parameters, parameters.pop(RANDOMISED, None))
