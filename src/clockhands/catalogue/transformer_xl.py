"""Transformer-XL: the sinusoid of the distance, met by queries through a learned map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rules import require_base, require_count
from clockhands.catalogue.split_heads import SplitHeads
from clockhands.catalogue.untrained import untrained_tables
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class TransformerXL(SplitHeads):
    """``(q + u) . k + (q + v) . W_R R(distance)``, R a fixed sinusoid. Dai et al. 2019 (arXiv 1901.02860).

    d_model  width of the sinusoid, even, and of the model; num_heads divides it

    >>> [table.shape for table in TransformerXL(d_model=8, num_heads=2).tables()]
    [(2, 4), (2, 4), (2, 4, 8)]
    """

    base: float = 10000.0
    seed: int = 0

    module: ClassVar[str] = "clockhands.schemes.transformer_xl:RelativeSinusoid"
    card: ClassVar[Card] = Card(
        id="transformer-xl",
        name="Transformer-XL",
        title=Text("Relative sinusoid with learned biases", "带可学习偏置的相对正弦编码"),
        idea=Text(
            "The sinusoidal table is read at the distance instead of the position, and a learned map turns "
            "it into a key. What a query would say of every position becomes two learned vectors: "
            "u likes some contents more, v likes some distances more.",
            "仍用正弦表，但按距离而不是按位置来读，再由学出来的映射把它变成键。原来查询与绝对位置相乘的部分"
            "换成两个学出来的向量：u 偏爱某些内容，v 偏爱某些距离。",
        ),
        formula=r"s_{mn} = \frac{(q_m + u) \cdot k_n + (q_m + v) \cdot W_R\,R_{m-n}}{\sqrt{d}},\quad"
        r" R_r = [\sin(r w_i);\, \cos(r w_i)]",
        sources=(
            Source(
                authors="Dai, Yang, Yang, Carbonell, Le, Salakhutdinov",
                year=2019,
                title="Transformer-XL: Attentive Language Models beyond a Fixed-Length Context",
                where="arXiv 1901.02860",
            ),
            Source(
                authors="Yang, Dai, Yang, Carbonell, Salakhutdinov, Le",
                year=2019,
                title="XLNet: Generalized Autoregressive Pretraining for Language Understanding",
                where="arXiv 1906.08237",
            ),
        ),
        used_by=("Transformer-XL", "XLNet", Text("Conformer (speech)", "Conformer（语音）")),
        traits=Traits(reads="positions", relative=True, learned=True),
        differs=Text(
            "Shaw learns a vector for each near distance; here any distance has one, computed from a "
            "sinusoid. Published code shifts rows of a table; here angles are subtracted, which gives the "
            "same numbers and allows gaps.",
            "Shaw 为每个较近的距离学一个向量；这里任何距离都有，由正弦函数算出。公开的代码用错位的办法读表；"
            "这里直接做角度相减，结果相同，而且允许位置有空缺。",
        ),
    )

    def check(self) -> None:
        require_count(self.d_model, "d_model", least=2, even=True)
        super().check()
        require_base(self.base, "base")

    def sinusoid_inv_freq(self) -> Array:
        """Of the sinusoid, ``(d_model / 2,)``, rad / token."""
        return formulas.default_inv_freq(self.d_model, float(self.base))

    def tables(self) -> tuple[Array, Array, Array]:
        """u and v ``(num_heads, head_dim)``, and W_R ``(num_heads, head_dim, d_model)``, untrained."""
        heads = self.num_heads, self.head_dim
        u, v, weight = untrained_tables(self.seed, heads, heads, (*heads, self.d_model))
        return u, v, weight
