"""Attention by blocks of queries: no more than one block's rows of logits and biases exist at a time.

What each block computes is what another back end computes for a call with those queries alone, as if the
text were read in chunks. Nothing of a block is kept for the gradient: it is computed again, block by block,
when the gradient is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from clockhands.core.back_ends import WHOLE_ROWS, BackEnd, Call, Sdpa
from clockhands.core.stepwise import Stepwise
from clockhands.core.visibility import Visibility
from clockhands.language import Text


@dataclass(frozen=True)
class Blocked:
    """``inner`` on one block of queries after the other, each with the keys that it may see.

    inner  ``Sdpa()`` for schemes with a bias, ``Dense()`` for those that need whole rows
    cells  logits of all heads in one block, at most (a block has one query at least)
    least  a call with fewer biases than this is refused: it has memory enough. Rows that share one count once
    """

    inner: BackEnd
    cells: int = 2**22
    least: int = 2**24

    @property
    def name(self) -> str:
        return f"blocked-{self.inner.name}"

    def refusal(self, call: Call) -> Text | None:
        return self._not_worth_it(call) or self._not_possible(call) or self.inner.refusal(_lifted(call))

    def _not_worth_it(self, call: Call) -> Text | None:
        ctx, encoding = call.ctx, call.encoding
        if not any(map(encoding.overrides, ("bias_at", *WHOLE_ROWS))):
            return Text("there is no bias that would have to be held", "没有需要保存的偏置")
        biases = ctx.batch * ctx.num_heads * ctx.num_queries * ctx.num_keys
        if biases < self.least:
            return Text(
                f"{biases} biases are fewer than {self.least}: they fit into memory as they are",
                f"偏置只有 {biases} 个，少于 {self.least}：内存放得下",
            )
        return None

    def _not_possible(self, call: Call) -> Text | None:
        encoding = call.encoding
        if call.want_weights:
            return Text("weights are wanted, which blocks don't keep", "需要注意力权重，分块计算不保留它们")
        if call.dropout:
            return Text("blocks drop no weights", "分块计算不支持注意力丢弃（dropout）")
        if torch.compiler.is_compiling():
            return Text("a compiled graph would hold each block", "编译后的计算图会展开每一块")
        if encoding.traits.length_dependent or "decode" in encoding.exceptions:
            return Text("a chunk of a text gives other numbers than the text", "文本的一段与整段的结果不同")
        rows_of_its_own = any(map(encoding.overrides, WHOLE_ROWS))
        if rows_of_its_own and encoding.card is None and not call.ctx.visibility.causal:
            return Text(  # those that have one obey the laws of conformance, which try it
                "without a card its rows are known to be cut into blocks only where no query sees later keys",
                "它没有卡片（card）：只有在查询看不到后面的键时，才知道它的行可以分块",
            )
        return None

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        lifted = _lifted(call)
        memory = call.ctx.memory
        learned = [parameter for parameter in call.encoding.parameters() if parameter.requires_grad]
        given = (lifted.q, lifted.k, lifted.v, memory)
        output: Tensor = _applied(self, _bare(lifted), *given, *learned)
        return output.to(call.q.dtype), None

    def blocks(self, call: Call) -> Iterator[tuple[int, int, int]]:
        """First query, the query behind the last one, and how many keys these may see."""
        ctx = call.ctx
        tall = self.cells // (call.q.shape[0] * ctx.num_heads)
        begin = 0
        while begin < ctx.num_queries:
            before = ctx.q_start + begin if ctx.visibility.causal else ctx.num_keys
            # As many rows as fit, where each row of a causal block sees one key more than the row above.
            rows = ((before**2 + 4 * tall) ** 0.5 - before) / 2 if ctx.visibility.causal else tall / before
            end = min(ctx.num_queries, begin + max(1, int(rows)))
            yield begin, end, ctx.q_start + end if ctx.visibility.causal else ctx.num_keys
            begin = end


class _Blocks(torch.autograd.Function):
    """Blocks forward; backward each block anew, with its gradient."""

    @staticmethod
    def forward(  # pyright: ignore[reportIncompatibleMethodOverride] (torch's own has no names)
        ctx: Any, how: Blocked, call: Call, q: Tensor, k: Tensor, v: Tensor, memory: Tensor | None,
        *learned: Tensor,
    ) -> Tensor:  # fmt: skip
        ctx.how, ctx.call = how, call
        ctx.save_for_backward(q, k, v, memory, *learned)
        output = q.new_empty((*q.shape[:3], v.shape[3]))
        for begin, end, seen in how.blocks(call):
            part = _part(call, (begin, end, seen), q[:, :, begin:end], *_first(seen, k, v, memory))
            output[:, :, begin:end] = how.inner.run(part.prepared())[0]
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *of_output: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride] (as above)
        how, call = ctx.how, ctx.call
        q, k, v, memory, *learned = ctx.saved_tensors
        again = Stepwise() if type(how.inner) is Sdpa and q.device.type == "cpu" else how.inner
        wanted = ctx.needs_input_grad[2:]
        sums: list[Tensor | None] = [
            torch.zeros_like(x) if want else None
            for x, want in zip((q, k, v, memory, *learned), wanted, strict=True)
        ]
        for block in how.blocks(call):
            begin, end, seen = block
            of_q, of_k, of_v = (
                x.detach().requires_grad_(want)
                for x, want in zip((q[:, :, begin:end], k[:, :, :seen], v[:, :, :seen]), wanted, strict=False)
            )
            of_memory = None if memory is None else memory[:, :seen].detach().requires_grad_(wanted[3])
            with torch.enable_grad():
                output = again.run(_part(call, block, of_q, of_k, of_v, of_memory).prepared())[0]
            every = (of_q, of_k, of_v, of_memory, *learned)
            leaves = [x for x, total in zip(every, sums, strict=True) if total is not None and x is not None]
            found: Any = torch.autograd.grad(
                (output,), leaves, (of_output[0][:, :, begin:end],), allow_unused=True
            )
            spans = (slice(begin, end), slice(seen), slice(seen))
            named = [n for n, total in enumerate(sums) if total is not None]
            for n, gradient in zip(named, found, strict=True):
                total = sums[n]
                if gradient is not None and total is not None:
                    place = total[:, :, spans[n]] if n < 3 else total[:, :seen] if n == 3 else total
                    place += gradient
        return None, None, *sums


def _applied(*given: Any) -> Any:
    return _Blocks.apply(*given)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] (untyped in torch)


def _lifted(call: Call) -> Call:
    """The call in the dtype of its logits: a bias must not be rounded to a narrower one."""
    q, k, v = (part.to(call.ctx.dtype) for part in (call.q, call.k, call.v))
    return replace(call, q=q, k=k, v=v)


def _bare(call: Call) -> Call:
    """The call without the graphs that its tensors hang on, and without what other layers keep."""
    q, k, v = (part.detach() for part in (call.q, call.k, call.v))
    memory = None if call.ctx.memory is None else call.ctx.memory.detach()
    return replace(call, q=q, k=k, v=v, ctx=replace(call.ctx, memory=memory), once=None)


def _first(seen: int, k: Tensor, v: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
    return k[:, :, :seen], v[:, :, :seen], None if memory is None else memory[:, :seen]


def _part(
    call: Call, block: tuple[int, int, int], q: Tensor, k: Tensor, v: Tensor, memory: Tensor | None
) -> Call:
    """The call of one block alone."""
    begin, end, seen = block
    ctx = call.ctx
    context = replace(
        ctx, q_places=ctx.q_places[:, begin:end], k_places=ctx.k_places[:, :seen], memory=memory,
        visibility=_cut(ctx.visibility, begin, end, seen), first=ctx.q_start + begin,
    )  # fmt: skip
    return replace(call, q=q, k=k, v=v, ctx=context)


def _cut(visibility: Visibility, begin: int, end: int, seen: int) -> Visibility:
    marks = (visibility.valid, visibility.documents)
    valid, documents = (None if mark is None else mark[:, :seen] for mark in marks)
    allowed = visibility.allowed
    return replace(
        visibility, valid=valid, documents=documents,
        allowed=None if allowed is None else allowed[:, begin:end, :seen],
    )  # fmt: skip
