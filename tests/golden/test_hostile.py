"""Documents that mean harm: each gets one sentence, and nothing they name is imported."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from clockhands.errors import ClockhandsError
from clockhands.golden.checking import check, read_document
from clockhands.golden.vectors import FORMAT, VERSION

DEEP = "[" * 900 + "]" * 900
DIGITS = "9" * 4000


def written(folder: Path, output: str = "[1]", **vector: Any) -> Path:
    given = {"name": "x", "scheme": "rope", "quantity": "inv_freq", "parameters": {}, "inputs": {}} | vector
    body = json.dumps({"format": FORMAT, "version": VERSION, "vectors": [given]})
    place = folder / "vectors.json"
    place.write_text(body.replace('"inputs":', f'"output": {output}, "inputs":'), encoding="utf-8")
    return place


@pytest.mark.parametrize("output", [DEEP, f"[{DIGITS}]", '"abc"', "{}", "[[1], [1, 2]]", "null"])
def test_outputs_that_are_no_numbers(output: str, tmp_path: Path) -> None:
    (vector,) = check(read_document(written(tmp_path, output)))
    assert not vector.agrees


@pytest.mark.parametrize(
    ("vector", "says"),
    [
        ({"scheme": ["rope"]}, "its scheme must be the id of a scheme"),
        ({"scheme": "this:x"}, "its scheme must be the id of a scheme"),
        ({"quantity": ["x"]}, r"quantity is \['x'\]"),
        ({"quantity": "x" * 5000}, "quantity is 'xxx"),
        ({"name": "two\nlines" * 999, "scheme": None}, "vector 'two lines"),
        ({"parameters": {"head_dim": int(DIGITS)}}, "head_dim is 999"),
        ({"scheme": "learned", "quantity": "table", "parameters": {"max_positions": 2**31}}, "needs .*B"),
    ],
)
def test_vectors_that_are_refused(vector: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(ClockhandsError, match=says) as caught:
        check(read_document(written(tmp_path, **vector)))
    assert all(len(said) < 400 and said.isprintable() for said in caught.value.text)
    assert "this" not in sys.modules


def test_a_document_nested_too_deep(tmp_path: Path) -> None:
    place = tmp_path / "deep.json"
    place.write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")
    with pytest.raises(ClockhandsError, match="it is not JSON"):
        read_document(place)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({}, "the weights 'alpha' of lerope are missing"),
        ({"alpha": [0.0] * 4, "beta": []}, "lerope has no weights 'beta'"),
        ({"alpha": [0.0] * 3}, r"have shape \(3,\), but must have \(4,\)"),
        ({"alpha": [[0.0], [0.0, 1.0]]}, "its inputs are missing or have another shape"),
        ({"alpha": ["a"] * 4}, "its inputs are missing or have another shape"),
        ([1.0], "weights must be an object"),
    ],
)
def test_weights_that_do_not_fit(weights: Any, says: str, tmp_path: Path) -> None:
    heads = [[[1.0] * 8]]
    inputs = {"position": [3], "q": heads, "k": heads, "v": heads, "weights": weights}
    vector = {"scheme": "lerope", "quantity": "attended", "parameters": {"head_dim": 8}, "inputs": inputs}
    with pytest.raises(ClockhandsError, match=says):
        check({"vectors": [vector]})


@pytest.mark.parametrize(
    ("quantity", "inputs", "says"),
    [
        ("attended", {"position": [0.5]}, "whole numbers|integers"),
        ("attended", {"position": [0], "causal": 1}, "causal must be true or false"),
        ("attended", {}, "its inputs are missing"),
        ("attended", {"position": [0, 1]}, "give both the same"),
        ("embedded", {"position": [0]}, "rope has no embedded"),
        ("places", {"position": [0]}, "rope has no places"),
        ("places", {"position": [0], "drawn": [0.5]}, "rope has no places"),
        ("places", {"text": "1+1"}, "text must be a list of tokens"),
        ("places", {"text": ["1"]}, "rope has no places"),
    ],
)
def test_passes_that_make_no_sense(quantity: str, inputs: dict[str, Any], says: str) -> None:
    heads = {name: [[[1.0] * 8]] for name in ("q", "k", "v")} if quantity == "attended" else {}
    vector = {"scheme": "rope", "quantity": quantity, "parameters": {"head_dim": 8}, "inputs": heads | inputs}
    with pytest.raises(ClockhandsError, match=says):
        check({"vectors": [vector]})


def test_training_asks_for_no_more_places_than_there_are() -> None:
    vector = {"scheme": "randomised", "quantity": "places", "parameters": {"max_length": 2}, "output": [0]}
    with pytest.raises(ClockhandsError, match="position 5 needs a sample of 6"):
        check({"vectors": [vector | {"inputs": {"position": [5], "drawn": [0.5, 0.5]}}]})
