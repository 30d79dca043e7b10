"""What lies outside a table or a bias is refused in one wording, by numbers and by modules alike."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from clockhands.catalogue.binary import Binary
from clockhands.catalogue.description import Description
from clockhands.catalogue.gray import Gray
from clockhands.catalogue.learned import Learned
from clockhands.catalogue.one_hot import OneHot
from clockhands.catalogue.own import OwnBias, OwnTable
from clockhands.catalogue.t5 import T5
from clockhands.core.attend import attend, enter
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.schemes import build

TABLE = Learned(d_model=4, max_positions=3)


def refusal(call) -> Text:
    with pytest.raises(ClockhandsError) as caught:
        call()
    return caught.value.text


def test_a_position_outside_any_table() -> None:
    x, far = torch.zeros(1, 2, 4), torch.tensor([[0, 3]])
    said = [
        refusal(lambda: TABLE.table(np.array([0, 3]))),
        refusal(lambda: OwnTable(np.zeros((3, 4))).table(np.array([0, 3]))),
        refusal(lambda: enter([build(TABLE)], x, far)),
    ]
    assert (
        said[0].en == "position 3 is outside the table of rows 0 to 2: use fewer positions or a longer table"
    )
    assert said.count(said[0]) == 3


@pytest.mark.parametrize("scheme", [OneHot(d_model=3), Binary(d_model=2), Gray(d_model=2)])
def test_a_position_outside_a_code(scheme: Description) -> None:
    """One-hot has a position for each dimension, two digits have four."""
    last = scheme.traits.max_position
    assert last is not None
    x, far = torch.zeros(1, 3, scheme.d_model), torch.tensor([[0, last, 1]])
    said = [refusal(lambda: scheme.table(far.numpy())), refusal(lambda: enter([build(scheme)], x, far))]
    assert said[0] == said[1]
    assert said[0].en.startswith(f"position {last} is outside the table of rows 0 to {last - 1}")


def test_a_distance_outside_any_bias() -> None:
    description = OwnBias(np.zeros((2, 3)))
    x, (placed,) = enter([build(description)], torch.zeros(1, 4, 8))
    q = torch.zeros(1, 2, 4, 4)
    said = [
        refusal(lambda: description.bias(np.array([3]))),
        refusal(lambda: attend(placed, q, q, q, x=x)),
    ]
    assert said[0].zh == "距离 3 超出了偏置的范围（0 到 2）：请减少位置数，或增加列数"
    assert said[0] == said[1]


def test_untrained_numbers_are_drawn_alike_and_given_ones_stay() -> None:
    drawn = np.random.default_rng(5).normal(0.0, 0.02, (32, 8))
    assert (Learned(d_model=8, max_positions=32, seed=5).weights() == drawn).all()
    assert (T5(num_heads=8, seed=5).weights() == drawn).all()
    assert (T5.of(drawn + 1).weights() == drawn + 1).all()
