"""Schemes of other packages: found by their entry points, or named as ``package.module:Class``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from clockhands.catalogue.card import Card
from clockhands.catalogue.description import Description
from clockhands.errors import ClockhandsError, meant, nearest, said_by
from clockhands.language import Text

GROUP = "clockhands.schemes"
"""Where a package announces schemes: ``[project.entry-points."clockhands.schemes"]`` in its pyproject.toml,
one line for each, ``id = "package.module:Class"``."""


class Schemes(Mapping[str, type[Description]]):
    """Every scheme by id: those given, in their order, and then those that installed packages announce.

    An id that is given is never taken by another package. What is announced is looked up each time, and
    imported only when it is asked for.
    """

    def __init__(self, own: tuple[type[Description], ...]):
        self._own = {scheme.card.id: scheme for scheme in own}

    def __getitem__(self, id: str) -> type[Description]:
        own = self._own.get(id)
        if own is not None:
            return own
        announced = [each for each in _announced() if each.name == id]
        if not announced:
            raise KeyError(id)
        _require_one(announced)
        return _loaded(announced[0])

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        names = dict.fromkeys(each.name for each in _announced())
        yield from (name for name in names if name not in self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, id: object) -> bool:
        return id in self._own or any(each.name == id for each in _announced())

    def __repr__(self) -> str:
        return f"Schemes({', '.join(self)})"


def scheme_at(path: str) -> type[Description]:
    """The scheme at ``package.module:Class``; importing it runs that package.

    Raises ClockhandsError where there is no such module or class, or it is no Description.
    """
    found = imported(path)
    if isinstance(found, type) and issubclass(found, Description) and isinstance(_card(found), Card):
        return found
    raise ClockhandsError(
        f"'{path}' is no scheme: name a class that subclasses Description and has a card",
        f"“{path}”不是一种方案：请给出一个继承 Description、并且带有 card 的类",
    )


def _card(scheme: type[Description]) -> Any:
    return getattr(scheme, "card", None)


def imported(path: str) -> Any:
    """What is at ``package.module:name``. ClockhandsError where there is nothing, or importing it fails."""
    module, _, name = path.partition(":")
    try:
        home = importlib.import_module(module)
        found = getattr(home, name, _NOTHING)
    except ClockhandsError:
        raise
    except (Exception, SystemExit) as error:  # another package's code may raise anything
        raise ClockhandsError(
            f"'{path}' can't be imported ({said_by(error)}): install its package",
            f"无法导入“{path}”（{said_by(error)}）：请安装它的包",
        ) from error
    if found is _NOTHING:
        likely = meant(name, [each for each in vars(home) if not each.startswith("_")])
        hint = Text("check the name", "请检查名称") if likely is None else nearest(name, [likely])
        raise ClockhandsError(f"there is no '{path}': {hint.en}", f"没有“{path}”：{hint.zh}")
    return found


_NOTHING = object()


def _announced() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda each: each.name)


def _require_one(announced: list[EntryPoint]) -> None:
    """Two packages may not announce one id; one that is found twice says the same twice, which is fine."""
    places = sorted({each.value for each in announced})
    if len(places) > 1:
        id = announced[0].name
        raise ClockhandsError(
            f"'{id}' is announced by more than one package ({', '.join(places)}): name the one you mean",
            f"不止一个包登记了“{id}”（{'、'.join(places)}）：请直接写出要用的那一个",
        )


def _loaded(announced: EntryPoint) -> type[Description]:
    scheme = scheme_at(announced.value)
    if scheme.card.id != announced.name:
        raise ClockhandsError(
            f"'{announced.value}' is announced as '{announced.name}', but its card says '{scheme.card.id}': "
            "its package must use one id",
            f"“{announced.value}”以“{announced.name}”的名称登记，而它的卡片写的是“{scheme.card.id}”："
            "它的包必须统一名称",
        )
    return scheme
