"""Any two ids of the catalogue differ in a golden vector; what is trained or drawn is among its inputs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from clockhands.catalogue import CATALOGUE
from clockhands.errors import ClockhandsError
from clockhands.golden import check

IDS = [kind.card.id for kind in CATALOGUE]
SHARED = ("position", "text", "drawn", "q", "k", "v", "x", "causal")
DIFFERENT = 1e-6
"""Of the largest number: what ``check`` would take for rounding tells nobody apart."""

Vector = dict[str, Any]


@pytest.fixture(scope="module")
def whole(whole_document: str) -> dict[str, list[Vector]]:
    """Of each id, the vectors of its whole pass: all ids have the same widths and heads there."""
    found: dict[str, list[Vector]] = {id: [] for id in IDS}
    for vector in json.loads(whole_document)["vectors"]:
        if vector["quantity"] in ("places", "embedded", "attended"):
            found[vector["scheme"]].append(vector)
    return found


def asked(vector: Vector) -> str:
    """The question without what belongs to the scheme: its weights, and hidden states that it alone reads."""
    ignored = ("x",) if vector["quantity"] == "attended" else ()
    inputs = {name: vector["inputs"].get(name) for name in SHARED if name not in ignored}
    return json.dumps([vector["quantity"], inputs])


def differ(one: Any, other: Any) -> bool:
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    return a.shape != b.shape or np.abs(a - b).max() > DIFFERENT * np.abs(a).max()


def ways_apart(one: list[Vector], other: list[Vector]) -> Iterator[str]:
    """What tells two ids apart, in words."""
    answers = {asked(vector): vector["output"] for vector in other}
    for vector in one:
        output, inputs = vector["output"], vector["inputs"]
        if asked(vector) in answers:
            if differ(output, answers[asked(vector)]):
                yield "another answer"
        elif vector["quantity"] == "embedded":
            if all(each["quantity"] == "attended" for each in other) and differ(output, inputs["x"]):
                yield "tokens pass through the other unchanged"
        elif vector["quantity"] == "places" or isinstance(inputs["position"][0], list):
            try:
                asked_other = {**vector, "scheme": other[0]["scheme"], "parameters": other[0]["parameters"]}
                check({"vectors": [asked_other]})
            except ClockhandsError:
                yield "the other can't be asked"


def test_every_id_has_a_vector_of_its_whole_pass(whole: dict[str, list[Vector]]) -> None:
    assert len(IDS) == 76
    assert [id for id in IDS if not any(each["quantity"] != "places" for each in whole[id])] == []


def test_any_two_ids_differ(whole: dict[str, list[Vector]]) -> None:
    same = [
        (one, other)
        for one, other in combinations(IDS, 2)
        if not any(ways_apart(whole[one], whole[other])) and not any(ways_apart(whole[other], whole[one]))
    ]
    assert same == [], same


def test_what_is_trained_has_the_same_numbers_where_it_has_the_same_shape(
    whole: dict[str, list[Vector]],
) -> None:
    """So FoX and CABLE, KERPLE's two curves, or DeBERTa's two tables differ by their formulas alone."""
    for one, other in (
        ("fox", "cable"),
        ("kerple-log", "kerple-power"),
        ("learned", "abacus"),
        ("shape", "cape"),
    ):
        first, second = whole[one][-1]["inputs"], whole[other][-1]["inputs"]
        assert first.get("weights") == second.get("weights")
        assert first["position"] == second["position"]


@pytest.mark.parametrize(
    ("left_out", "other"),
    [
        ("attended", ("rope", "rope-values")), ("attended", ("rope", "xpos")),
        ("attended", ("rope", "lerope")),
        ("attended", ("nope", "temperature-nope")), ("places", ("shape", "sinusoidal")),
        ("places", ("abacus", "position-coupling")),
    ],
)  # fmt: skip
def test_without_the_quantity_these_are_one(
    whole: dict[str, list[Vector]], left_out: str, other: tuple[str, str]
) -> None:
    """The comparison finds nothing where there is nothing: these are told apart by this quantity alone."""
    one, two = ([each for each in whole[id] if each["quantity"] != left_out] for id in other)
    assert not any(ways_apart(one, two))
    assert not any(ways_apart(two, one))
