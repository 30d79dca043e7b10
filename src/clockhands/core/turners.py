"""Ways to turn queries and keys. An encoding's own hooks are the reference; others must agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from clockhands.core.encoding import Encoding, Table
from clockhands.core.once import Once
from clockhands.language import Text


class Turner(Protocol):
    """One way to do what ``Encoding.queries`` and ``Encoding.keys`` do, for the same tokens at once."""

    @property
    def name(self) -> str: ...

    def refusal(self, encoding: Encoding, q: Tensor, k: Tensor, table: Table) -> Text | None:
        """Why it can't do it, None if it can."""
        ...

    def run(
        self, encoding: Encoding, q: Tensor, k: Tensor, table: Table, once: Once
    ) -> tuple[Tensor, Tensor]:
        """Queries ``(b, h, t, hd)`` and keys ``(b, hk, t, hd)``, turned by the table of their tokens.

        once  where to keep what is made of the table, for other layers
        """
        ...


@dataclass(frozen=True)
class Hooks:
    """The encoding's own hooks; turns everything."""

    name: str = "hooks"

    def refusal(self, encoding: Encoding, q: Tensor, k: Tensor, table: Table) -> Text | None:
        return None

    def run(
        self, encoding: Encoding, q: Tensor, k: Tensor, table: Table, once: Once
    ) -> tuple[Tensor, Tensor]:
        return encoding.queries(q, table), encoding.keys(k, table)
