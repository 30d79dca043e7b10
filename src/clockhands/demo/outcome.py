"""How a training run came out, so that a sentence says only what its numbers bear out.

The text may be anybody's. What a chapter claims about a run is chosen by these comparisons.
"""

from __future__ import annotations

import math

CLEARLY = 1.5
"""A share or an error counts as larger than another from this factor on."""
CLEAR_NATS = 0.1
"""A loss counts as lower than another from this difference on: as if it chose among a tenth fewer words."""
BY_HEART = math.log(2)
"""A loss under this knows the word better than a toss between two."""


def well_above(one: float, other: float) -> bool:
    """Whether ``one``, a share or an error, is clearly the larger.

    >>> well_above(0.4, 0.1), well_above(0.14, 0.11), well_above(0.0, 0.0)
    (True, False, False)
    """
    return one > CLEARLY * other


def lower_loss(one: float, other: float) -> bool:
    """Whether ``one``, a loss in nats, is clearly the lower.

    >>> lower_loss(0.5, 2.1), lower_loss(0.043, 0.045)
    (True, False)
    """
    return other - one > CLEAR_NATS


def learned_by_heart(loss: float) -> bool:
    """Whether a loss in nats says that the text is known.

    >>> learned_by_heart(0.02), learned_by_heart(2.1)
    (True, False)
    """
    return loss < BY_HEART
