"""What every rotation of queries and keys shares: which dimensions turn, in which pairs, and how fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from clockhands.arrays import finite
from clockhands.catalogue.description import Description
from clockhands.catalogue.rules import require_base, require_choice, require_count, require_real
from clockhands.errors import ClockhandsError, shown
from clockhands.formulas.layouts import Layout

Part = Literal["first", "last"]
"""Which end of a head turns where not all of it does."""


@dataclass(frozen=True, kw_only=True)
class WholeRotary(Description):
    """Pair i of each head is turned by ``position * inv_freq()[i]``. Schemes say how fast, in ``inv_freq``.

    layout  ``half`` or ``interleaved``: which dimensions are a pair
    """

    head_dim: int = 32
    rope_theta: float = 10000.0
    layout: Layout = "half"

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "base": "rope_theta"}

    def check(self) -> None:
        require_count(self.head_dim, "head_dim", least=2, even=True)
        require_base(self.rope_theta, "rope_theta")
        require_choice(self.layout, "layout", get_args(Layout))

    def require_trained_length(self, length: Any, name: str = "original_max_position_embeddings") -> None:
        """The rule for a number of tokens that a model was trained on."""
        require_count(length, name, least=2, most=2**31)


@dataclass(frozen=True, kw_only=True)
class Rotary(WholeRotary):
    """The same for a whole head or one end of it.

    layout                 ``half`` or ``interleaved``: which dimensions are a pair
    partial_rotary_factor  share of each head that turns, or
    rotary_dim             the same as a number of dimensions; the rest of the head passes through
    rotary_part            whether the ``first`` or the ``last`` dimensions turn (DeepSeek)
    """

    partial_rotary_factor: float = 1.0
    rotary_dim: int | None = None
    rotary_part: Part = "first"

    def check(self) -> None:
        require_real(self.partial_rotary_factor, "partial_rotary_factor", least=0.0, most=1.0)
        require_count(self.head_dim, "head_dim", least=2, even=self._turns_whole_head)
        require_base(self.rope_theta, "rope_theta")
        require_choice(self.layout, "layout", get_args(Layout))
        require_choice(self.rotary_part, "rotary_part", get_args(Part))
        given = self.rotary_dim is not None
        name = "rotary_dim" if given else "rotary_dim (head_dim * partial_rotary_factor)"
        require_count(self.turned, name, least=2, most=self.head_dim, even=True)
        if given and self.partial_rotary_factor not in (1, self.turned / self.head_dim):
            raise ClockhandsError(
                f"rotary_dim {self.rotary_dim} and partial_rotary_factor {self.partial_rotary_factor} "
                f"disagree for head_dim {self.head_dim}: give one of them",
                f"head_dim 为 {self.head_dim} 时，rotary_dim {self.rotary_dim} 与 partial_rotary_factor "
                f"{self.partial_rotary_factor} 不一致：请只给其中一个",
            )

    @property
    def turned(self) -> int:
        """How many dimensions of each head turn; even."""
        if self.rotary_dim is not None:
            return self.rotary_dim
        return int(self.head_dim * self.partial_rotary_factor)

    @property
    def _turns_whole_head(self) -> bool:
        return self.rotary_dim is None and self.partial_rotary_factor == 1

    def require_one_a_pair(self, values: Any, name: str) -> None:
        """The rule for a list of positive numbers, one for each hand; None is left to the scheme."""
        if values is None:
            return
        pairs = self.turned // 2
        listed = isinstance(values, tuple | list)
        if not listed or len(values) != pairs or not all(map(_is_positive, values)):
            given = f"{len(values)} numbers" if listed and len(values) != pairs else shown(values)
            raise ClockhandsError(
                f"{name} is {given}, but it must be {pairs} positive numbers, one for each hand: "
                "copy the list from the model's configuration",
                f"{name} 为 {given}，但它必须是 {pairs} 个正数，每根指针一个：请从模型的配置中复制这份清单",
            )


def _is_positive(number: Any) -> bool:
    return 1e-30 <= finite(number) <= 1e30
