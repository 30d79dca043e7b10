"""Selective RoPE: each token chooses the step of every hand of every head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.layerwise import Layerwise, require_seed, require_widths
from clockhands.catalogue.rules import require_base, require_bool, require_count
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class SelectiveRoPE(Layerwise):
    """Hand i turns by a learned step of each token times ``rope_theta ** (-2i / head_dim)``.

    phi_proj_rank  inner width of the projection that gives the steps
    d_conv         tokens that the short convolution over the steps sees, the token itself included
    use_bias       add ``exp(bias)``, at first 1, to each step: without content it is RoPE
    use_gate       multiply the steps of a head by a gate from 0 to 1 that the token opens

    Movahedi et al. 2025 (arXiv 2511.17388); names and starting values are those of the
    authors' code, ``timurcarstensen/selective-rope`` @9d06c33.

    >>> SelectiveRoPE(d_model=64, num_heads=4).temperature().shape
    (8,)
    """

    d_model: int = 256
    num_heads: int = 8
    rope_theta: float = 500000.0
    phi_proj_rank: int = 16
    d_conv: int = 4
    use_bias: bool = False
    use_gate: bool = False
    seed: int = 0

    content_hooks: ClassVar[tuple[str, ...]] = ("inv_freq",)
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads", "base": "rope_theta"}
    module: ClassVar[str] = "clockhands.schemes.selective_rope:SelectiveRotation"
    card: ClassVar[Card] = Card(
        id="selective-rope",
        name="Selective RoPE",
        title=Text("Selective rotary position embedding", "选择性旋转位置编码"),
        idea=Text(
            "Each token chooses for every hand of every head how far it moves on, forwards or backwards, "
            "after a look at the few tokens before it. A token that matters can push the hands far, one "
            "that does not can leave them where they are.",
            "每个词元看过前面几个词元之后，为每个头的每根指针选一个步长，向前或向后都可以。"
            "重要的词元可以把指针推得很远，不重要的可以让指针停在原处。",
        ),
        formula=r"\phi_t = \mathrm{conv}(W \hat{x}_t),\quad"
        r" \theta_i(m) = w_i \sum_{t \leq m} \phi_{t,i},\quad w_i = b^{-2i/d}",
        sources=(
            Source(
                authors="Movahedi, Carstensen, Afzal, Hutter, Orvieto, Cevher",
                year=2025,
                title="Selective Rotary Position Embedding",
                where="arXiv 2511.17388",
            ),
        ),
        used_by=(),
        traits=Traits(reads="content", relative=True, learned=True),
        differs=Text(
            "With a constant step it is RoPE. CARoPE gives one number a head, always forwards; here each "
            "hand has its own step of either sign. Follows the authors' code, where the steps come from "
            "the hidden state (the paper writes the query), in the low-rank form; the hat says that each "
            "head's part of it is first brought to length 1.",
            "步长固定时就是 RoPE。CARoPE 每个头一个数，而且只能向前；这里每根指针有自己的步长，正负都行。"
            "按作者的代码实现（低秩形式）：步长来自隐藏状态，而论文里写的是查询；"
            "公式里的帽子表示先把它按头分段，每段都归一化为长度 1。",
        ),
    )

    def check(self) -> None:
        require_widths(self.d_model, self.num_heads, even=True)
        require_base(self.rope_theta, "rope_theta")
        require_count(self.phi_proj_rank, "phi_proj_rank")
        require_count(self.d_conv, "d_conv", most=64)
        require_bool(self.use_bias, "use_bias")
        require_bool(self.use_gate, "use_gate")
        require_seed(self.seed)

    @property
    def head_dim(self) -> int:
        """Width of each head."""
        return self.d_model // self.num_heads

    def temperature(self) -> Array:
        """What multiplies the steps of each hand, ``(head_dim / 2,)``; never trained."""
        return formulas.default_inv_freq(self.head_dim, float(self.rope_theta))
