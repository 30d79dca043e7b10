"""Learnable Fourier features: hands with trained speeds, read by a small network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, require_shape
from clockhands.catalogue.rules import real_positions, require_count, require_real
from clockhands.errors import BadParameter
from clockhands.language import Text
from clockhands.memory import require_memory

_PARTS = ("frequencies", "hidden", "hidden_bias", "output", "bias")


@final
@dataclass(frozen=True, kw_only=True)
class Fourier(Description):
    """``gelu(r(p) W1 + b1) W2 + b2`` with ``r = [cos(p w), sin(p w)] / sqrt(features)``, all trained.

    features  width of r, even; hidden: width of the network
    gamma     tokens over which positions look alike at the start: speeds are drawn from N(0, 1 / gamma^2)

    Give trained numbers with ``Fourier.of(frequencies, hidden, hidden_bias, output, bias)``.
    """

    d_model: int = 32
    features: int = 32
    hidden: int = 32
    gamma: float = 10.0
    seed: int = 0
    numbers: tuple[FrozenArray, ...] | None = None

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}
    module: ClassVar[str] = "clockhands.schemes.fourier:FourierTable"
    card: ClassVar[Card] = Card(
        id="fourier",
        name="Learnable Fourier",
        title=Text("Learnable Fourier features", "可学习的傅里叶特征"),
        idea=Text(
            "Hands again, but training chooses their speeds, and a small network mixes what they say into "
            "the code of a position. It is defined everywhere, like the sinusoid, and adapts to the data, "
            "like a learned table, with numbers that do not grow with the length.",
            "还是指针，不过速度由训练决定，再由一个小网络把指针的读数混合成位置的编码。"
            "它像正弦编码那样处处有定义，又像可学习的表那样能适应数据，参数个数不随长度增长。",
        ),
        formula=r"P_p = W_2\,\mathrm{GELU}(W_1 r_p + b_1) + b_2,\quad"
        r" r_p = \frac{1}{\sqrt{F}}\,[\cos(p\,w),\, \sin(p\,w)]",
        sources=(
            Source(
                authors="Li, Si, Li, Hsieh, Bengio",
                year=2021,
                title="Learnable Fourier Features for Multi-Dimensional Spatial Positional Encoding",
                where="arXiv 2106.02795",
            ),
        ),
        used_by=(),
        traits=Traits(learned=True),
        differs=Text(
            "The paper has positions of several coordinates, such as the pixels of an image; here there is "
            "one. GELU is taken in its tanh form.",
            "论文里的位置有多个坐标（例如图像的像素），这里只有一个。GELU 用的是 tanh 形式。",
        ),
    )

    @classmethod
    def of(cls, *parts: Numbers) -> Self:
        """A description of given numbers: ``(pairs,)``, ``(2 pairs, h)``, ``(h,)``, ``(h, d)``, ``(d,)``."""
        ranks, shape = (1, 2, 1, 2, 1), Text("see Fourier.of", "见 Fourier.of")
        given = zip(parts, _PARTS, ranks, strict=True)
        numbers = tuple(frozen(part, name, rank, shape) for part, name, rank in given)
        width, hidden = numbers[1].shape
        return cls(d_model=numbers[3].shape[1], features=width, hidden=hidden, numbers=numbers)

    def check(self) -> None:
        for name, even in (("d_model", False), ("features", True), ("hidden", False)):
            require_count(getattr(self, name), name, least=2 if even else 1, even=even)
        require_real(self.gamma, "gamma", least=1e-6)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)
        parts = (None,) * 5 if self.numbers is None else self.numbers
        if not isinstance(parts, tuple) or {*map(type, parts)} - {FrozenArray, type(None)} or len(parts) != 5:
            raise BadParameter("numbers", *Text(" must be made with Fourier.of", " 必须由 Fourier.of 生成"))
        for name, shape, part in zip(_PARTS, self._shapes, parts, strict=True):
            require_shape(part, name, shape)

    @property
    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        f, h, d = self.features, self.hidden, self.d_model
        return ((f // 2,), (f, h), (h,), (h, d), (d,))

    @property
    def untrained_seed(self) -> int | None:
        return self.seed if self.numbers is None else None

    def weights(self) -> tuple[Array, ...]:
        """Speeds in rad / token, W1, b1, W2, b2: the given ones, or drawn with variance 1 / inputs."""
        if self.numbers is not None:
            return tuple(part.values for part in self.numbers)
        drawn, (f, w1, b1, w2, b2) = np.random.default_rng(self.seed), self._shapes
        speeds = drawn.normal(0.0, 1 / self.gamma, f)
        hidden, output = (drawn.normal(0.0, shape[0] ** -0.5, shape) for shape in (w1, w2))
        return speeds, hidden, np.zeros(b1), output, np.zeros(b2)

    def table(self, positions: NDArray[Any]) -> Array:
        places = real_positions(positions)
        require_memory(
            Text("a table", "这张表"), (*places.shape, max(self.d_model, self.features, self.hidden))
        )
        return formulas.fourier_table(places, *self.weights())
