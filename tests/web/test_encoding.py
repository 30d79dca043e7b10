"""Any scheme as the page takes it: the numbers that it draws are those of the catalogue."""

from __future__ import annotations

import json
from base64 import b64decode

import numpy as np
import pytest

import clockhands as ch
from clockhands.catalogue import CATALOGUE
from clockhands.web.encoding import encoding_record

IDS = [each.card.id for each in CATALOGUE]


def numbers(packed: str, *shape: int) -> np.ndarray:
    return np.frombuffer(b64decode(packed), dtype="<f4").reshape(shape)


@pytest.mark.parametrize("scheme", IDS)
def test_every_scheme_has_a_record_that_json_holds(scheme: str) -> None:
    record = json.loads(json.dumps(encoding_record(ch.describe(scheme)), allow_nan=False))
    (layer,) = record["layers"]
    assert record["name"] == ch.describe(scheme).card.name
    assert layer["drawn"]["idea"]["zh"]
    speeds = ch.describe(scheme).inv_freq()
    drawn = {"bias", "table"} & set(layer["drawn"])
    if speeds is not None and not drawn:
        np.testing.assert_array_equal(layer["inv_freq"], speeds)


@pytest.mark.parametrize(("heads", "both"), [(3, False), (8, True)])
def test_a_bias_comes_as_its_numbers(heads: int, both: bool) -> None:
    description = ch.describe("t5", num_heads=heads, bidirectional=both)
    bias = encoding_record(description)["layers"][0]["drawn"]["bias"]
    distances = np.arange(1 - bias["distances"] if bias["both"] else 0, bias["distances"])
    found = numbers(bias["values"], heads, len(distances))
    np.testing.assert_allclose(found, description.bias(distances), rtol=1e-6)


def test_a_bias_that_ends_early_is_given_as_far_as_it_goes() -> None:
    bias = encoding_record(ch.describe("fire"))["layers"][0]["drawn"]["bias"]
    assert 256 <= bias["distances"] <= 513  # its table of distances ends at 512
    distances = np.arange(1 - bias["distances"] if bias["both"] else 0, bias["distances"])
    found = numbers(bias["values"], bias["heads"], len(distances))
    np.testing.assert_allclose(found, ch.describe("fire").bias(distances), rtol=1e-5)


def test_a_table_comes_as_its_rows() -> None:
    table = encoding_record(ch.describe("gray"))["layers"][0]["drawn"]["table"]
    found = numbers(table["values"], table["rows"], table["width"])
    np.testing.assert_array_equal(found, ch.describe("gray").table(np.arange(table["rows"])))


def test_only_sines_beside_cosines_are_drawn_as_hands() -> None:
    plain = encoding_record(ch.describe("sinusoidal"))["layers"][0]
    assert plain["family"] == "sinusoidal"
    assert "table" not in plain["drawn"]
    for other in ({"first": "cos"}, {"arrangement": "concatenated"}):
        assert "table" in encoding_record(ch.describe("sinusoidal", **other))["layers"][0]["drawn"]


def test_a_scaling_tells_where_training_ended() -> None:
    yarn = ch.describe("yarn", original_max_position_embeddings=4096, factor=8)
    record = encoding_record(yarn)
    assert record["context"]["trained"] == 4096
    assert record["layers"][0]["attention_factor"] == pytest.approx(0.1 * np.log(8) + 1)


def test_a_row_wider_than_a_page_is_refused() -> None:
    with pytest.raises(ch.ClockhandsError, match="400,000 numbers a position"):
        encoding_record(ch.describe("one-hot", d_model=400_000))
