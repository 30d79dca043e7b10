"""Biases on the scores: ALiBi's slopes, T5's buckets, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.probe.findings import bias as say
from clockhands.check.probe.findings import conduct as conduct
from clockhands.check.probe.findings import places as places
from clockhands.check.probe.function.asking import Asked
from clockhands.check.probe.function.bias_buckets import bucket_form
from clockhands.check.probe.function.calling import Floats, Refused, as_numbers
from clockhands.check.probe.function.study import Study
from clockhands.formulas.slopes import alibi_slopes

FEW, MANY = 23, 700
"""Tokens: a length that equals no count of heads, and one past T5's usual 128."""
MASKED = -1e4
"""Scores below this are masks and no bias."""


@dataclass(frozen=True)
class Sides:
    """A bias by distance, less that of distance 0: ``past[h, n]`` for keys n before the query, ``future``
    for keys after it, NaN where they are masked. ``steady``: whether it depends on the distance alone."""

    past: Floats
    future: Floats
    steady: bool


def some_bias(asked: Asked) -> object:
    """A small bias: whether the function can be asked for one."""
    return bias(asked, FEW, FEW)


def bias_form(study: Study) -> LayerForm:
    """What the bias is, and whether it stays so."""
    first = bias(study.asked, FEW, FEW)
    if np.isnan(first).any() or np.isposinf(first).any() or (first < MASKED).all():
        hidden = bool((first < MASKED).all())
        study.say(
            conduct.NOT_FINITE, "error", ("bias",),
            "it hides every key from every query" if hidden else "it gives numbers that are not finite",
            "它对每个查询遮住了所有的键" if hidden else "它给出非有限的数",
            ("hide only keys that are not to be seen, by a large negative number",
             "只用很大的负数遮住不该看到的键"),
        )  # fmt: skip
        return LayerForm(layers=(0,), family="other", source="measured")
    if study.asked.caller.signature.returned[0] == "cross_bias":
        return _across(study)
    if _weights(first):
        study.say(
            say.WEIGHTS, "error", ("bias",),
            "every row is positive and sums to 1: these are weights, and no bias",
            "每一行都为正且和为 1：这是注意力权重，不是偏置",
            ("return what is added to the scores: with weights among the outputs, it stands elsewhere",
             "返回加到得分上的偏置：同时返回权重时，它在别的位置"),
        )  # fmt: skip
        return LayerForm(layers=(0,), family="other", source="measured")
    form = _form(study)
    if not np.array_equal(first, bias(study.asked, FEW, FEW), equal_nan=True):
        study.say(
            places.STAYS, "error", ("key_length",),
            f"the bias of {FEW} tokens differs after a longer one was made",
            f"计算过更长的偏置之后，{FEW} 个词元的偏置变了",
            ("compute it anew for each call", "每次调用都重新计算"),
        )  # fmt: skip
    return form


def _across(study: Study) -> LayerForm:
    """Attention from ``FEW`` queries to other tokens, which have no distance: nothing may tell its
    keys apart.
    """
    whole = bias(study.asked, FEW, FEW + 8)
    off = float(np.ptp(np.where(whole < MASKED, 0.0, whole), axis=2).max())
    if off > 1e-6:
        study.say(
            say.ACROSS, "error", ("cross_bias",),
            f"keys of other tokens differ by up to {off:.4g} by their place: attention across has "
            "no distances",
            f"对另一段词元的注意力，键按位置相差最多 {off:.4g}：两段之间没有距离可言",
            ("add no bias where keys and values come from other tokens", "键和值来自另一段词元时不要加偏置"),
        )  # fmt: skip
        return LayerForm(layers=(0,), family="other", source="measured")
    return LayerForm(layers=(0,), family="none", source="measured")


def _weights(square: Floats) -> bool:
    """Whether these are what a softmax gives, and no scores."""
    moving = bool(np.ptp(square) > 0)
    return moving and bool((square >= 0).all()) and bool(np.allclose(square.sum(axis=2), 1.0, atol=1e-3))


def _form(study: Study) -> LayerForm:
    few = sides_of(bias(study.asked, FEW, FEW))
    if not few.steady:
        return LayerForm(layers=(0,), family="other", source="measured")
    if np.nan_to_num(np.abs(few.past)).max() == 0 and np.nan_to_num(np.abs(few.future)).max() == 0:
        _decoded(study)
        return LayerForm(layers=(0,), family="none", source="measured")
    slopes = slopes_of(few.past)
    if slopes is not None:
        form = _line(study, few, slopes)
    else:
        try:
            many: Sides | Refused = sides_of(bias(study.asked, MANY, MANY))
        except Refused as refusal:
            many = refusal
        form = bucket_form(study, few, many)
    _decoded(study)
    _padded(study)
    return form


def bias(asked: Asked, queries: int, keys: int, mask: Any = None) -> Floats:
    """``(heads, queries, keys)``, whatever axes came back; queries are the last of the keys."""
    caller = asked.caller
    distance = np.arange(keys - queries, keys)[:, None] - np.arange(keys)
    given = {
        "query_length": queries, "key_length": keys, "length": keys, "distance": distance,
        "relative": -distance, "num_heads": caller.heads, "head_dim": caller.head_dim,
        "mask": np.ones((1, keys), np.int64) if mask is None else mask,
        "offset": keys - queries, "positions": np.arange(keys)[None],
    }  # fmt: skip
    raw = caller.call(given)
    word = next(word for word in caller.signature.returned if word != "_")
    array = as_numbers(raw[caller.signature.returned.index(word)])
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim == 2:
        array = array[None]
    if array.ndim == 3 and array.shape[:2] == (queries, keys) and array.shape[2] != keys:
        array = np.moveaxis(array, 2, 0)
    if array.ndim != 3 or array.shape[2] != keys or array.shape[1] not in (1, queries):
        raise Refused(
            f"it gave {word} back in shape {array.shape}, and (heads, {queries}, {keys}) was expected",
            f"它返回的 {word} 形状为 {array.shape}，而应为 (heads, {queries}, {keys})",
        )
    return np.broadcast_to(array, (len(array), queries, keys)).astype(float)


def sides_of(square: Floats) -> Sides:
    """By distance, from a square bias; a constant for each query is taken off, which a softmax ignores."""
    count = square.shape[1]
    square = np.where(square < MASKED, np.nan, square)
    level = square - np.diagonal(square, axis1=1, axis2=2)[:, :, None]
    past = level[:, -1, ::-1]
    future = level[:, 0, :]
    size = np.nanmax(np.abs(level), initial=1e-9)
    steady = True
    for row in (count // 3, count // 2):
        steady = steady and _near(level[:, row, row::-1], past[:, : row + 1], size)
        steady = steady and _near(level[:, row, row:], future[:, : count - row], size)
    return Sides(past, future, steady)


def _near(one: Floats, other: Floats, size: float) -> bool:
    both = np.isnan(one) | np.isnan(other)
    return bool((np.where(both, 0.0, np.abs(one - other)) <= 1e-4 * size).all())


def slopes_of(past: Floats) -> Floats | None:
    """Slope of each head where every head is a straight line, positive where far keys lose."""
    distance = np.arange(past.shape[1])
    slopes = -past[:, -1] / distance[-1]
    line = -slopes[:, None] * distance
    size = max(float(np.abs(past).max()), 1e-9)
    return slopes if bool((np.abs(past - line) <= 1e-3 * size).all()) else None


def _line(study: Study, sides: Sides, slopes: Floats) -> LayerForm:
    if (slopes <= 0).all():
        study.say(
            say.SIGN, "error", ("bias",), f"far keys gain: the slope of head 0 is {slopes[0]:.6g}",
            f"越远的键分数越高：第 0 个头的斜率为 {slopes[0]:.6g}",
            ("subtract slope * (query position - key position)", "减去 斜率 ×（查询位置 - 键位置）"),
        )  # fmt: skip
    seen = sides.future[:, 1]
    ahead = np.nanmax(seen) if not np.isnan(seen).all() else None
    if ahead is not None and ahead > 0 and not study.causal:
        study.say(
            say.REWARDS, "error", ("bias",),
            f"a key one ahead of the query gains {ahead:.6g}, and nothing masks it",
            f"查询之后一位的键加 {ahead:.6g} 分，而没有掩码遮住它",
            ("use -slope * |distance| without a causal mask", "没有因果掩码时使用 -斜率 × |距离|"),
        )  # fmt: skip
    judge_slopes(study, np.abs(slopes))
    return LayerForm(
        layers=(0,), family="alibi", slopes=tuple(float(slope) for slope in slopes),
        bidirectional=None if ahead is None else bool(ahead < 0), source="measured",
    )  # fmt: skip


def judge_slopes(study: Study, slopes: Floats) -> None:
    """Are they those of published models, or what bugs make of them?"""
    heads = len(slopes)
    right = np.asarray(alibi_slopes(heads))
    if _alike(slopes, right):
        return
    count = np.arange(heads)
    if _alike(slopes, 2.0 ** (-8 * (count + 1) / heads)):
        study.say(
            say.ONE_SERIES, "error", ("slopes",),
            f"{heads} heads have slopes {_few(slopes)} of one series; published models have {_few(right)}",
            f"{heads} 个头的斜率 {_few(slopes)} 是一个等比数列；公开的模型是 {_few(right)}",
            ("take the power of two below, then every other slope of the power above",
             "先取不超过头数的 2 的幂，再隔一个取下一个幂的斜率"),
        )  # fmt: skip
    elif _alike(slopes, 2.0 ** (-8 * count / heads)) or _alike(slopes[1:], right[:-1]):
        study.say(
            say.FROM_ZERO, "error", ("slopes",),
            f"slopes are {_few(slopes)}, and {_few(right)} is published: the exponent starts at 0",
            f"斜率是 {_few(slopes)}，而公开的是 {_few(right)}：指数从 0 开始",
            ("let the exponent run from 1 to the number of heads", "指数应从 1 到头数"),
        )  # fmt: skip


def _alike(one: Floats, other: Floats) -> bool:
    return len(one) > 0 and bool(np.allclose(one, other, rtol=5e-3, atol=0.0))


def _few(slopes: Floats) -> str:
    return ", ".join(f"{slope:.4g}" for slope in slopes[:3]) + (" …" if len(slopes) > 3 else "")


def _decoded(study: Study) -> None:
    """One query over a cache: its row is the last row of the whole."""
    signature = study.asked.caller.signature
    if not ({"query_length", "distance", "relative"} & {argument.word for argument in signature.arguments}):
        return
    whole = bias(study.asked, FEW, FEW)[:, -1]
    try:
        row = bias(study.asked, 1, FEW)[:, 0]
    except Refused as refusal:
        study.say(
            say.DECODE, "error", ("query_length",), f"with one query over {FEW} keys {refusal.en}",
            f"一个查询对 {FEW} 个键时，{refusal.zh}",
            ("take the last query_length rows", "取最后 query_length 行"),
        )  # fmt: skip
        return
    whole, row = (np.where(each < MASKED, MASKED, each) for each in (whole, row))
    off = float(np.abs((whole - whole[:, -1:]) - (row - row[:, -1:])).max())
    if off > 1e-4 * max(float(np.abs(whole).max()), 1e-9):
        study.say(
            say.DECODE, "error", ("query_length",),
            f"the row of one query over {FEW} keys differs from the last row of the whole bias by {off:.4g}",
            f"一个查询对 {FEW} 个键的一行，与完整偏置的最后一行相差 {off:.4g}",
            ("count queries from key_length - query_length on", "查询应从 key_length - query_length 数起"),
        )  # fmt: skip


def _padded(study: Study) -> None:
    if not study.asked.caller.signature.takes("mask"):
        return
    mask = np.ones((1, FEW), np.int64)
    mask[0, :5] = 0
    whole, padded = bias(study.asked, FEW, FEW)[:, :, 5:], bias(study.asked, FEW, FEW, mask)[:, :, 5:]
    off = float(np.abs((whole - whole[:, :, -1:]) - (padded - padded[:, :, -1:])).max())
    if off > 1e-4 * max(float(np.abs(whole).max()), 1e-9):
        study.say(
            say.PADDED, "error", ("mask",),
            f"after 5 tokens of padding the bias between tokens differs by {off:.4g}",
            f"左侧填充 5 个词元后，词元之间的偏置相差 {off:.4g}",
            ("count positions by cumsum(mask) - 1, or leave them as they are",
             "位置用 cumsum(mask) - 1，或保持不变"),
        )  # fmt: skip
