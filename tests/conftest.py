"""What every test runs under: one thread, English, and no skip that is not listed with its reason."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Generator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import hypothesis
import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy and torch: workers share the cores
os.environ["CLOCKHANDS_LANG"] = "en"  # whoever runs the tests, wherever

SKIPS = Path(__file__).with_name("skips.txt")

# Examples don't vary from run to run, and a busy machine is no failure.
hypothesis.settings.register_profile("house", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("house")


def listed_skips() -> dict[str, str]:
    """Pattern of test ids -> reason, from ``skips.txt``; a line is ``pattern | reason``."""
    lines = SKIPS.read_text(encoding="utf-8").splitlines()
    entries = [line.split("|", 1) for line in lines if line.strip() and not line.startswith("#")]
    return {pattern.strip(): reason.strip() for pattern, reason in entries}


def refuse_unlisted(report: pytest.TestReport | pytest.CollectReport) -> None:
    """A skip or an expected failure that ``skips.txt`` does not list becomes a failure."""
    if report.skipped and not any(fnmatchcase(report.nodeid, pattern) for pattern in listed_skips()):
        report.outcome = "failed"
        report.longrepr = (
            f"{report.nodeid} was skipped, and tests/skips.txt does not list it: {report.longrepr}"
        )


def process() -> dict[str, Any]:
    """What holds for the whole process, and so for every later test."""
    found: dict[str, Any] = {
        "directory": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "language": os.environ["CLOCKHANDS_LANG"],
    }
    if (torch := sys.modules.get("torch")) is not None and hasattr(torch, "get_default_dtype"):
        found |= {
            # What watches every call: ``torch.compile`` can't trace under a default device that is set.
            "function modes": torch._C._len_torch_function_stack(),
            "default dtype": torch.get_default_dtype(),
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "gradients": torch.is_grad_enabled(),
            "threads": torch.get_num_threads(),
        }
    return found


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Generator[None, None, None]:
    before = process()
    yield
    after = process()
    assert {name: after[name] for name in before} == before, "a test has changed the process"


@pytest.fixture
def skips() -> dict[str, str]:
    return listed_skips()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    report = yield
    refuse_unlisted(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    report = yield
    refuse_unlisted(report)
    return report
