"""From a description to the module that does what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clockhands.catalogue import as_description, describe
from clockhands.catalogue.description import Description
from clockhands.catalogue.plugins import imported
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.schemes.added_table import AddedTable
from clockhands.schemes.distance_bias import DistanceBias
from clockhands.schemes.rotation import Rotation

_GENERIC: dict[str, Callable[[Description], Encoding]] = {
    "table": AddedTable,
    "bias": DistanceBias,
    "inv_freq": Rotation,
}


def build(scheme: str | Description | type[Description], /) -> Encoding:
    """The encoding that a description describes, or the scheme of that id with its usual parameters.

    A description that names no module of its own gets a generic one, chosen by what it can compute: a table
    is added, a bias goes to the logits, bare frequencies turn queries and keys. Raises ClockhandsError if it
    computes nothing, or its module can't be imported.

    >>> from clockhands.catalogue.rope import RoPE
    >>> build(RoPE(head_dim=4)).touches()
    ('table', 'queries', 'keys')
    """
    description = as_description(scheme)
    if description.module is not None:
        maker = imported(description.module)
    else:
        has = description.touches()
        maker = next((generic for hook, generic in _GENERIC.items() if hook in has), None)
    if maker is None:
        name = description.card.id
        raise ClockhandsError(
            f"{name} describes no frequencies, table or bias: give it one, or write an Encoding",
            f"{name} 没有给出频率、位置表或偏置：请至少给出一种，或者直接写一个 Encoding",
        )
    return maker(description)


def make(id: str, /, **parameters: Any) -> Encoding:
    """The encoding of that id with these parameters; see ``clockhands.describe``.

    >>> make("rope", head_dim=64, rope_theta=1e6).inv_freq.shape
    torch.Size([32])
    """
    return build(describe(id, **parameters))
