"""``clockhands demo`` hands over what it was given, shows how far it is, and prints where the page is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clockhands import demo
from clockhands.cli import console


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What ``build`` was called with; nothing is built."""
    called: dict[str, Any] = {}

    def build(out: Path, *, progress: Any, **given: Any) -> Path:
        called.update(out=out, **given)
        progress(1, 2)
        progress(2, 2)
        return out / "index.html"

    monkeypatch.setattr(demo, "build", build)
    return called


def test_the_page_is_printed(run, asked: dict[str, Any]) -> None:
    said = run("demo", "--out", "gallery")
    assert (said.code, said.out) == (0, f"{Path('gallery', 'index.html')}\n")
    assert asked == {"out": Path("gallery"), "lang": "en", "texts": None}
    assert said.err == ""


def test_how_far_it_is_is_shown_on_a_terminal(
    run, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "on_terminal", lambda: True)
    said = run("demo", "--out", "gallery")
    assert said.out == f"{Path('gallery', 'index.html')}\n"
    assert "Drawing" in said.err
    assert "绘制中" in run("demo", "--lang", "zh").err


def test_language_and_texts_are_handed_over(run, asked: dict[str, Any]) -> None:
    said = run("demo", "--lang", "zh", "--text", "a.txt", "b.txt")
    assert asked == {"out": Path("demo"), "lang": "zh", "texts": (Path("a.txt"), Path("b.txt"))}
    assert said.err == ""


def test_a_folder_that_can_t_be_used_is_said_and_left_alone(run, tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("mine")
    assert run("demo").code == 2
    assert (tmp_path / "demo").read_text() == "mine"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    assert "thesis.tex" in run("demo", "--out", "full").err


def test_a_text_that_is_not_there_is_said(run, tmp_path: Path) -> None:
    said = run("demo", "--text", "none.txt")
    assert said.code == 2
    assert "none.txt" in said.err
    assert list(tmp_path.iterdir()) == []
