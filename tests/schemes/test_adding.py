"""Tables that are added to tokens or put beside them, against sines written out one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch

from clockhands.catalogue.learned import Learned
from clockhands.catalogue.mixed import Mixed
from clockhands.catalogue.own import OwnTable
from clockhands.catalogue.sinusoidal import Sinusoidal
from clockhands.core.attend import enter, token_width
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.schemes import build

PLACES = torch.tensor([[0, 1, 2, 50], [7, 0, 3, 1]])


def rows_of(encoding: Encoding, width: int, places: torch.Tensor = PLACES) -> torch.Tensor:
    """What it adds to tokens of zero."""
    return encoding.embed(torch.zeros(*places.shape, width, dtype=torch.float64), places)


def written_out(
    position: int, width: int, base: float, exponent: str, arrangement: str, first: str
) -> list[float]:
    hands = math.ceil(width / 2)
    speeds = [base ** -(2 * i / width if exponent == "2i/d" else i / (hands - 1)) for i in range(hands)]
    sines, cosines = ([turn(position * speed) for speed in speeds] for turn in (math.sin, math.cos))
    if arrangement == "concatenated":
        halves = (sines, cosines[: width // 2]) if first == "sin" else (cosines[: width // 2], sines)
        return [*halves[0], *halves[1]]
    pairs = [
        (sine, cosine) if first == "sin" else (cosine, sine)
        for sine, cosine in zip(sines, cosines, strict=True)
    ]
    if width % 2:  # the last hand keeps only its sine
        pairs[-1] = (sines[-1],)
    return list(itertools.chain(*pairs))


@pytest.mark.parametrize("width", [8, 7])
@pytest.mark.parametrize("exponent", ["2i/d", "i/(d/2-1)"])
@pytest.mark.parametrize("arrangement", ["interleaved", "concatenated"])
@pytest.mark.parametrize("first", ["sin", "cos"])
def test_the_sinusoid_in_every_convention(width: int, exponent: str, arrangement: str, first: str) -> None:
    description = Sinusoidal(
        d_model=width, base=100.0, exponent=exponent, arrangement=arrangement, first=first
    )
    wanted = [
        [written_out(int(p), width, 100.0, exponent, arrangement, first) for p in row] for row in PLACES
    ]
    torch.testing.assert_close(rows_of(build(description), width), torch.tensor(wanted, dtype=torch.float64))


def test_golden_numbers_of_the_sinusoid() -> None:
    # schemes-and-science, A1: computed in float64 with numpy
    got = rows_of(build(Sinusoidal(d_model=8)), 8, torch.tensor([[1]]))[0, 0].tolist()
    wanted = [0.84147098, 0.54030231, 0.09983342, 0.99500417, 0.00999983, 0.99995, 0.001, 0.9999995]
    assert got == pytest.approx(wanted, abs=5e-9)


def test_tokens_stay_and_the_table_is_added() -> None:
    encoding, x = build(Sinusoidal(d_model=8)), torch.ones(2, 4, 8, dtype=torch.float64)
    torch.testing.assert_close(encoding.embed(x, PLACES), rows_of(encoding, 8) + 1)
    assert (x == 1).all()


def test_concatenated_the_model_keeps_its_width() -> None:
    encoding = build(Sinusoidal(d_model=16, combine="concatenate", position_width=6))
    assert token_width([encoding], 16) == 10
    x = torch.ones(2, 4, 10, dtype=torch.float64)
    hidden, _ = enter([encoding], x, PLACES)
    assert torch.equal(hidden[..., :10], x)
    torch.testing.assert_close(hidden[..., 10:], rows_of(build(Sinusoidal(d_model=6)), 6))
    one_row = enter([encoding], x, PLACES[:1])[0]
    assert torch.equal(one_row[1], hidden[0])
    assert token_width([build(Sinusoidal(d_model=16))], 16) == 16


@pytest.mark.parametrize("description", [Sinusoidal(d_model=8), Mixed(d_model=8), Learned(d_model=8)])
def test_tokens_of_another_width_are_refused(description: Sinusoidal | Mixed | Learned) -> None:
    with pytest.raises(ClockhandsError, match="tokens are 6 wide and the table 8"):
        rows_of(build(description), 6)


def test_positions_between_the_integers_are_embedded_too() -> None:
    got = rows_of(build(Sinusoidal(d_model=4)), 4, torch.tensor([[0.5]], dtype=torch.float64))
    assert got.flatten().tolist() == pytest.approx(
        [math.sin(0.5), math.cos(0.5), math.sin(0.005), math.cos(0.005)]
    )


# learned ---------------------------------------------------------------------------------


def test_a_learned_table_starts_small_and_hangs_on_its_seed() -> None:
    first, again, other = (build(Learned(d_model=64, max_positions=256, seed=seed)) for seed in (3, 3, 4))
    rows = first.rows.detach()
    assert rows.shape == (256, 64)
    assert rows.dtype == torch.float32
    assert rows.mean().abs().item() < 5e-4
    assert rows.std().item() == pytest.approx(0.02, rel=0.02)
    assert torch.equal(first.rows, again.rows)
    assert not torch.equal(first.rows, other.rows)


def test_a_learned_table_takes_trained_numbers() -> None:
    encoding = build(Learned.of(np.arange(6.0).reshape(3, 2)))
    assert rows_of(encoding, 2, torch.tensor([[2, 0]])).tolist() == [[[4, 5], [0, 1]]]
    assert encoding.traits.max_position == 3


@pytest.mark.parametrize("outside", [5, 99, -1])
def test_past_its_last_row_a_table_says_so(outside: int) -> None:
    places = torch.tensor([[0, 4, outside]])
    for encoding in (build(Learned(d_model=4, max_positions=5)), build(OwnTable(np.ones((5, 4))))):
        with pytest.raises(ClockhandsError, match=f"position {outside} is outside the table of rows 0 to 4"):
            rows_of(encoding, 4, places)
        assert rows_of(encoding, 4, torch.tensor([[0, 4]])).shape == (1, 2, 4)


def test_only_the_rows_in_use_are_trained() -> None:
    encoding = build(Learned(d_model=4, max_positions=5))
    rows_of(encoding, 4, torch.tensor([[1, 3, 3]])).sum().backward()
    assert encoding.rows.grad[:, 0].tolist() == [0, 1, 0, 2, 0]


def test_ones_own_table_is_not_trained() -> None:
    encoding = build(OwnTable(np.arange(6.0).reshape(3, 2)))
    assert list(encoding.parameters()) == []
    assert rows_of(encoding.half(), 2, torch.tensor([[1]])).tolist() == [[[2, 3]]]


def test_ones_own_function_of_positions() -> None:
    encoding = build(OwnTable(lambda positions: np.stack([positions, positions**2], axis=-1)))
    assert rows_of(encoding, 2, torch.tensor([[3, 5]])).tolist() == [[[3, 9], [5, 25]]]
    assert "one-graph" in encoding.exceptions
