"""Golden vectors: what a document holds, and what is said of numbers and documents that are wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.golden import check, read_document
from clockhands.golden.vectors import ALONE


@pytest.fixture
def ours(whole_document: str) -> dict[str, Any]:
    """Those that numpy computes: what is said of a vector is the same for all."""
    vectors = [each for each in json.loads(whole_document)["vectors"] if each["quantity"] in ALONE]
    return {"vectors": vectors}


def test_ours_agree_with_themselves_and_survive_json(whole_document: str) -> None:
    compared = check(json.loads(whole_document), tolerance=0.0)
    assert all(each.agrees for each in compared)
    assert len({each.name for each in compared}) == len(compared) > 250


def test_a_distance_map_has_null_where_nothing_is_seen(ours: dict[str, Any]) -> None:
    (vector,) = [each for each in ours["vectors"] if each["name"] == "streaming/distance_map/1"]
    assert vector["parameters"] == {
        "head_dim": 8, "rope_theta": 10000.0, "layout": "half", "sinks": 4, "window": 28,
    }  # fmt: skip
    assert vector["inputs"] == {"query": [99, 140], "key": [0, 1, 2, 30, 50, 80, 98]}
    assert vector["output"][0] == [31, 30, 29, None, None, 19, 1]
    assert vector["output"][1] == [31, 30, 29, None, None, None, None]


@pytest.mark.parametrize("factor", [1 + 2e-6, -1.0, 0.0, math.nan, math.inf])
def test_a_wrong_number_is_found_and_placed(ours: dict[str, Any], factor: float) -> None:
    vector = next(each for each in ours["vectors"] if each["name"] == "sinusoidal/table/1")
    rows = np.array(vector["output"])
    place = tuple(int(each) for each in np.unravel_index(np.abs(rows[3]).argmax(), rows[3].shape))
    rows[3][place] *= factor
    vector["output"] = rows.tolist()
    wrong = [each for each in check(ours) if not each.agrees]
    assert [each.name for each in wrong] == ["sinusoidal/table/1"]
    assert f"at [3, {place[0]}]" in wrong[0].says.en
    assert wrong[0].error == pytest.approx(abs(1 - factor), rel=0.3) or not math.isfinite(factor)


def test_tolerance_is_relative_to_the_largest_number(ours: dict[str, Any]) -> None:
    vector = next(each for each in ours["vectors"] if each["name"] == "alibi/bias/1")
    vector["output"] = (np.array(vector["output"]) * (1 + 1e-5)).tolist()
    assert not all(each.agrees for each in check(ours))
    assert all(each.agrees for each in check(ours, tolerance=1e-4))


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ([1.0], "its shape is (1,)"), ("words", "not an array of numbers"), (None, "its shape is ()"),
        ([[1.0], [1.0, 2.0]], "not an array of numbers"), ({}, "not an array of numbers"),
    ],
)  # fmt: skip
def test_outputs_of_another_shape(ours: dict[str, Any], output: Any, said: str) -> None:
    vector = next(each for each in ours["vectors"] if each["name"] == "rope/inv_freq/1")
    (compared,) = check({"vectors": [{**vector, "output": output}]})
    assert not compared.agrees
    assert said in compared.says.en


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"scheme": "ropee"}, "there is no scheme 'ropee': did you mean 'rope'"),
        ({"parameters": {"bas": 3}}, "rope has no parameter 'bas'"),
        ({"parameters": {"head_dim": 3}}, "head_dim is 3"),
        ({"parameters": [1]}, "parameters and inputs must be objects"),
        ({"quantity": "inv_freqs"}, "quantity is 'inv_freqs': did you mean 'inv_freq'"),
        ({"quantity": "bias"}, "rope has no bias"),
        ({"quantity": "rotated", "inputs": {}}, "its inputs are missing"),
        (
            {"quantity": "rotated", "inputs": {"position": [0, 1], "x": [[1.0]]}},
            "cos has 4 pairs and x is 1 wide",
        ),
        ({"quantity": "rotated", "inputs": {"position": "x", "x": "y"}}, "its inputs are missing"),
    ],
)
def test_vectors_that_ask_for_nonsense(ours: dict[str, Any], changed: dict, said: str) -> None:
    vector = next(each for each in ours["vectors"] if each["name"] == "rope/inv_freq/1")
    with pytest.raises(ClockhandsError, match=r"vector 'rope/inv_freq/1': ") as caught:
        check({"vectors": [{**vector, **changed}]})
    assert said in caught.value.text.en


@pytest.mark.parametrize("document", [{}, {"vectors": []}, {"vectors": {}}, {"vectors": [1]}])
def test_documents_without_vectors(document: dict) -> None:
    with pytest.raises(ClockhandsError, match="no list of vectors"):
        check(document)


@pytest.mark.parametrize("tolerance", [-1.0, math.nan, math.inf])
def test_a_tolerance_is_a_finite_number(tolerance: float) -> None:
    with pytest.raises(ClockhandsError, match="tolerance is"):
        check({"vectors": [{}]}, tolerance)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is not JSON"), (b"\xff\xfe\x00", "it is not JSON"), (b"[" * 100_000, "it is not JSON"),
        (b"[]", "its format is not"), (b"{}", "its format is not"),
        (b'{"format": "clockhands.golden", "version": 3}', "its version is 3, not 2"),
    ],
)  # fmt: skip
def test_files_that_hold_none(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "golden.json"
    path.write_bytes(content)
    with pytest.raises(ClockhandsError, match=said):
        read_document(path)


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ClockhandsError, match=r"nothing\.json"):
        read_document(tmp_path / "nothing.json")
