"""All laws that bind a bias, and one number of its own."""

from __future__ import annotations

import numpy as np
from clockhands_sqrt import SqrtBias

from clockhands import conformance
from clockhands.schemes import build


@conformance.parametrize({"sqrt": lambda: build(SqrtBias(num_heads=4))})
def test_the_laws_hold(law: conformance.Cell) -> None:
    law()


def test_four_tokens_away_costs_twice_as_much_as_one() -> None:
    first, second = SqrtBias(num_heads=2).bias(np.array([1, 4]))
    assert (first.tolist(), second.tolist()) == ([-1.0, -2.0], [-0.5, -1.0])
