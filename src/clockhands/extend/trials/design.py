"""What a trial measures: methods, lengths, windows of the text, places of a passkey; each a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

from clockhands.language import Text

AS_GIVEN = "as-given"
"""The model without any method, by the side of all others."""

USUAL = ("linear", "ntk", "dynamic", "yarn", "self-extend")
"""Methods of a run that is not a full one, beside the model as it is: six in all."""

MULTIPLES, ALL_MULTIPLES = (1, 2), (1, 2, 4, 8)
"""Lengths, in trained lengths, of a run and of a full one."""

PART = 4
"""The last trained length / 4 tokens of a window are the ones that lengths are compared on."""

SLIDES, COMPARED = 4, 2048
"""Windows of a full run that end a quarter of the trained length apart: at least so many, and until so many
tokens are compared."""

DEPTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Where a passkey stands: 0 the beginning of the window, 1 just before the question."""

Kind = Literal["window", "sliding", "passkey"]


@dataclass(frozen=True)
class Cell:
    """One window read one way: what is measured at once, and kept when it ended.

    index  of a window: which, counted from the end of the text; of a sliding one: how many parts it ends
           before the end; of a passkey: which depth
    """

    kind: Kind
    method: str
    length: int
    index: int

    @property
    def id(self) -> str:
        return f"{self.kind}/{self.method}/{self.length}/{self.index}"


@dataclass(frozen=True, kw_only=True)
class Design:
    """All that the numbers hang on.

    model, fingerprint  name of the model, and what tells it from others
    trained, to         tokens trained on, and wanted: settings are those that a plan proposes for ``to``
    methods             ids in order, ``AS_GIVEN`` first; left_out: those that can't be tried, and why
    settings            what each method was given, as JSON: keys of a configuration, or a remap
    lengths             tokens of the windows; the last one is the longest
    tokens              of the text that are read; a window may have one more before them, to begin with
    begin               id of the token that every window begins with, None if with the text itself
    every               all windows of ``tokens`` tokens at each length, not the last one alone
    slides              windows that end a part earlier each, the last one included
    passkey             fewest tokens of a window that a passkey is asked for in, None if in none
    text, dtype         a checksum of what is read; what the model computed in
    """

    model: str
    fingerprint: str
    trained: int
    to: int
    methods: tuple[str, ...]
    lengths: tuple[int, ...]
    tokens: int
    text: str
    dtype: str = "float32"
    begin: int | None = None
    every: bool = False
    slides: int = 1
    passkey: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    left_out: Mapping[str, Text] = field(default_factory=dict)

    @property
    def longest(self) -> int:
        """Tokens of the longest window."""
        return self.lengths[-1]

    @property
    def part(self) -> int:
        """Tokens at the end of a window that lengths are compared on."""
        return max(1, self.trained // PART)

    def windows(self, length: int) -> int:
        """How many windows of a length are read."""
        return self.tokens // length if self.every else 1

    def cells(self) -> tuple[Cell, ...]:
        """All that is measured: short windows first, and every method at a length before the next length."""
        return tuple(self._cells())

    def _cells(self) -> Iterator[Cell]:
        for length in self.lengths:
            for index in range(self.windows(length)):
                yield from (Cell("window", method, length, index) for method in self.methods)
        for length in self.lengths:
            for index in range(1, self.slides):
                yield from (Cell("sliding", method, length, index) for method in self.methods)
            asked = self.passkey is not None and length >= self.passkey
            for index in range(len(DEPTHS) if asked else 0):
                yield from (Cell("passkey", method, length, index) for method in self.methods)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        values = asdict(self)
        values["left_out"] = {id: why._asdict() for id, why in self.left_out.items()}
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_json`` wrote; KeyError or TypeError if it is no such thing."""
        given = dict(values)
        given["left_out"] = {id: Text(**why) for id, why in given["left_out"].items()}
        for name in ("methods", "lengths"):
            given[name] = tuple(given[name])
        return cls(**given)


def lengths_for(trained: int, to: int, *, full: bool) -> tuple[int, ...]:
    """Trained length, twice it, and of a full run more, up to the wanted one, which ends it.

    >>> lengths_for(8192, 32768, full=False), lengths_for(8192, 32768, full=True)
    ((8192, 16384), (8192, 16384, 32768))
    >>> lengths_for(100, 150, full=False), lengths_for(100, 600, full=True)
    ((100, 150), (100, 200, 400, 600))
    """
    every = [trained * each for each in (ALL_MULTIPLES if full else MULTIPLES)]
    within = {length for length in every if length <= to}
    if full or to < every[-1]:
        within.add(to)
    return tuple(sorted(within))


def slides_for(part: int) -> int:
    """Windows that slide, in a full run.

    >>> slides_for(2048), slides_for(32)
    (4, 64)
    """
    return max(SLIDES, -(-COMPARED // part))
