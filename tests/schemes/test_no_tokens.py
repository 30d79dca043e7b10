"""A text of no tokens, and a batch of no texts, go through every scheme; so does training on them."""

from __future__ import annotations

import pytest
import torch

from clockhands.catalogue import CATALOGUE, Description
from clockhands.models import Transformer

SIZES = {"d_model": 16, "num_heads": 2, "head_dim": 8, "max_positions": 16}


@pytest.mark.parametrize("shape", [(2, 0), (0, 3)], ids=str)
@pytest.mark.parametrize("scheme", CATALOGUE, ids=lambda scheme: scheme.card.id)
def test_nothing_to_read(scheme: type[Description], shape: tuple[int, int]) -> None:
    described = scheme.fitted(SIZES)
    model = Transformer(5, dim=16, heads=2, layers=1, encoding=described, max_positions=16, seed=0)
    tokens = torch.zeros(shape, dtype=torch.long)
    own = torch.zeros((*shape, len(described.kinds)), dtype=torch.long) if described.kinds else None
    for training in (True, False):
        assert model.train(training)(tokens, positions=own).logits.shape == (*shape, 5)
