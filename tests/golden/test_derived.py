"""What the catalogue and the modules compute equals what the papers' formulas give, derived without them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clockhands.catalogue import CATALOGUE
from clockhands.golden import check, read_document

HERE = Path(__file__).parent
PARTS, WHOLE = (read_document(HERE / name)["vectors"] for name in ("derived.json", "derived_whole.json"))


@pytest.mark.parametrize("number", range(60))
def test_the_catalogue_computes_the_papers_formulas(number: int) -> None:
    """Derived one by one with 40 digits; float64 angles at position 100,000 are off by up to 1e-11."""
    assert len(PARTS) == 60
    (compared,) = check({"vectors": [PARTS[number]]}, tolerance=1e-11)
    assert compared.agrees, compared.says.en
    positions = PARTS[number]["inputs"].get("position", [0])
    if max(positions) < 1000:
        assert compared.error < 1e-14


@pytest.mark.parametrize("id", [kind.card.id for kind in CATALOGUE])
def test_every_scheme_passes_tokens_on_as_its_paper_says(id: str) -> None:
    """The whole of it, in plain loops of 40 digits, with the weights in the vector."""
    vectors = [each for each in WHOLE if each["scheme"] == id]
    assert any(each["quantity"] in ("embedded", "attended") for each in vectors)
    for vector, compared in zip(vectors, check({"vectors": vectors}, tolerance=2e-12), strict=True):
        assert compared.agrees, (compared.name, compared.says.en)
        if np.max(vector["inputs"].get("position", 0)) < 100:
            assert compared.error < 1e-14, compared.name


def test_a_change_of_one_weight_is_seen() -> None:
    """No vector would pass without its weights being read."""
    changed: list[Any] = [each for each in WHOLE if "weights" in each["inputs"]]
    for vector in changed:
        weights = {name: np.asarray(table) for name, table in vector["inputs"]["weights"].items()}
        shifted = {name: (table - table / 64 + 1 / 64).tolist() for name, table in weights.items()}
        (compared,) = check({"vectors": [vector | {"inputs": vector["inputs"] | {"weights": shifted}}]})
        assert not compared.agrees, compared.name
    assert len({each["scheme"] for each in changed}) == 32
