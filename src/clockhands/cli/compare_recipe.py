"""``compare --recipe module:function``: a comparison that Python says, or several with hypotheses."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clockhands.catalogue.plugins import imported
from clockhands.errors import ClockhandsError, said_by, shown
from clockhands.experiments.design import Design
from clockhands.experiments.recipes import Recipe, carry_out, require_same
from clockhands.experiments.run import resume, run
from clockhands.experiments.store import Store
from clockhands.language import Language


def recipe_at(path: str, text: str | None) -> Design | Recipe:
    """What the function at ``module:function`` returns; one that takes an argument is given the text.

    ClockhandsError where there is no such function, it wants a text and there is none, or it returns
    something else.
    """
    function = imported(path)
    if not callable(function):
        raise ClockhandsError(
            f"'{path}' is no function: name one that returns a Design or a Recipe",
            f"“{path}”不是函数：请给出一个返回 Design 或 Recipe 的函数",
        )
    asks, takes = _asks(path, function)
    if asks and text is None:
        raise ClockhandsError(
            f"'{path}' reads a text ({asks}): give --text FILE",
            f"“{path}”要读一个文本（{asks}）：请用 --text 给出文件",
        )
    if text is not None and not takes:
        raise ClockhandsError(
            f"'{path}' takes no argument, so it reads no text: leave --text out",
            f"“{path}”不带参数，因此不读文本：请去掉 --text",
        )
    try:
        found = function() if text is None else function(text)
    except ClockhandsError:
        raise
    except (Exception, SystemExit) as error:  # it is the reader's code
        raise ClockhandsError(
            f"'{path}' raised an error ({said_by(error)}): mend it, or try it in Python",
            f"“{path}”出错（{said_by(error)}）：请修改它，或先在 Python 中试运行",
        ) from error
    if not isinstance(found, Design | Recipe):
        raise ClockhandsError(
            f"'{path}' returned {shown(found)}: it must return a Design or a Recipe",
            f"“{path}”返回了 {shown(found)}：必须返回 Design 或 Recipe",
        )
    return found


def _asks(path: str, function: Callable[..., Any]) -> tuple[str, bool]:
    """Name of the argument that it can't be called without, empty where there is none; and whether it takes
    one, which is the text."""
    try:
        every = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):  # of something built in
        return "", False
    several = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    needed = [one for one in every if one.default is inspect.Parameter.empty and one.kind not in several]
    if len(needed) > 1 or any(one.kind is inspect.Parameter.KEYWORD_ONLY for one in needed):
        names = [one.name for one in needed]
        raise ClockhandsError(
            f"'{path}' asks for {', '.join(names)}: a recipe takes no argument, or one, which is the text",
            f"“{path}”要求参数 {'、'.join(names)}：配方函数不带参数，或只带一个（文本）",
        )
    named = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
    return needed[0].name if needed else "", any(one.kind not in named for one in every)


def carried_out(
    recipe: Design | Recipe, out: Path, go_on: bool, where: dict[str, Any], quiet: bool, lang: Language
) -> list[Store]:
    """Begin it in ``out``, or go on with it; the folders of results that there are then."""
    if isinstance(recipe, Design):
        if go_on:
            require_same(Store(out), recipe)
        done = resume(out, **where, quiet=quiet, lang=lang) if go_on else run(
            recipe, out, **where, quiet=quiet, lang=lang
        )  # fmt: skip
        return [done]
    carry_out(recipe, out, **where, quiet=quiet, lang=lang)
    return [Store(out / name) for name in recipe.parts]
