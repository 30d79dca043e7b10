"""What is drawn while training, and that nothing is drawn afterwards."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from clockhands import positions
from clockhands.catalogue import describe
from clockhands.core.attend import enter
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.schemes import build, make

DRAWN = {
    "shape": {"max_shift": 20},
    "randomised": {"max_length": 50},
    "cape": {},
    "abacus": {"max_positions": 40, "max_offset": 20},
    "position-coupling": {"max_positions": 40},
}
every = pytest.mark.parametrize("id", DRAWN)
LINE = torch.arange(1, 9)[None]


def drawn(encoding: Encoding, rows: int = 2000, line: Tensor = LINE, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return encoding.place(line.expand(rows, -1), None, generator)


@every
def test_in_eval_nothing_is_drawn_generator_or_not(id: str) -> None:
    encoding = make(id, d_model=8, **DRAWN[id]).eval()
    for generator in (None, torch.Generator().manual_seed(1)):
        assert torch.equal(encoding.place(LINE, None, generator), LINE)


@every
def test_a_seed_draws_the_same_again_and_rows_differ(id: str) -> None:
    encoding = make(id, d_model=8, **DRAWN[id])
    assert encoding.training
    places = drawn(encoding, rows=50)
    assert torch.equal(places, drawn(encoding, rows=50))
    assert not torch.equal(places, drawn(encoding, rows=50, seed=1))
    assert len(torch.unique(places, dim=0)) > 10


@every
def test_without_a_generator_torchs_own_is_used(id: str) -> None:
    encoding = make(id, d_model=8, **DRAWN[id])
    line = LINE.expand(20, -1)
    torch.manual_seed(5)
    first = encoding.place(line, None, None)
    second = encoding.place(line, None, None)
    torch.manual_seed(5)
    assert torch.equal(encoding.place(line, None, None), first)
    assert not torch.equal(first, second)


@every
def test_order_is_kept_and_places_fit(id: str) -> None:
    encoding = make(id, d_model=8, **DRAWN[id])
    places = drawn(encoding)
    assert (places.diff(dim=-1) > 0).all()
    assert encoding.embed(torch.zeros(2000, 8, 8), places).isfinite().all()


@every
def test_one_row_of_positions_serves_a_batch_of_tokens(id: str) -> None:
    encoding = make(id, d_model=8, **DRAWN[id])
    tokens = torch.zeros(30, 8, dtype=torch.int64)
    _, (placed,) = enter([encoding], torch.zeros(30, 8, 8), LINE, tokens=tokens)
    assert placed.places.shape == (30, 8)
    assert len(torch.unique(placed.places, dim=0)) > 5


def test_shape_shifts_a_text_as_a_whole_by_up_to_its_limit() -> None:
    shifts = drawn(make("shape", d_model=8, max_shift=20)) - LINE
    assert (shifts == shifts[:, :1]).all()
    assert sorted(set(shifts[:, 0].tolist())) == list(range(21))
    assert shifts[:, 0].double().mean() == pytest.approx(10, abs=4 * 6.06 / math.sqrt(2000))
    assert (drawn(make("shape", d_model=8, max_shift=0)) == LINE).all()


def test_randomised_places_are_order_statistics_of_a_sample_without_replacement() -> None:
    """E[p_(j)] = j (L + 1) / (T + 1) for members of 1 ... L, here from 0."""
    length, count = 50, 9
    places = drawn(make("randomised", d_model=8, max_length=length), rows=6000).double()
    expected = np.arange(2, count + 1) * (length + 1) / (count + 1) - 1  # LINE asks for the 2nd to the 9th
    np.testing.assert_allclose(places.mean(0).numpy(), expected, atol=0.6)
    assert places.min() >= 1
    assert places.max() <= length - 1
    everything = drawn(make("randomised", d_model=8, max_length=9), rows=3)
    assert (everything == LINE).all()  # nine of nine: only one sample


def test_each_place_is_drawn_equally_often() -> None:
    places = drawn(make("randomised", d_model=8, max_length=20), rows=5000, line=torch.arange(5)[None])
    share = torch.bincount(places.flatten(), minlength=20) / 5000
    np.testing.assert_allclose(share.numpy(), 0.25, atol=0.03)


def test_randomised_positions_follow_gaps_padding_and_documents() -> None:
    encoding = make("randomised", d_model=8, max_length=30)
    line = torch.tensor([[0, 0, 0, 1, 2], [0, 1, 2, 0, 1]])
    places = encoding.place(line, None, torch.Generator().manual_seed(0))
    assert places[0, 0] == places[0, 1] == places[0, 2] < places[0, 3] < places[0, 4]
    assert torch.equal(places[1, :2], places[1, 3:])


def test_a_text_longer_than_the_range_is_refused() -> None:
    encoding = make("randomised", d_model=8, max_length=8)
    with pytest.raises(ClockhandsError, match="position 8 needs a sample of 9, but max_length is 8"):
        encoding.place(LINE, None, None)


def test_the_authors_draw_when_they_test_too() -> None:
    encoding = make("randomised", d_model=8, max_length=50, at_test="random").eval()
    assert not torch.equal(drawn(encoding, rows=3), LINE.expand(3, -1))
    assert encoding.traits.max_position == 50
    assert set(encoding.exceptions) == {"gap", "decode", "rows", "padding", "packed", "one-graph"}


def test_cape_moves_jitters_and_stretches_within_its_limits() -> None:
    """Each alone, so that what is drawn can be read back."""
    off = {"d_model": 8, "max_global_shift": 0, "max_local_shift": 0, "max_global_scaling": 1}
    line = LINE.double()
    assert torch.equal(drawn(make("cape", **off)), line.expand(2000, -1))
    shift = drawn(make("cape", **(off | {"max_global_shift": 3}))) - line
    assert torch.allclose(shift, shift[:, :1].expand(-1, 8))
    assert 2.9 < shift.abs().max() <= 3
    jitter = drawn(make("cape", **(off | {"max_local_shift": 0.25}))) - line
    assert 0.24 < jitter.abs().max() <= 0.25
    assert jitter.std() == pytest.approx(0.25 / math.sqrt(3), rel=0.02)
    assert abs(np.corrcoef(jitter[:, 0], jitter[:, 1])[0, 1]) < 0.1
    scale = drawn(make("cape", **(off | {"max_global_scaling": 2}))) / line
    assert torch.allclose(scale, scale[:, :1].expand(-1, 8))
    assert 0.5 <= scale.min() < 0.51
    assert 1.98 < scale.max() <= 2
    assert scale.log().mean() == pytest.approx(0, abs=0.03)


def test_without_what_is_drawn_they_are_the_sinusoid() -> None:
    table = describe("sinusoidal", dim=8).table(np.arange(50))
    for id in ("shape", "randomised", "cape"):
        description = describe(id, dim=8)
        np.testing.assert_array_equal(description.table(np.arange(50)), table)
        module = build(description).eval()
        x, _ = enter([module], torch.zeros(1, 50, 8, dtype=torch.float64))
        np.testing.assert_allclose(x[0].numpy(), table, atol=1e-12)


def test_an_offset_leaves_other_tokens_at_zero_and_stays_inside_the_table() -> None:
    places = torch.tensor(positions.abacus("12+345="))[None]
    encoding = make("abacus", d_model=8, max_positions=40, max_offset=20)
    moved = drawn(encoding, line=places)
    offsets = moved - places
    assert (moved[:, places[0] == 0] == 0).all()
    digits = offsets[:, places[0] > 0]
    assert (digits == digits[:, :1]).all()
    assert sorted(set(digits[:, 0].tolist())) == list(range(21))
    coupled = torch.tensor(positions.coupled("653+49=207"))[None]
    moved = drawn(make("position-coupling", d_model=8, max_positions=16), line=coupled)
    assert moved.max() == 15
    assert (moved - coupled).min() == 0


@pytest.mark.parametrize(
    ("id", "parameters", "message"),
    [
        ("shape", {"max_shift": -1}, "max_shift is -1"),
        ("randomised", {"max_length": 0}, "max_length is 0"),
        ("randomised", {"at_test": "maybe"}, "at_test is 'maybe'"),
        ("cape", {"max_local_shift": 0.6}, "max_local_shift is 0.6"),
        ("cape", {"max_global_scaling": 0.9}, "max_global_scaling is 0.9"),
        ("abacus", {"max_offset": -1}, "max_offset is -1"),
        ("position-coupling", {"max_offset": 1.5}, "max_offset is 1.5"),
    ],
)
def test_bad_parameters(id: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe(id, **parameters)
