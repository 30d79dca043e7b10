"""One's own frequencies, table or bias, wherever a scheme goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final, get_args

import numpy as np
from numpy.typing import NDArray

from clockhands.catalogue.card import Card, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.frozen import LARGEST_NUMBER, FrozenArray, Numbers, frozen
from clockhands.catalogue.reading import checked, read_array, require_moderate
from clockhands.catalogue.rules import (
    distance_outside,
    position_outside,
    real_positions,
    require_choice,
    require_count,
    whole_numbers,
)
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout
from clockhands.language import Text

__all__ = ["OwnBias", "OwnFrequencies", "OwnTable", "read_array"]

FASTEST = 1e6
_SAMPLED = 64  # distances, tokens, by which a function is judged
"""rad / token. Past one turn a token hands only alias; far past it, float64 loses the angle itself."""


@final
@dataclass(frozen=True, init=False)
class OwnFrequencies(Description):
    """Rotary hands with speeds of one's own.

    inv_freq  (pairs,) rad / token: an array, a list, a file, or a callable that takes the number of pairs
    head_dim  width of a head, ``2 * pairs`` by default; wider: the rest passes through. A callable needs it
    layout    ``half`` or ``interleaved``

    >>> OwnFrequencies([1.0, 0.5]).inv_freq().tolist()
    [1.0, 0.5]
    """

    numbers: FrozenArray
    head_dim: int
    layout: Layout

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim"}
    exceptions: ClassVar[dict[str, str]] = {"default": "its numbers are yours to give"}
    card: ClassVar[Card] = Card(
        id="own-frequencies",
        name="Own frequencies",
        title=Text("Your own frequencies", "自定义频率"),
        idea=Text(
            "RoPE with the speeds you gave, one for each hand.",
            "用你给出的速度做旋转位置编码，每根指针一个速度。",
        ),
        formula=r"\tilde{q}_m = R(m)\,q_m,\quad \theta_i(m) = m\,w_i,\quad w\ \mathrm{given}",
        sources=(),
        used_by=(),
        traits=Traits(reads="positions", relative=True),
    )

    def __init__(
        self,
        inv_freq: Numbers | Callable[[int], Any],
        *,
        head_dim: int | None = None,
        layout: Layout = "half",
    ):
        if callable(inv_freq):
            require_count(head_dim, "head_dim", least=2, even=True)
            inv_freq = inv_freq(int(head_dim or 0) // 2)
        meaning = Text("one number for each hand", "每根指针一个数")
        hands = frozen(inv_freq, "inv_freq", 1, meaning, most=FASTEST)
        object.__setattr__(self, "numbers", hands)
        object.__setattr__(self, "head_dim", 2 * hands.shape[0] if head_dim is None else head_dim)
        object.__setattr__(self, "layout", layout)
        super().__post_init__()

    def check(self) -> None:
        require_count(self.head_dim, "head_dim", least=2 * self.numbers.shape[0])
        require_choice(self.layout, "layout", get_args(Layout))

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        return ("inv_freq", "head_dim", "layout")

    def inv_freq(self) -> Array:
        return self.numbers.values


@final
@dataclass(frozen=True, init=False)
class OwnTable(Description):
    """An added table of one's own.

    table  (positions, width): an array, nested lists or a file; or a callable that takes an integer array
           of positions and returns ``(*positions.shape, width)``
    """

    numbers: FrozenArray | None
    formula: Callable[[NDArray[Any]], Any] | None

    exceptions: ClassVar[dict[str, str]] = {"default": "its numbers are yours to give"}
    module: ClassVar[str] = "clockhands.schemes.added_table:own_table"
    card: ClassVar[Card] = Card(
        id="own-table",
        name="Own table",
        title=Text("Your own table", "自定义位置表"),
        idea=Text("The table you gave, added to the tokens.", "把你给出的表加到词元上。"),
        formula=r"x_p = \mathrm{token}_p + P_p,\quad P\ \mathrm{given}",
        sources=(),
        used_by=(),
        traits=Traits(reads="positions"),
    )

    def __init__(self, table: Numbers | Callable[[NDArray[Any]], Any]):
        rows = Text("one row for each position", "每个位置一行")
        numbers = None if callable(table) else frozen(table, "table", 2, rows)
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "formula", table if callable(table) else None)

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        return ("table",)

    @property
    def max_positions(self) -> int | None:
        """Rows of the table; None where a callable computes them."""
        return None if self.numbers is None else self.numbers.shape[0]

    @property
    def traits(self) -> Traits:
        return Traits(reads="positions", max_position=self.max_positions)

    def table(self, positions: NDArray[Any]) -> Array:
        if self.formula is not None:
            places = real_positions(positions)
            return _returned(self.formula(places), places.shape, after=True)
        places, rows = whole_numbers(positions, Text("positions", "位置")), self.weights()
        outside = places[(places < 0) | (places >= len(rows))]
        if outside.size:
            raise position_outside(int(outside.flat[0]), len(rows))
        return rows[places]

    def weights(self) -> Array:
        """The rows given, ``(positions, width)``; refused where a callable computes them."""
        if self.numbers is None:
            raise _only_a_function(Text("this table", "这张表"), "table(positions)")
        return self.numbers.values


@final
@dataclass(frozen=True, init=False)
class OwnBias(Description):
    """A bias on the logits of one's own.

    bias            a callable that takes an integer array of distances (query position - key position)
                    and returns ``(num_heads, *distance.shape)``; or numbers ``(num_heads, distances)``:
                    an array, nested lists or a file
    first_distance  the distance of the first column, tokens. 0 is a causal bias, and keys ahead of the
                    query get 0; with ``2n + 1`` columns, ``-n`` serves both directions
    """

    numbers: FrozenArray | None
    formula: Callable[[NDArray[Any]], Any] | None
    first_distance: int

    exceptions: ClassVar[dict[str, str]] = {"default": "its numbers are yours to give"}
    module: ClassVar[str] = "clockhands.schemes.distance_bias:own_bias"
    card: ClassVar[Card] = Card(
        id="own-bias",
        name="Own bias",
        title=Text("Your own bias", "自定义偏置"),
        idea=Text("The bias you gave, added to the logits.", "把你给出的偏置加到注意力得分上。"),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} + b_h(m-n),\quad b\ \mathrm{given}",
        sources=(),
        used_by=(),
        traits=Traits(reads="positions", relative=True, bidirectional=False),
    )

    def __init__(self, bias: Numbers | Callable[[NDArray[Any]], Any], *, first_distance: int = 0):
        rows = Text("one row for each head", "每个注意力头一行")
        numbers = None if callable(bias) else frozen(bias, "bias", 2, rows)
        require_count(first_distance, "first_distance", least=-(2**31), most=0)
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "formula", bias if callable(bias) else None)
        object.__setattr__(self, "first_distance", first_distance)

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        return ("bias", "first_distance")

    @property
    def traits(self) -> Traits:
        """What starts before distance 0 serves both directions; no distance past the last column."""
        two_ways, most = self.first_distance < 0, None
        reach = min(-self.first_distance, _SAMPLED)
        if self.numbers is not None:
            ahead, behind = -self.first_distance, self.numbers.shape[1] - 1 + self.first_distance
            most = 1 + (min(ahead, behind) if two_ways else behind)
            reach = min(ahead, behind)
        return replace(
            self.card.traits, bidirectional=two_ways, mirrored=self._is_mirrored(reach), max_position=most
        )

    def _is_mirrored(self, reach: int) -> bool:
        """Whether distances up to ``reach``, tokens, are the same ahead as behind."""
        near = np.arange(1, reach + 1)
        return reach > 0 and np.array_equal(self.bias(near), self.bias(-near))

    @property
    def num_heads(self) -> int:
        """Rows of the numbers, or of what the callable returns."""
        return len(self.bias(np.zeros(1, dtype=np.int64)))

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        if self.formula is not None:
            return _returned(self.formula(distances), distances.shape, after=False)
        columns = self.weights()
        first, last = self.first_distance, self.first_distance + columns.shape[1] - 1
        outside = distances[(distances > last) | ((distances < first) & (first < 0))]
        if outside.size:
            raise distance_outside(int(outside.flat[0]), first, last)
        return np.where(distances < first, 0.0, columns[:, np.maximum(distances - first, 0)])

    def weights(self) -> Array:
        """The numbers given, ``(num_heads, distances)``; refused where a callable computes them."""
        if self.numbers is None:
            raise _only_a_function(Text("this bias", "这份偏置"), "bias(distance)")
        return self.numbers.values


def _only_a_function(what: Text, call: str) -> ClockhandsError:
    return ClockhandsError(
        f"{what.en} is computed by a function and holds no numbers of its own: call {call}",
        f"{what.zh}由函数计算，本身没有存数：请调用 {call}",
    )


def _returned(values: Any, shape: tuple[int, ...], *, after: bool) -> Array:
    """What a user's function gave back, if it has the shape that was asked for."""
    array = checked(values, "what your function returned")
    require_moderate(array, "what your function returned", LARGEST_NUMBER)
    given = array.shape[:-1] if after else array.shape[1:]
    if array.ndim != len(shape) + 1 or given != shape:
        wanted = f"{(*shape, 'width')}" if after else f"{('num_heads', *shape)}"
        wanted = wanted.replace("'", "")
        raise ClockhandsError(
            f"your function returned shape {array.shape} for input of shape {shape}: return {wanted}",
            f"你的函数对形状为 {shape} 的输入返回了 {array.shape}：应当返回 {wanted}",
        )
    return array
