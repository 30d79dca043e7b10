"""DAPE V2: the map of scores is treated like a picture and convolved along the keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.layerwise import Layerwise, require_seed
from clockhands.catalogue.rules import require_count, require_heads
from clockhands.errors import ClockhandsError
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class DAPEV2(Layerwise):
    """ALiBi's bias plus two convolutions over scores and biases of neighbouring keys. Zheng et al. 2024.

    kernel_size  keys that each convolution sees at once, odd; mlp_width: channels between the two

    arXiv 2410.04798, in its DAPE(1x3)-ALiBi form; sizes are those of ``chuanyang-Zheng/DAPE`` @bde344a.

    >>> DAPEV2().kernel_size
    3
    """

    num_heads: int = 8
    mlp_width: int = 32
    kernel_size: int = 3
    seed: int = 0

    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    exceptions: ClassVar[Mapping[str, str]] = {
        "gap": "it convolves over neighbouring slots as published, so hidden tokens stand between neighbours"
    }
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str] = "clockhands.schemes.dape:AdaptedBias"
    card: ClassVar[Card] = Card(
        id="dape-v2",
        name="DAPE V2",
        title=Text("DAPE with convolutions over the scores", "对得分做卷积的 DAPE"),
        idea=Text(
            "The scores of a query are a row of a picture whose colours are the heads. Two small "
            "convolutions along the keys look at each score together with its neighbours and correct it, "
            "as in image processing: patterns such as 'the key after a match' become visible.",
            "一个查询的得分是图像中的一行，各个头就是颜色通道。沿键的方向做两次小卷积，把每个得分和左右相邻的"
            "一起看，再加以修正，就像图像处理：“匹配处的下一个键”这样的模式就看得见了。",
        ),
        formula=r"s = \frac{QK^T}{\sqrt{d}} + B + \mathrm{conv}_{1 \times k}(\rho(\mathrm{conv}_{1 \times k}"
        r"([\,QK^T/\sqrt{d};\, B\,]))),\quad B_{h,mn} = -a_h\,(m - n)",
        sources=(
            Source(
                authors="Zheng, Gao, Shi, Xiong, Sun, Li, Huang, Ren, Ng, Jiang, Li, Li",
                year=2024,
                title="DAPE V2: Process Attention Score as Feature Map for Length Extrapolation",
                where="arXiv 2410.04798",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "With a kernel of 1 it is DAPE. The published code masks the map before the first convolution "
            "only, so a token's scores change with how much text follows; here each row is what that code "
            "gives to the last token of its text, so reading at once and word by word agree.",
            "卷积核宽为 1 时就是 DAPE。公开的代码只在第一次卷积前遮住未来，于是一个词元的得分会随后面文本的"
            "长短而变；这里每一行都等于那份代码给“文本最后一个词元”的结果，所以一次读完和逐词读取一致。",
        ),
    )

    def check(self) -> None:
        require_heads(self.num_heads)
        require_count(self.mlp_width, "mlp_width")
        require_count(self.kernel_size, "kernel_size", most=63)
        require_seed(self.seed)
        if self.kernel_size % 2 == 0:
            raise ClockhandsError(
                f"kernel_size is {self.kernel_size}, but a key has as many neighbours on each side: use an "
                f"odd number such as {self.kernel_size + 1}",
                f"kernel_size 为 {self.kernel_size}，但键的两侧邻居应一样多：请用奇数，例如 "
                f"{self.kernel_size + 1}",
            )
