"""The glossary agrees with itself and with the code that uses its names."""

from __future__ import annotations

import dataclasses

from clockhands.catalogue import CATALOGUE
from clockhands.catalogue.meanings import OF_SCHEMES
from clockhands.language import Text
from clockhands.terms import TERMS


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


def test_every_parameter_of_a_scheme_is_a_term_or_explained_elsewhere_and_not_twice() -> None:
    """Names that belong to one scheme or to how it is drawn are explained in ``catalogue.meanings``."""
    names = {term.name for term in TERMS}
    fields = {field.name for scheme in CATALOGUE for field in dataclasses.fields(scheme)}
    assert fields - names == set(OF_SCHEMES)
