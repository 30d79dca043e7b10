"""A learned table: one free vector for each position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

from numpy.typing import NDArray

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, frozen_if_given, require_shape
from clockhands.catalogue.rules import position_outside, require_count, whole_numbers
from clockhands.catalogue.untrained import given_or_untrained
from clockhands.language import Text
from clockhands.memory import require_memory

_ROWS = Text("one row for each position", "每个位置一行")


@final
@dataclass(frozen=True, kw_only=True)
class Learned(Description):
    """``E[p]`` for positions 0 … max_positions-1, N(0, 0.02) until it is trained.

    Give trained numbers with ``Learned.of(table)``; the untrained ones are drawn from ``seed``.
    Raises ClockhandsError for any other position.

    >>> import numpy as np
    >>> Learned(d_model=4, max_positions=2).table(np.arange(2)).shape
    (2, 4)
    """

    d_model: int = 32
    max_positions: int = 512
    seed: int = 0
    numbers: FrozenArray | None = None

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}
    card: ClassVar[Card] = Card(
        id="learned",
        name="Learned",
        title=Text("Learned absolute positions", "可学习位置编码"),
        idea=Text(
            "Each position owns a row of free numbers that training sets, like a word embedding whose "
            "words are 0, 1, 2, ... Nothing makes neighbours similar but the data, and past the last "
            "row there is nothing at all.",
            "每个位置有一行自由的数，由训练决定，就像词表是 0、1、2……的词嵌入。相邻位置是否相似全看数据；"
            "超过最后一行就什么也没有了。",
        ),
        formula=r"x_p = \mathrm{token}_p + E_p,\quad 0 \leq p < P",
        sources=(
            Source(
                authors="Gehring, Auli, Grangier, Yarats, Dauphin",
                year=2017,
                title="Convolutional Sequence to Sequence Learning",
                where="arXiv 1705.03122",
            ),
            Source(
                authors="Devlin, Chang, Lee, Toutanova",
                year=2018,
                title="BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
                where="arXiv 1810.04805",
            ),
        ),
        used_by=(
            Text("BERT (512)", "BERT（512）"),
            Text("GPT-2 (1024)", "GPT-2（1024）"),
            Text("RoBERTa (514, offset 2)", "RoBERTa（514，从第 2 行用起）"),
            Text("OPT (offset 2)", "OPT（从第 2 行用起）"),
            "ViT",
        ),
        traits=Traits(reads="positions", learned=True, max_position=512),
        differs=Text(
            "The sinusoid computes its rows from the position and so has one for every position; "
            "this table must learn each row and has a last one.",
            "正弦表的每一行由位置算出，所以任何位置都有；这张表的每一行都要学，而且有最后一行。",
        ),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", frozen_if_given(self.numbers, "numbers", 2, _ROWS))
        self.check()

    @classmethod
    def of(cls, table: Numbers) -> Self:
        """A description of given numbers ``(positions, width)``: an array or a file."""
        numbers = frozen(table, "table", 2, _ROWS)
        rows, width = numbers.shape
        return cls(d_model=width, max_positions=rows, numbers=numbers)

    def check(self) -> None:
        require_count(self.d_model, "d_model")
        require_count(self.max_positions, "max_positions", most=2**31)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)
        require_shape(self.numbers, "numbers", (self.max_positions, self.d_model))
        require_memory(Text("a table", "这张表"), (self.max_positions, self.d_model))

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, max_position=self.max_positions)

    @property
    def untrained_seed(self) -> int | None:
        return self.seed if self.numbers is None else None

    def weights(self) -> Array:
        """The whole table, ``(max_positions, d_model)``: the given numbers or untrained ones."""
        return given_or_untrained(self.numbers, self.seed, (self.max_positions, self.d_model))

    def table(self, positions: NDArray[Any]) -> Array:
        places = whole_numbers(positions, Text("positions", "位置"))
        outside = places[(places < 0) | (places >= self.max_positions)]
        if outside.size:
            raise position_outside(int(outside.flat[0]), self.max_positions)
        return self.weights()[places]
