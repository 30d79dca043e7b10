"""``compare --recipe module:function``: a comparison that Python says, or several with hypotheses."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clockhands.catalogue.plugins import imported
from clockhands.errors import ClockhandsError, shown
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
    asks = _asks(path, function)
    if asks and text is None:
        raise ClockhandsError(
            f"'{path}' reads a text ({asks[0]}): give --text FILE",
            f"“{path}”要读一个文本（{asks[0]}）：请用 --text 给出文件",
        )
    try:
        found = function(text) if asks else function()
    except ClockhandsError:
        raise
    except (Exception, SystemExit) as error:  # it is the reader's code
        said = type(error).__name__, " ".join(str(error).split())[:200]
        raise ClockhandsError(
            f"'{path}' raised {': '.join(said)}: mend it, or try it in Python",
            f"“{path}”出错（{'：'.join(said)}）：请修改它，或先在 Python 中试运行",
        ) from error
    if not isinstance(found, Design | Recipe):
        raise ClockhandsError(
            f"'{path}' returned {shown(found)}: it must return a Design or a Recipe",
            f"“{path}”返回了 {shown(found)}：必须返回 Design 或 Recipe",
        )
    return found


def _asks(path: str, function: Callable[..., Any]) -> list[str]:
    """Names of the arguments that it can't be called without: none, or one, for the text."""
    try:
        every = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of something built in
        return []
    needed = [
        one
        for one in every
        if one.default is inspect.Parameter.empty
        and one.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    names = [one.name for one in needed]
    if len(needed) > 1 or any(one.kind is inspect.Parameter.KEYWORD_ONLY for one in needed):
        raise ClockhandsError(
            f"'{path}' asks for {', '.join(names)}: a recipe takes no argument, or one, which is the text",
            f"“{path}”要求参数 {'、'.join(names)}：配方函数不带参数，或只带一个（文本）",
        )
    return names


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
