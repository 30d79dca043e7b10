"""Reference libraries, imported when a test first asks for one: nothing is fetched, nothing is trained.

Their versions are pinned in ``constraints.txt``; the tests here say what exactly these versions compute.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch
from comparing import Peers

os.environ["HF_HUB_OFFLINE"] = "1"  # before anything imports transformers


@pytest.fixture(scope="session")
def peers() -> Peers:
    return Peers()


@pytest.fixture(autouse=True)
def alike() -> Iterator[None]:
    """The same random numbers each time, and no gradients."""
    torch.manual_seed(0)
    with torch.no_grad():
        yield
