"""What is expected, written down before the first step in a form that a machine can decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from clockhands.catalogue.rules import require_bool, require_real
from clockhands.errors import ClockhandsError, shown, shown_zh
from clockhands.experiments.measures import described
from clockhands.experiments.rules import require_said, require_text
from clockhands.language import Text


@dataclass(frozen=True)
class Hypothesis:
    """``scheme`` has more of ``measure`` than each scheme in ``than``; or more than the number ``bound``.

    scheme, than  labels of contenders; sign: 1 for more, -1 for less, 0 for a difference either way
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
        require_text(self.id, "the id of a hypothesis", "假设的 id")
        which = f"'{self.id}'"
        for name in ("task", "measure", "scheme"):
            require_text(getattr(self, name), f"{name} of the hypothesis {which}", f"假设 {which} 的 {name}")
        described(self.measure)  # refuses an unknown one
        require_said(self.says, f"says of the hypothesis {which}", f"假设 {which} 的 says")
        if isinstance(self.sign, bool) or self.sign not in (-1, 0, 1):
            raise ClockhandsError(
                f"the sign of the hypothesis {which} is {shown(self.sign)}: give 1 for more, -1 for less, or "
                "0 for a difference either way",
                f"假设 {which} 的 sign 为{shown_zh(self.sign)}：更大写 1，更小写 -1，任一方向的差别写 0",
            )
        require_real(self.bound, f"bound of the hypothesis {which}")
        given = self.than if isinstance(self.than, tuple) else ()
        for one in given:
            require_text(one, f"than of the hypothesis {which}", f"假设 {which} 的 than")
        if given != self.than or len({self.scheme, *given}) <= len(given):
            raise ClockhandsError(
                f"the hypothesis {which} compares {self.scheme} with {shown(self.than)}: give other schemes, "
                "each once, as a tuple",
                f"假设 {which} 把 {self.scheme} 与 {shown(self.than)} 比较：请用元组给出别的方案，每个一次",
            )
        require_bool(self.undefined, f"undefined of the hypothesis {which}")

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self) | {"says": self.says._asdict(), "than": list(self.than)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Hypothesis:
        """What ``to_json`` wrote; KeyError or TypeError if it is no such thing."""
        return cls(**(dict(values) | {"says": Text(**values["says"]), "than": tuple(values["than"])}))
