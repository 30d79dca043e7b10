"""Ways to turn that ``attend`` takes in the place of the hooks of the schemes whose twins they are."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from clockhands.core.encoding import Encoding, Table
from clockhands.core.once import Once
from clockhands.core.turners import Turner
from clockhands.kernels.heads import INSTALLED, NEEDED
from clockhands.kernels.turning import turn
from clockhands.language import Text
from clockhands.schemes.rotation import Rotation


@dataclass(frozen=True)
class FusedRotation(Turner):
    """Queries and keys of a ``Rotation`` in one pass: the same numbers as its hooks give.

    least  fewer numbers than this in queries and keys together are refused: the call would cost more than it
           saves, and the first one in a process compiles for half a second
    """

    least: int = 2**17
    name: str = "fused"

    def refusal(self, encoding: Encoding, q: Tensor, k: Tensor, table: Table) -> Text | None:
        if type(encoding) is not Rotation or not isinstance(table, tuple):
            return Text(f"there is no kernel for {encoding.id}", f"{encoding.id} 没有专门的算子")
        if q.numel() + k.numel() < self.least:
            return Text(
                f"fewer than {self.least} numbers turn: a kernel costs more than it saves",
                f"要旋转的数少于 {self.least} 个：用算子得不偿失",
            )
        if q.device.type not in INSTALLED:
            package = NEEDED.get(q.device.type)
            if package is None:
                return Text(f"there is no kernel for {q.device.type}", f"没有适用于 {q.device.type} 的算子")
            return Text(f"{package} is not installed", f"没有安装 {package}")
        if any(part.requires_grad for part in table):
            return Text("a gradient goes to the angles", "角度需要梯度")
        if min(q.shape[-1], k.shape[-1]) < 2 * table[0].shape[-1] or q.shape[-1] != k.shape[-1]:
            return Text("heads are too narrow", "注意力头太窄")
        return None

    def run(
        self, encoding: Encoding, q: Tensor, k: Tensor, table: Table, once: Once
    ) -> tuple[Tensor, Tensor]:
        assert isinstance(encoding, Rotation)
        assert isinstance(table, tuple)
        cos, sin = table
        start = q.shape[-1] - 2 * cos.shape[-1] if encoding.turns_last else 0
        return turn(q, k, cos, sin, encoding.layout, start=start)


@dataclass(frozen=True)
class Together(Turner):
    """Queries and keys of a ``Rotation`` as heads of one tensor: a third as many calls of torch.

    most  more numbers than this are refused: joining them would take longer than the calls, which a single
          token after many others feels
    """

    most: int = 2**15
    name: str = "together"

    def refusal(self, encoding: Encoding, q: Tensor, k: Tensor, table: Table) -> Text | None:
        if type(encoding) is not Rotation or q.shape[-1] != k.shape[-1]:
            return Text(
                f"{encoding.id} may turn queries and keys differently",
                f"{encoding.id} 旋转查询和键的方式可能不同",
            )
        if torch.is_grad_enabled():
            return Text("a gradient may be wanted", "可能需要梯度")
        if q.numel() + k.numel() > self.most:
            return Text(
                f"more than {self.most} numbers turn: joining takes longer than it saves",
                f"要旋转的数多于 {self.most} 个：合并得不偿失",
            )
        return None

    def run(
        self, encoding: Encoding, q: Tensor, k: Tensor, table: Table, once: Once
    ) -> tuple[Tensor, Tensor]:
        assert isinstance(encoding, Rotation)
        assert isinstance(table, tuple)
        both, pairs = torch.cat((q, k), dim=1), table[0].shape[-1]
        if encoding.layout == "half" and 2 * pairs == q.shape[-1]:
            # formulas.rotate with tables as wide as a head: the same products and sums.
            dtype = torch.promote_types(q.dtype, torch.float32)
            cos, sin = once.of("wide", table, dtype, lambda: _wide(table, dtype))
            both = (both * cos + both.roll(pairs, -1) * sin).to(q.dtype)
        else:
            both = encoding.queries(both, table)
        return both[:, : q.shape[1]], both[:, q.shape[1] :]


def _wide(table: tuple[Tensor, ...], dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """cos and sin for each number of a head, ``(b or 1, 1, t, hd)``."""
    cos, sin = (part[:, None].to(dtype) for part in table)
    return torch.cat((cos, cos), dim=-1), torch.cat((-sin, sin), dim=-1)
