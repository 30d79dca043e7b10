"""What is expected, written down before the first step in a form that a machine can decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from clockhands.experiments.measures import described
from clockhands.language import Text


@dataclass(frozen=True)
class Hypothesis:
    """``scheme`` has more of ``measure`` than each scheme in ``than``; or more than the number ``bound``.

    scheme, than  labels of contenders; sign: 1 for more, -1 for less
    task          that it is about; measure: as ``measures`` names it
    bound         for a statement about one scheme alone; 0 where schemes are compared
    undefined     the statement is instead that the scheme has no number there (a table that ends)
    """

    id: str
    says: Text
    task: str
    measure: str
    scheme: str
    sign: int
    than: tuple[str, ...] = ()
    bound: float = 0.0
    undefined: bool = False

    def __post_init__(self) -> None:
        described(self.measure)  # refuses an unknown one

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self) | {"says": self.says._asdict(), "than": list(self.than)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Hypothesis:
        """What ``to_json`` wrote; KeyError or TypeError if it is no such thing."""
        return cls(**(dict(values) | {"says": Text(**values["says"]), "than": tuple(values["than"])}))
