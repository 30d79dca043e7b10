"""Queries and keys turned together on a GPU, written in Triton: one launch for both.

A program takes some tokens of one head. Cosines and sines come from a table, which has a row for each token
and is read once for each head, or are computed on the fly from the position of each token and the speed of
each pair. Positions may be any.

On the fly a speed is the part of a turn that a token makes, in units of 2^-64 turns. The product with a
position is taken in integers that wrap around, so that whole turns fall away exactly, and its upper half is
the phase: it errs by ``position * 2^-65 + 2^-32`` turns, wherever the token is. The float32 angle made of it
has three roundings of numbers up to pi. Cosines are within ``ON_THE_FLY`` of those of a float64 table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from clockhands.formulas.layouts import Layout
from clockhands.kernels.heads import Turn
from clockhands.language import Text

NUMBERS = 4096
"""Numbers that a program holds, about: a tile of tokens by pairs."""
DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
ON_THE_FLY = 1e-6
"""No cosine or sine computed on the fly errs more, for positions below 2^31: 3 * pi * 2^-24 = 5.6e-7 rad of
the angle, as much as 2.5e-7 of a part of a position, and the function's own 1.2e-7."""
RADIANS = tl.constexpr(1.4629180792671596e-09)
"""2 pi / 2^32."""


def refusal(turns: Sequence[Turn], layout: Layout) -> Text | None:
    """Why the kernel can't do it, None if it can."""
    for x, out in turns:
        if x.dtype not in DTYPES:
            return Text(f"there is no kernel for {x.dtype}", f"没有适用于 {x.dtype} 的算子")
        if any(part.shape[-1] > 1 and part.stride(-1) != 1 for part in (x, out)):
            return Text("the numbers of a head don't lie side by side", "同一个头的数在内存里不相邻")
    return None


def turn(turns: Sequence[Turn], cos: Tensor, sin: Tensor, layout: Layout, start: int) -> None:
    """Turn dimensions ``start`` to ``start + 2 * pairs`` of each head; the others are carried over.

    cos, sin  ``(b or 1, t, pairs)``, float64 for float64 heads and else float32
    """
    cos, sin = cos.contiguous(), sin.contiguous()
    steps = cos.stride(0) if cos.shape[0] > 1 else 0, cos.stride(1)
    _launch(turns, (cos, sin, cos, cos), steps, layout, start, cos.shape[-1], ON_THE_FLY=False, PARTS=False)


def turn_at(
    turns: Sequence[Turn], places: Tensor, speeds: Tensor, layout: Layout, start: int, backwards: bool
) -> None:
    """The same by angles that are computed on the fly.

    places     ``(b or 1, t)``, integers or float64
    speeds     ``(pairs,)`` float64, rad / token
    backwards  turn by the opposite angles
    """
    speeds = -speeds if backwards else speeds
    turned = speeds / (2 * torch.pi)
    turned = turned - turned.round()  # from -0.5 to 0.5, and half a turn is the same both ways
    units = (torch.where(turned == 0.5, -turned, turned) * 2.0**64).to(torch.int64)
    whole = places.floor().to(torch.int64)
    parts = places.is_floating_point()
    rest = (places - whole).float() if parts else whole
    steps = whole.shape[1] if whole.shape[0] > 1 else 0, 1
    given = (rest.contiguous(), speeds.float(), whole.contiguous(), units)
    _launch(turns, given, steps, layout, start, len(speeds), ON_THE_FLY=True, PARTS=parts)


def _launch(
    turns: Sequence[Turn], tables: tuple[Tensor, ...], steps: tuple[int, int], layout: Layout, start: int,
    pairs: int, **how: bool,
) -> None:  # fmt: skip
    (q, q_out), (k, k_out) = turns
    b, heads, t, width = q.shape
    heads_of_k = k.shape[1]
    if not b * t * width * (heads + heads_of_k):
        return
    wide = triton.next_power_of_2(max(pairs, 1))
    tokens = min(triton.next_power_of_2(t), max(1, NUMBERS // (2 * wide)))
    in_place = all(x.data_ptr() == out.data_ptr() for x, out in turns)
    grid = (triton.cdiv(t, tokens), heads + heads_of_k, b)
    with torch.cuda.device_of(q):
        launch: Any = _turned[grid]
        launch(
            q, q_out, k, k_out, *tables,
            *q.stride()[:3], *q_out.stride()[:3], *k.stride()[:3], *k_out.stride()[:3],
            *steps, heads, t, **how, INTERLEAVED=layout == "interleaved", TOKENS=tokens, PAIRS=wide,
            pairs=pairs, start=start, width=width,
            REST=0 if in_place or width == 2 * pairs else triton.next_power_of_2(width),
            enable_fp_fusion=False,  # the roundings of the readable formula: memory is the limit, not these
        )  # fmt: skip


@triton.jit
def _turned(
    q, q_out, k, k_out, cos, sin, places, units,
    q_b, q_h, q_t, q_out_b, q_out_h, q_out_t,
    k_b, k_h, k_t, k_out_b, k_out_h, k_out_t,
    table_b, table_t, heads, t,
    ON_THE_FLY: tl.constexpr, PARTS: tl.constexpr,
    INTERLEAVED: tl.constexpr, TOKENS: tl.constexpr, PAIRS: tl.constexpr, REST: tl.constexpr,
    pairs: tl.constexpr, start: tl.constexpr, width: tl.constexpr,
):  # fmt: skip
    """One tile of one head; heads of k come after those of q.

    On the fly cos and sin are the rests of places behind whole numbers, and the speeds in float32.
    """
    token = (tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)).to(tl.int64)[:, None]
    head, row = tl.program_id(1).to(tl.int64), tl.program_id(2).to(tl.int64)
    if head < heads:
        source = q + row * q_b + head * q_h + token * q_t
        target = q_out + row * q_out_b + head * q_out_h + token * q_out_t
    else:
        source = k + row * k_b + (head - heads) * k_h + token * k_t
        target = k_out + row * k_out_b + (head - heads) * k_out_h + token * k_out_t
    pair = tl.arange(0, PAIRS)[None, :]
    there = (token < t) & (pair < pairs)
    at = row * table_b + token * table_t
    if ON_THE_FLY:
        unit = tl.load(units + pair, pair < pairs, 0)
        phase = tl.load(places + at, token < t, 0) * unit
        angle = (phase >> 32).to(tl.int32).to(tl.float32) * RADIANS
        if PARTS:
            angle += tl.load(cos + at, token < t, 0.0) * tl.load(sin + pair, pair < pairs, 0.0)
        c, s = tl.cos(angle), tl.sin(angle)
    else:
        c, s = tl.load(cos + at + pair, there, 0.0), tl.load(sin + at + pair, there, 0.0)
    if INTERLEAVED:  # one load of both, for neighbours in memory should be neighbours in registers
        both = tl.arange(0, 2 * PAIRS)[None, :]
        all_there = (token < t) & (both < 2 * pairs)
        found = tl.load(source + start + both, all_there, 0.0).to(c.dtype)
        u, v = tl.split(tl.reshape(found, (TOKENS, PAIRS, 2)))
    else:
        u = tl.load(source + start + pair, there, 0.0).to(c.dtype)
        v = tl.load(source + start + pairs + pair, there, 0.0).to(c.dtype)
    new_u, new_v = u * c - v * s, v * c + u * s
    kind = q.dtype.element_ty
    if REST > 0:
        place = tl.arange(0, REST)[None, :]
        rest = (token < t) & (place < width) & ((place < start) | (place >= start + 2 * pairs))
        tl.store(target + place, tl.load(source + place, rest, 0.0), rest)
    if INTERLEAVED:
        woven = tl.reshape(tl.join(new_u, new_v), (TOKENS, 2 * PAIRS))
        tl.store(target + start + both, woven.to(kind), all_there)
    else:
        tl.store(target + start + pair, new_u.to(kind), there)
        tl.store(target + start + pairs + pair, new_v.to(kind), there)
