"""The one formula of what a query sees, and its two forms."""

from __future__ import annotations

import itertools

import pytest
import torch

from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError

CPU = torch.device("cpu")
VALID = torch.tensor([[True, True, False, True], [False, True, True, True]])
DOCUMENTS = torch.tensor([[0, 0, 1, 1], [3, 4, 4, 4]])


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("window", [None, 1, 2, 3])
@pytest.mark.parametrize("valid", [None, VALID], ids=["none", "valid"])
@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["one", "documents"])
@pytest.mark.parametrize("num_queries", [4, 2, 1])
def test_both_forms_say_what_the_rules_say(
    causal: bool,
    window: int | None,
    valid: torch.Tensor | None,
    documents: torch.Tensor | None,
    num_queries: int,
) -> None:
    visibility = Visibility(causal=causal, valid=valid, documents=documents, window=window)
    start = 4 - num_queries
    mask = visibility.mask(2, num_queries, 4, CPU).expand(2, 1, num_queries, 4)
    formula = visibility.mask_mod(start)
    for b, i, j in itertools.product(range(2), range(num_queries), range(4)):
        slot = start + i
        sees = (
            (not causal or j <= slot)
            and (window is None or abs(slot - j) < window)
            and (valid is None or bool(valid[b, j]))
            and (documents is None or documents[b, slot] == documents[b, j])
        )
        index = [torch.tensor(number) for number in (b, 0, i, j)]
        assert mask[b, 0, i, j] == sees
        assert formula(*index) == sees


def test_a_mask_that_is_the_same_for_all_rows_is_made_once() -> None:
    assert Visibility(window=2).mask(5, 3, 3, CPU).shape == (1, 1, 3, 3)
    assert Visibility(valid=torch.ones(5, 3, dtype=torch.bool)).mask(5, 3, 3, CPU).shape == (5, 1, 3, 3)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("causal", [True, False])
def test_a_mask_of_ones_own_is_kept_to_as_well(rows: int, causal: bool) -> None:
    allowed = torch.rand(rows, 2, 4, generator=torch.Generator().manual_seed(0)) < 0.5
    visibility = Visibility(causal=causal, valid=VALID, allowed=allowed)
    without = Visibility(causal=causal, valid=VALID).mask(2, 2, 4, CPU)
    expected = without & allowed[:, None]
    assert torch.equal(visibility.mask(2, 2, 4, CPU), expected)
    formula = visibility.mask_mod(2)
    for b, i, j in itertools.product(range(2), range(2), range(4)):
        assert formula(*(torch.tensor(number) for number in (b, 0, i, j))) == expected[b, 0, i, j]


def test_marks_of_the_wrong_type_are_refused() -> None:
    with pytest.raises(ClockhandsError, match=r"valid is torch.int64, .* give mask != 0"):
        Visibility(valid=torch.ones(1, 3, dtype=torch.long))
    with pytest.raises(ClockhandsError, match=r"documents are torch.float32"):
        Visibility(documents=torch.ones(1, 3))
    with pytest.raises(ClockhandsError, match=r"allowed is torch.float32, .* give mask == 0"):
        Visibility(allowed=torch.zeros(1, 3, 3))
    with pytest.raises(ClockhandsError, match="window is 0"):
        Visibility(window=0)
