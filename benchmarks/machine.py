"""What a result was measured on."""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path

import numpy as np

THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_CORETYPE")


def described() -> list[tuple[str, str]]:
    """Names and values for the head of a report."""
    settings = ", ".join(f"{name}={os.environ.get(name, 'not set')}" for name in THREAD_SETTINGS)
    return [
        ("processor", processor()),
        ("cores this process may use", str(usable_cores())),
        ("system", platform.platform(terse=True)),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
        ("linear algebra", linear_algebra()),
        ("settings", settings),
    ]


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def linear_algebra() -> str:
    """The library behind numpy's matrix products, and the kind of core whose code it has chosen to run."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}, code for {_openblas_core() or 'an unknown core'}"


def _openblas_core() -> str | None:
    """OpenBLAS picks its code by the processor, or by OPENBLAS_CORETYPE; only the library knows."""
    folder = Path(np.__file__).parent
    for library in sorted((*folder.parent.glob("numpy.libs/*openblas*"), *folder.glob(".dylibs/*openblas*"))):
        loaded = ctypes.CDLL(str(library))
        for symbol in ("scipy_openblas_get_corename64_", "openblas_get_corename64_", "openblas_get_corename"):
            if hasattr(loaded, symbol):
                name = getattr(loaded, symbol)
                name.restype = ctypes.c_char_p
                return str(name().decode())
    return None
