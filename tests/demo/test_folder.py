from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal

import pytest

from clockhands.demo import folder, hidden
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


@pytest.mark.parametrize("interrupted", [True, False])
def test_a_failed_swap_brings_the_earlier_gallery_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupted: bool
) -> None:
    out = tmp_path / "gallery"
    write_gallery(out, "first")
    rename = Path.rename

    def stuck(self: Path, target: Path) -> Path:
        if ".unfinished-" in self.name:
            raise KeyboardInterrupt if interrupted else PermissionError(13, "in use", str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", stuck)
    with pytest.raises(KeyboardInterrupt if interrupted else ClockhandsError):
        write_gallery(out, "second")
    assert (out / PAGE).read_text(encoding="utf-8") == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["gallery"]


# a killed run ---------------------------------------------------------------------------------


GONE = 2**22 + 1
"""No process has this number: Linux ends at 2**22, macOS far below."""


def name_of(process: int, out: Path, kind: Literal["unfinished", "earlier"]) -> str:
    """The name that a run of that process would have chosen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.getpid", lambda: process)
        return hidden.name(out, kind)


def left_by(process: int, out: Path, kind: Literal["unfinished", "earlier"], content: str) -> Path:
    """What a run of that process had made when it was killed."""
    place = out.parent / name_of(process, out, kind)
    place.mkdir(parents=True)
    (place / PAGE).write_text(content, encoding="utf-8")
    return place


def test_what_a_killed_run_left_is_deleted(tmp_path: Path) -> None:
    out = tmp_path / "gallery"
    left_by(GONE, out, "unfinished", "half")
    write_gallery(out, "first")
    assert everything(out) == {"gallery", f"gallery/{PAGE}", f"gallery/{MANIFEST}"}


def test_what_a_living_run_makes_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "gallery"
    living = left_by(os.getppid(), out, "unfinished", "half")
    stepped_back = left_by(os.getppid(), out, "earlier", "earlier")
    write_gallery(out, "first")
    assert (living / PAGE).read_text(encoding="utf-8") == "half"
    assert (stepped_back / PAGE).read_text(encoding="utf-8") == "earlier"


@pytest.mark.parametrize(
    "name", ["mine", ".gallery.unfinished-mine", ".gallery.unfinished-00000000-4194305-0123abcd"]
)
def test_folders_of_other_names_and_machines_are_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    write_gallery(tmp_path / "gallery", "first")
    assert (tmp_path / name).is_dir()


def test_a_gallery_that_had_stepped_back_is_brought_back(tmp_path: Path) -> None:
    """Killed between the two renames: the earlier gallery is there again, even if this run fails."""
    out = tmp_path / "gallery"
    write_gallery(out, "first", old="old")
    out.rename(tmp_path / name_of(GONE, out, "earlier"))
    left_by(GONE, out, "unfinished", "half")

    def fails() -> None:
        with written_aside(out):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert (out / PAGE).read_text(encoding="utf-8") == "first"
    assert everything(out) == {"gallery", f"gallery/{PAGE}", f"gallery/{MANIFEST}", "gallery/old"}


def test_a_gallery_that_has_been_replaced_is_deleted(tmp_path: Path) -> None:
    """Killed after both renames."""
    out = tmp_path / "gallery"
    write_gallery(out, "second")
    left_by(GONE, out, "earlier", "first")
    write_gallery(out, "third")
    assert (out / PAGE).read_text(encoding="utf-8") == "third"
    assert [path.name for path in tmp_path.iterdir()] == ["gallery"]


def test_a_gallery_is_not_deleted_for_an_empty_folder(tmp_path: Path) -> None:
    out = tmp_path / "gallery"
    out.mkdir()
    earlier = left_by(GONE, out, "earlier", "first")
    with pytest.raises(ZeroDivisionError), written_aside(out):
        raise ZeroDivisionError
    assert (earlier / PAGE).read_text(encoding="utf-8") == "first"


def test_what_was_left_inside_is_deleted_too(tmp_path: Path) -> None:
    """Where the parent is closed, a gallery is made inside its own folder."""
    out = tmp_path / "gallery"
    write_gallery(out, "first")
    left_by(GONE, out, "unfinished", "half").rename(out / name_of(GONE, out, "unfinished"))
    write_gallery(out, "second")
    assert (out / PAGE).read_text(encoding="utf-8") == "second"


def test_a_kill_while_files_are_replaced_leaves_a_gallery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "gallery"
    write_gallery(out, "first", old="old")
    rename, move = Path.rename, folder.shutil.move

    def stuck(self: Path, target: Path) -> Path:
        if self == out:
            raise PermissionError(13, "in use", str(self))
        return rename(self, target)

    def killed(source: Path, target: Path) -> Path:
        if Path(target).name == "z":
            raise KeyboardInterrupt
        return move(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", stuck)
        patch.setattr(folder.shutil, "move", killed)
        with pytest.raises(KeyboardInterrupt):
            write_gallery(out, "second", new="new", z="z")
    assert {"new", "old"} <= {path.name for path in out.iterdir()}
    write_gallery(out, "third", new="new")
    assert everything(out) == {"gallery", f"gallery/{PAGE}", f"gallery/{MANIFEST}", "gallery/new"}


def test_the_longest_name_of_a_folder(tmp_path: Path) -> None:
    write_gallery(tmp_path / ("钟" * 85), "first")
    write_gallery(tmp_path / ("钟" * 85), "second")
    assert [len(path.name) for path in tmp_path.iterdir()] == [85]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_the_folder_it_leads_to_is_written(tmp_path: Path, there: bool) -> None:
    target, link = tmp_path / "real", tmp_path / "link"
    if there:
        write_gallery(target, "first", old="old")
    link.symlink_to("real")
    write_gallery(link, "second")
    assert link.is_symlink()
    assert (target / PAGE).read_text(encoding="utf-8") == "second"
    assert {path.name for path in tmp_path.iterdir()} == {"real", "link"}
    assert {path.name for path in target.iterdir()} == {PAGE, MANIFEST}


@pytest.mark.parametrize("inside", [".", "sub"])
def test_whoever_stands_in_the_gallery_still_stands_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    out = tmp_path / "gallery"
    write_gallery(out, "first")
    (out / inside).mkdir(exist_ok=True)
    monkeypatch.chdir(out / inside)
    write_gallery(out, "second")
    assert os.path.samefile(os.getcwd(), out / inside)
    assert (out / PAGE).read_text(encoding="utf-8") == "second"


def test_a_gallery_is_written_from_a_folder_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> Path:
        raise FileNotFoundError

    out = tmp_path / "gallery"
    write_gallery(out, "first")
    monkeypatch.setattr(Path, "cwd", gone)
    write_gallery(out, "second")
    assert (out / PAGE).read_text(encoding="utf-8") == "second"


def test_a_manifest_can_not_name_files_outside_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, other = tmp_path / "gallery", tmp_path / "mine.txt"
    write_gallery(out, "first", old="old")
    other.write_text("mine")
    names = ["../mine.txt", str(other), "old", PAGE]
    (out / MANIFEST).write_text(json.dumps({"files": names}), encoding="utf-8")
    monkeypatch.chdir(out)
    write_gallery(out, "second")
    assert other.read_text() == "mine"
    assert {path.name for path in out.iterdir()} == {PAGE, MANIFEST}
