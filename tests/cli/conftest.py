"""Run the command in this process and look at what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from clockhands.cli import main


@dataclass(frozen=True)
class Said:
    """What one run printed and its exit code."""

    code: int
    out: str
    err: str


Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("list", "--lang", "zh")`` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def one(*arguments: str) -> Said:
        capsys.readouterr()
        code = main(arguments)
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return one
