"""What one cell measured, as it is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from clockhands.language import Text

FORMAT, VERSION = "clockhands-cell", 2


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
    flops                of matrix products forward, a token of a training row; cache_bytes: kept of a token
    measured             by length, as the task counts; ``undefined``: why there is nothing at some lengths
    probes               what the probes found, by probe and by what each varies
    losses               mean training loss of each twentieth of the steps
    seconds              spent training and testing; speed: steps a second of the training alone
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
    flops: int = 0
    cache_bytes: int = 0
    measured: Mapping[int, Measured] = field(default_factory=dict)
    undefined: Mapping[int, Text] = field(default_factory=dict)
    probes: Mapping[str, Mapping[str, Measured]] = field(default_factory=dict)
    losses: tuple[float, ...] = ()
    seconds: float = 0.0
    speed: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As plain values; what is not a number is null."""
        values = asdict(self)
        values["failed"] = None if self.failed is None else self.failed._asdict()
        values["validation"] = self.validation if np.isfinite(self.validation) else None
        values["measured"] = {str(length): asdict(one) for length, one in self.measured.items()}
        values["undefined"] = {str(length): one._asdict() for length, one in self.undefined.items()}
        return {"format": FORMAT, "version": VERSION} | values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_json`` wrote; KeyError, TypeError or ValueError if it is no such thing."""
        given = dict(values)
        if (given.pop("format"), given.pop("version")) != (FORMAT, VERSION):
            raise ValueError(given)
        given["failed"] = None if given["failed"] is None else _text(given["failed"])
        given["validation"] = float("nan") if given["validation"] is None else _number(given["validation"])
        given["losses"] = _numbers(given["losses"])
        given["measured"] = {int(length): _measured(one) for length, one in given["measured"].items()}
        given["undefined"] = {int(length): _text(one) for length, one in given["undefined"].items()}
        given["probes"] = {
            probe: {name: _measured(one) for name, one in found.items()}
            for probe, found in given["probes"].items()
        }
        for name, kind in _KINDS.items():
            given[name] = kind(given[name])
        given["versions"] = {_word(name): _word(one) for name, one in given["versions"].items()}
        return cls(**given)


def _text(values: Mapping[str, Any]) -> Text:
    return Text(_word(values["en"]), _word(values["zh"]))


def _measured(values: Mapping[str, Any]) -> Measured:
    if not values["scores"]:
        raise ValueError(values)
    return Measured(_numbers(values["scores"]), _number(values["tokens"]), _numbers(values["by_place"]))


def _numbers(values: list[Any]) -> tuple[float, ...]:
    return tuple(_number(one) for one in values)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(value)
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(value)
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


_KINDS = {
    **dict.fromkeys(("id", "stage", "scheme", "task"), _word),
    **dict.fromkeys(("seed", "parameters", "position_parameters", "hidden", "flops", "cache_bytes"), _whole),
    **dict.fromkeys(("rate", "seconds", "speed"), _number),
}
"""Of the plain values of a row."""
