"""Files written aside: what they replace, what they leave alone, what is refused before any work."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from clockhands.errors import ClockhandsError
from clockhands.writing import clear_asides, file_path, require_place, written_aside


def write(path: Any, content: str = "new") -> None:
    with written_aside(path) as aside:
        aside.write_text(content)


def refused_by_both(path: Path, words: str) -> None:
    """Before the work and after it, with the same sentence; nothing is left behind."""
    before = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    for attempt in (require_place, write):
        with pytest.raises(ClockhandsError, match=words):
            attempt(path)
    assert (sorted(path.parent.iterdir()) if path.parent.is_dir() else []) == before


@pytest.mark.parametrize("name", [5, None, "", "a\0.png", b"a.png", ["a.png"], {}])
def test_what_cannot_name_a_file(name: Any) -> None:
    for attempt in (file_path, require_place, write):
        with pytest.raises(ClockhandsError, match="can't name a file: give text") as caught:
            attempt(name)
        assert "文件名" in caught.value.text.zh


def test_a_link_stays_and_the_file_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    link, target = tmp_path / "link.png", tmp_path / "deep" / "target.png"
    link.symlink_to(target)
    for content in ("first", "second"):  # once the target is missing, once it is there
        require_place(link)
        write(link, content)
        assert link.is_symlink()
        assert target.read_text() == content
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["deep", "link.png", "target.png"]


def test_permissions_of_what_was_there_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_text("old")
    path.chmod(0o600)
    write(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    refused_by_both(tmp_path / "pipe.png", "is a pipe or a device")
    (tmp_path / "link.png").symlink_to(tmp_path / "pipe.png")
    refused_by_both(tmp_path / "link.png", "is a pipe or a device")
    assert (tmp_path / "pipe.png").is_fifo()


def test_places_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").write_text("mine")
    refused_by_both(tmp_path / "folder.png", "it is a folder")
    refused_by_both(tmp_path / "nowhere" / "a.png", "no such file or folder")
    refused_by_both(tmp_path / "file" / "a.png", "is a file, not a folder")
    refused_by_both(tmp_path / ("a" * 300 + ".png"), "the name is too long")


def test_a_closed_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ClockhandsError, match="permission denied"):
        require_place(tmp_path / "a.png")


@pytest.mark.parametrize("stem", ["a" * 251, "钟" * 83, "a." * 125])
def test_the_longest_name_is_written(tmp_path: Path, stem: str) -> None:
    path = tmp_path / f"{stem}.png"
    assert len(os.fsencode(path.name)) > 250 or sys.platform == "darwin"
    require_place(path)
    write(path)
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["state-0.safetensors", "a*[b].json", "x" * 250, "no-ending"])
def test_what_a_killed_write_left_is_cleared_and_nothing_else(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("whole")
    others = {tmp_path / ".state-1-abcdefgh.json", tmp_path / f".{name[:20]}-mine", tmp_path / "abcdefgh"}
    for other in others:
        other.write_text("not ours")
    before = set(tmp_path.iterdir())
    with written_aside(path) as aside:
        left = aside
    left.write_text("half")  # as if the process had been killed in the middle
    assert set(tmp_path.iterdir()) == before | {left}
    clear_asides(path)
    assert set(tmp_path.iterdir()) == before
