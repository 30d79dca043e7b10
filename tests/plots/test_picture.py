"""Saving: the right formats, the same bytes each time, nothing harmed, the user's settings left alone."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image

from clockhands.analysis import export
from clockhands.errors import ClockhandsError
from clockhands.plots import heatmap
from clockhands.plots.picture import FORMATS, Picture


def a_picture(lang: str = "en") -> Picture:
    return heatmap(np.array([[0.0, 1.0], [0.5, -2.0]]), lang="zh" if lang == "zh" else "en")


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_equal_pictures_give_equal_files_without_a_date(tmp_path: Path, ending: str, lang: str) -> None:
    first, second = (
        a_picture(lang).save(tmp_path / f"{name}.{ending}").read_bytes() for name in ("first", "second")
    )
    assert first == second
    assert len(first) > 2000
    assert b"Date" not in first
    assert b"Matplotlib" not in first


def test_the_files_are_what_they_say(tmp_path: Path) -> None:
    picture = a_picture("zh")
    with Image.open(picture.save(tmp_path / "p.png")) as image:
        assert image.format == "PNG"
        assert image.size == tuple(round(100 * side) for side in picture.figure.get_size_inches())
    assert ElementTree.parse(picture.save(tmp_path / "p.svg")).getroot().tag.endswith("svg")
    assert picture.save(tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")


def test_chinese_in_a_pdf_is_outlines(tmp_path: Path) -> None:
    """Embedded as Type 42, glyphs of a CFF font such as Noto Sans SC come out as others."""
    content = a_picture("zh").save(tmp_path / "p.pdf").read_bytes()
    assert b"/Subtype /Type3" in content
    assert b"/Subtype /Type0" not in content
    assert b"/CIDFontType2" not in content


def test_saving_logs_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for ending in FORMATS:
            a_picture("zh").save(tmp_path / f"p.{ending}")
    assert caplog.records == []


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_the_data_twin_reads_back_to_the_last_bit(tmp_path: Path, ending: str) -> None:
    picture = a_picture()
    (back,) = export.load(picture.save(tmp_path / f"twin.{ending}"))
    assert back.values.tolist() == picture.data[0].values.tolist() == [[0.0, 1.0], [0.5, -2.0]]


def test_an_unknown_ending_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(ClockhandsError, match=r"'p\.jpg' does not end in \.png, \.svg or \.pdf") as refused:
        a_picture().save(tmp_path / "p.jpg")
    assert "扩展名" in refused.value.text.zh
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.png"
    path.write_bytes(b"old")
    picture = a_picture()

    def broken(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", broken)
    with pytest.raises(ClockhandsError, match="the disk is full"):
        picture.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ClockhandsError, match="can't be written"):
        a_picture().save(tmp_path / "file" / "p.png")


def test_the_users_settings_neither_show_nor_change() -> None:
    plain = a_picture().rendered()
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "savefig.bbox": "tight"}):
        before = dict(matplotlib.rcParams)
        assert a_picture().rendered() == plain
        assert dict(matplotlib.rcParams) == before


def test_a_notebook_gets_a_png() -> None:
    with Image.open(io.BytesIO(a_picture()._repr_png_())) as image:
        assert image.format == "PNG"


def test_pyplot_holds_no_figure() -> None:
    import sys

    a_picture()
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


@pytest.mark.parametrize("name", ["a\0.png", 5, None, b"a.png", ""])
def test_what_cannot_name_a_file_is_refused(name: object) -> None:
    with pytest.raises(ClockhandsError, match="can't name a file"):
        a_picture().save(name)
