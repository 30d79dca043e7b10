"""What a rule of a verdict looks at, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from clockhands.analysis.detect_sinusoid import Arrangement, Sinusoid
from clockhands.analysis.inputs import Floats
from clockhands.language import Text

Severity = Literal["error", "warning", "note"]
SEVERITIES: dict[Severity, Text] = {
    "error": Text("error", "错误"),
    "warning": Text("warning", "警告"),
    "note": Text("note", "提示"),
}
MOST_PLACES = 64
"""A finding names this many rows and columns at most: enough to look at."""


@dataclass(frozen=True)
class Finding:
    """One thing that a rule saw.

    ``id``        the rule, as ``repeated-rows``
    ``severity``  ``error``: positions are wrong or can't be told apart; ``warning``: worth a look;
                  ``note``: good to know
    ``what``      the rule's name for people
    ``value``     the number behind it; the sentence says of what
    ``sentence``  what was found, where, and what to do
    ``rows``      positions it is about, at most ``MOST_PLACES``; none where it is about no row in particular
    ``columns``   dimensions it is about, likewise
    """

    id: str
    severity: Severity
    what: Text
    value: float
    sentence: Text
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()


@dataclass(frozen=True)
class Subject:
    """What a rule looks at: the table, ``(n, width)`` float64, and what is known of it.

    ``start``     position of the first row
    ``grain``     relative rounding error of the dtype that the table came in
    ``expected``  the arrangement that its user counts on, None if they did not say
    """

    table: Floats
    start: int
    grain: float
    expected: Arrangement | None
    sinusoid: Sinusoid | None

    @property
    def scale(self) -> float:
        """Largest absolute value."""
        return float(np.abs(self.table).max())
