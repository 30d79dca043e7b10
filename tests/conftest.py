"""What every test runs under: one thread, English, and no skip that is not listed with its reason."""

from __future__ import annotations

import os
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
