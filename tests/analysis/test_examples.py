"""Every example in a docstring is true."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import clockhands.analysis

MODULES = [
    module.name for module in pkgutil.iter_modules(clockhands.analysis.__path__, "clockhands.analysis.")
]
MODULES.append("clockhands.analysis")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_modules_are_there_by_name_and_loaded_when_used():
    program = (
        "import sys, clockhands as ch; ch.analysis; assert 'clockhands.analysis.kernel' not in sys.modules;"
        "[getattr(ch.analysis, name) for name in ch.analysis.__all__];"
        "assert not {'torch', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="no attribute 'kernels'"):
        _ = clockhands.analysis.kernels
