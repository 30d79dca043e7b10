"""Rotation by angles that add up along the tokens."""

from __future__ import annotations

from torch import Tensor

from clockhands import formulas
from clockhands.core.context import Context
from clockhands.formulas.layouts import Layout
from clockhands.schemes.forgetting import running_sums


def walked_logits(q: Tensor, k: Tensor, steps: Tensor, ctx: Context, layout: Layout) -> Tensor:
    """Logits of queries and keys turned by all steps up to them, ``(b, h, tq, tk)`` in ``ctx.dtype``.

    q      ``(b, h, tq, hd)``; k ``(b, h, tk, hd)``, one key head a query head
    steps  ``(b, tk, h, hd / 2)``, rad: how far each token turns each hand of each head

    Angles add up in float64 (float32 on devices without it); cos and sin are cast last.
    """
    angle = running_sums(steps.flatten(2), ctx).view(steps.shape).transpose(1, 2)
    cos, sin = angle.cos().to(ctx.dtype), angle.sin().to(ctx.dtype)
    of_queries = slice(ctx.q_start, ctx.q_start + q.shape[2])
    turned_q = formulas.rotate(q.to(ctx.dtype), cos[:, :, of_queries], sin[:, :, of_queries], layout)
    turned_k = formulas.rotate(k.to(ctx.dtype), cos, sin, layout)
    return (turned_q @ turned_k.transpose(-1, -2)) * ctx.scale
