"""Places of digits, checked against the authors' examples and code restated."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from clockhands import positions


def test_abacus_restarts_with_each_number() -> None:
    assert positions.abacus("123+45=").tolist() == [1, 2, 3, 0, 1, 2, 0]
    assert positions.abacus(["<s>", "7", "0", "x", "5"]).tolist() == [0, 1, 2, 0, 1]
    assert positions.abacus("+=").tolist() == [0, 0]
    assert positions.abacus("٣4")[0] == 0  # a digit of another script is another token


@pytest.mark.parametrize("library", [np.asarray, torch.tensor])
def test_runs_are_counted_row_by_row(library) -> None:
    rows = [[True, True, False, True], [False, True, True, True], [True, False, False, False]]
    found = positions.in_runs(library(rows))
    assert found.tolist() == [[1, 2, 0, 1], [0, 1, 2, 3], [1, 0, 0, 0]]


def test_digits_of_one_worth_share_a_place() -> None:
    for first, second in ((653, 49), (5, 999), (70, 70), (1, 1)):
        answer = str(first + second)[::-1]
        text = f"{first}+{second}={answer}"
        places = positions.coupled(text)
        a, rest = places[: len(str(first))][::-1], places[len(str(first)) + 1 :]
        b, c = rest[: len(str(second))][::-1], rest[len(str(second)) + 1 :]
        for worth in range(len(c)):
            same = {int(part[worth]) for part in (a, b, c) if worth < len(part)}
            assert len(same) == 1


@pytest.mark.parametrize("start", [1, 7])
@pytest.mark.parametrize("backwards", [True, False])
@pytest.mark.parametrize(("first", "second"), [("653", "49"), ("5", "999"), ("12", "34"), ("9", "1")])
def test_coupled_places_are_those_of_the_authors(
    first: str, second: str, backwards: bool, start: int
) -> None:
    """HanseulJo/position-coupling @01dd272, src/data/addition.py, its position lists restated."""
    answer = str(int(first) + int(second))
    end = start + max(len(first), len(second)) + 1
    wanted = [*range(end - len(first), end + 1), *range(end - len(second), end + 1)]
    label = list(range(end - len(answer), end))
    wanted += label[::-1] if backwards else label
    text = f"{first}+{second}={answer[::-1] if backwards else answer}"
    assert positions.coupled(text, reversed_answer=backwards, start=start).tolist() == wanted


def test_an_answer_may_be_unfinished_and_other_tokens_stand_at_zero() -> None:
    whole = positions.coupled("653+49=207").tolist()
    for length in range(7, 10):
        assert positions.coupled("653+49=207"[:length]).tolist() == whole[:length]
    assert positions.coupled(["<s>", "1", "+", "2", "=", "3", "</s>"]).tolist() == [0, 2, 3, 2, 3, 2, 0]
    assert positions.coupled([]).tolist() == []


def test_rows_after_padding_as_roberta_has_them() -> None:
    """transformers 5.24.0: cumsum(mask) * mask + padding_idx."""
    mask = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 1, 1, 0]])
    for padding_idx in (0, 1, 3):
        wanted = np.cumsum(mask, 1) * mask + padding_idx
        np.testing.assert_array_equal(positions.after_padding_row(mask, padding_idx), wanted)
        got = positions.after_padding_row(torch.tensor(mask), padding_idx)
        np.testing.assert_array_equal(got.numpy(), wanted)
    assert positions.after_padding_row(mask)[0].tolist() == [1, 1, 2, 3, 4]
