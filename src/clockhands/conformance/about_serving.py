"""Laws about how attention is called: caches, back ends, heads, rows, padding, packing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor

from clockhands import positions as place
from clockhands.conformance.broken import LawBroken
from clockhands.conformance.subject import REFERENCE, Subject, as_axes, moved, require_same
from clockhands.core.attend import Placed, attend, explain_back_end
from clockhands.core.back_ends import WHOLE_ROWS, BackEnd, Dense, Sdpa
from clockhands.core.blocked import Blocked
from clockhands.core.cache import LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.flex import FlexAttention
from clockhands.core.visibility import CAUSAL, Visibility

# Blocks of a few queries each, so that there is more than one.
FUSED: tuple[BackEnd, ...] = (
    FlexAttention(compiled=False, min_queries=0), Sdpa(),
    Blocked(Sdpa(), cells=600, least=0), Blocked(Dense(), cells=600, least=0),
)  # fmt: skip


def decode_equals_prefill(subject: Subject) -> None:
    """Reading a text in chunks with a cache gives what reading it at once gives.

    Where frequencies depend on the length, earlier outputs were made for a shorter text and rightly differ;
    the last chunk must agree.
    """
    encoding = subject.encoding()
    x, positions = subject.tokens(encoding), subject.positions(encoding)
    whole = subject.output(encoding, x, positions)
    sizes = [5, 1, 3, 1, 1, subject.length - 11]
    cache, outputs = LayerCache(), list[Tensor]()
    for part, where in zip(x.split(sizes, dim=1), positions.split(sizes, dim=1), strict=True):
        outputs.append(subject.output(encoding, part, where, cache=cache))
    compared = sizes[-1] if encoding.traits.length_dependent else subject.length
    require_same(
        torch.cat(outputs, dim=2)[:, :, -compared:], whole[:, :, -compared:],
        "decoding in chunks with a cache differs from reading the text at once",
        "用缓存分段解码，与一次读完整段文本的结果不同",
    )  # fmt: skip


def fused_equals_dense(subject: Subject) -> None:
    """Each back end that can run here gives the dense reference's output, under masks of every kind."""
    encoding = subject.encoding()
    hidden, (placed,) = subject.enter(encoding, subject.tokens(encoding), subject.positions(encoding))
    with torch.no_grad():
        for visibility, num_kv_heads in _masks_and_heads(subject, encoding):
            q, k, v = subject.heads(hidden, subject.projections(num_kv_heads))
            fused = [back_end for back_end in FUSED if _runs(placed, q, k, v, visibility, hidden, back_end)]
            if not fused:
                continue
            call = partial(attend, placed, q, k, v, visibility=visibility, x=hidden)
            dense = call(back_ends=REFERENCE).output
            for back_end in fused:
                require_same(
                    call(back_ends=(back_end,)).output, dense,
                    f"the back end {back_end.name} differs from the dense reference",
                    f"后端 {back_end.name} 与逐步计算的参考结果不同",
                )  # fmt: skip


def _masks_and_heads(subject: Subject, encoding: Encoding) -> Iterator[tuple[Visibility, int]]:
    """Plainly causal; without it where the encoding is made for that, or its rows are cut into blocks; all
    marks and a window at once.

    With key heads of their own and with shared ones, not each under each mask: kernels are slow to try.
    """
    own, shared = subject.sizes.num_heads, subject.sizes.num_kv_heads
    valid = torch.ones((subject.batch, subject.length), dtype=torch.bool)
    valid[1, :3] = False
    documents = torch.arange(subject.length).expand(valid.shape) // 6
    combined = Visibility(valid=valid, documents=documents, window=4)
    yield CAUSAL, shared
    if encoding.traits.bidirectional or any(map(encoding.overrides, WHOLE_ROWS)):
        yield Visibility(causal=False), own
    yield combined, own
    yield combined, shared


def _runs(
    placed: Placed, q: Tensor, k: Tensor, v: Tensor, visibility: Visibility, x: Tensor, how: BackEnd
) -> bool:
    if isinstance(how, FlexAttention) and not placed.encoding.overrides("bias_at"):
        return False  # it would differ from SDPA by nothing of the encoding's own, and it is slow to try
    choice = explain_back_end(placed, q, k, v, visibility=visibility, x=x, back_ends=(how,))
    return choice.taken == how.name


def grouped_equals_repeated(subject: Subject) -> None:
    """Query heads that share a key head give what repeating that key head gives."""
    encoding = subject.encoding()
    hidden, (placed,) = subject.enter(encoding, subject.tokens(encoding), subject.positions(encoding))
    q, k, v = subject.heads(hidden, subject.projections(subject.sizes.num_kv_heads))
    group = subject.sizes.num_heads // subject.sizes.num_kv_heads
    grouped = attend(placed, q, k, v, x=hidden, back_ends=REFERENCE).output
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    require_same(
        grouped, attend(placed, q, k, v, x=hidden, back_ends=REFERENCE).output,
        "with grouped-query attention its output differs from that with repeated key heads",
        "分组查询注意力的结果，与把键头重复后的结果不同",
    )  # fmt: skip


def rows_are_independent(subject: Subject) -> None:
    """A row of a batch gives what it gives alone, whatever its neighbours' tokens and positions are.

    Positions said once for all rows give what they give said of each row; random places would be drawn anew.
    """
    encoding = subject.encoding()
    x, plain = subject.tokens(encoding), subject.positions(encoding)
    positions = torch.cat((plain[:1], moved(plain[1:], 4, 3)))  # a mere shift would not show
    together = subject.output(encoding, x, positions)
    for row in range(2):
        require_same(
            subject.output(encoding, x[row : row + 1], positions[row : row + 1]), together[row : row + 1],
            "a row of a batch gives something else than alone: something passes from row to row",
            "批次中的一行与单独计算的结果不同：行与行之间互相影响",
        )  # fmt: skip
    if not encoding.overrides("place"):
        require_same(
            subject.output(encoding, x, plain[:1]), subject.output(encoding, x, plain),
            "positions said once for all rows give something else than the same positions said of each row",
            "位置对所有行只给一次时，与逐行给出同样的位置结果不同",
        )  # fmt: skip


def calls_leave_no_trace(subject: Subject) -> None:
    """An earlier call, of this instance or another, at other lengths, places and dtypes, changes nothing."""
    encoding = subject.encoding()
    x, positions = subject.tokens(encoding), subject.positions(encoding)
    first = subject.output(encoding, x, positions)
    used, other = subject.encoding(), subject.encoding(torch.bfloat16)
    subject.output(used, x, moved(positions, 4, 3))
    subject.output(used, x[:, :7], positions[:, :7])
    subject.output(other, x.bfloat16(), subject.positions(other))
    require_same(
        subject.output(used, x, positions), first,
        "what it computed before changes what it computes now: something is kept between calls",
        "之前的计算改变了现在的结果：它在两次调用之间保存了东西",
    )  # fmt: skip


def padding_equals_none(subject: Subject) -> None:
    """A row padded on the left gives what it gives alone; padding itself gives finite numbers."""
    encoding = subject.encoding()
    x, pad = subject.tokens(encoding), 6
    valid = torch.ones(x.shape[:2], dtype=torch.bool)
    valid[1, :pad] = False
    positions = as_axes(encoding, place.from_mask(valid))
    output = subject.output(encoding, x, positions, visibility=Visibility(valid=valid))
    if not output.isfinite().all():
        raise LawBroken(
            "padding that sees nothing gives numbers that are not finite: they must be zeros",
            "什么都看不到的填充位置给出了非有限的数：应当为零",
        )
    alone = subject.output(encoding, x[1:, pad:], subject.positions(encoding, subject.length - pad)[1:])
    require_same(
        output[1:, :, pad:], alone,
        "a row padded on the left differs from the same row alone: padding leaks",
        "左侧填充后的结果与不填充时不同：填充泄漏了",
    )  # fmt: skip


def packed_equals_separate(subject: Subject) -> None:
    """Documents packed into one row give what they give in rows of their own."""
    encoding = subject.encoding()
    x, first = subject.tokens(encoding), 6
    documents = (torch.arange(subject.length) >= first).long().expand(x.shape[:2])
    positions = as_axes(encoding, place.from_documents(documents))
    packed = subject.output(encoding, x, positions, visibility=Visibility(documents=documents))
    parts = (x[:, :first], x[:, first:])
    separate = [subject.output(encoding, part, subject.positions(encoding, part.shape[1])) for part in parts]
    require_same(
        packed, torch.cat(separate, dim=2),
        "documents packed into one row differ from the same documents apart",
        "多篇文档拼在一行时，与分开计算的结果不同",
    )  # fmt: skip
