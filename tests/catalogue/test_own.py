"""One's own frequencies, tables and biases: arrays, lists, callables and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from clockhands.catalogue import OwnBias, OwnFrequencies, OwnTable
from clockhands.catalogue.frozen import FrozenArray
from clockhands.errors import ClockhandsError

HANDS = [1.0, 0.5, 0.25]


def test_frequencies_from_everything(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", HANDS)
    (tmp_path / "row.csv").write_text("1, 0.5, 0.25\n", encoding="utf-8")
    (tmp_path / "column.csv").write_text("inv_freq\n1\n0.5\n0.25\n", encoding="utf-8")
    givens: list[Any] = [HANDS, np.asarray(HANDS), torch.tensor(HANDS), *sorted(tmp_path.iterdir())]
    givens.append(str(tmp_path / "w.npy"))
    for given in givens:
        own = OwnFrequencies(given)
        assert own == OwnFrequencies(HANDS)
        assert own.inv_freq().tolist() == HANDS
        assert own.head_dim == 6
    called = OwnFrequencies(lambda pairs: 2.0 ** -np.arange(pairs), head_dim=6, layout="interleaved")
    assert called.inv_freq().tolist() == HANDS
    assert called != OwnFrequencies(HANDS)  # another layout


def test_frequencies_for_part_of_a_head() -> None:
    assert OwnFrequencies(HANDS, head_dim=9).head_dim == 9
    assert OwnFrequencies.with_parameters(inv_freq=HANDS, dim=8).head_dim == 8
    with pytest.raises(ClockhandsError, match=r"head_dim is 5.*use 6 or more"):
        OwnFrequencies(HANDS, head_dim=5)
    with pytest.raises(ClockhandsError, match="head_dim is None"):
        OwnFrequencies(lambda pairs: np.ones(pairs))
    with pytest.raises(ClockhandsError, match="one of half, interleaved: choose one"):
        OwnFrequencies(HANDS, layout="halves")


def test_own_numbers_cannot_change_afterwards() -> None:
    mine = np.asarray(HANDS)
    own = OwnFrequencies(mine)
    mine[0] = 99
    assert own.inv_freq()[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        own.inv_freq()[0] = 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "inv_freq is empty"),
        ([1.0, np.nan], r"inv_freq has nan at index \[1\]"),
        ([1.0, np.inf], "inv_freq has inf"),
        ([[1.0, 2.0], [3.0, 4.0]], r"shape \(2, 2\), but it needs 1 dimension"),
        (3.0, r"shape \(\), but it needs 1 dimension"),
        (["a"], "not real numbers"),
        ([1j], "not real numbers"),
        ([True], "not real numbers"),
        ([[1.0], [2.0, 3.0]], "rows of different lengths"),
        ([None], "not real numbers"),
        (torch.ones(2, requires_grad=True), r"\.detach\(\)"),
        (torch.ones(2, dtype=torch.bfloat16), r"\.float\(\)"),
    ],
)
def test_frequencies_refused(given: Any, message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        OwnFrequencies(given)


def test_a_table_of_rows() -> None:
    own = OwnTable([[1, 2], [3, 4], [5, 6]])
    assert own.max_positions == 3
    assert own.table(np.asarray([[2, 0]])).tolist() == [[[5, 6], [1, 2]]]
    assert own.weights().shape == (3, 2)
    for position in (3, -1):
        with pytest.raises(ClockhandsError, match=f"position {position} is outside the table of rows 0 to 2"):
            own.table(np.asarray([position]))
    with pytest.raises(ClockhandsError, match="give integers"):
        own.table(np.asarray([0.5]))
    with pytest.raises(ClockhandsError, match="one row for each position"):
        OwnTable([1.0, 2.0])


def test_a_table_by_a_function() -> None:
    own = OwnTable(lambda positions: np.stack([positions, -positions], axis=-1))
    assert own.table(np.asarray([[4]])).tolist() == [[[4, -4]]]
    assert own.table(np.asarray([0.5])).tolist() == [[0.5, -0.5]]
    assert own.untrained_seed is None
    with pytest.raises(ClockhandsError, match="holds no numbers of its own"):
        own.weights()
    with pytest.raises(ClockhandsError, match=r"returned shape \(3,\) .* return \(3, width\)"):
        OwnTable(lambda positions: positions).table(np.arange(3))
    with pytest.raises(ClockhandsError, match="returned has nan"):
        OwnTable(lambda positions: positions[..., None] * np.nan).table(np.arange(3))


def test_a_causal_bias_by_distance() -> None:
    own = OwnBias([[0, -1, -2], [9, -5, -6]])
    assert own.num_heads == 2
    grid = np.arange(3)[:, None] - np.arange(3)
    assert own.bias(grid)[1].tolist() == [[9, 0, 0], [-5, 9, 0], [-6, -5, 9]]
    with pytest.raises(ClockhandsError, match="distance 3 is outside the bias, which has 0 to 2"):
        own.bias(np.asarray([0, 3]))
    with pytest.raises(ClockhandsError, match="one row for each head"):
        OwnBias([1.0, 2.0])


def test_a_bias_for_both_directions() -> None:
    own = OwnBias([[7, 8, 9, 10, 11]], first_distance=-2)
    assert own.bias(np.asarray([-2, -1, 0, 1, 2])).tolist() == [[7, 8, 9, 10, 11]]
    for far in (-3, 3):
        with pytest.raises(ClockhandsError, match=f"distance {far} is outside the bias, which has -2 to 2"):
            own.bias(np.asarray([0, far]))
    with pytest.raises(ClockhandsError, match="first_distance is 1"):
        OwnBias([[1.0]], first_distance=1)


def test_what_a_bias_says_of_the_tokens_after_a_query() -> None:
    causal, sided, mirrored = OwnBias([[0, 1]]), OwnBias([[1, 0, 2]], first_distance=-1), [[1, 0, 1]]
    assert not causal.traits.bidirectional
    assert sided.traits.bidirectional
    assert not sided.traits.mirrored
    assert OwnBias(mirrored, first_distance=-1).traits.mirrored
    assert OwnBias(lambda d: -abs(d)[None], first_distance=-9).traits.mirrored
    assert not OwnBias(lambda d: d[None], first_distance=-9).traits.mirrored


def test_a_bias_by_a_function() -> None:
    own = OwnBias(lambda distance: np.stack([-abs(distance), 0 * distance]))
    assert own.num_heads == 2
    assert own.bias(np.asarray([[3, -4]])).tolist() == [[[-3, -4]], [[0, 0]]]
    with pytest.raises(ClockhandsError, match="holds no numbers of its own"):
        own.weights()
    with pytest.raises(ClockhandsError, match=r"return \(num_heads, 2\)"):
        OwnBias(lambda distance: distance).bias(np.arange(2))


def test_frozen_arrays_are_values() -> None:
    assert FrozenArray([0.0]) == FrozenArray([-0.0])
    assert hash(FrozenArray([0.0])) == hash(FrozenArray([-0.0]))
    assert FrozenArray([1.0]) != FrozenArray([[1.0]])
    assert FrozenArray([1.0]) != [1.0]
    assert repr(FrozenArray(np.ones((2, 3)))) == "<2 x 3 numbers>"
    mine = np.ones(2)
    frozen = FrozenArray(mine)
    mine[0] = 5
    assert frozen.values.tolist() == [1, 1]
    same = {OwnTable([[1.0]]): "one"}
    assert same[OwnTable(np.asarray([[1]]))] == "one"


def test_enormous_numbers_are_refused_at_the_door() -> None:
    assert OwnFrequencies([1.0, -1e6]).inv_freq()[1] == -1e6
    for huge in (1.1e6, -1e308):
        with pytest.raises(ClockhandsError, match=r"inv_freq has .* at index \[1\].*larger than 1e\+06"):
            OwnFrequencies([1.0, huge])
    for make in (
        lambda v: OwnTable([[1.0, v]]).table(np.zeros(1, dtype=int)),
        lambda v: OwnTable(lambda p: np.full((*p.shape, 2), v)).table(np.zeros(1, dtype=int)),
        lambda v: OwnBias([[1.0, v]]).bias(np.zeros(1, dtype=int)),
    ):
        assert np.isfinite(make(1e30)).all()
        for huge in (1.1e30, -1e308):
            with pytest.raises(ClockhandsError, match=r"at index .*larger than 1e\+30: scale") as caught:
                make(huge)
            assert "缩小" in caught.value.text.zh
