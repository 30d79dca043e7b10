"""What the literature and its readers say of positional encodings, as tests that anyone can run.

Each claim computes its own verdict (true, false, or only under conditions) with the numbers it rests on and
draws what it looked at. numpy alone; all of them together take a few seconds.

>>> import clockhands as ch
>>> ch.claims.CLAIMS[0].check().outcome
'false'
"""

from __future__ import annotations

from collections.abc import Iterable

from clockhands.claims import (
    alibi,
    buckets,
    designs,
    hands,
    importance,
    layouts,
    longer,
    nearly_relative,
    order,
    projections,
    returning,
    rope,
    scalings,
    similarity,
    sixteen_bits,
)
from clockhands.claims.claim import OUTCOMES, Claim, Number, Outcome, Verdict
from clockhands.errors import ClockhandsError, nearest

CLAIMS: tuple[Claim, ...] = (
    *similarity.CLAIMS,
    *returning.CLAIMS,
    *hands.CLAIMS,
    *projections.CLAIMS,
    *designs.CLAIMS,
    *order.CLAIMS,
    *rope.CLAIMS,
    *layouts.CLAIMS,
    *longer.CLAIMS,
    *scalings.CLAIMS,
    *nearly_relative.CLAIMS,
    *alibi.CLAIMS,
    *buckets.CLAIMS,
    *sixteen_bits.CLAIMS,
    *importance.CLAIMS,
)
"""Every claim, in the order in which a reader meets them."""

__all__ = ["CLAIMS", "OUTCOMES", "Claim", "Number", "Outcome", "Verdict", "named"]


def named(ids: Iterable[str]) -> tuple[Claim, ...]:
    """The claims with these ids, in the order asked for, each once; all of them where none is named.

    Raises ClockhandsError for an id that there is not, with the nearest.

    >>> [claim.id for claim in named(["rope-decays"])]
    ['rope-decays']
    """
    wanted = dict.fromkeys(ids)
    known = {claim.id: claim for claim in CLAIMS}
    for id in wanted:
        if id not in known:
            hint = nearest(id, known)
            raise ClockhandsError(f"there is no claim '{id}': {hint.en}", f"没有说法“{id}”：{hint.zh}")
    return tuple(known[id] for id in wanted) or CLAIMS
