"""FoPE: each hand is a sum of waves, and slow waves stand still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import WholeRotary
from clockhands.catalogue.rules import require_count, require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class FoPE(WholeRotary):
    """RoPE whose cosines and sines are sums of waves. Hua et al. 2024 (arXiv 2412.17739).

    Parameters are those of ``WholeRotary``, and

    context  trained length, tokens: hands that don't finish a turn in it stand still
    gain     how much of other waves is mixed in; 0: RoPE's fast hands alone
    seed     of the mix, which is random and not learned

    >>> FoPE(head_dim=8, context=100).inv_freq().tolist()
    [1.0, 0.1, 0.0, 0.0]
    """

    context: int = 2048
    gain: float = 0.3
    seed: int = 0

    module: ClassVar[str] = "clockhands.schemes.fope:FourierRotation"
    card: ClassVar[Card] = Card(
        id="fope",
        name="FoPE",
        title=Text("Fourier position embedding", "傅里叶位置编码（FoPE）"),
        idea=Text(
            "Layers between attention mix waves into one another, so a dimension never carries one pure "
            "frequency. FoPE starts from that: each dimension is one wave and a little of the others; waves "
            "too slow to finish a turn in training are stopped.",
            "注意力之间的各层会把不同的波混在一起，一个维度从来不只有一个纯频率。FoPE 干脆从这里出发："
            "每个维度以一个波为主，再加一点其他波；训练长度内转不完一圈的慢波则停住。",
        ),
        formula=r"\cos_i(p) = \sum_j A_{ji} \cos(p\, w_j),\quad \sin_i(p) = \sum_j B_{ji} \sin(p\, w_j),"
        r"\quad \sum_j A_{ji} = \sum_j B_{ji} = 1",
        sources=(
            Source(
                authors="Hua, Jiang, Lv, Zhang, Sun, Fan, Zhu, Qi, Ding, Zhou",
                year=2024,
                title="Fourier Position Embedding: Enhancing Attention's Periodic Extension for Length "
                "Generalization",
                where="arXiv 2412.17739",
            ),
        ),
        used_by=("Intern-S1-Pro",),
        traits=Traits(reads="positions", relative=False),
        differs=Text(
            "Sums of waves are no rotation: lengths change, and scores depend on distance only roughly. A "
            "and B are the identity plus noise, each column divided by its sum as in the paper's "
            "pseudo-code; its training code leaves the division out. All heads share one mix here; the paper "
            "has one for each. Stopped pairs stay unchanged; the paper's code lets them mix.",
            "几个波之和不再是旋转：长度会变，得分也只是大致取决于距离。A、B 是单位矩阵加噪声，"
            "并按论文的伪代码把每一列除以该列之和；公开的训练代码没有这一步。这里所有头共用一份混合系数，"
            "论文每个头一份。停住的维度原样通过；论文的代码会让它们互相混合。",
        ),
    )

    def check(self) -> None:
        super().check()
        self.require_trained_length(self.context, "context")
        require_real(self.gain, "gain", least=0.0, most=10.0)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)

    @property
    def untrained_seed(self) -> int | None:
        return self.seed if self.gain else None

    @property
    def unseen(self) -> Text | None:
        return Text("waves before they are mixed", "混合之前的波")

    def inv_freq(self) -> Array:
        return formulas.high_frequency_inv_freq(self.head_dim, float(self.rope_theta), context=self.context)

    def coefficients(self) -> Array:
        """Of cosines and of sines, ``(2, waves, waves)``: column i is hand i, row j its share of wave j."""
        waves = int((self.inv_freq() > 0).sum())
        return formulas.fourier_coefficients(waves, float(self.gain), self.seed)
