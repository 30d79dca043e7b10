"""Laws about numbers: lengths of vectors, and what a narrow dtype costs."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands.conformance.broken import LawBroken
from clockhands.conformance.subject import REFERENCE, Subject, as_axes, require_same
from clockhands.core.attend import attend
from clockhands.core.encoding import Encoding

REACH = 4000
"""How far out dtypes are compared, tokens; bfloat16 already merges positions past 256."""


def turning_keeps_lengths(subject: Subject) -> None:
    """Queries and keys keep their length: a rotation turns, and magnitude belongs to ``score_scale``."""
    encoding = subject.encoding()
    hidden, (placed,) = subject.enter(encoding, subject.tokens(encoding), subject.positions(encoding))
    q, k, _ = subject.heads(hidden)
    for before, after, en, zh in (
        (q, encoding.queries(q, placed.table), "queries", "查询"),
        (k, encoding.keys(k, placed.table), "keys", "键"),
    ):
        require_same(
            after.norm(dim=-1), before.norm(dim=-1),
            f"it changes the length of {en}: a rotation keeps it, and magnitude goes into score_scale",
            f"它改变了{zh}的长度：旋转不改变长度，幅度应放进 score_scale",
        )  # fmt: skip


def narrow_dtypes_cost_little(subject: Subject) -> None:
    """In bfloat16, float16 and float32 each hook is as exact as its dtype, and keeps that dtype."""
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        narrow = subject.encoding(dtype)
        # The same rounded parameters, but nothing else that rounding may have touched.
        exact = subject.encoding()
        exact.load_state_dict(narrow.state_dict(), strict=False)
        _embeds_alike(subject, narrow, exact, dtype)
        _turns_alike(subject, narrow, exact, dtype)
        _weighs_alike(subject, narrow, exact, dtype)


def _places(subject: Subject, encoding: Encoding) -> Tensor:
    last = encoding.traits.max_position
    reach = REACH if last is None else min(REACH, last - 1)
    line = torch.linspace(0, reach, subject.length).long().expand(subject.batch, subject.length)
    return as_axes(encoding, line)


def _embeds_alike(subject: Subject, narrow: Encoding, exact: Encoding, dtype: torch.dtype) -> None:
    x = subject.tokens(narrow).to(dtype)
    places = _places(subject, narrow)
    _close(narrow.embed(x, places), exact.embed(x.double(), places), dtype, "embed")


def _turns_alike(subject: Subject, narrow: Encoding, exact: Encoding, dtype: torch.dtype) -> None:
    places = _places(subject, narrow)
    hidden = exact.embed(subject.tokens(exact), places)
    q, k, _ = (part.to(dtype) for part in subject.heads(hidden))
    table, exact_table = narrow.table(places), exact.table(places)
    _close(narrow.queries(q, table), exact.queries(q.double(), exact_table), dtype, "queries")
    _close(narrow.keys(k, table), exact.keys(k.double(), exact_table), dtype, "keys")


def _weighs_alike(subject: Subject, narrow: Encoding, exact: Encoding, dtype: torch.dtype) -> None:
    """With queries of zero only the bias is left in the weights, and it must not have been rounded."""
    if not narrow.overrides("bias_at"):
        return
    places = _places(subject, narrow)
    weights: list[Tensor] = []
    for encoding, kind in ((narrow, dtype), (exact, torch.float64)):
        x, (placed,) = subject.enter(encoding, subject.tokens(encoding).to(kind), places)
        q, k, v = subject.heads(x)
        made = attend(placed, torch.zeros_like(q), k, v, x=x, back_ends=REFERENCE, want_weights=True).weights
        assert made is not None
        weights.append(made)
    _close(weights[0].to(dtype), weights[1], dtype, "bias_at")


def _close(got: Tensor, wanted: Tensor, dtype: torch.dtype, hook: str) -> None:
    if got.dtype != dtype:
        raise LawBroken(
            f"{hook} makes {got.dtype} of {dtype}: it must keep the dtype of its input",
            f"{hook} 把 {dtype} 变成了 {got.dtype}：应保持输入的类型",
        )
    angle = REACH * 2.0**-23  # what float32 angles may be off by, rad
    tolerance = (4 * torch.finfo(dtype).eps + angle) * max(wanted.abs().max().item(), 1.0)
    require_same(
        got, wanted,
        f"{hook} in {dtype} is too far from float64 at positions up to {REACH}: "
        "positions and fixed tables must stay exact",
        f"{hook} 用 {dtype} 计算，在位置 {REACH} 以内与 float64 相差太大：位置和固定的表必须保持精确",
        tolerance,
    )  # fmt: skip
