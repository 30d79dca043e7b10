from __future__ import annotations

import json
from pathlib import Path

import pytest

from clockhands.demo import folder
from clockhands.demo.folder import MANIFEST, PAGE, written_aside
from clockhands.errors import ClockhandsError


def write_gallery(out: Path, content: str = "page", **more: str) -> None:
    with written_aside(out) as aside:
        for name, text in more.items():
            (aside / name).write_text(text, encoding="utf-8")
        (aside / PAGE).write_text(content, encoding="utf-8")


def everything(out: Path) -> set[str]:
    return {path.relative_to(out.parent).as_posix() for path in out.parent.rglob("*")}


def test_a_new_folder_appears_whole(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "gallery"
    with written_aside(out) as aside:
        (aside / "pictures").mkdir()
        (aside / "pictures" / "a.png").write_bytes(b"png")
        (aside / PAGE).write_text("page", encoding="utf-8")
        assert not out.exists()
    assert everything(out) == {
        "gallery", f"gallery/{PAGE}", f"gallery/{MANIFEST}", "gallery/pictures", "gallery/pictures/a.png"
    }  # fmt: skip
    assert json.loads((out / MANIFEST).read_text(encoding="utf-8"))["files"] == [PAGE, "pictures/a.png"]


def test_an_earlier_gallery_is_replaced_and_its_old_files_go(tmp_path: Path) -> None:
    out = tmp_path / "gallery"
    write_gallery(out, "first", old="old")
    write_gallery(out, "second", new="new")
    assert (out / PAGE).read_text(encoding="utf-8") == "second"
    assert everything(out) == {"gallery", f"gallery/{PAGE}", f"gallery/{MANIFEST}", "gallery/new"}


def test_a_failure_leaves_all_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "gallery"
    write_gallery(out, "first")
    before = everything(out)

    def interrupted() -> None:
        with written_aside(out) as aside:
            (aside / PAGE).write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert everything(out) == before
    assert (out / PAGE).read_text(encoding="utf-8") == "first"


def test_a_file_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(ClockhandsError, match="is a file"):
        write_gallery(out)
    assert out.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("earlier", [True, False])
def test_foreign_files_are_not_touched(tmp_path: Path, earlier: bool) -> None:
    out = tmp_path / "gallery"
    if earlier:
        write_gallery(out, "first")
    (out / "letters").mkdir(parents=True)
    (out / "letters" / "love.txt").write_text("dear", encoding="utf-8")
    before = everything(out)
    with pytest.raises(ClockhandsError, match=r"letters/love\.txt"):
        write_gallery(out)
    assert everything(out) == before


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    out = tmp_path / "gallery"
    out.mkdir()
    (out / ".DS_Store").write_bytes(b"")  # what a file manager leaves behind is no one's file
    write_gallery(out)
    assert (out / PAGE).exists()


def test_a_damaged_manifest_claims_nothing(tmp_path: Path) -> None:
    out = tmp_path / "gallery"
    write_gallery(out)
    (out / MANIFEST).write_text('{"files": 3}', encoding="utf-8")
    with pytest.raises(ClockhandsError, match="not a gallery's"):
        write_gallery(out)


def test_a_closed_place_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", closed)
    with pytest.raises(ClockhandsError, match=r"cannot write to .*gallery") as refused:
        write_gallery(tmp_path / "gallery")
    assert "无法写入" in refused.value.text.zh


def test_a_parent_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ClockhandsError, match="cannot write to"):
        write_gallery(tmp_path / "notes.txt" / "gallery")


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    def full() -> None:
        with written_aside(tmp_path / "gallery"):
            raise OSError(28, "No space left on device")

    with pytest.raises(ClockhandsError, match="the disk is full"):
        full()
    assert list(tmp_path.iterdir()) == []


def test_an_error_that_is_not_the_folders_is_passed_on(tmp_path: Path) -> None:
    def elsewhere() -> None:
        with written_aside(tmp_path / "gallery"):
            raise FileNotFoundError(2, "No such file", "/nowhere/font.otf")

    with pytest.raises(FileNotFoundError):
        elsewhere()


def test_a_folder_that_cannot_be_renamed_is_filled_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mount point, or a folder in use: the page comes last, never there without its pictures."""
    out = tmp_path / "gallery"
    write_gallery(out, "first", old="old")
    rename = Path.rename
    moved: list[str] = []

    def stuck(self: Path, target: Path) -> Path:
        if self == out:
            raise PermissionError(13, "in use", str(self))
        return rename(self, target)

    move = folder.shutil.move

    def watched(source: Path, target: Path) -> Path:
        moved.append(Path(target).name)
        return move(source, target)

    monkeypatch.setattr(Path, "rename", stuck)
    monkeypatch.setattr(folder.shutil, "move", watched)
    write_gallery(out, "second", new="new")
    assert moved[-1] == PAGE
    assert (out / PAGE).read_text(encoding="utf-8") == "second"
    assert everything(out) == {"gallery", f"gallery/{PAGE}", f"gallery/{MANIFEST}", "gallery/new"}


def test_a_failed_swap_brings_the_earlier_gallery_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "gallery"
    write_gallery(out, "first")
    rename = Path.rename

    def stuck(self: Path, target: Path) -> Path:
        if ".unfinished-" in self.name:
            raise PermissionError(13, "in use", str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", stuck)
    with pytest.raises(ClockhandsError, match="permission denied"):
        write_gallery(out, "second")
    assert (out / PAGE).read_text(encoding="utf-8") == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["gallery"]
