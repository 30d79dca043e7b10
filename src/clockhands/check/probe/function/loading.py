"""From ``package.module:function`` or ``path/file.py:function`` to the function. This runs its module."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clockhands.errors import ClockhandsError, nearest, shown, shown_zh


def load(target: str | Callable[..., Any]) -> tuple[str, Callable[..., Any]]:
    """The name of a target and the callable it is. ClockhandsError where there is none.

    >>> load("math:sin")[1](0.0)
    0.0
    """
    if callable(target):
        named = getattr(target, "__qualname__", None) or type(target).__qualname__
        return f"{getattr(target, '__module__', None) or '?'}:{named}", target
    if not isinstance(target, str) or ":" not in target:
        raise ClockhandsError(
            f"the target is {shown(target)}, but a function is given as package.module:function or "
            "path/file.py:function, or as a callable: write it so",
            f"目标为{shown_zh(target)}，但函数应写成 package.module:function 或 path/file.py:function，"
            "或直接给出可调用对象：请改成这样",
        )
    where, _, name = target.rpartition(":")  # a drive letter of Windows has a colon too
    found: Any = _file(where) if where.endswith(".py") else _module(where)
    for part in name.split("."):
        if not hasattr(found, part):
            hint = nearest(part, [each for each in dir(found) if not each.startswith("_")][:40])
            raise ClockhandsError(
                f"{where} has nothing called '{part}': {hint.en}", f"{where} 中没有“{part}”：{hint.zh}"
            )
        found = getattr(found, part)
    if not callable(found):
        raise ClockhandsError(
            f"{target} is {shown(found)}, which cannot be called: name a function or a class",
            f"{target} 是{shown_zh(found)}，不能调用：请给出函数或类",
        )
    return target, found


def _module(name: str) -> Any:
    here = os.getcwd()
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)  # as ``python -m`` does, so that one's own package is found
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints is no part of the report
            return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _unloadable(name, error) from error
    finally:
        if added and here in sys.path:
            sys.path.remove(here)


def _file(path: str) -> Any:
    if not Path(path).is_file():
        raise ClockhandsError(
            f"{path} is no file: give the path of the file that holds the function",
            f"{path} 不是文件：请给出函数所在文件的路径",
        )
    spec = importlib.util.spec_from_file_location(f"probed_{Path(path).stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    try:
        with contextlib.redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _unloadable(path, error) from error
    finally:
        sys.modules.pop(spec.name, None)
    return module


def _unloadable(where: str, error: BaseException) -> ClockhandsError:
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return ClockhandsError(
        f"{where} cannot be loaded ({shown_plain(said)}): see that it imports by itself",
        f"无法载入 {where}（{shown_plain(said)}）：请确认它自己能导入",
    )


def shown_plain(said: str, most: int = 160) -> str:
    """Words of others on one line, cut where they are long."""
    line = " ".join(said.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
