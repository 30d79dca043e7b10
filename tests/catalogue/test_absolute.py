"""One-hot, digits, Fourier features and learned tables: numbers, limits and refusals."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from clockhands.catalogue import describe
from clockhands.catalogue.fourier import Fourier
from clockhands.catalogue.learned import Learned
from clockhands.errors import ClockhandsError
from clockhands.schemes import build, make


def test_codes_end_where_their_digits_do() -> None:
    for id, last in (("one-hot", 4), ("binary", 16), ("gray", 16)):
        code = describe(id, dim=4)
        assert code.traits.max_position == last
        assert code.table(np.arange(last)).dtype == np.float64
        assert len(np.unique(code.table(np.arange(last)), axis=0)) == last
        for position in (-1, last):
            with pytest.raises(ClockhandsError, match=f"position {position} is outside"):
                code.table(np.array([position]))
            with pytest.raises(ClockhandsError, match=f"position {position} is outside"):
                build(code).embed(torch.zeros(1, 1, 4), torch.tensor([[position]]))
    assert describe("binary", dim=64).traits.max_position is None
    assert describe("gray", dim=80).table(np.array([2**61])).sum() == 2


@pytest.mark.parametrize("id", ["one-hot", "binary", "gray"])
def test_codes_take_whole_positions(id: str) -> None:
    with pytest.raises(ClockhandsError, match="positions have the type float64"):
        describe(id).table(np.array([0.5]))


def test_three_codes_are_three_tables() -> None:
    one, two, three = (describe(id, dim=8).table(np.arange(8)) for id in ("one-hot", "binary", "gray"))
    assert not np.array_equal(one, two)
    assert not np.array_equal(two, three)
    assert not np.array_equal(one, three)


# learned tables with an offset -----------------------------------------------------------------------


def test_an_offset_is_the_row_of_position_zero() -> None:
    """RoBERTa: 514 rows for 512 positions; OPT: max_position_embeddings + 2 rows."""
    rows = np.arange(12.0).reshape(6, 2)
    table = Learned.of(rows, offset=2)
    assert (table.max_positions, table.num_rows, table.traits.max_position) == (4, 6, 4)
    np.testing.assert_array_equal(table.table(np.arange(4)), rows[2:])
    for position in (-1, -2, 4):
        with pytest.raises(ClockhandsError, match=f"position {position} is outside the table of rows 0 to 3"):
            table.table(np.array([position]))
        with pytest.raises(ClockhandsError, match=f"position {position} is outside"):
            build(table).embed(torch.zeros(1, 1, 2), torch.tensor([[position]]))
    module = build(table)
    assert module.state_dict()["rows"].shape == (6, 2)
    embedded = module.embed(torch.zeros(1, 4, 2), torch.arange(4)[None])
    np.testing.assert_array_equal(embedded[0].detach().numpy(), rows[2:])


def test_offset_and_padding_aware_rows_agree() -> None:
    """What RoBERTa looks up with its own ids is what the offset looks up with plain positions."""
    from clockhands import positions

    mask = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0]])
    table = Learned(d_model=3, max_positions=8, offset=2)
    rows = table.weights()[positions.after_padding_row(mask)]
    looked_up = table.table(positions.from_mask(mask))
    np.testing.assert_array_equal(rows[mask == 1], looked_up[mask == 1])


def test_an_offset_leaves_no_room() -> None:
    with pytest.raises(ClockhandsError, match="max_positions is 0"):
        Learned.of(np.ones((2, 3)), offset=2)
    with pytest.raises(ClockhandsError, match="offset is -1"):
        Learned(offset=-1)
    with pytest.raises(ClockhandsError, match=r"numbers has shape \(3, 2\), but the sizes say \(5, 2\)"):
        Learned(d_model=2, max_positions=3, offset=2, numbers=Learned.of(np.ones((3, 2))).numbers)


@pytest.mark.parametrize("id", ["abacus", "position-coupling"])
def test_rows_of_given_places(id: str) -> None:
    rows = np.arange(8.0).reshape(4, 2)
    table = type(describe(id)).of(rows, max_offset=0)
    assert table.untrained_seed is None
    assert table.table(np.array([0, 3])).tolist() == [[0, 1], [6, 7]]
    with pytest.raises(ClockhandsError, match="position 4 is outside"):
        table.table(np.array([4]))
    assert describe(id).untrained_seed == 0


# Fourier ----------------------------------------------------------------------------------------------


def test_fourier_stand_ins_are_drawn_with_their_seed() -> None:
    wide = Fourier(d_model=8, features=2000, hidden=300, gamma=5)
    speeds, hidden, hidden_bias, output, bias = wide.weights()
    assert speeds.std() == pytest.approx(1 / 5, rel=0.1)
    assert hidden.std() == pytest.approx(2000**-0.5, rel=0.02)
    assert output.std() == pytest.approx(300**-0.5, rel=0.05)
    assert not hidden_bias.any()
    assert not bias.any()
    np.testing.assert_array_equal(Fourier().weights()[1], Fourier().weights()[1])
    assert not np.array_equal(Fourier().weights()[1], Fourier(seed=1).weights()[1])


def test_fourier_takes_trained_numbers() -> None:
    trained = Fourier.of([0.5], [[1.0], [2.0]], [0.1], [[1.0, -1.0, 0.5]], [0.0, 0.0, 1.0])
    assert (trained.d_model, trained.features, trained.hidden, trained.untrained_seed) == (3, 2, 1, None)
    x = np.cos(1) / np.sqrt(2) + 2 * np.sin(1) / np.sqrt(2) + 0.1  # position 2 at half a radian a token
    gelu = torch.nn.functional.gelu(torch.tensor(x), approximate="tanh").item()
    np.testing.assert_allclose(trained.table(np.array([2])), [[gelu, -gelu, gelu / 2 + 1]], atol=1e-12)
    with pytest.raises(ClockhandsError, match=r"output has shape \(2, 3\), but the sizes say \(1, 3\)"):
        Fourier.of([0.5], [[1.0], [2.0]], [0.1], np.ones((2, 3)), np.ones(3))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"features": 3}, "features is 3"), ({"gamma": 0}, "gamma is 0"), ({"hidden": 0}, "hidden is 0")],
)
def test_bad_fourier_parameters(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe("fourier", **parameters)


def test_fourier_is_defined_everywhere_and_stays_exact_far_out() -> None:
    narrow = make("fourier", d_model=8).bfloat16()
    exact = make("fourier", d_model=8).double()
    exact.load_state_dict(narrow.state_dict())
    places = torch.tensor([[10**6, 10**6 + 1]])
    got = narrow.embed(torch.zeros(1, 2, 8, dtype=torch.bfloat16), places).double()
    torch.testing.assert_close(got, exact.embed(torch.zeros(1, 2, 8).double(), places), atol=1e-3, rtol=1e-2)
