"""The glossary agrees with itself and with the code that uses its names."""

from __future__ import annotations

import pytest

from clockhands.catalogue import CATALOGUE, Description
from clockhands.catalogue.meanings import OF_SCHEMES, meaning
from clockhands.language import Text
from clockhands.terms import TERMS

USUAL = {
    "base",
    "mscale",
}  # what every other library calls it outside of RoPE too, and what DeepSeek calls its weight

every_scheme = pytest.mark.parametrize("scheme", CATALOGUE, ids=lambda scheme: scheme.card.id)


def test_names_are_unique_and_no_alias_is_our_own_name_for_another_thing() -> None:
    names = [term.name for term in TERMS]
    assert len(set(names)) == len(names)
    for term in TERMS:
        assert term.name not in term.aliases


def test_every_term_is_explained_in_both_languages() -> None:
    for term in TERMS:
        for text in (term.word, term.meaning):
            assert text.en
            assert text.zh
        assert term.meaning.en.endswith(".")
        assert term.meaning.zh.endswith("。")
        assert (term.unit == Text("", "")) or all(term.unit)


@every_scheme
def test_a_parameter_is_a_term_or_is_explained_in_both_languages(scheme: type[Description]) -> None:
    """In ``catalogue.meanings`` where several schemes have it, else in ``meanings`` on the class itself."""
    explained = {term.name for term in TERMS} | set(OF_SCHEMES) | set(scheme.meanings)
    assert set(scheme.parameters()) - explained == set()
    assert all(all(text) for text in (*OF_SCHEMES.values(), *scheme.meanings.values()))


def test_no_meaning_is_left_over() -> None:
    used = {name for scheme in CATALOGUE for name in scheme.parameters()}
    assert set(OF_SCHEMES) - used == set()
    assert set(OF_SCHEMES) & {term.name for term in TERMS} == set()


@every_scheme
def test_no_parameter_has_the_name_that_others_give_to_a_term(scheme: type[Description]) -> None:
    others = {alias: term.name for term in TERMS for alias in term.aliases}
    assert {name: others[name] for name in scheme.parameters() if name in others and name not in USUAL} == {}


def test_what_a_scheme_says_of_a_parameter_goes_before_what_all_say() -> None:
    own = next(scheme for scheme in CATALOGUE if scheme.meanings)
    name = next(iter(own.meanings))
    assert meaning(own, name) == own.meanings[name]
    stranger, shared = next(
        (kind, name) for kind in CATALOGUE for name in kind.parameters() if name in OF_SCHEMES
    )
    assert meaning(stranger, shared) == OF_SCHEMES[shared]
