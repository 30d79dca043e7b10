"""The glossary agrees with itself and with the code that uses its names."""

from __future__ import annotations

import re

import pytest

from clockhands.catalogue import CATALOGUE, Description
from clockhands.language import Text
from clockhands.terms import TERMS

USUAL = {"base"}  # what every other library calls it outside of RoPE too

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
def test_a_parameter_is_a_term_or_is_explained_by_its_scheme(scheme: type[Description]) -> None:
    terms = {term.name for term in TERMS} | {"d_model", "max_positions"}
    own = set(scheme.parameters()) - terms
    assert [name for name in own if not re.search(rf"\b{name}\b", scheme.__doc__ or "")] == []


@every_scheme
def test_no_parameter_has_the_name_that_others_give_to_a_term(scheme: type[Description]) -> None:
    others = {alias: term.name for term in TERMS for alias in term.aliases}
    assert {name: others[name] for name in scheme.parameters() if name in others and name not in USUAL} == {}
