"""RoPE on values too, undone on the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import WholeRotary
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class ValueRoPE(WholeRotary):
    """Queries, keys and values are turned, and outputs turned back by the query's angle. DeepSeek-V4.

    Parameters are those of ``WholeRotary``.

    >>> ValueRoPE(head_dim=4).inv_freq().tolist()
    [1.0, 0.01]
    """

    other_hooks: ClassVar[tuple[str, ...]] = ("values",)
    module: ClassVar[str] = "clockhands.schemes.rope_values:ValueRotation"
    card: ClassVar[Card] = Card(
        id="rope-values",
        name="RoPE on values",
        title=Text("Rotation of values, undone on outputs", "旋转值、再在输出上转回来"),
        idea=Text(
            "Where keys and values are the same vector, turning keys turns values. The output is then "
            "turned back by the query's own angle, so each value arrives turned by its distance: what is "
            "read knows how far it came.",
            "当键和值是同一个向量时，旋转键也就旋转了值。输出再按查询自己的角度转回来，"
            "于是每个值到达时转过的正是距离：读到的内容知道自己从多远来。",
        ),
        formula=r"o_m = R(-m) \sum_n a_{mn} R(n)\, v_n = \sum_n a_{mn} R(n-m)\, v_n",
        sources=(
            Source(
                authors="Wolf, Debut, Sanh, Chaumond, Delangue, Moi et al.",
                year=2026,
                title="transformers 5.24.0, models/deepseek_v4/modeling_deepseek_v4.py",
                where="https://pypi.org/project/transformers/5.24.0/",
            ),
        ),
        used_by=(Text("DeepSeek-V4 (last 64 of 512 dimensions)", "DeepSeek-V4（512 维中的最后 64 维）"),),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "RoPE leaves values as they are: they arrive the same from near and far.",
            "RoPE 不动值：无论远近，到达时都一样。",
        ),
    )

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.head_dim, float(self.rope_theta))
