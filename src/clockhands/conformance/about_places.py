"""Laws about where tokens are: gaps, shifts, the future, and whether position matters, on either side."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from clockhands.conformance.broken import LawBroken
from clockhands.conformance.subject import Subject, as_axes, moved, require_different, require_same
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility

GAP = 5
FAR = (400, 600)
"""Two distances, tokens, that a scheme without a horizon must still tell apart."""

ALL_SEE = Visibility(causal=False)


def gap_is_seen(subject: Subject) -> None:
    """A gap in the positions is seen, or provably ignored.

    Slots are the same with and without the gap, so this is what catches a scheme that reads slots instead of
    positions; a constant shift, a cache or a longer text does not.
    """
    encoding = subject.encoding()
    x, whole = subject.tokens(encoding), subject.positions(encoding)
    middle = subject.length // 2
    plain = subject.output(encoding, x, whole)
    gapped = moved(whole, middle, GAP)
    seen = subject.output(encoding, x, gapped)
    if encoding.traits.reads != "positions":
        require_same(
            seen, plain,
            f"it says that it reads {encoding.traits.reads}, but a gap in the positions changes its output",
            f"它声明读取的是 {encoding.traits.reads}，但位置中间空出一段后输出变了",
        )  # fmt: skip
        return
    for axis in range(encoding.axes or 1):
        on_axis = gapped if encoding.axes is None else moved(whole, middle, GAP, axis)
        name = "" if encoding.axes is None else f" on axis {axis}"
        require_different(
            subject.output(encoding, x, on_axis)[:, :, middle:], plain[:, :, middle:],
            f"a gap of {GAP} in the positions{name} changes nothing: does it read slots, not positions?",
            f"位置中间空出 {GAP} 个后输出不变：它是不是读了张量下标而不是位置？",
        )  # fmt: skip
    _gap_is_hidden_tokens(subject, encoding, seen, x, middle)


def _gap_is_hidden_tokens(
    subject: Subject, encoding: Encoding, gapped: Tensor, x: Tensor, middle: int
) -> None:
    """Skipping positions must equal having tokens there that nobody may look at."""
    hidden = subject.tokens(encoding, GAP, seed=5)
    longer = torch.cat((x[:, :middle], hidden, x[:, middle:]), dim=1)
    valid = torch.ones(longer.shape[:2], dtype=torch.bool)
    valid[:, middle : middle + GAP] = False
    positions = subject.positions(encoding, subject.length + GAP)
    output = subject.output(encoding, longer, positions, visibility=Visibility(valid=valid))
    require_same(
        output[:, :, middle + GAP :], gapped[:, :, middle:],
        "tokens after a gap in the positions differ from the same tokens after hidden ones",
        "位置空出一段之后的词元，与前面换成被遮住的词元时结果不同",
    )  # fmt: skip


def shift_changes_nothing(subject: Subject) -> None:
    """A relative scheme gives the same output wherever the text starts, on each axis of its positions."""
    encoding = subject.encoding()
    x = subject.tokens(encoding)
    start = subject.farthest(encoding, 1000)
    require_same(
        subject.output(encoding, x, subject.positions(encoding, start=start)),
        subject.output(encoding, x, subject.positions(encoding)),
        f"it says that it is relative, but starting at {start} instead of 0 changes its output",
        f"它声明是相对位置编码，但把起点从 0 换成 {start} 后输出变了",
    )
    for axis in range(encoding.axes or 0):
        places = _scattered(subject, encoding)
        require_same(
            subject.output(encoding, x, moved(places, 0, start, axis)),
            subject.output(encoding, x, places),
            f"it says that it is relative, but moving all positions by {start} on axis {axis} alone "
            "changes its output",
            f"它声明是相对位置编码，但所有位置只在轴 {axis} 上平移 {start} 后，输出变了",
        )


def _scattered(subject: Subject, encoding: Encoding) -> Tensor:
    """Positions that differ between axes and lie on no line: on one line any rotation is relative."""
    line = subject.positions(encoding)
    return line * (2 * torch.arange(line.shape[-1]) + 1) % subject.length


def future_changes_nothing(subject: Subject) -> None:
    """Under a causal mask no output depends on later tokens."""
    encoding = subject.encoding()
    x, positions = subject.tokens(encoding), subject.positions(encoding)
    middle = subject.length // 2
    other = x.clone()
    other[:, middle:] += 1
    require_same(
        subject.output(encoding, other, positions)[:, :, :middle],
        subject.output(encoding, x, positions)[:, :, :middle],
        "changing later tokens changes earlier outputs, in spite of the causal mask",
        "有因果掩码，但改动后面的词元会影响前面的输出",
    )


def position_matters(subject: Subject) -> None:
    """Two earlier tokens that change places are noticed, near and up to the horizon."""
    encoding = subject.encoding()
    for near, far in _distances(encoding):
        _notices_swap(subject, encoding, near, far)


def both_sides_matter(subject: Subject) -> None:
    """Without a causal mask two later tokens that change places are noticed too, and so are sides."""
    encoding = subject.encoding()
    for near, far in _distances(encoding):
        _notices_swap_ahead(subject, encoding, near, far)
    _knows_sides(subject, encoding)


def _distances(encoding: Encoding) -> Iterator[tuple[int, int]]:
    """Pairs of distances from a query, tokens, that it must tell apart."""
    horizon, last = encoding.traits.horizon, encoding.traits.max_position
    yield 1, 2 if horizon is None else min(2, horizon)
    near, far = FAR if horizon is None else (horizon // 2, horizon)
    if near > 0 and (last is None or far < last):
        yield near, far


def _notices_swap(subject: Subject, encoding: Encoding, near: int, far: int) -> None:
    """Three tokens: two at these distances from the last one. Its output must change if they swap."""
    x = subject.tokens(encoding, 3)
    line = torch.tensor([0, far - near, far]).expand(subject.batch, 3)
    positions = as_axes(encoding, line)
    swapped = x[:, [1, 0, 2]]
    require_different(
        subject.output(encoding, x, positions)[:, :, -1],
        subject.output(encoding, swapped, positions)[:, :, -1],
        f"tokens {near} and {far} behind a query can change places unnoticed: "
        "give its traits the horizon it has, or make position matter",
        f"距离查询 {near} 和 {far} 的两个词元互换位置，它看不出来："
        "请在 traits 里写明 horizon，或让位置起作用",
        tolerance=1e-12,
    )


def _notices_swap_ahead(subject: Subject, encoding: Encoding, near: int, far: int) -> None:
    """The same with the two after the first one, which sees them."""
    x = subject.tokens(encoding, 3)
    positions = as_axes(encoding, torch.tensor([0, near, far]).expand(subject.batch, 3))
    require_different(
        subject.output(encoding, x, positions, visibility=ALL_SEE)[:, :, 0],
        subject.output(encoding, x[:, [0, 2, 1]], positions, visibility=ALL_SEE)[:, :, 0],
        f"tokens {near} and {far} ahead of a query can change places unnoticed: "
        "set the trait bidirectional to False if it is made for a causal mask only",
        f"查询之后距离 {near} 和 {far} 的两个词元互换位置，它看不出来："
        "如果只用于有因果掩码的注意力，请把 traits 的 bidirectional 设为 False",
        tolerance=1e-12,
    )


def _knows_sides(subject: Subject, encoding: Encoding) -> None:
    """A query amid a line that is turned around notices it, unless it says that sides look alike."""
    middle = subject.length // 2
    x = subject.tokens(encoding, 2 * middle - 1)
    positions = subject.positions(encoding, 2 * middle - 1)
    plain = subject.output(encoding, x, positions, visibility=ALL_SEE)[:, :, middle - 1]
    turned = subject.output(encoding, x.flip(1), positions, visibility=ALL_SEE)[:, :, middle - 1]
    if encoding.traits.mirrored:
        require_same(
            turned, plain,
            "it says that both sides look alike, but without a causal mask it tells left from right: "
            "set the trait mirrored to False",
            "它声明前后看起来一样，但没有因果掩码时它分得出左右：请把 traits 的 mirrored 设为 False",
        )  # fmt: skip
        return
    require_different(
        turned, plain,
        "without a causal mask it can't tell left from right: set the trait mirrored to True",
        "没有因果掩码时它分不出左右：请把 traits 的 mirrored 设为 True",
    )  # fmt: skip


def stays_finite(subject: Subject) -> None:
    """Far out, numbers stay finite, in float32 and in float16."""
    for dtype in (torch.float32, torch.float16):
        encoding = subject.encoding(dtype)
        start = subject.farthest(encoding, 10**6)
        x = subject.tokens(encoding).to(dtype)
        output = subject.output(encoding, x, subject.positions(encoding, start=start))
        if not output.isfinite().all():
            raise LawBroken(
                f"at position {start} its output in {dtype} is not finite: give its traits a max_position",
                f"在位置 {start}，它的 {dtype} 输出不再是有限的数：请在 traits 里写明 max_position",
            )
