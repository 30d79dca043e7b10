"""Positions of digits inside numbers: Abacus and position coupling."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clockhands.arrays import Array, listed, namespace_of, require_whole, whole_array
from clockhands.errors import ClockhandsError, shown
from clockhands.positions.packed import from_documents


def in_runs(marks: Array) -> Array:
    """1, 2, 3, ... along each run of true marks, 0 elsewhere, ``(..., t)`` integers.

    marks  (..., t) bool, e.g. which tokens are digits

    Abacus positions (McLeish et al. 2024, arXiv 2405.17399): numbers are written lowest digit first, so that
    digits of the same worth get the same place. 0 is for tokens that are no digits.

    >>> import numpy as np
    >>> in_runs(np.asarray([True, True, False, True])).tolist()
    [1, 2, 0, 1]
    """
    marks = whole_array(marks, "marks")
    xp = namespace_of(marks)
    marks = xp.astype(marks, xp.bool)
    along = from_documents(xp.astype(marks, xp.int64))
    return xp.where(marks, along + 1, xp.zeros_like(along))


def abacus(tokens: Sequence[str]) -> NDArray[np.int64]:
    """Abacus places of one text, ``(t,)``: where each digit stands in its number, 0 for other tokens.

    >>> abacus("123+45=").tolist()
    [1, 2, 3, 0, 1, 2, 0]
    """
    marks = np.asarray([is_digit(token) for token in _words(tokens)], dtype=bool)
    return in_runs(marks) if len(marks) else np.zeros(0, dtype=np.int64)


def coupled(tokens: Sequence[str], *, reversed_answer: bool = True, start: int = 1) -> NDArray[np.int64]:
    """Coupled places of one sum, ``(t,)``: digits of the same worth share a place; 0 for what is neither.

    tokens           such as ``653+49=207``, the answer complete or begun; single digits, ``+`` and ``=``
    reversed_answer  the answer is written lowest digit first
    start            place of the highest digit that an answer can have

    Cho et al. 2024 (arXiv 2405.20671), section 3: with operands of at most l digits, lowest digits are at
    ``start + l``, higher ones before them, ``+`` and ``=`` after them. An answer written highest digit first
    must be complete, since its places are counted from its end.

    >>> coupled("653+49=207").tolist()
    [2, 3, 4, 5, 3, 4, 5, 4, 3, 2]
    """
    tokens = _words(tokens)
    require_whole(start, "start")
    places = np.zeros(len(tokens), dtype=np.int64)
    equals = next((slot for slot, token in enumerate(tokens) if token == "="), len(tokens))
    numbers = _numbers(tokens)
    longest = max((stop - first for first, stop in numbers if first < equals), default=0)
    lowest = int(start) + longest
    for first, stop in numbers:
        worth = np.arange(stop - first)
        turned = first > equals and reversed_answer
        places[first:stop] = lowest - (worth if turned else worth[::-1])
    for slot, token in enumerate(tokens):
        if token in {"+", "="}:
            places[slot] = lowest + 1
    return places


def is_digit(token: str) -> bool:
    """One of 0 to 9."""
    return re.fullmatch("[0-9]", token) is not None


def _words(tokens: Sequence[str]) -> list[str]:
    words = list(tokens) if isinstance(tokens, str) else [*listed(tokens, "tokens")]
    if not all(isinstance(word, str) for word in words):
        raise ClockhandsError(
            f"tokens are {shown(tokens)}, but each must be a word: give a list of strings",
            f"tokens 为 {shown(tokens)}，但每个词元都必须是字符串：请给出字符串的列表",
        )
    return words


def _numbers(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """First slot of each run of digits, and the slot after its last."""
    places = abacus(tokens)
    ends = np.flatnonzero((places > 0) & (np.append(places[1:], 0) == 0))
    return [(int(end - places[end] + 1), int(end + 1)) for end in ends]
