"""Every public bug that a function can have, written anew, is named for what it is."""

from __future__ import annotations

from typing import Any

import pytest
from functions import biases, conduct, places, turning

from clockhands.check.probe.function import probe
from clockhands.check.subject import Subject

QK = "q, k, position_ids"
OFFSET = "x, offset="


def codes(subject: Subject) -> dict[str, str]:
    return {finding.code: finding.severity for finding in subject.found}


LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "original_max_position_embeddings": 8192,
    "low_freq_factor": 1.0, "high_freq_factor": 4.0,
}  # fmt: skip

TURNING: list[tuple[Any, str, dict[str, Any]]] = [
    (turning.swapped_pairing, "CH101", {}),
    (turning.one_sign, "CH102", {}),
    (turning.two_pairings, "CH103", {}),
    (turning.two_ways, "CH103", {}),
    (turning.heads_by_query, "CH105", {"num_heads": 4}),
    (turning.exponent_over_the_head, "CH106", {"head_dim": 256}),
    (turning.whole_head, "CH107", {"expect": {"rope_theta": 1e4, "partial_rotary_factor": 0.25}}),
    (turning.whole_head, "CH107", {"expect": LLAMA3}),
    (turning.plain_division, "CH107", {"expect": LLAMA3}),
    (turning.whole_head, "CH107", {"expect": {"layout": "interleaved"}}),
    (turning.static_ntk, "CH107",
     {"expect": {"rope_type": "dynamic", "factor": 4.0, "max_position_embeddings": 2048}}),
    (turning.negative_base, "CH143", {}),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "code", "more"), TURNING)
def test_turning(fn: Any, code: str, more: dict[str, Any]) -> None:
    found = codes(probe(fn, **{"head_dim": 64, "signature": QK, **more}))
    assert found == {code: "error"}


PLACES: list[tuple[Any, str, str]] = [
    (places.bf16_positions, QK, "CH110"),
    (places.positions_in_the_dtype_of_x, OFFSET, "CH110"),
    (places.bf16_frequencies, QK, "CH111"),
    (places.bf16_angles, QK, "CH112"),
    (places.angles_in_the_dtype_of_q, QK, "CH112"),
    (places.counts_by_itself, QK, "CH120"),
    (places.restarts_after_a_cache, OFFSET, "CH120"),
    (places.one_further, OFFSET, "CH121"),
    (places.by_the_prompt, OFFSET, "CH124"),
    (places.row_zero, QK, "CH122"),
    (places.counts_on, QK, "CH123"),
    (places.by_neighbour, QK, "CH125"),
    (places.ByShape(), QK, "CH131"),
    (places.identity_past_the_table, QK, "CH133"),
    (places.clamped, QK, "CH134"),
    (places.wrapped, QK, "CH134"),
]


@pytest.mark.parametrize(("fn", "signature", "code"), PLACES)
def test_places(fn: Any, signature: str, code: str) -> None:
    assert codes(probe(fn, head_dim=64, signature=signature)) == {code: "error"}


def test_positions_that_collide_are_counted() -> None:
    subject = probe(places.bf16_positions, head_dim=64)
    assert subject.facts["distinct_positions"] == 769
    assert subject.facts["first_collision"] == 257


def test_numpy_positions_that_collide_and_overflow() -> None:
    subject = probe(places.fp16_positions, head_dim=64, signature="x, position_ids")
    assert codes(subject) == {"CH110": "error", "CH143": "error"}  # fp16 ends at 65504
    assert subject.facts["first_collision"] == 2049


def test_the_first_position_is_not_zero() -> None:
    assert codes(probe(places.from_one, head_dim=64)) == {"CH121": "warning"}


@pytest.mark.parametrize("resets", [False, True])
def test_dynamic_frequencies_that_stay(resets: bool) -> None:
    found = codes(probe(places.Stretched(resets), head_dim=64))
    assert found["CH130"] == "error"
    assert found["CH126"] == "note"


def test_dynamic_frequencies_by_the_longest_row() -> None:
    found = codes(probe(places.longest_row, head_dim=64))
    assert found == {"CH125": "error", "CH126": "note"}


def test_an_output_kept_by_shape() -> None:
    found = codes(probe(places.OutputByShape(), head_dim=32, signature="x", layout_of_heads="b t d"))
    assert found["CH131"] == "error"


def test_a_table_that_ends() -> None:
    subject = probe(places.short_table, head_dim=64)
    assert codes(subject) == {"CH132": "warning"}
    assert subject.facts["rows"] == 4096


CONDUCT: list[tuple[Any, str, str, str]] = [
    (conduct.in_place, QK, "CH140", "error"),
    (conduct.in_place_numpy, "x, position_ids", "CH140", "error"),
    (conduct.always_float32, QK, "CH141", "warning"),
    (conduct.needs_contiguous, QK, "CH142", "warning"),
    (conduct.reads_memory, QK, "CH142", "error"),
    (conduct.prints, QK, "CH144", "note"),
    (conduct.seeds, QK, "CH145", "warning"),
    (conduct.Uncopied(), QK, "CH162", "error"),
    (conduct.Unsaved, QK, "CH164", "error"),
    (conduct.Rewritten(), QK, "CH161", "warning"),
]


@pytest.mark.parametrize(("fn", "signature", "code", "severity"), CONDUCT)
def test_conduct(fn: Any, signature: str, code: str, severity: str) -> None:
    assert codes(probe(fn, head_dim=64, signature=signature)).get(code) == severity


def test_random_numbers() -> None:
    assert codes(probe(conduct.draws, head_dim=64)) == {"CH146": "error", "CH145": "warning"}


def test_a_module_whose_frequencies_follow_a_cast() -> None:
    found = codes(probe(conduct.Rotary, head_dim=64))
    assert found == {"CH160": "error", "CH163": "warning"}


def test_a_learned_table_ends() -> None:
    subject = probe(
        conduct.Learned, head_dim=48, signature="x, position_ids", layout_of_heads="b t d"
    )
    assert subject.measured is not None
    assert (subject.measured[0].family, subject.measured[0].rows) == ("learned", 512)
    assert codes(subject) == {"CH132": "note"}


BIASES: list[tuple[Any, str, str, dict[str, Any]]] = [
    (biases.one_series, "query_length, key_length", "CH170", {}),
    (biases.from_zero, "query_length, key_length", "CH171", {"num_heads": 8}),
    (biases.published, "query_length, key_length", "CH172", {"causal": False}),
    (biases.upside_down, "query_length, key_length", "CH173", {}),
    (biases.t5_wrong_sign, "relative", "CH173", {}),
    (biases.t5_bucket_wrong_sign, "relative -> bucket", "CH173", {}),
    (biases.t5_unclamped, "relative", "CH174", {}),
    (biases.t5_bucket_unclamped, "relative -> bucket", "CH174", {}),
    (biases.t5_logarithm_of_ten, "relative -> bucket", "CH107", {"expect": {"max_distance": 128}}),
    (biases.t5_without_logarithm, "relative -> bucket", "CH175", {}),
    (biases.dropped_with_a_cache, "query_length, key_length", "CH176", {}),
    (biases.row_zero_with_a_cache, "query_length, key_length", "CH176", {}),
]


@pytest.mark.parametrize(("fn", "signature", "code", "more"), BIASES)
def test_biases(fn: Any, signature: str, code: str, more: dict[str, Any]) -> None:
    assert codes(probe(fn, head_dim=64, signature=signature, **more)) == {code: "error"}


def test_padding_that_moves_the_bias() -> None:
    assert codes(probe(biases.padded_by_slot, head_dim=64, signature="mask")).get("CH177") == "error"
