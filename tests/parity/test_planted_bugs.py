"""The public bugs themselves, planted: the checks that ours passes fail on code that has them.

A bug marked as one of configurations or weights alone is for ``clockhands check`` to find, and not here.
"""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import planted_in_use
import planted_rotations
import pytest
import rotation_checks
import use_checks

PLANTED: tuple[tuple[Any, tuple[Any, ...], str], ...] = (*planted_rotations.PLANTED, *planted_in_use.PLANTED)
HELPERS = {"exactly", "cosines", "turned", "refuses", "close", "decoder", "one_head"}


@pytest.mark.parametrize(
    ("check", "given"), [pytest.param(*each[:2], id=f"{each[0].__name__}-{each[2]}") for each in PLANTED]
)
def test_the_check_catches_the_bug(check: Any, given: tuple[Any, ...]) -> None:
    with pytest.raises(AssertionError):
        check(*given)


@pytest.mark.parametrize("module", [rotation_checks, use_checks])
def test_every_check_has_its_bug(module: ModuleType) -> None:
    functions = inspect.getmembers(module, inspect.isfunction)
    own = {name for name, each in functions if each.__module__ == module.__name__}
    assert own - HELPERS - {check.__name__ for check, _, _ in PLANTED} == set()
