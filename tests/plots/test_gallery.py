"""Every script of the gallery is short, says what to see, and writes its pictures in both languages."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest
from PIL import Image

SCRIPTS = sorted((Path(__file__).parents[2] / "gallery").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_writes_its_pictures(script: Path, tmp_path: Path) -> None:
    written = runpy.run_path(str(script))["main"](tmp_path / "new folder")
    assert [path.stem.removesuffix(".zh") for path in written] == [script.stem] * 2
    assert [".zh." in path.name for path in written] == [False, True]
    for path in written:
        with Image.open(path) as image:
            assert image.width > 500


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_is_short_and_says_what_it_shows(script: Path) -> None:
    source = script.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 45
    said = ast.get_docstring(ast.parse(source)) or ""
    assert f"python gallery/{script.name}" in said
    assert len(said.splitlines()) >= 3
