"""The parameters of a scheme as rows: name, default, meaning."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from clockhands.catalogue.description import Description
from clockhands.catalogue.meanings import meaning
from clockhands.language import Language
from clockhands.pages.docstring import docstring
from clockhands.pages.markdown import escaped

_MOST_ITEMS = 6


def rows(scheme: type[Description], lang: Language) -> Iterator[tuple[str, str, str]]:
    """One row a parameter, cells in Markdown.

    English takes the words of the docstring, which are nearest to the code; Chinese those of the glossary.
    """
    written = docstring(scheme).meanings if lang == "en" else {}
    for field in dataclasses.fields(scheme):
        usual = meaning(scheme, field.name)
        said = written.get(field.name) or (usual.said_in(lang) if usual else "")
        yield f"`{field.name}`", f"`{_default(field)}`", escaped(said)


def _default(field: dataclasses.Field[object]) -> str:
    value = field.default
    if value is dataclasses.MISSING:
        value = field.default_factory() if callable(field.default_factory) else "…"
    if isinstance(value, tuple) and len(value) > _MOST_ITEMS:
        return f"({', '.join(map(repr, value[:_MOST_ITEMS]))}, …)"
    return str(value) if isinstance(value, str) else repr(value)
