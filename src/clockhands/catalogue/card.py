"""What a scheme says of itself: names, formula, sources and the traits that choose its checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clockhands.language import Language, Text

Reads = Literal["nothing", "positions", "order", "content"]


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What a scheme promises. Conformance checks are chosen by these, never by a scheme's name.

    reads            ``positions``: the numbers given; ``order``: only the order of slots;
                     ``content``: the tokens too; ``nothing``: neither
    relative         logits depend on content and on position differences only
    length_dependent frequencies change with the length, so a cache keeps unrotated keys
    max_position     first position it can't represent (tokens), ``None`` if there is none
    horizon          distance (tokens) past which it is blind by design, ``None`` if there is none
    learned          has parameters that training must set
    bidirectional    made for attention without a causal mask too: tells apart the tokens after a query as
                     it does those before it
    mirrored         there, tokens at equal distances before and after a query look alike to it
    """

    reads: Reads = "positions"
    relative: bool = False
    length_dependent: bool = False
    max_position: int | None = None
    horizon: int | None = None
    learned: bool = False
    bidirectional: bool = True
    mirrored: bool = False


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a scheme was published. ``where``: an arXiv number or another permanent name."""

    authors: str
    year: int
    title: str
    where: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """The index card of a scheme. ``formula`` is LaTeX without dollar signs.

    sources  where the scheme itself was published; none for an experiment, whose ``origin`` says whose it is
    related  what was published and comes near it, or what it is built on: not its sources
    used_by  names of models; a ``Text`` where a name comes with words
    """

    id: str
    name: str
    title: Text
    idea: Text
    formula: str
    sources: tuple[Source, ...]
    used_by: tuple[str | Text, ...]
    traits: Traits
    differs: Text | None = None
    origin: Text | None = None
    related: tuple[Source, ...] = ()

    def users(self, lang: Language) -> tuple[str, ...]:
        """``used_by`` in one language."""
        return tuple(user if isinstance(user, str) else user.said_in(lang) for user in self.used_by)
