"""Queries and keys turned together: one pass over memory, forward and backward, as operators of torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout, require_layout
from clockhands.kernels.heads import Turn, kernel_for, readable


def turn(
    q: Tensor,
    k: Tensor,
    cos: Tensor,
    sin: Tensor,
    layout: Layout = "half",
    *,
    start: int = 0,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """``formulas.rotate`` of queries and keys at once; the same numbers, and the same gradients.

    q         ``(b, h, t, hd)``; k ``(b, hk, t, hd)``, of the same dtype; any strides
    cos, sin  ``(b or 1, t, pairs)``, a row for each token; no gradient goes to them
    start     the first dimension that turns; those before it and behind ``2 * pairs`` stay as they are
    out       where the results go: q and k themselves, which turn in place, or tensors like them that overlap
              neither. None: new memory. Results that are written somewhere can't be differentiated

    Where no kernel fits, the readable formula computes it. Raises ClockhandsError for shapes and dtypes that
    don't fit together, and for ``out`` where a gradient is wanted or numbers of it share a place in memory.

    >>> one = torch.tensor([[[[1.0, 2.0]]]])
    >>> turn(one, one, torch.zeros(1, 1, 1), torch.ones(1, 1, 1))[0].tolist()
    [[[[-2.0, 1.0]]]]
    """
    require_fit(q, k, cos, sin, layout, start)
    dtype = torch.promote_types(q.dtype, torch.float32)
    cos, sin = cos.detach().to(dtype), sin.detach().to(dtype)
    if out is None:
        return turned(q, k, cos, sin, layout, start)
    _require_out(q, k, out)
    if out[0] is q and out[1] is k:
        turn_in_place(q, k, cos, sin, layout, start)
    else:
        turn_into(q, k, cos, sin, layout, start, *out)
    return out


@torch.library.custom_op("clockhands::turned", mutates_args=())
def turned(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, layout: str, start: int) -> tuple[Tensor, Tensor]:
    """The operator behind ``turn``: results in new memory, laid out as q and k are."""
    both = torch.empty_like(q), torch.empty_like(k)
    _compute(q, k, cos, sin, layout, start, both)
    return both


@torch.library.custom_op("clockhands::turn_into", mutates_args=("q_out", "k_out"))
def turn_into(
    q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, layout: str, start: int, q_out: Tensor, k_out: Tensor
) -> None:
    """Results in memory that is there already."""
    _compute(q, k, cos, sin, layout, start, (q_out, k_out))


@torch.library.custom_op("clockhands::turn_in_place", mutates_args=("q", "k"))
def turn_in_place(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, layout: str, start: int) -> None:
    """Results in the memory of q and k."""
    _compute(q, k, cos, sin, layout, start, (q, k))


@turned.register_fake
def _(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, layout: str, start: int) -> tuple[Tensor, Tensor]:
    return torch.empty_like(q), torch.empty_like(k)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, _, cos, sin, ctx.layout, ctx.start = inputs
    ctx.save_for_backward(cos, sin)
    ctx.set_materialize_grads(False)


def _backward(ctx: Any, of_q: Tensor | None, of_k: Tensor | None) -> tuple[Tensor | None, ...]:
    """The gradient turned back: by the same angles with the opposite sign."""
    cos, sin = ctx.saved_tensors
    given = of_q if of_q is not None else of_k
    if given is None:
        return (None,) * 6
    nothing = given[:, :0]
    q, k = turned(
        nothing if of_q is None else of_q, nothing if of_k is None else of_k, cos, -sin, ctx.layout, ctx.start
    )
    return None if of_q is None else q, None if of_k is None else k, None, None, None, None


turned.register_autograd(_backward, setup_context=_keep)


def _compute(
    q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, layout: Any, start: int, out: tuple[Tensor, Tensor]
) -> None:
    turns = [Turn(_side_by_side(x), to) for x, to in zip((q, k), out, strict=True)]
    kernel = kernel_for(q.device.type)
    if kernel is not None and kernel.refusal(turns, layout) is None:
        kernel.turn(turns, cos, sin, layout, start)
        return
    for x, to in turns:
        to.copy_(readable(x, cos, sin, layout, start))


def _side_by_side(x: Tensor) -> Tensor:
    """x, or a copy if the numbers of one head are scattered: gradients may come in any order."""
    return x if x.stride(-1) == 1 or x.shape[-1] < 2 else x.contiguous()


def require_fit(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, layout: str, start: int) -> None:
    """Shapes, dtypes and layout of ``turn``."""
    require_layout(layout)
    fit = (
        q.ndim == k.ndim == 4 and q.dtype == k.dtype and q.is_floating_point()
        and (q.shape[0], *q.shape[2:]) == (k.shape[0], *k.shape[2:])
        and cos.shape == sin.shape and cos.ndim == 3
        and cos.shape[0] in (1, q.shape[0]) and cos.shape[1] == q.shape[2]
        and start >= 0 and start + 2 * cos.shape[2] <= q.shape[3]
    )  # fmt: skip
    if not fit:
        shapes = ", ".join(f"{name} {tuple(x.shape)}" for name, x in (("q", q), ("k", k), ("cos", cos)))
        raise ClockhandsError(
            f"{shapes} and start {start} don't fit: give q (b, h, t, hd) and k (b, hk, t, hd) of one real "
            "dtype, cos and sin (b or 1, t, pairs), and start + 2 * pairs of hd at most",
            f"{shapes}、start {start} 对不上：q 应为 (b, h, t, hd)，k 应为 (b, hk, t, hd)，实数类型相同；"
            "cos 和 sin 应为 (b 或 1, t, pairs)；start + 2 * pairs 不能超过 hd",
        )


def _require_out(q: Tensor, k: Tensor, out: tuple[Tensor, Tensor]) -> None:
    if out[0].numel() and out[1].numel() and out[0].data_ptr() == out[1].data_ptr():
        raise ClockhandsError(
            "both tensors of out begin at the same place in memory, and each needs its own: give two clones",
            "out 的两个张量从内存的同一处开始，而它们各要一处：请给出两个张量，例如用 clone 复制",
        )
    if torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, *out)):
        raise ClockhandsError(
            "results that are written into given memory can't be differentiated, and an input requires a "
            "gradient: leave out away, or compute within torch.no_grad()",
            "写入已有内存的结果不能求导，而有输入需要梯度：请不给 out，或在 torch.no_grad() 中计算",
        )
    for x, to in zip((q, k), out, strict=True):
        if x.shape != to.shape or x.dtype != to.dtype or x.device != to.device:
            raise ClockhandsError(
                f"out is {tuple(to.shape)} {to.dtype}, and the result {tuple(x.shape)} {x.dtype}: "
                "give tensors like q and k",
                f"out 是 {tuple(to.shape)} {to.dtype}，而结果是 {tuple(x.shape)} {x.dtype}："
                "请给出与 q、k 相同的张量",
            )
        if any(step == 0 and size > 1 for step, size in zip(to.stride(), to.shape, strict=True)):
            raise ClockhandsError(
                f"out has strides {to.stride()}: several of its numbers lie in one place in memory, so give "
                "tensors with a place for each, such as clones",
                f"out 的步长是 {to.stride()}：有几个数在内存里是同一处。"
                "请给出每个数各占一处的张量，例如用 clone 复制",
            )
