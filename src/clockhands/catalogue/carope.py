"""CARoPE: each token says how fast the hands of each head turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final, get_args

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.layerwise import Layerwise, require_seed, require_widths
from clockhands.catalogue.rules import require_choice, require_real
from clockhands.formulas.layouts import Layout
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class CARoPE(Layerwise):
    """RoPE whose frequencies are powers of a number that each token gives each head.

    rope_theta  where training starts: tokens of zeros turn the hands as RoPE with this base does

    Veisi, Fartoot and Amirzadeh 2025 (arXiv 2507.23083).

    >>> CARoPE(d_model=64, num_heads=4).head_dim
    16
    """

    d_model: int = 256
    num_heads: int = 8
    rope_theta: float = 10000.0
    layout: Layout = "half"
    seed: int = 0

    content_hooks: ClassVar[tuple[str, ...]] = ("inv_freq",)
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads", "base": "rope_theta"}
    module: ClassVar[str] = "clockhands.schemes.carope:ContextRotation"
    card: ClassVar[Card] = Card(
        id="carope",
        name="CARoPE",
        title=Text("Context-aware rotary position embedding", "上下文感知的旋转位置编码"),
        idea=Text(
            "RoPE's frequencies are the powers of one number. Here each token gives each head a number of "
            "its own between 0 and 1, and hand i moves on by its i-th power. The angle between two tokens "
            "is the sum of what all tokens on the way add.",
            "RoPE 的各个频率是同一个数的各次幂。这里每个词元给每个注意力头一个 0 到 1 之间的数，"
            "第 i 根指针就前进它的 i 次幂。两个词元之间的角度，是途中所有词元各转一点的总和。",
        ),
        formula=r"f_h(x) = \frac{1}{\mathrm{softplus}((xW)_h) + 1},\quad"
        r" \phi_i(m) = \sum_{t \leq m} f_h(x_t)^{\,i},\quad i = 0 \ldots d/2 - 1",
        sources=(
            Source(
                authors="Veisi, Fartoot, Amirzadeh",
                year=2025,
                title="Context-aware Rotary Position Embedding",
                where="arXiv 2507.23083",
            ),
        ),
        used_by=(),
        traits=Traits(reads="content", relative=True, learned=True),
        differs=Text(
            "If every token gives the base to the power -2/d, it is RoPE. The fastest hand is always "
            "plain: a number to the power 0 is 1. A bias is added to xW so that training starts at RoPE.",
            "如果每个词元都给出底数的 -2/d 次幂，它就是 RoPE。最快的指针总是普通的：任何数的 0 次幂都是 1。"
            "这里给 xW 加了一个偏置，让训练从 RoPE 开始。",
        ),
    )

    def check(self) -> None:
        require_widths(self.d_model, self.num_heads, even=True)
        require_real(self.rope_theta, "rope_theta", least=1.001)
        require_choice(self.layout, "layout", get_args(Layout))
        require_seed(self.seed)

    @property
    def head_dim(self) -> int:
        """Width of each head."""
        return self.d_model // self.num_heads

    @property
    def first_frequency(self) -> float:
        """RoPE's base to the power -2 / head_dim, what ``f`` is when training starts; below 1, rad."""
        return float(self.rope_theta) ** (-2 / self.head_dim)
