"""Names of ``analysis`` are loaded when they are used."""

import subprocess
import sys

import pytest

import clockhands.analysis


def test_modules_are_there_by_name_and_loaded_when_used():
    program = (
        "import sys, clockhands as ch; ch.analysis; assert 'clockhands.analysis.kernel' not in sys.modules;"
        "[getattr(ch.analysis, name) for name in ch.analysis.__all__];"
        "assert not {'torch', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="no attribute 'kernels'"):
        _ = clockhands.analysis.kernels
