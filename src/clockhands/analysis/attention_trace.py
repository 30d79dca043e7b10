"""Attention as the page takes it: queries, keys and the log-sum-exp of each row, never the map itself.

A map of n tokens has n² weights a head; queries and keys have 2·n·hd numbers, and any weight follows from
them: ``exp(scale · <q_i, k_j> + bias(i − j) − lse_i)``. So 4,096 tokens and 12 heads of 64 take 13 MB, not
800. Schemes whose logits are no such sum (Shaw, CoPE, stick-breaking) keep their weights instead.

>>> ones = np.ones((1, 1, 2, 4))
>>> weights_of(sentence(["a", "b"], ones, ones), 0, 0).round(3).tolist()
[[1.0, 0.0], [0.5, 0.5]]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.errors import ClockhandsError
from clockhands.language import Text

Floats: TypeAlias = NDArray[Any]

WORD, SPECIAL, PADDING = 0, 1, 2
"""What a token is: text, a sign such as ``<bos>``, or padding."""

WORST = 1e-3
"""How far a weight computed from what is kept may be from the model's own."""

ROWS = 256  # rows of logits made at a time
CHECKED = 512  # rows of each head that are looked at where no weights of the model are given


@dataclass(frozen=True)
class Sentence:
    """One text as every layer and head of a model looks at it.

    name       of the run that it comes from, where a page holds several
    tokens     labels, one a token; repeated ones are different tokens
    ids        ``(t,)`` of the vocabulary, or empty
    positions  ``(t,)`` integers, as the scheme was given them
    spans      ``(start, end)`` of each token in ``text``, or empty
    words      ``(start, end)`` of the words of ``text``, by which tokens may be joined; or empty
    marks      ``(t,)``: 0 text, 1 a special token, 2 padding
    causal     no token sees a later one
    scale      what the dot product is multiplied by, one a layer
    q, k       ``(layers, heads, t, hd)``, ``(layers, kv_heads, t, hd)`` after turning; None with ``weights``
    lse        ``(layers, heads, t)``: log of the sum of ``exp(logits)`` over the keys that a query sees
    bias       ``(layers, heads, 2t − 1)`` added at the distances ``1 − t … t − 1`` (query − key); or None
    weights    ``(layers, heads, t, t)`` where q and k can't tell them; else None
    error      largest distance of a weight computed from these to the model's own, or (where those weren't
               given) to what q and k give before rounding, over 512 queries a head at most
    """

    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    positions: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    marks: tuple[int, ...]
    text: str
    causal: bool
    scale: tuple[float, ...]
    q: Floats | None
    k: Floats | None
    lse: Floats | None
    bias: Floats | None
    weights: Floats | None
    error: float
    name: Text | None = None
    words: tuple[tuple[int, int], ...] = ()

    @property
    def layers(self) -> int:
        return self._shaped.shape[0]

    @property
    def heads(self) -> int:
        return self._shaped.shape[1]

    @property
    def _shaped(self) -> Floats:
        found = self.q if self.weights is None else self.weights
        assert found is not None
        return found


@dataclass(frozen=True)
class AttentionRun:
    """What ``clockhands page --attention`` shows: a title and the sentences."""

    title: Text
    sentences: tuple[Sentence, ...]


def joined(runs: Sequence[AttentionRun]) -> AttentionRun:
    """Several runs as one, each sentence named by its run: the same text with and without positions, say."""
    if len(runs) == 1:
        return runs[0]
    titles = [run.title for run in runs]
    title = Text(" · ".join(each.en for each in titles), " · ".join(each.zh for each in titles))
    return AttentionRun(
        title, tuple(_replaced(one, name=one.name or run.title) for run in runs for one in run.sentences)
    )


def sentence(
    tokens: Sequence[str],
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    scale: float | Sequence[float] | None = None,
    bias: ArrayLike | None = None,
    causal: bool = True,
    ids: Sequence[int] = (),
    positions: Sequence[int] | None = None,
    spans: Sequence[tuple[int, int]] = (),
    marks: Sequence[int] | None = None,
    text: str = "",
    words: Sequence[tuple[int, int]] = (),
) -> Sentence:
    """A ``Sentence`` from arrays: q and k are kept in float16 where that leaves weights within 1e-3.

    q, k     ``(layers, heads, t, hd)`` and ``(layers, kv_heads, t, hd)``, turned already
    weights  ``(layers, heads, t, t)`` of the model: what q and k are held against, or all that there is
    scale    None: ``1 / sqrt(hd)``

    Without ``weights``, q and k as given are the truth. Where float32 doesn't reach them either, they
    themselves are kept. Raises ClockhandsError for shapes that don't fit, and numbers that aren't finite.
    """
    count = len(tokens)
    truth = None if weights is None else _shaped(weights, "weights", (None, None, count, count))
    common: dict[str, Any] = {
        "tokens": tuple(tokens),
        "ids": tuple(int(each) for each in ids),
        "positions": tuple(range(count)) if positions is None else tuple(int(each) for each in positions),
        "spans": tuple((int(start), int(end)) for start, end in spans),
        "marks": (WORD,) * count if marks is None else tuple(int(each) for each in marks),
        "text": text,
        "words": tuple((int(start), int(end)) for start, end in words),
        "causal": causal,
    }
    _require_one_each(common, count)
    if q is not None and k is not None:
        queries = _shaped(q, "q", (None, None, count, None))
        layers, heads, _, width = queries.shape
        keys = _shaped(k, "k", (layers, None, count, width))
        if heads % keys.shape[1]:
            raise _unlike("k", keys.shape, (layers, "heads", count, width))
        added = None if bias is None else _shaped(bias, "bias", (layers, heads, 2 * count - 1))
        scales = (width**-0.5 if scale is None else scale,) * layers if np.ndim(scale or 0) == 0 else scale
        for dtype in (np.float16, np.float32):
            with np.errstate(over="ignore"):
                kept = queries.astype(dtype), keys.astype(dtype)
            if not all(np.isfinite(each).all() for each in kept):
                continue
            made = Sentence(
                **common, scale=tuple(float(each) for each in np.ravel(np.asarray(scales))),
                q=kept[0], k=kept[1], lse=None, bias=None if added is None else added.astype(np.float32),
                weights=None, error=float("nan"),
            )  # fmt: skip
            made = _replaced(made, lse=_sums(made))
            error = _error(made, queries, keys, truth)
            if error <= WORST:
                return _replaced(made, error=error)
    if truth is None:
        raise ClockhandsError(
            "attention needs q and k that float32 holds, or weights: give them",
            "注意力需要 float32 能表示的 q 和 k，或者 weights：请给出",
        )
    halved = truth.astype(np.float16)
    return Sentence(
        **common, scale=(1.0,) * truth.shape[0], q=None, k=None, lse=None, bias=None, weights=halved,
        error=float(np.abs(halved - truth).max()),
    )  # fmt: skip


def weights_of(one: Sentence, layer: int, head: int, rows: Any = None) -> NDArray[np.float64]:
    """The map ``(t, t)`` of one head, or the ``rows`` of it, in float64; 0 where masked.

    What the page computes cell by cell.
    """
    rows = np.arange(len(one.tokens)) if rows is None else np.asarray(rows)
    if one.weights is not None:
        return one.weights[layer, head, rows].astype(np.float64)
    assert one.lse is not None
    return np.exp(_logits(one, layer, head, rows) - one.lse[layer, head, rows, None])


def _logits(one: Sentence, layer: int, head: int, rows: NDArray[Any]) -> NDArray[np.float64]:
    """Rows of logits; -inf where masked."""
    assert one.q is not None
    assert one.k is not None
    keys = one.k[layer, head // (one.heads // one.k.shape[1])].astype(np.float64)
    distance = rows[:, None] - np.arange(len(keys))
    logits = one.scale[layer] * (one.q[layer, head, rows].astype(np.float64) @ keys.T)
    if one.bias is not None:
        logits += one.bias[layer, head].astype(np.float64)[distance + len(keys) - 1]
    return np.where(distance < 0, -np.inf, logits) if one.causal else logits


def _sums(one: Sentence) -> Floats:
    found = np.empty((one.layers, one.heads, len(one.tokens)), np.float32)
    for layer, head, rows in _parts(one, len(one.tokens)):
        logits = _logits(one, layer, head, rows)
        most = logits.max(-1)
        found[layer, head, rows] = np.log(np.exp(logits - most[:, None]).sum(-1)) + most
    return found


def _parts(one: Sentence, most: int) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Each layer and head with a few rows at a time, ``most`` of them in all, spread evenly."""
    count = len(one.tokens)
    rows = np.unique(np.linspace(0, count - 1, min(most, count)).astype(np.int64))
    for layer in range(one.layers):
        for head in range(one.heads):
            for start in range(0, len(rows), ROWS):
                yield layer, head, rows[start : start + ROWS]


def _error(one: Sentence, q: Floats, k: Floats, truth: Floats | None) -> float:
    """Largest distance to the truth; without one, to what q and k give before they are rounded."""
    whole = one
    if truth is None:
        whole = _replaced(one, q=q.astype(np.float64), k=k.astype(np.float64))
    worst = 0.0
    for layer, head, rows in _parts(one, len(one.tokens) if truth is not None else CHECKED):
        if truth is not None:
            right = truth[layer, head, rows]
        else:
            logits = _logits(whole, layer, head, rows)
            most = logits.max(-1, keepdims=True)
            right = np.exp(logits - most)
            right /= right.sum(-1, keepdims=True)
        worst = max(worst, float(np.abs(weights_of(one, layer, head, rows) - right).max()))
    return worst


def _replaced(one: Sentence, **changed: Any) -> Sentence:
    return Sentence(**{**vars(one), **changed})


def _require_one_each(common: dict[str, Any], count: int) -> None:
    if not count:
        raise ClockhandsError(
            "tokens is empty: give one label a token", "tokens 是空的：请给每个词元一个标签"
        )
    for name in ("ids", "positions", "spans", "marks"):
        if len(common[name]) != count and (common[name] or name not in ("ids", "spans")):
            raise ClockhandsError(
                f"{name} has {len(common[name])} entries for {count} tokens: give one a token",
                f"{name} 有 {len(common[name])} 项，而词元有 {count} 个：请每个词元给一项",
            )


def _shaped(given: ArrayLike, name: str, wanted: tuple[int | None, ...]) -> Floats:
    array = np.asarray(given)
    fits = array.ndim == len(wanted) and all(
        right in (None, found) and found for found, right in zip(array.shape, wanted, strict=True)
    )
    if not fits or array.dtype.kind not in "fiu":
        raise _unlike(name, array.shape, tuple("any" if each is None else each for each in wanted))
    if not np.isfinite(array).all():
        raise ClockhandsError(
            f"{name} holds numbers that are not finite: mask by causal or marks, not by numbers",
            f"{name} 中有非有限的数：请用 causal 或 marks 表示遮住，不要用数值",
        )
    return array


def _unlike(name: str, found: Any, wanted: Any) -> ClockhandsError:
    return ClockhandsError(
        f"{name} has shape {tuple(found)}, and {wanted} is needed here: give it so",
        f"{name} 的形状是 {tuple(found)}，这里需要 {wanted}：请按这个形状给出",
    )
