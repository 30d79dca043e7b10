"""RoPE whose base changes from layer to layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self, final, get_args

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_base, require_choice, require_count
from clockhands.formulas.layouts import Layout
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class Layered(Description):
    """RoPE with a geometric path of bases from ``first_theta`` (layer 0) to ``last_theta`` (the last layer).

    ``num_layers`` layers share the path; ``first_theta > last_theta`` is the reverse one. This
    description is that of ``layer``; ``at_layer`` gives those of the others.

    >>> [round(Layered().at_layer(layer, 4).rope_theta) for layer in range(4)]
    [1000, 10000, 100000, 1000000]
    """

    head_dim: int = 32
    first_theta: float = 1e3
    last_theta: float = 1e6
    layer: int = 0
    num_layers: int = 4
    layout: Layout = "half"

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim"}
    card: ClassVar[Card] = Card(
        id="layered",
        name="Layered RoPE",
        title=Text("Frequencies by layer", "逐层变化的频率"),
        idea=Text(
            "Shallow layers get a small base, so all their hands turn within near distances; deep layers get "
            "a large base and slow hands for far ones. The bases in between lie on a geometric path, and "
            "the path can run the other way.",
            "浅层用小底数，指针都转得快，专看近处；深层用大底数，有慢针看远处。中间各层的底数按几何级数过渡，"
            "也可以反过来走。",
        ),
        formula=r"b_\ell = b_0^{\,1-\ell/(N-1)}\; b_1^{\,\ell/(N-1)},\quad w_{\ell,i} = b_\ell^{-2i/d}",
        sources=(),
        origin=Text(
            "An experiment, not a published scheme: a tutorial suggests finer positions in shallow layers, "
            "and the geometric path of bases was worked out here.",
            "这是实验，不是发表过的方案：一篇教程设想浅层用更细的位置，底数的几何级数由本项目设计。",
        ),
        related=(
            Source(
                authors="Gemma Team",
                year=2025,
                title="Gemma 3 Technical Report (two bases, for local and for global layers)",
                where="arXiv 2503.19786",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "RoPE has one base for all layers; Gemma 3 and ModernBERT have two, one for local and one for "
            "global layers. Each layer on its own is plain RoPE.",
            "RoPE 所有层共用一个底数；Gemma 3 和 ModernBERT 用两个，局部层与全局层各用一个。"
            "单看每一层，就是普通的 RoPE。",
        ),
    )

    def check(self) -> None:
        require_count(self.head_dim, "head_dim", least=2, even=True)
        require_base(self.first_theta, "first_theta")
        require_base(self.last_theta, "last_theta")
        require_choice(self.layout, "layout", get_args(Layout))
        require_count(self.num_layers, "num_layers")
        require_count(self.layer, "layer", least=0, most=self.num_layers - 1)

    @property
    def rope_theta(self) -> float:
        """The base of this layer."""
        return formulas.layer_theta(
            self.layer, self.num_layers, float(self.first_theta), float(self.last_theta)
        )

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.head_dim, self.rope_theta)

    def at_layer(self, layer: int, num_layers: int) -> Self:
        return replace(self, layer=layer, num_layers=num_layers)
