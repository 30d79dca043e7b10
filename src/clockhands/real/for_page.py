"""A trace as the page takes it: ``clockhands page --attention`` reads what this gives."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.attention_call import Call
from clockhands.analysis.attention_trace import Sentence, sentence
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.real.attention import Trace

MOST_WHOLE = 512
"""Tokens up to which weights are kept where queries and keys can't tell them: a window, a soft cap."""


def for_page(seen: Trace, name: Text | None = None) -> Sentence:
    """Queries and keys of a trace of one kind of attention, all queries kept.

    Raises ClockhandsError for cross attention, and for a long text whose attention has a window or a soft
    cap.
    """
    calls, pieces = seen.calls, seen.queries
    first = calls[0]
    if first.kind == "cross" or any(len(call.queries) != call.count for call in calls):
        raise ClockhandsError(
            "the page shows a text that looks at itself, with all its queries: give such a trace",
            "页面显示的是一段文本对自身的注意力，且要有全部查询：请给出这样的记录",
        )
    causal = [_plain(call) for call in calls]
    plain = len(set(causal)) == 1 and causal[0] is not None and all(_sums(call) for call in calls)
    common = {
        "ids": pieces.ids, "spans": pieces.spans, "marks": pieces.marks, "text": pieces.text,
    }  # fmt: skip
    if plain and len({call.k.shape for call in calls}) == 1:
        made = sentence(
            pieces.labels, np.stack([call.q for call in calls]), np.stack([_keys(call) for call in calls]),
            scale=[call.scale for call in calls], bias=_biases(calls), causal=bool(causal[0]), **common,
        )  # fmt: skip
    elif first.keys <= MOST_WHOLE:
        weights = np.stack([[call.weights(head) for head in call.heads] for call in calls])
        made = sentence(pieces.labels, weights=weights, causal=causal[0] is True, **common)
    else:
        raise ClockhandsError(
            f"the page can't hold {first.keys:,} tokens of an attention with a window, a soft cap or "
            "padding: give "
            f"a text of at most {MOST_WHOLE}, or draw tiles",
            f"页面放不下 {first.keys:,} 个词元的带窗口、软上限或填充的注意力：请给出至多 {MOST_WHOLE} "
            "个词元的文本，"
            "或导出图块",
        )
    return Sentence(**{**vars(made), "name": name}) if name is not None else made


def _keys(call: Call) -> np.ndarray:
    """One set of keys for as many heads as the page counts them for: heads in a row share one."""
    groups = len(call.heads) // len(call.k)
    if call.shared == tuple(n // groups for n in range(len(call.heads))):
        return call.k
    return call.k[list(call.shared)]


def _sums(call: Call) -> bool:
    """Whether its weights are a softmax of q, k and a bias by distance."""
    return call.given is None and call.softcap is None and call.sinks is None


def _plain(call: Call) -> bool | None:
    """True: each query sees up to itself; False: everything; None: something else."""
    keys = np.arange(call.keys)
    causal = everything = True
    for first in range(0, len(call.queries), 256):
        queries = call.queries[first : first + 256]
        seen = call.sees.rows(queries)
        causal &= bool((seen == (queries[:, None] >= keys)).all())
        everything &= bool(seen.all())
    return True if causal else False if everything else None


def _biases(calls: tuple[Call, ...]) -> np.ndarray | None:
    """``(layers, heads, 2t - 1)`` from the first row and the last, which hold all distances."""
    if all(call.adds is None for call in calls):
        return None
    count = calls[0].count
    lines = np.zeros((len(calls), len(calls[0].heads), 2 * count - 1))
    for n, call in enumerate(calls):
        for m, head in enumerate(call.heads):
            if call.adds is None:
                continue
            first, last = (call.adds.rows(head, np.array([row]))[0] for row in (0, count - 1))
            lines[n, m, count - 1 :] = last[::-1] - last[-1]  # a row's constant is nothing to a softmax
            lines[n, m, : count - 1] = (first[:0:-1]) - first[0]
    return lines
