"""PaTH: every token on the way from key to query mirrors what passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.mirrors import Mirrored
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class PaTH(Mirrored):
    """``k_n . (H_{n+1} ... H_m) q_m`` with one Householder-like matrix a token. Yang et al. 2025.

    num_kv_heads  heads that have a direction ``w`` and a strength ``beta`` of their own; None: every query
                  head, which is the paper's setting without grouped queries
    rank          inner width of the projection that gives ``w``; None: a full matrix
    conv_size     tokens that the short convolution over ``w`` sees, the token itself included; 1: none

    arXiv 2505.16381; sizes, SiLU and starting values are those of ``fla-org/flash-linear-attention``
    @27289fc.

    >>> PaTH(num_heads=8, num_kv_heads=2).groups
    2
    """

    module: ClassVar[str] = "clockhands.schemes.path:PathMirrors"
    card: ClassVar[Card] = Card(
        id="path",
        name="PaTH",
        title=Text("Accumulated Householder transformations", "累积豪斯霍尔德变换"),
        idea=Text(
            "Each token is a half-silvered mirror with a direction and a strength of its own. On the way "
            "from key to query the query passes the mirrors of all tokens between them; two turns can "
            "cancel, and order matters. So a head can follow a state, such as who holds the ball.",
            "每个词元是一面半透明的镜子，有自己的方向和强度。查询要经过它与键之间所有词元的镜子：两次翻转可以"
            "抵消，先后次序也有影响。于是注意力头能跟踪状态，比如“球在谁手里”。",
        ),
        formula=r"s_{mn} = \frac{1}{\sqrt{d}}\; k_n^T H_{n+1} H_{n+2} \cdots H_m\, q_m,\quad"
        r" H_s = I - \beta_s w_s w_s^T,\quad \beta_s = 2\,\sigma(u \cdot x_s + c)",
        sources=(
            Source(
                authors="Yang, Shen, Wen, Tan, Mishra, Ren, Panda, Kim",
                year=2025,
                title="PaTH Attention: Position Encoding via Accumulating Householder Transformations",
                where="arXiv 2505.16381",
            ),
        ),
        used_by=(),
        traits=Traits(reads="content", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "RoPE turns by the same step at every token; here each token decides, and the turns need not "
            "commute. With all strengths 0 it is NoPE, with 2 the mirrors are perfect and lengths are kept. "
            "This is the readable form, exact but cubic in the length: no fused kernel computes it.",
            "RoPE 在每个词元处转同样的步长；这里由每个词元自己决定，而且先后次序不能交换。强度全为 0 时就是 "
            "NoPE，全为 2 时是完全的镜面反射，长度不变。这里是便于阅读的精确写法，计算量是长度的三次方，"
            "没有融合算子。",
        ),
    )
