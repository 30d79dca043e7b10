"""FIRE: a learned curve over the share of the text that lies between key and query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, require_shape
from clockhands.catalogue.given import Given
from clockhands.catalogue.layerwise import Layerwise
from clockhands.catalogue.rules import distance_outside, require_count, require_real, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class FIRE(Given, Layerwise):
    """A learned curve over ``psi(distance) / psi(max(position, threshold))``, ``psi(x) = ln(1 + c x)``.

    Li et al. 2024 (arXiv 2310.04418). Training starts at ``c`` and ``threshold``, tokens; ``width`` is
    the number of hidden units. Give trained units with ``FIRE.of(units)``.

    >>> import numpy as np
    >>> FIRE(num_heads=2).bias(np.arange(3)).shape
    (2, 3)
    """

    num_heads: int = 8
    width: int = 32
    c: float = 0.1
    threshold: float = 512.0
    seed: int = 0
    numbers: FrozenArray | None = None

    dimensions: ClassVar[tuple[int, Text]] = 2, Text("one row for each hidden unit", "每个隐藏单元一行")
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str] = "clockhands.schemes.fire:ShareCurve"
    card: ClassVar[Card] = Card(
        id="fire",
        name="FIRE",
        title=Text("Functional interpolation of distances", "距离的函数内插"),
        idea=Text(
            "The logarithm of the distance is divided by that of the query's own position, so it always "
            "lies between 0 and 1, however long the text grows. A small network turns it into a bias for "
            "each head. Texts shorter than a learned threshold are measured by the threshold.",
            "距离的对数除以查询自身位置的对数，结果总在 0 到 1 之间，文本再长也一样。"
            "再由一个小网络把它变成各个头的偏置。文本短于一个学出来的阈值时，就除以这个阈值。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} +"
        r" f_h\!\left(\frac{\psi(m-n)}{\psi(\max(m, L))}\right),\quad \psi(x) = \ln(1 + c\,x)",
        sources=(
            Source(
                authors="Li, You, Guruganesh, Ainslie, Ontanon, Zaheer, Sanghai, Yang, Kumar, Bhojanapalli",
                year=2024,
                title="Functional Interpolation for Relative Positions Improves Long Context Transformers",
                where="arXiv 2310.04418",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", learned=True, bidirectional=False),
        differs=Text(
            "Past the threshold the same distance counts less the later the query stands, so it is not a "
            "purely relative bias. The last offset of the paper's network is left out: it raises all scores "
            "of a head alike, which a softmax doesn't notice.",
            "超过阈值后，查询越靠后，同一个距离就显得越短，所以它不是纯粹的相对偏置。"
            "这里去掉了论文中网络最后的偏移：它把一个头的所有得分同样抬高，对 softmax 没有影响。",
        ),
    )

    @classmethod
    def of(cls, units: Numbers, *, c: float = 0.1, threshold: float = 512.0) -> Self:
        """Given hidden units ``(width, 2 + num_heads)``: each one's weight, offset and share in each head."""
        numbers = frozen(units, "units", *cls.dimensions)
        width, columns = numbers.shape
        return cls(num_heads=columns - 2, width=width, c=c, threshold=threshold, numbers=numbers)

    def check(self) -> None:
        require_count(self.num_heads, "num_heads", most=65_536)
        require_count(self.width, "width")
        require_real(self.c, "c", least=1e-6)
        require_real(self.threshold, "threshold", least=1.0)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)
        require_shape(self.numbers, "numbers", (self.width, 2 + self.num_heads))

    def units(self) -> Array:
        """``(width, 2 + num_heads)``: the given ones, or drawn as torch draws its linear layers."""
        if self.numbers is not None:
            return self.numbers.values
        drawn = np.random.default_rng(self.seed).uniform(-1.0, 1.0, (self.width, 2 + self.num_heads))
        return np.concatenate((drawn[:, :2], drawn[:, 2:] / self.width**0.5), axis=1)

    def bias(self, distance: NDArray[Any]) -> Array:
        """Of queries up to the threshold; further distances hang on the query's position and are refused."""
        distances = whole_numbers(distance, Text("distances", "距离"))
        last = int(self.threshold)
        if distances.size and abs(distances).max() > last:
            raise distance_outside(int(distances.flat[abs(distances).argmax()]), -last, last)
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        share = formulas.fire_input(np.zeros(()), distances, self.c, np.asarray(float(self.threshold)))
        return np.moveaxis(formulas.relu_curves(share[..., None], self.units()), -1, 0)
