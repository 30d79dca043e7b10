"""Numbers of the claims that the lesson tells: computed by the claim itself, never written down."""

from __future__ import annotations

from clockhands.claims import CLAIMS


def claimed(id: str) -> dict[str, float]:
    """The numbers of a claim by their English names.

    >>> round(claimed("cos-sin-clock")["step of (sin, cos)"], 1)
    57.3
    """
    (claim,) = [each for each in CLAIMS if each.id == id]
    return {number.name.en: number.value for number in claim.check().numbers if number.value is not None}
