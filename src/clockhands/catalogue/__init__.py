"""Every scheme as numpy sees it: its card, its parameters, and what can be computed without torch.

The tuple of all schemes is loaded when first asked for: who imports the file of one scheme loads that alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Description
from clockhands.catalogue.own import OwnBias, OwnFrequencies, OwnTable, read_array
from clockhands.errors import ClockhandsError, nearest, shown

if TYPE_CHECKING:
    from clockhands.catalogue.listed import CATALOGUE, SCHEMES

__all__ = [
    "CATALOGUE",
    "SCHEMES",
    "Card",
    "Description",
    "OwnBias",
    "OwnFrequencies",
    "OwnTable",
    "Source",
    "Traits",
    "as_description",
    "describe",
    "read_array",
]


def __getattr__(name: str) -> Any:
    if name in ("CATALOGUE", "SCHEMES"):
        from clockhands.catalogue import listed

        return getattr(listed, name)
    raise AttributeError(f"module 'clockhands.catalogue' has no attribute {name!r}")


def describe(id: str, /, **parameters: Any) -> Description:
    """The scheme called ``id`` with these parameters, short names such as ``dim`` allowed.

    A scheme that no package announces is named by where it is, ``package.module:Class``.
    Raises ClockhandsError for an unknown scheme or parameter (with the nearest known one) or a bad value.

    >>> describe("rope", dim=64, base=5e5).head_dim
    64
    """
    from clockhands.catalogue.listed import SCHEMES
    from clockhands.catalogue.plugins import scheme_at

    name = " ".join(str(id).split())
    scheme = scheme_at(name) if ":" in name else SCHEMES.get(name.lower())
    if scheme is None:
        hint = nearest(name.lower(), SCHEMES)
        raise ClockhandsError(
            f"there is no scheme '{name[:80]}': {hint.en}", f"没有“{name[:80]}”这种方案：{hint.zh}"
        )
    return scheme.with_parameters(**parameters)


def as_description(scheme: str | Description | type[Description], /, **parameters: Any) -> Description:
    """A description from whatever names one: an id, a class of the catalogue, or a description as it is.

    >>> as_description("alibi", heads=4).bias is not None
    True
    """
    if isinstance(scheme, str):
        return describe(scheme, **parameters)
    if isinstance(scheme, type) and issubclass(scheme, Description):
        return scheme.with_parameters(**parameters)
    if not isinstance(scheme, Description):
        raise ClockhandsError(
            f"{shown(scheme)} is not a scheme: give an id such as 'rope', "
            "or OwnFrequencies, OwnTable or OwnBias",
            f"{shown(scheme)} 不是一种方案：请给出名称（例如 'rope'），"
            "或者 OwnFrequencies、OwnTable、OwnBias",
        )
    if parameters:
        given = ", ".join(parameters)
        raise ClockhandsError(
            f"{given} can't be changed on a ready description: give the parameters when it is made",
            f"现成的描述不能再改 {given}：请在创建时给出参数",
        )
    return scheme
