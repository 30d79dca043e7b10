"""Parameters and their defaults: what people rely on doesn't change unnoticed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from clockhands.catalogue import CATALOGUE

COMMITTED = Path(__file__).with_name("defaults.txt")


def lines() -> list[str]:
    """``id: name = default``, one a line; after a change on purpose, write them to ``defaults.txt``."""
    return [
        f"{scheme.card.id}: {field.name} = {field.default!r}"
        for scheme in CATALOGUE
        for field in dataclasses.fields(scheme)
    ]


def test_the_defaults_are_the_committed_ones() -> None:
    assert lines() == COMMITTED.read_text(encoding="utf-8").splitlines()
