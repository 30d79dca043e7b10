"""Which schemes belong together: from the same paper, named on the other's card, or beside it in the list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clockhands.catalogue.card import Card

_SENTENCE_ENDS = ".!?"


@dataclass(frozen=True)
class Related:
    """Other cards, in the catalogue's order: of the ``same_paper``, ``named`` on this one, ``naming`` it, and
    those that stand ``beside`` it in the list, which keeps families together."""

    same_paper: tuple[Card, ...]
    named: tuple[Card, ...]
    naming: tuple[Card, ...]
    beside: tuple[Card, ...]


def related(card: Card, everyone: Sequence[Card]) -> Related:
    """What the others of ``everyone`` have to do with ``card``; each is listed once, by its closest tie."""
    ids = [other.id for other in everyone]
    at = ids.index(card.id) if card.id in ids else None
    neighbours = [] if at is None else ids[max(at - 1, 0) : at + 2]
    papers, named = _papers(card), _named(card, everyone)
    ties: dict[str, list[Card]] = {"same_paper": [], "named": [], "naming": [], "beside": []}
    for other in everyone:
        if other.id == card.id:
            continue
        if papers & _papers(other):
            ties["same_paper"].append(other)
        elif other.id in named:
            ties["named"].append(other)
        elif card.id in _named(other, everyone):
            ties["naming"].append(other)
        elif other.id in neighbours:
            ties["beside"].append(other)
    return Related(**{tie: tuple(cards) for tie, cards in ties.items()})


def _papers(card: Card) -> set[str]:
    """Papers alone: a library or a repository holds many schemes that have nothing else in common."""
    return {source.where for source in card.sources if source.where.startswith("arXiv")}


def _named(card: Card, everyone: Sequence[Card]) -> set[str]:
    """Ids of the schemes whose names occur in what a card says."""
    names = _names(everyone)
    if not names:
        return set()
    pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    text = " ".join((card.idea.en, card.differs.en if card.differs else ""))
    found = re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", text)
    return {names[match[0]] for match in found if _is_a_name(match[0], text[: match.start()])}


def _names(cards: Sequence[Card]) -> dict[str, str]:
    """Name -> id, short forms such as CoPE for "CoPE (contextual)" only where they mean one scheme."""
    pairs = [(name, card.id) for card in cards for name in _forms(card)]
    counts = [name for name, _ in pairs]
    return {name: id for name, id in pairs if counts.count(name) == 1}


def _forms(card: Card) -> Iterator[str]:
    yield card.name
    if " (" in card.name:
        yield card.name.split(" (")[0]


def _is_a_name(word: str, before: str) -> bool:
    """An ordinary word that begins a sentence ("Learned ...") names no scheme."""
    starts = not before.strip() or before.rstrip()[-1] in _SENTENCE_ENDS
    return not starts or not word[1:].islower()
