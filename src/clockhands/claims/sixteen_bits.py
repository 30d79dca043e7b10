"""The claim that 16 bits are enough for positions."""

from __future__ import annotations

from typing import Any

from clockhands import plots
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.precision import angle_error, distinct_positions
from clockhands.claims.claim import TOKENS, Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq
from clockhands.language import Text
from clockhands.plots import Picture

COUNT = 4096


def _fine() -> Verdict:
    bf16, fp16 = distinct_positions(COUNT, "bf16"), distinct_positions(COUNT, "fp16")
    worst = float(angle_error(default_inv_freq(128), range(3968, COUNT), "bf16").angle.values.max())
    clash = "-" if bf16.first_clash is None else "{} / {}".format(*bf16.first_clash)
    return judged(
        bf16.distinct == COUNT,
        Text(
            f"Of {COUNT:,} positions only {bf16.distinct} are distinct in bf16 (first clash {clash}) and "
            f"{figure(fp16.distinct)} in fp16. Angles multiplied in bf16 are off by up to "
            f"{figure(worst, 3)} rad. Keep "
            "positions and angles in 32 bits and cast sine and cosine last.",
            f"{COUNT:,} 个位置在 bf16 下只剩 {bf16.distinct} 个不同的数（首次重合 {clash}），fp16 下剩 "
            f"{figure(fp16.distinct)} 个。在 bf16 里相乘的角度最多差 {figure(worst, 3)} 弧度。"
            "位置和角度请用 32 位，sin 和 cos 最后再转换。",
        ),
        Number(Text("distinct in bf16", "bf16 下不同的"), bf16.distinct, TOKENS),
        Number(Text("distinct in fp16", "fp16 下不同的"), fp16.distinct, TOKENS),
        Number(Text("worst shift of a position in bf16", "bf16 下位置的最大偏移"), bf16.worst_shift, TOKENS),
        Number(Text("worst angle error in bf16", "bf16 下的最大角度误差"), worst, Text("rad", "弧度")),
    )


def _draw(**page: Any) -> Picture:
    apart = plots.told_apart(COUNT)
    lines = [
        Labelled("told_apart", Text(name, name), row, (apart.axes[1],), TOKENS)
        for name, row in zip(apart.axes[0].values, apart.values, strict=True)
    ]
    says = Text(
        "How many of the first n positions are different numbers.", "前 n 个位置里，有多少个是不同的数。"
    )
    return plots.curves(lines, says=says, measured=Text("different numbers", "不同的数"), **page)


CLAIMS = (
    Claim(
        id="bf16-is-fine",
        statement=Text("bf16 is fine for positions.", "位置用 bf16 就够了。"),
        source="huggingface/transformers pull request 29285; Megatron-LM issue 535",
        examine=_fine,
        draw=_draw,
    ),
)
