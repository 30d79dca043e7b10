"""Tokens of a map put together: bytes of a character, pieces of a word, or any spans of the text.

Groups are runs of neighbouring tokens, told by place and never by what the tokens say, so that repeated words
keep rows of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError, nearest
from clockhands.text.labels import label_of

Floats: TypeAlias = NDArray[Any]
How = Literal["sum", "mean", "max"]
HOWS: tuple[How, ...] = get_args(How)


@dataclass(frozen=True)
class Groups:
    """Runs of tokens of one text.

    starts  ``(groups,)`` the first token of each
    labels  one a group
    marks   0 text, 1 a sign, 2 padding
    """

    starts: NDArray[np.int64]
    labels: tuple[str, ...]
    marks: tuple[int, ...]
    count: int

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Tokens in each."""
        return np.diff(np.append(self.starts, self.count))


def groups_of(
    spans: Sequence[tuple[int, int]], units: Sequence[tuple[int, int]], text: str, labels: Sequence[str],
    marks: Sequence[int],
) -> Groups:  # fmt: skip
    """Tokens that share a unit of the text, such as a character or a word, as one group.

    spans  ``(start, end)`` of each token in ``text``, units: of each unit, ascending; signs and padding,
           whose spans are empty, stay alone, and so does what lies in no unit
    labels, marks  of the tokens

    >>> spans, characters = [(0, 1), (0, 1), (1, 2)], [(0, 1), (1, 2)]
    >>> bytes_of_one = groups_of(spans, characters, "武松", ["武", "武", "松"], [0, 0, 0])
    >>> bytes_of_one.labels, bytes_of_one.starts.tolist()
    (('武', '松'), [0, 2])
    """
    begins = np.array([start for start, _ in units], dtype=np.int64)
    ends = np.array([end for _, end in units], dtype=np.int64)
    starts: list[int] = []
    last = -1  # the last unit that the running group reaches
    for n, (start, end) in enumerate(spans):
        low, high = int(np.searchsorted(ends, start, "right")), int(np.searchsorted(begins, end, "left")) - 1
        inside = marks[n] == 0 and end > start and low <= high
        if not inside or low > last:
            starts.append(n)
            last = -1
        last = max(last, high) if inside else -1
    edges = [*starts, len(spans)]
    names: list[str] = []
    kinds: list[int] = []
    for first, after in pairwise(edges):
        kinds.append(int(marks[first]))
        if after - first == 1:
            names.append(labels[first])
        else:
            covered = text[spans[first][0] : max(end for _, end in spans[first:after])]
            names.append(label_of(covered.strip(" ") or covered))
    return Groups(np.array(starts, dtype=np.int64), tuple(names), tuple(kinds), len(spans))


def grouped(weights: Floats, queries: Groups | None, keys: Groups, how: How = "sum") -> Floats:
    """``(…, queries, keys)`` of tokens -> of groups.

    how  ``sum``: what all tokens of a key's group get, on average over the tokens of the query's, so that
         rows keep their sum; ``mean``: on average over both; ``max``: the largest of all
    queries  None: queries stay tokens

    Raises ClockhandsError for another way.
    """
    if how not in HOWS:
        hint = nearest(how, HOWS)
        raise ClockhandsError(
            f"there is no way '{how}' to group: {hint.en}", f"没有合并方式“{how}”：{hint.zh}"
        )
    if how == "max":
        made = np.maximum.reduceat(weights, keys.starts, axis=-1)
        return made if queries is None else np.maximum.reduceat(made, queries.starts, axis=-2)
    made = np.add.reduceat(weights, keys.starts, axis=-1)
    if how == "mean":
        made = made / keys.sizes
    if queries is None:
        return made
    return np.add.reduceat(made, queries.starts, axis=-2) / queries.sizes[:, None]
