"""An interval for a share that holds up with few tries, and at 0 and 1."""

from __future__ import annotations

import math
from statistics import NormalDist

from clockhands.catalogue.rules import require_count, require_real


def wilson(successes: int, tries: int, level: float = 0.95) -> tuple[float, float]:
    """Lower and upper end of Wilson's score interval (Wilson 1927, JASA 22, p. 209), 0 … 1.

    Raises ClockhandsError for more successes than tries.

    >>> [round(end, 3) for end in wilson(3, 3)]
    [0.439, 1.0]
    """
    require_count(tries, "tries")
    require_count(successes, "successes", least=0, most=tries)
    require_real(level, "level", least=0.5, most=0.9999)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, weight = successes / tries, z * z / tries
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / tries + weight / (4 * tries))
    low = 0.0 if successes == 0 else middle - half
    return low, 1.0 if successes == tries else middle + half
