"""Which schemes are linked to which, on cards made up for it."""

from __future__ import annotations

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.language import Text
from clockhands.pages.related import related


def card(id: str, name: str, idea: str = "", where: str = "") -> Card:
    sources = (Source(authors="A", year=2020, title="T", where=where),) if where else ()
    said = Text(idea, idea)
    return Card(
        id=id, name=name, title=said, idea=said, formula="", sources=sources, used_by=(), traits=Traits()
    )


def ids(cards: tuple[Card, ...]) -> list[str]:
    return [each.id for each in cards]


A = card("a", "AAA", "Like BBB, with p-DDD. Learned rows.", "arXiv 1000.00001")
B = card("b", "BBB", "Alone.", "library 5.0")
C = card("c", "CCC (early)", "Against AAA.", "arXiv 1000.00002")
D = card("d", "DDD", "CCC is meant by neither.", "library 5.0")
E = card("e", "Learned", "It has nothing to do with them.", "arXiv 1000.00001")
F = card("f", "CCC (late)", "Here too.")
ALL = (A, B, C, D, E, F)


def test_each_is_listed_once_by_its_closest_tie() -> None:
    ties = related(A, ALL)
    assert ids(ties.same_paper) == ["e"]
    assert ids(ties.named) == ["b"]  # not d: p-DDD is another word; not by "Learned", which begins a sentence
    assert ids(ties.naming) == ["c"]
    assert ids(ties.beside) == []


def test_a_library_is_no_common_paper_and_a_name_of_two_means_neither() -> None:
    ties = related(D, ALL)
    assert (ids(ties.same_paper), ids(ties.named), ids(ties.naming)) == ([], [], [])
    assert ids(ties.beside) == ["c", "e"]


def test_a_short_form_counts_where_it_means_one() -> None:
    assert ids(related(D, ALL[:5]).named) == ["c"]


def test_one_that_is_not_in_the_list_has_no_neighbours() -> None:
    assert ids(related(A, ALL[1:]).beside) == []
    assert ids(related(A, ALL[1:]).named) == ["b"]
