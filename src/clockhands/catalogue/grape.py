"""GRAPE: one plane of the head turns, and training chooses which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.layerwise import Layerwise, require_seed
from clockhands.catalogue.rules import require_count, require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class GRAPE(Layerwise):
    """``exp(position * omega * (a b^T - b a^T))`` on queries and keys. Zhang et al. 2025 (arXiv 2512.07805).

    omega       angular speed at which training starts, rad / token
    num_planes  1: all heads share ``a``, ``b`` and ``omega``; or the number of key heads, each with its own

    >>> GRAPE(omega=0.25).inv_freq().tolist()
    [0.25]
    """

    head_dim: int = 32
    omega: float = 0.1
    num_planes: int = 1
    seed: int = 0

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim"}
    module: ClassVar[str] = "clockhands.schemes.grape:PlaneRotation"
    card: ClassVar[Card] = Card(
        id="grape",
        name="GRAPE (multiplicative, rank 2)",
        title=Text("Group representational position encoding", "群表示位置编码"),
        idea=Text(
            "RoPE turns fixed pairs of dimensions. Here one plane turns, spanned by two learned vectors, "
            "anywhere in the head; what stands upright on it stays as it is. A position is a turn, two steps "
            "are two turns one after the other, so only distances count.",
            "RoPE 旋转固定的维度对。这里只转一个平面，由两个学出来的向量张成，可以朝向任何方向；"
            "与它垂直的部分保持不变。位置就是一次旋转，走两步就是接连转两次，所以只有距离起作用。",
        ),
        formula=r"G(n) = \exp(n \omega L) = I + \frac{\sin n\omega s}{s} L +"
        r" \frac{1 - \cos n\omega s}{s^2} L^2,\quad L = a b^T - b a^T",
        sources=(
            Source(
                authors="Zhang, Chen, Liu, Qin, Yuan, Xu, Yuan, Gu, Yao",
                year=2025,
                title="Group Representational Position Encoding",
                where="arXiv 2512.07805",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, learned=True),
        differs=Text(
            "RoPE is half the head size of such planes, along the axes and with set speeds. The paper also "
            "combines several planes and has an additive form, of which ALiBi and FoX are cases; this is its "
            "basic form, one plane of rank 2. It leaves open at which speed to start.",
            "RoPE 相当于 d/2 个沿坐标轴、速度固定的这种平面。论文还组合多个平面，也有加性的形式（ALiBi 和 "
            "FoX 是其特例）；这里是最基本的形式：一个秩为 2 的平面。初始速度论文没有规定。",
        ),
    )

    def check(self) -> None:
        require_count(self.head_dim, "head_dim", least=2)
        require_real(self.omega, "omega", least=1e-12)
        require_count(self.num_planes, "num_planes")
        require_seed(self.seed)

    def planes(self) -> Array:
        """``a`` and ``b`` at the start, ``(2, num_planes, head_dim)``: of length 1, at right angles."""
        drawn = np.random.default_rng(self.seed).normal(size=(self.num_planes, self.head_dim, 2))
        return np.moveaxis(np.linalg.qr(drawn).Q, -1, 0)

    def inv_freq(self) -> Array:
        return np.full(self.num_planes, float(self.omega))
