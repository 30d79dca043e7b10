"""Every example in a docstring is true."""

import doctest
import importlib
import pkgutil

import pytest

import clockhands.analysis

MODULES = [
    module.name for module in pkgutil.iter_modules(clockhands.analysis.__path__, "clockhands.analysis.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
