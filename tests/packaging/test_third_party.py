"""Schemes of other packages: installed, listed, drawn, trained and held to the laws like our own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "clockhands-sqrt"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package, as an installer lays it out."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(folder), str(EXAMPLE)], check=True, capture_output=True)
    return folder


@pytest.fixture
def python(installed: Path, tmp_path: Path) -> Run:
    """``python("-m", "clockhands", ...)`` in an empty folder, where the example is installed."""

    def run(*arguments: str, more: str = "") -> subprocess.CompletedProcess[str]:
        paths = [str(installed), more, os.environ.get("PYTHONPATH", "")]
        surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        return subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=surroundings, text=True, capture_output=True
        )

    return run


def test_it_is_listed_last_and_drawn(python: Run, tmp_path: Path) -> None:
    listed = json.loads(python("-m", "clockhands", "list", "--format", "json").stdout)
    assert listed[-1]["id"] == "sqrt"
    assert listed[-1]["touches"]["en"] == "logits"
    drawn = python("-m", "clockhands", "show", "sqrt", "--view", "bias", "--heads", "2", "-o", "b.png")
    assert drawn.returncode == 0, drawn.stderr
    assert (tmp_path / "b.png").stat().st_size > 10_000
    card = python("-m", "clockhands", "show", "sqrt", "--view", "card", "--lang", "zh", "-o", "c.svg")
    assert card.returncode == 0, card.stderr


def test_a_model_trains_with_it(python: Run, tmp_path: Path) -> None:
    said = python("-m", "clockhands", "attend", "--scheme", "sqrt", "--epochs", "1", "-o", "run")
    assert said.returncode == 0, said.stderr
    assert list((tmp_path / "run").glob("*sentence1.png"))


def test_its_own_tests_hold_it_to_the_laws(python: Run) -> None:
    said = python("-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE / "tests"))
    assert said.returncode == 0, said.stdout
    assert int(said.stdout.split(" passed")[0].split()[-1]) > 12


def test_a_class_needs_no_package(python: Run, tmp_path: Path) -> None:
    source = (EXAMPLE / "src/clockhands_sqrt/__init__.py").read_text(encoding="utf-8")
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    drawn = python("-m", "clockhands", "show", "mine:SqrtBias", "--view", "bias", "-o", "b.png")
    assert drawn.returncode == 0, drawn.stderr
    for name, said in (
        ("mine:SqrtBia", "did you mean 'SqrtBias'"),
        ("mines:SqrtBias", "can't be imported (ModuleNotFoundError"),
        ("mine:np", "is no scheme"),
    ):
        refused = python("-m", "clockhands", "show", name, "--view", "bias")
        assert refused.returncode == 2
        assert said in refused.stderr
        assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("announced", "said"),
    [
        ("other = clockhands_sqrt:SqrtBias", "announced as 'other', but its card says 'sqrt'"),
        ("broken = clockhands_nowhere:X", "can't be imported (ModuleNotFoundError"),
        ("odd = json:dumps", "is no scheme"),
    ],
)
def test_a_package_that_announces_nonsense(python: Run, tmp_path: Path, announced: str, said: str) -> None:
    folder = tmp_path / "elsewhere" / "nonsense-1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: nonsense\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(f"[clockhands.schemes]\n{announced}\nrope = json:dumps\n")
    where = str(folder.parent)
    refused = python("-m", "clockhands", "show", announced.split()[0], "--view", "card", more=where)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert said in refused.stderr
    kept = python("-m", "clockhands", "show", "rope", "--view", "card", more=where)
    assert kept.returncode == 0, kept.stderr
    listed = python("-m", "clockhands", "list", more=where)
    assert said in listed.stderr
    assert "\nsqrt " in listed.stdout
