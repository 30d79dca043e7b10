"""The document of golden vectors, made once for all tests of them."""

from __future__ import annotations

import json

import pytest

from clockhands.golden import document


@pytest.fixture(scope="session")
def whole_document() -> str:
    """As it is written: JSON."""
    return json.dumps(document(), allow_nan=False)
