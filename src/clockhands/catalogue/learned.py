"""A learned table: one free vector for each position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.rows import Rows
from clockhands.catalogue.rules import require_count
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class Learned(Rows):
    """``E[p]`` for positions 0 … max_positions-1, N(0, 0.02) until it is trained.

    Give trained numbers with ``Learned.of(table)``; the untrained ones are drawn from ``seed``.
    Raises ClockhandsError for any other position.

    offset  row of position 0: the rows before it belong to padding. 2 for RoBERTa and OPT, whose tables have
            ``max_positions + 2`` rows; give such a table with ``Learned.of(table, offset=2)``

    >>> import numpy as np
    >>> Learned(d_model=4, max_positions=2).table(np.arange(2)).shape
    (2, 4)
    """

    offset: int = 0

    module: ClassVar[str] = "clockhands.schemes.learned:LearnedTable"
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

    def check(self) -> None:
        require_count(self.offset, "offset", least=0)
        super().check()

    @property
    def first_row(self) -> int:
        return self.offset
