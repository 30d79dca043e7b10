"""The first call: which arrays a function takes, in one row or several, and how many key heads."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from clockhands.check.probe.function.asking import Asked
from clockhands.check.probe.function.calling import MOST_SECONDS, Caller, Library, Refused, too_slow
from clockhands.check.probe.function.signature import TABLES, Signature
from clockhands.errors import ClockhandsError, shown, shown_zh

FEWER_HEADS = 2
"""Key heads where the caller doesn't say: fewer than query heads, as most models have it."""
ROWS, TOKENS = 2, 5


def made(fn: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[[], Any] | None]:
    """What to call, and how to make another of it: a class or a function without arguments makes one."""
    if not isinstance(fn, type) and not _takes_nothing(fn):
        return evaluated(fn), None
    try:
        one = fn()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ClockhandsError(
            f"{shown(fn)} cannot be made without arguments ({type(error).__name__}: {error}): "
            "give a function without arguments that makes it",
            f"{shown_zh(fn)}不带参数时无法创建（{type(error).__name__}: {error}）：请给出一个不带参数、"
            f"能创建它的函数",
        ) from error
    if not callable(one):
        raise ClockhandsError(
            f"{shown(fn)} takes no arguments and makes {shown(one)}, which cannot be called: "
            "give the function itself, or one that makes it",
            f"{shown_zh(fn)}没有参数，创建的{shown_zh(one)}又不能调用：请给出函数本身，或能创建它的函数",
        )
    return evaluated(one), lambda: evaluated(fn())


def evaluated(one: Any) -> Any:
    """A module as it is used after training; anything else as it is."""
    return one.eval() if is_module(one) else one


def is_module(one: Any) -> bool:
    """Whether it is a torch module, asked without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(one, torch.nn.Module)


def _takes_nothing(fn: Callable[..., Any]) -> bool:
    try:
        return not is_module(fn) and not inspect.signature(fn).parameters
    except (TypeError, ValueError):  # a builtin that doesn't say
        return False


MORE_CALLS = 4
"""A first call may compile or load something, and a busy machine may keep a quick one waiting."""


def started(ways: Iterator[Caller], question: Callable[[Asked], object]) -> Asked:
    """The first way of calling it in which it answers ``question``; ClockhandsError where none does."""
    refusals: list[Refused] = []
    for caller in ways:
        asked = Asked(caller)
        try:
            question(asked)
            for _ in range(MORE_CALLS):
                if caller.seconds > MOST_SECONDS:
                    question(asked)
        except Refused as refusal:
            refusals.append(refusal)
            continue
        if caller.seconds > MOST_SECONDS:
            raise too_slow(caller.seconds)
        return asked
    raise cannot(refusals[0], caller.signature.text) from refusals[0].error


def cannot(said: Refused, text: str) -> ClockhandsError:
    """The error where a function can't be asked, called as ``text`` says."""
    return ClockhandsError(
        f"the function cannot be probed, called as '{text}': {said.en}: "
        "correct signature, layout_of_heads or head_dim",
        f"无法按“{text}”的方式探测这个函数：{said.zh}：请修改 signature、layout_of_heads 或 head_dim",
    )


def some_tokens(asked: Asked) -> object:
    """Two rows of five tokens: the least that shows which shapes go in and come out."""
    start = 0 if asked.reach == "start" else 3
    return asked.codes(np.arange(start, start + TOKENS)[None].repeat(ROWS, 0))


def ways(
    fn: Callable[..., Any], signature: Signature, layout: tuple[str, ...], heads: int, kv_heads: int | None,
    head_dim: int, dtype: str, arrays: str,
) -> Iterator[Caller]:  # fmt: skip
    """Ways of calling it, the likelier first."""
    fewer = FEWER_HEADS if heads % FEWER_HEADS == 0 else 1
    counts = (
        [fewer, heads] if kv_heads is None and signature.takes("k") and "h" in layout else [kv_heads or heads]
    )
    flats = (
        [False, True]
        if signature.takes("positions") or signature.takes("axes") or signature.tables
        else [False]
    )
    singles = [False, True] if "b" in layout and signature.kind == "turned" else [False]
    spreads = (
        [False, True] if signature.tables and not signature.takes("positions") and "h" in layout else [False]
    )
    for library in _libraries(fn, arrays):
        for count in counts:
            for single, tables in product(singles, signature.tables or TABLES[:1]):
                for flat, spread in product(flats, spreads):
                    if not (flat and spread):
                        yield Caller(
                            fn, signature, layout, heads, count, head_dim, library, _name_in(library, dtype),
                            flat, single, tables, spread,
                        )  # fmt: skip


def _libraries(fn: Callable[..., Any], arrays: str) -> Iterator[Library]:
    """Which arrays to try, the likelier first: those whose library the function's own module imports."""
    if arrays in ("numpy", "torch"):
        yield arrays  # type: ignore[misc]
    elif "torch" in sys.modules:
        yield from _likelier(fn)
    else:
        yield "numpy"
        if "torch" in sys.modules:  # by now: some import it where they are called
            yield "torch"


def _likelier(fn: Callable[..., Any]) -> list[Library]:
    if is_module(fn):
        return ["torch"]
    plain = inspect.unwrap(getattr(fn, "__func__", fn))
    if not hasattr(plain, "__globals__"):
        plain = vars(type(fn)).get("__call__", plain)
    names = set(getattr(getattr(plain, "__code__", None), "co_names", ()))
    known = getattr(plain, "__globals__", {})
    used = {getattr(known.get(name), "__name__", "").split(".")[0] for name in names} | names
    if "numpy" in used and "torch" not in used:
        return ["numpy", "torch"]
    owners = {str(getattr(value, "__name__", "")).split(".")[0] for value in list(known.values())}
    return ["torch", "numpy"] if "torch" in used or "torch" in owners else ["numpy", "torch"]


def _name_in(library: Library, dtype: str) -> str:
    return "float32" if library == "numpy" and dtype == "bfloat16" else dtype


def other_heads(asked: Asked) -> Asked | None:
    """The same with one key head for each query head; None where that is so, or there are no keys."""
    caller = asked.caller
    if not caller.signature.takes("k") or caller.heads_of("k") == caller.heads_of("q"):
        return None
    return replace(asked, caller=replace(caller, kv_heads=caller.heads, seen=set()))
