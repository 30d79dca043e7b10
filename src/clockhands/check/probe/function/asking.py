"""Asks a function what it does at given positions, whatever its signature, in one shape of answer.

``Asked.answer`` gives the arrays that come back; ``Asked.codes`` a row of numbers for each position, which
is the same for equal positions and different for different ones in any encoding that works.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clockhands.check.form import TableLayout
from clockhands.check.probe.function.calling import Caller, Floats, Refused, as_numbers
from clockhands.check.probe.function.signature import TAKEN

Reach = Literal["any", "offset", "start"]
Prepare = Callable[[Any], Any]


@dataclass(frozen=True)
class Asked:
    """A caller, and which positions it can be asked for.

    reach  ``any`` positions a row; ``offset`` and on from there; ``start``: from 0 on only
    only   the reach to keep to where more goes wrong
    """

    caller: Caller
    only: Reach | None = None

    @property
    def reach(self) -> Reach:
        if self.only is not None:
            return self.only
        signature = self.caller.signature
        if signature.takes("positions") or signature.takes("axes") or signature.tables:
            return "any"
        return "offset" if signature.takes("offset") else "start"

    def answer(
        self, positions: NDArray[np.int64], vectors: Floats | None = None, prepare: Prepare | None = None
    ) -> dict[str, Any]:
        """By word: ``(b, t, heads, d)`` of what is turned, ``(b, t, width)`` of angles and tables.

        positions  (b, t)
        vectors    (b, t, d) or (b, t, heads, d), the same on every side; fixed ones by default
        """
        rows, tokens = positions.shape
        if vectors is None:
            vectors = np.broadcast_to(
                plain_vector(self.caller.head_dim), (rows, tokens, self.caller.head_dim)
            )
        alone = self.caller.one_row() or (self.reach == "offset" and not _alike(positions))
        if rows > 1 and alone:
            parts = [
                self.answer(positions[row : row + 1], vectors[row : row + 1], prepare) for row in range(rows)
            ]
            return {word: np.concatenate([part[word] for part in parts]) for word in parts[0]}
        raw = self.caller.call(self.given(positions, vectors), prepare)
        found: dict[str, Any] = {}
        for word, value in zip(self.caller.signature.returned, raw, strict=False):
            if word == "_":
                continue
            if word in ("q", "k", "x", "output"):
                found[word] = self.caller.vectors(value, word, rows, tokens)
            else:
                found[word] = _by_token(as_numbers(value), word, rows, tokens)
        return found

    def given(self, positions: NDArray[np.int64], vectors: Floats) -> dict[str, Any]:
        """What to pass, by word."""
        rows, tokens = positions.shape
        reached = int(positions.max()) + 1
        # Where positions go in too, they are looked up in the tables, which have a row for each there is.
        rowed = np.arange(max(reached, tokens))[None]
        tabled = rowed if self.caller.signature.takes("positions") else positions
        tables = dict.fromkeys((word for word in TAKEN if word.startswith(("cos", "sin", "cis"))), tabled)
        return {
            **tables,
            "q": vectors, "k": vectors[:, :, : self.caller.heads_of("k")] if vectors.ndim == 4 else vectors,
            "v": vectors[:, :, : self.caller.heads_of("v")] if vectors.ndim == 4 else vectors,
            "x": vectors, "positions": positions, "axes": positions, "offset": positions[0, 0],
            "length": reached if self.caller.signature.takes("positions") else tokens,
            "num_heads": self.caller.heads, "head_dim": self.caller.head_dim,
            "mask": np.ones((rows, tokens), np.int64),
        }  # fmt: skip

    def codes(self, positions: Any, prepare: Prepare | None = None) -> Floats:
        """A row of numbers for each position, all sides and heads beside one another: ``(b, t, width)``."""
        places = np.atleast_2d(np.asarray(positions, np.int64))
        found = self.answer(places, None, prepare)
        parts = []
        for value in found.values():
            flat = value.reshape(*places.shape, -1)
            parts += [flat.real, flat.imag] if np.iscomplexobj(flat) else [flat]
        return np.concatenate(parts, axis=-1)

    def can(self, positions: Any) -> bool:
        """Whether it can be asked for these positions at all."""
        places = np.atleast_2d(np.asarray(positions, np.int64))
        if self.reach == "any":
            return True
        running = bool((np.diff(places, axis=1) == 1).all())
        return running and (self.reach == "offset" or bool((places[:, 0] == 0).all()))

    def code_at(self, position: int) -> Floats:
        """The code of one position, ``(width,)``; from the start on where nothing else can be asked."""
        if self.reach == "start":
            return self.codes(np.arange(position + 1))[0, -1]
        return self.codes([[position]])[0, 0]

    def of_dtype(self, dtype: str) -> Asked:
        """The same, given arrays of another dtype; what it then does besides is noted apart."""
        return replace(self, caller=replace(self.caller, dtype=dtype, seen=set()))

    def of_function(self, fn: Callable[..., Any]) -> Asked:
        """The same questions to another function."""
        return replace(self, caller=replace(self.caller, fn=fn, seen=set()))

    def with_tables(self, layout: TableLayout, turning: int = 0) -> Asked:
        """The same, given cos and sin of another layout, for ``turning`` dimensions."""
        return replace(self, caller=replace(self.caller, tables=layout, turning=turning))

    def along(self, axis: int) -> Asked:
        """The same, with positions that move along one of three axes."""
        return replace(self, caller=replace(self.caller, axis=axis))

    def lean(self) -> Asked:
        """The same with one head, where the function takes that: for long texts."""
        if "h" not in self.caller.layout or self.caller.heads == 1:
            return self
        small = replace(
            self, caller=replace(self.caller, heads=1, kv_heads=1)
        )  # what is seen is kept together
        try:
            small.codes(np.arange(3))
        except Refused:
            return self
        return small


def plain_vector(width: int) -> Floats:
    """A vector without zeros or symmetries, ``(width,)``, of numbers that bf16 holds exactly."""
    return 0.5 + ((7 * np.arange(width)) % 16) / 16


def _alike(positions: NDArray[np.int64]) -> bool:
    return bool((positions == positions[:1]).all())


def _by_token(array: Any, word: str, rows: int, tokens: int) -> Any:
    """``(b, t, width)`` of an array whose other axes are of size 1, or that has one row for all."""
    width = array.shape[-1] if array.ndim else 1
    leading = array.size // max(width, 1)
    if array.ndim >= 2 and leading == rows * tokens:
        return array.reshape(rows, tokens, width)
    if array.ndim >= 2 and leading == tokens:
        return np.broadcast_to(array.reshape(1, tokens, width), (rows, tokens, width))
    raise Refused(
        f"it gave {word} back in shape {array.shape}, and {(rows, tokens)} rows were expected",
        f"它返回的 {word} 形状为 {array.shape}，而应有 {(rows, tokens)} 行",
    )
