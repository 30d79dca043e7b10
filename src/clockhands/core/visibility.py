"""Which key a query may look at: one formula, for the dense mask and for FlexAttention."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from clockhands.errors import ClockhandsError, shown


@dataclass(frozen=True)
class Visibility:
    """The rules of looking, by *slot* (where a tensor holds a token), never by position.

    causal     a query sees no key of a later slot
    valid      ``(b, t)`` bool, False for padding; no query sees it. None: nothing is padding
    documents  ``(b, t)`` integers, the document of each token; a query sees its own only. None: all one
    window     number of slots a query sees, itself included (to both sides where not causal). None: all
    allowed    ``(b or 1, tq, tk)`` bool, False where a query may not look whatever the other rules say, all
               keys of the call included. None: the other rules say it all

    ``valid`` and ``documents`` speak of the tokens of this call; a cache remembers the earlier ones.
    A query that sees no key at all gets zeros. Raises ClockhandsError for marks of the wrong type.

    >>> Visibility(window=2).mask(1, 3, 3, torch.device("cpu"))[0, 0].int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [0, 1, 1]], dtype=torch.int32)
    """

    causal: bool = True
    valid: Tensor | None = None
    documents: Tensor | None = None
    window: int | None = None
    allowed: Tensor | None = None

    def __post_init__(self) -> None:
        for name, marks in (("valid", self.valid), ("documents", self.documents)):
            if marks is not None and not isinstance(marks, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance] (users)
                given = type(marks).__name__
                raise ClockhandsError(
                    f"{name} is a {given}, but it must be a torch.Tensor: use torch.as_tensor",
                    f"{name} 的类型是 {given}，但它必须是 torch.Tensor：请用 torch.as_tensor 转换",
                )
        if self.valid is not None and self.valid.dtype != torch.bool:
            raise ClockhandsError(
                f"valid is {self.valid.dtype}, but it must be torch.bool: give mask != 0 for zeros and ones",
                f"valid 的类型是 {self.valid.dtype}，但它必须是 torch.bool：0 和 1 的掩码请写成 mask != 0",
            )
        if self.documents is not None and self.documents.dtype.is_floating_point:
            raise ClockhandsError(
                f"documents are {self.documents.dtype}, but they are numbered by integers: give torch.int64",
                f"documents 的类型是 {self.documents.dtype}，但文档编号必须是整数：请给 torch.int64",
            )
        if self.allowed is not None and self.allowed.dtype != torch.bool:
            raise ClockhandsError(
                f"allowed is {self.allowed.dtype}, but it must be torch.bool: give mask == 0 for a mask "
                "that is added to logits",
                f"allowed 的类型是 {self.allowed.dtype}，但它必须是 torch.bool："
                "加到 logits 上的掩码请写成 mask == 0",
            )
        if self.window is not None and not (isinstance(self.window, int) and self.window >= 1):  # pyright: ignore[reportUnnecessaryIsInstance] (users)
            raise ClockhandsError(
                f"window is {shown(self.window)}, but it counts the slots that a query sees, "
                "itself included: use a whole number, 1 or more",
                f"window 为 {shown(self.window)}，但它是一个查询能看到的词元个数（含自己）："
                "请用不小于 1 的整数",
            )

    @property
    def reads_tokens(self) -> bool:
        """Whether it depends on more than slots."""
        return self.valid is not None or self.documents is not None or self.allowed is not None

    def visible_at(self, b: Tensor, i: Tensor, j: Tensor, q_start: int) -> Tensor:
        """May query ``i`` (the one in slot ``q_start + i``) of row ``b`` look at the key in slot ``j``?

        ``valid`` and ``documents`` must cover all keys here. Scalars or broadcast grids -> bool.
        """
        behind = q_start + i - j
        visible = behind >= 0 if self.causal else torch.ones_like(behind, dtype=torch.bool)
        if self.window is not None:
            visible = visible & (behind < self.window) & (behind > -self.window)
        if self.valid is not None:
            visible = visible & self.valid[b, j]
        if self.documents is not None:
            visible = visible & (self.documents[b, q_start + i] == self.documents[b, j])
        if self.allowed is not None:
            visible = visible & self.allowed[b if self.allowed.shape[0] > 1 else 0, i, j]
        return visible

    def mask(
        self, batch: int, num_queries: int, num_keys: int, device: torch.device, q_start: int | None = None
    ) -> Tensor:
        """The formula on all slots: ``(b or 1, 1, tq, tk)`` bool.

        q_start  slot of the first query; None: the queries are the last slots
        """
        rows = batch if self.reads_tokens else 1
        b = torch.arange(rows, device=device)[:, None, None, None]
        i = torch.arange(num_queries, device=device)[None, None, :, None]
        j = torch.arange(num_keys, device=device)[None, None, None, :]
        visible = self.visible_at(b, i, j, num_keys - num_queries if q_start is None else q_start)
        return visible.expand(rows, 1, num_queries, num_keys)

    def mask_mod(self, q_start: int) -> Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]:
        """The formula as FlexAttention calls it: ``(b, h, q_idx, kv_idx) -> bool``."""

        def may_look(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
            return self.visible_at(b, i, j, q_start)

        return may_look


CAUSAL = Visibility()
"""Each query sees its own slot and all earlier ones."""
