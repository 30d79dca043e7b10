"""Which dimensions turn together, which way, how far: read from what becomes of unit vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clockhands.check.probe.function.asking import Asked
from clockhands.check.probe.function.calling import Floats

NEAR = (1, 17, 1000)
"""Positions where unit vectors are turned. Slow hands show: the sine of a tiny angle is as exact as any."""
NOTHING = 1e-11
"""An entry below this is no partner: the slowest hand in use turns by 1e-9 rad at position 1."""


@dataclass(frozen=True)
class Turn:
    """What one side (q, k or x) does to vectors.

    added     (n, d) what becomes of nothing, at the positions asked: not 0 where a table is added
    matrices  (n, d, d): column j is what becomes of unit vector j
    heads     whether all heads do the same
    linear    whether a sum of vectors becomes the sum of what they become
    pairs     partners, the lower dimension first
    """

    side: str
    positions: tuple[int, ...]
    added: Floats
    matrices: Floats
    heads: bool
    linear: bool
    pairs: tuple[tuple[int, int], ...]
    crowded: bool

    @property
    def kept(self) -> bool:
        """Whether vectors come back as they went in, but for what is added."""
        return bool(np.abs(self.matrices - np.eye(self.matrices.shape[1])).max() < 1e-2)

    def block(self, pair: tuple[int, int], at: int) -> Floats:
        """The 2 x 2 part of a pair at the ``at``-th position."""
        return self.matrices[at][np.ix_(pair, pair)]


def turns(asked: Asked, rows: int | None = None) -> dict[str, Turn]:
    """One ``Turn`` for each side; ``rows``: how many positions there are, if not all."""
    width = asked.caller.head_dim
    unit = np.concatenate((np.zeros((1, width)), np.eye(width), _mixture(width)[None]))
    where = NEAR if asked.reach != "start" else (1, 17, 40)
    where = (0, *(position for position in where if rows is None or position < rows))
    answers = [_at(asked, position, unit) for position in where]
    found = {}
    for side in asked.caller.signature.sides:
        out = np.stack([answer[side] for answer in answers])  # (n, 2 + d, heads, d)
        heads = bool(np.allclose(out, out[:, :, :1], rtol=1e-5, atol=1e-5))
        first = out[:, :, 0]
        added = first[:, 0]
        matrices = (first[:, 1:-1] - added[:, None]).swapaxes(1, 2)
        summed = matrices @ _mixture(width) + added
        size = max(float(np.abs(first).max()), 1.0)
        linear = bool(np.abs(summed - first[:, -1]).max() < 1e-2 * size)
        pairs, crowded = partners(matrices)
        found[side] = Turn(side, where, added, matrices, heads, linear, pairs, crowded)
    return found


def _at(asked: Asked, position: int, unit: Floats) -> dict[str, Floats]:
    """What becomes of each row of ``unit`` at one position: ``(rows, heads, d)`` for each side."""
    count, width = unit.shape
    if asked.reach == "any":  # one row of the batch, all at the same position
        answer = asked.answer(np.full((1, count), position), unit[None])
        return {side: value[0] for side, value in answer.items()}
    start = 0 if asked.reach == "start" else position
    places = np.arange(start, position + 1)[None].repeat(count, 0)
    vectors = np.broadcast_to(unit[:, None], (count, places.shape[1], width))
    return {side: value[:, -1] for side, value in asked.answer(places, vectors).items()}


def _mixture(width: int) -> Floats:
    return np.cos(np.arange(width) * 2.4) * 0.5 + 0.25


def partners(matrices: Floats, least: float = NOTHING) -> tuple[tuple[tuple[int, int], ...], bool]:
    """The pairs, and whether some dimension has several partners, which no rotation by pairs has."""
    beside = np.abs(matrices).max(axis=0)
    beside = np.maximum(beside, beside.T)
    np.fill_diagonal(beside, 0.0)
    linked = beside > least * max(float(np.abs(matrices).max()), 1e-30)
    crowded = bool((linked.sum(axis=1) > 1).any())
    pairs = tuple((int(i), int(j)) for i, j in np.argwhere(np.triu(linked)))
    return pairs, crowded


@dataclass(frozen=True)
class Hands:
    """Hands of one side, in the order of their first dimensions.

    pairs      partners; with a known layout also those that stand still between moving ones and their end
    layout     ``half``, ``interleaved``, or None for another permutation
    first      the first dimension that turns
    speeds     (pairs,) rad / token, negative where a hand turns the other way
    amplitude  (pairs,) the length a unit vector has after being turned at position 0
    """

    pairs: tuple[tuple[int, int], ...]
    layout: str | None
    first: int
    speeds: Floats
    amplitude: Floats


def paired(pairs: tuple[tuple[int, int], ...], width: int) -> tuple[str | None, tuple[tuple[int, int], ...]]:
    """The layout that pairs follow, and all its pairs: hands that stand still have no partner to be seen."""
    if not pairs:
        return None, ()
    starts = [i for i, _ in pairs]
    steps = {j - i for i, j in pairs}
    first, last = min(starts), max(starts)
    if len(pairs) == 1 and steps == {1}:
        return None, pairs  # neighbours and halves of two dimensions are the same
    if len(steps) != 1:
        return None, pairs
    step = steps.pop()
    if step == 1 and all((start - first) % 2 == 0 for start in starts):
        full = tuple((start, start + 1) for start in range(first, last + 1, 2))
        return "interleaved", full
    if last - first < step and first + 2 * step <= width:
        begin = (
            first if last - first == step - 1 else 0 if first == 0 else max(0, min(first, width - 2 * step))
        )
        return "half", tuple((start, start + step) for start in range(begin, begin + step))
    return None, pairs


def speeds_near(turn: Turn, pairs: tuple[tuple[int, int], ...]) -> tuple[Floats, Floats]:
    """Signed speed and amplitude of each pair from the positions asked, position 0 first, then nearest."""
    speeds = np.zeros(len(pairs))
    amplitude = np.ones(len(pairs))
    for number, pair in enumerate(pairs):
        start = _hand(turn, pair, 0)
        amplitude[number] = abs(start)
        for at, position in enumerate(turn.positions[1:], 1):
            angle = float(np.angle(_hand(turn, pair, at) * start.conjugate()))
            speeds[number] = refined(speeds[number] if at > 1 else None, angle, position)
    return speeds, amplitude


def _hand(turn: Turn, pair: tuple[int, int], at: int) -> complex:
    """A pair as a complex number: where it has turned to, and how long it is."""
    (a, b), (c, d) = turn.block(pair, at)
    return complex(a + d, c - b) / 2


def refined(speed: float | None, angle: float, position: int) -> float:
    """A better speed from an angle seen at ``position``, known but for whole turns."""
    if speed is None:
        return angle / position
    guess = speed * position
    off = (angle - guess + np.pi) % (2 * np.pi) - np.pi
    return speed if abs(off) > 1.0 else (guess + off) / position
