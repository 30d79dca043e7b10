"""Fixtures of the tests with models of transformers; nothing is fetched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from tiny_models import llama, neox

os.environ["HF_HUB_OFFLINE"] = "1"  # before anything imports transformers


@pytest.fixture
def tokens() -> torch.Tensor:
    return torch.randint(0, 61, (2, 12), generator=torch.Generator().manual_seed(2))


@pytest.fixture(params=[llama, neox], ids=["llama", "gpt_neox"])
def build(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return request.param


@pytest.fixture(autouse=True)
def no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield
