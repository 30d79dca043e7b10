"""Descriptions as plain values, so that a run can be read without running anything."""

from __future__ import annotations

from typing import Any

from clockhands.catalogue import SCHEMES
from clockhands.catalogue.description import Description
from clockhands.catalogue.frozen import FrozenArray
from clockhands.catalogue.own import OwnBias, OwnFrequencies, OwnTable
from clockhands.errors import ClockhandsError

_OWN: dict[type[OwnFrequencies | OwnTable | OwnBias], str] = {
    OwnFrequencies: "inv_freq",
    OwnTable: "table",
    OwnBias: "bias",
}


def as_json(description: Description) -> dict[str, Any]:
    """``{"id": ..., parameters}`` of numbers, strings and lists.

    Raises ClockhandsError for an encoding that is computed by a function of one's own.

    >>> from clockhands.catalogue.rope import RoPE
    >>> as_json(RoPE(head_dim=8))["head_dim"]
    8
    """
    numbers = next((name for kind, name in _OWN.items() if isinstance(description, kind)), None)
    values: dict[str, Any] = {"id": description.card.id}
    for name in description.parameters():
        value = getattr(description, "numbers" if name == numbers else name)
        if name == numbers and value is None:
            raise ClockhandsError(
                "the encoding is a function, which can't be written into a run: give its numbers, "
                "or run without an output folder",
                "这种编码由函数给出，无法存进运行目录：请给出数值，或不写输出目录",
            )
        values[name] = value.values.tolist() if isinstance(value, FrozenArray) else _plain(value)
    return values


def from_json(values: dict[str, Any]) -> Description:
    """The description that ``as_json`` wrote. KeyError or ValueError (ClockhandsError) if it is none."""
    given = dict(values)
    id = given.pop("id")
    own = _own_kind(id)
    if own is not None:
        return own(given.pop(_OWN[own]), **given)
    if given.get("numbers") is not None:
        given["numbers"] = FrozenArray(given["numbers"])
    return SCHEMES[id].with_parameters(
        **{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    )


def known(id: str) -> bool:
    """Whether ``from_json`` knows a scheme of this id."""
    return id in SCHEMES or _own_kind(id) is not None


def _own_kind(id: str) -> type[OwnFrequencies | OwnTable | OwnBias] | None:
    return next((kind for kind in _OWN if kind.card.id == id), None)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
