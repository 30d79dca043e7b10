"""The sinusoidal table of the original Transformer, in every convention in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final, get_args

from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import real_positions, require_base, require_choice, require_count
from clockhands.errors import ClockhandsError, shown
from clockhands.formulas.frequencies import Exponent
from clockhands.formulas.sinusoid import Arrangement, First
from clockhands.language import Text
from clockhands.memory import require_memory

Combine = Literal["add", "concatenate"]


@final
@dataclass(frozen=True, kw_only=True)
class Sinusoidal(Description):
    """Sines and cosines of the position. Vaswani et al. 2017 (arXiv 1706.03762), section 3.5.

    d_model         width of the model; may be odd, then the slowest hand keeps only its sine
    base            base ``b`` of the frequencies ``b ** -exponent``
    arrangement     ``interleaved``: sin, cos, sin, cos, …; ``concatenated``: one, then the other
    exponent        ``2i/d``, or ``i/(d/2-1)``
    first           which of the two comes first, ``sin`` or ``cos``
    combine         ``add`` the table to the tokens, or ``concatenate`` it: then the tokens get
                    ``d_model - position_width`` dimensions and the model keeps its size
    position_width  width of the table where it is concatenated, half of ``d_model`` by default

    >>> import numpy as np
    >>> Sinusoidal(d_model=4).table(np.arange(2)).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """

    d_model: int = 32
    base: float = 10000.0
    arrangement: Arrangement = "interleaved"
    exponent: Exponent = "2i/d"
    first: First = "sin"
    combine: Combine = "add"
    position_width: int | None = None

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}
    module: ClassVar[str] = "clockhands.schemes.sinusoidal:SinusoidalTable"
    card: ClassVar[Card] = Card(
        id="sinusoidal",
        name="Sinusoidal",
        title=Text("Sinusoidal positional encoding", "正弦位置编码"),
        idea=Text(
            "Each pair of dimensions is a clock hand that turns at its own speed, fast ones for near "
            "positions and slow ones for far ones. Where all hands stand is the code of a position, "
            "and moving on by k tokens is the same rotation everywhere.",
            "每个维度对是一根指针，各以自己的速度转动：快针分辨近处的位置，慢针分辨远处的位置。"
            "所有指针的指向合起来就是一个位置的编码；向后移动 k 个词元，在任何位置都是同一个旋转。",
        ),
        formula=r"P_{p,2i} = \sin(p\,w_i),\quad P_{p,2i+1} = \cos(p\,w_i),\quad w_i = b^{-2i/d}",
        sources=(
            Source(
                authors="Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser, Polosukhin",
                year=2017,
                title="Attention Is All You Need",
                where="arXiv 1706.03762",
            ),
        ),
        used_by=(
            Text("Transformer (2017)", "Transformer（2017）"),
            "Marian",
            "NLLB",
            Text("Whisper (encoder)", "Whisper（编码器）"),
        ),
        traits=Traits(reads="positions"),
        differs=Text(
            "RoPE uses the same hands, but turns queries and keys with them instead of adding "
            "them to the tokens.",
            "RoPE 用的是同样的指针，但不是加到词元上，而是用来旋转查询和键。",
        ),
    )

    def check(self) -> None:
        require_count(self.d_model, "d_model")
        require_base(self.base, "base")
        require_choice(self.arrangement, "arrangement", get_args(Arrangement))
        require_choice(self.exponent, "exponent", get_args(Exponent))
        require_choice(self.first, "first", get_args(First))
        require_choice(self.combine, "combine", get_args(Combine))
        if self.combine == "concatenate":
            require_count(self.d_model, "d_model", least=2)
            require_count(self.width, "position_width", most=self.d_model - 1)
        elif self.position_width is not None:
            raise ClockhandsError(
                f"position_width is {shown(self.position_width)}, but a table that is added is as wide as "
                'the model: leave it out or use combine="concatenate"',
                f"position_width 为 {shown(self.position_width)}，但相加时表与模型同宽：请去掉它，"
                '或者用 combine="concatenate"',
            )

    @property
    def width(self) -> int:
        """Width of the table: of the whole model where it is added, of its own part where not."""
        if self.combine == "add":
            return self.d_model
        return self.d_model // 2 if self.position_width is None else self.position_width

    def inv_freq(self) -> Array:
        return formulas.sinusoid_inv_freq(self.width, float(self.base), self.exponent)

    def table(self, positions: NDArray[Any]) -> Array:
        places = real_positions(positions)
        require_memory(Text("a table", "这张表"), (*places.shape, self.width))
        return formulas.sinusoid(places, self.inv_freq(), self.arrangement, self.first, self.width)
