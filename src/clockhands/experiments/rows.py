"""What one cell measured, as it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clockhands.language import Text

FORMAT, VERSION = "clockhands-cell", 1


@dataclass(frozen=True)
class Measured:
    """On one length: scores of the items ``(items,)``; tokens: share of tokens that were guessed right.

    by_place  mean loss of each guessed token of a window, nats; for tasks that score by loss
    """

    scores: tuple[float, ...]
    tokens: float
    by_place: tuple[float, ...] = ()

    @property
    def mean(self) -> float:
        """Over the items."""
        return float(np.mean(self.scores))


@dataclass(frozen=True)
class Row:
    """One cell that ended. ``failed`` says why it has no numbers: diverged, or the scheme raised.

    validation           loss within the training length, nats a token
    parameters           of the whole model; position_parameters: of the encoding alone; hidden: MLP width
    measured             by length, in tokens or characters as the task counts
    losses               mean training loss of each twentieth of the steps
    seconds              spent training and testing
    versions             of what computed it
    """

    id: str
    stage: str
    scheme: str
    task: str
    seed: int
    rate: float
    failed: Text | None = None
    validation: float = float("nan")
    parameters: int = 0
    position_parameters: int = 0
    hidden: int = 0
    measured: Mapping[int, Measured] = field(default_factory=dict)
    losses: tuple[float, ...] = ()
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)

    def scores(self, lengths: tuple[int, ...]) -> NDArray[np.float64]:
        """Mean score of each item over these lengths, ``(items,)``; as many as the shortest list has."""
        count = min(len(self.measured[length].scores) for length in lengths)
        return np.mean([self.measured[length].scores[:count] for length in lengths], axis=0)

    def to_json(self) -> dict[str, Any]:
        """As plain values; what is not a number is null."""
        values = asdict(self)
        values["failed"] = None if self.failed is None else self.failed._asdict()
        values["validation"] = self.validation if np.isfinite(self.validation) else None
        values["measured"] = {str(length): asdict(one) for length, one in self.measured.items()}
        return {"format": FORMAT, "version": VERSION} | values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_json`` wrote; KeyError, TypeError or ValueError if it is no such thing."""
        given = dict(values)
        if (given.pop("format"), given.pop("version")) != (FORMAT, VERSION):
            raise ValueError(given)
        given["failed"] = None if given["failed"] is None else Text(**given["failed"])
        given["validation"] = float("nan") if given["validation"] is None else given["validation"]
        given["losses"] = tuple(given["losses"])
        given["measured"] = {
            int(length): Measured(tuple(one["scores"]), one["tokens"], tuple(one["by_place"]))
            for length, one in given["measured"].items()
        }
        return cls(**given)
