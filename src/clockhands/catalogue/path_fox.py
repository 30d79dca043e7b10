"""PaTH-FoX: the mirrors of PaTH, and a gate by which what passes is forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.mirrors import Mirrored
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class PaTHFoX(Mirrored):
    """PaTH plus the forget gates of FoX, summed in logarithms between key and query. Yang et al. 2025.

    arXiv 2505.16381, scaled as in ``fla-org/flash-linear-attention`` @27289fc. Parameters are those of
    ``path``; each query head has a gate of its own.

    >>> PaTHFoX(num_heads=8).groups
    8
    """

    module: ClassVar[str] = "clockhands.schemes.path:ForgettingMirrors"
    card: ClassVar[Card] = Card(
        id="path-fox",
        name="PaTH-FoX",
        title=Text("PaTH with forget gates", "带遗忘门的 PaTH"),
        idea=Text(
            "PaTH's mirrors turn what passes from key to query. Here every token also lets only a share of "
            "it through, between 0 and 1, so the far past fades as fast as the tokens on the way say.",
            "PaTH 的镜子会翻转从键到查询的内容；这里每个词元还只放行其中的一部分（0 到 1），"
            "所以很远的内容会变淡，淡得多快由途中的词元决定。",
        ),
        formula=r"s_{mn} = \frac{1}{\sqrt{d}}\left( k_n^T H_{n+1} \cdots H_m\, q_m"
        r" + \ln f_{n+1} + \cdots + \ln f_m \right),\quad f_s = \sigma(u_f \cdot x_s + c_f)",
        sources=(
            Source(
                authors="Yang, Shen, Wen, Tan, Mishra, Ren, Panda, Kim",
                year=2025,
                title="PaTH Attention: Position Encoding via Accumulating Householder Transformations",
                where="arXiv 2505.16381",
            ),
            Source(
                authors="Lin, Nikishin, He, Courville",
                year=2025,
                title="Forgetting Transformer: Softmax Attention with a Forget Gate",
                where="arXiv 2503.02130",
            ),
        ),
        used_by=(),
        traits=Traits(reads="content", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "With all gates open it is PaTH; with all mirrors of strength 0 it is FoX, but for one thing: "
            "as in the published code, the sum of the gates is divided by the root of the head size too.",
            "遗忘门全开时就是 PaTH；镜子强度全为 0 时就是 FoX，只有一处不同：与公开的代码一致，"
            "遗忘门之和也要除以注意力头宽度的平方根。",
        ),
    )
