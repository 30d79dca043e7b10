"""Fonts are chosen by their glyphs: Chinese is never boxes, strays are visible, damaged files do no harm."""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont
from fontTools.ttLib.tables.DefaultTable import DefaultTable
from matplotlib.figure import Figure
from PIL import Image, ImageDraw, ImageFont

from clockhands.errors import MissingExtra
from clockhands.plots import style
from clockhands.plots.fontfile import Face, covered, faces
from clockhands.plots.fonts import font_folders, fonts_for, is_chinese, visible


def small_font(family: str, characters: str) -> TTFont:
    """A font whose glyphs are all the same square."""
    names = [f"g{ord(character):05x}" for character in characters]
    pen = TTGlyphPen(None)
    for i, point in enumerate([(100, 0), (100, 700), (800, 700), (800, 0)]):
        (pen.lineTo if i else pen.moveTo)(point)
    pen.closePath()
    square = pen.glyph()
    builder = FontBuilder(1000)
    builder.setupGlyphOrder([".notdef", *names])
    builder.setupCharacterMap(dict(zip(map(ord, characters), names, strict=True)))
    builder.setupGlyf(dict.fromkeys([".notdef", *names], square))
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", *names], (900, 100)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": family, "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    return builder.font


def saved(path: Path, family: str, characters: str) -> Path:
    small_font(family, characters).save(path)
    return path


# what a file holds ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", [face.path for face in (*fonts_for("a位").faces, *fonts_for("a", bold=True).faces)]
)
def test_coverage_agrees_with_fonttools(path):
    for face in faces(path):
        with TTFont(path, fontNumber=face.index, lazy=True) as font:
            known = font.getBestCmap()
        some = [
            chr(code) for code in [*range(1, 0x3000, 7), *range(0x4E00, 0x5000), *range(0x1F300, 0x1F700, 3)]
        ]
        assert covered(face, some) == {character for character in some if ord(character) in known}


def test_characters_of_all_planes_are_found(tmp_path):
    face = faces(saved(tmp_path / "a.ttf", "Planes", "a位\U0001f680"))[0]
    assert covered(face, "ab位置\U0001f680\U0001f681") == set("a位\U0001f680")
    assert face.family == "Planes"
    assert face.drawable


def test_a_segment_with_a_glyph_array_is_read(tmp_path):
    """Glyph ids that don't run in step with the codes force the second kind of cmap segment."""
    font = small_font("Crossed", "abcdef")
    font["cmap"].tables = [table for table in font["cmap"].tables if table.format == 4]
    names = [f"g{ord(character):05x}" for character in "abcdef"]
    for table in font["cmap"].tables:
        table.cmap = dict(zip(map(ord, "abcdef"), [*names[::-1][:5], ".notdef"], strict=True))
    font.save(tmp_path / "crossed.ttf")
    assert covered(faces(tmp_path / "crossed.ttf")[0], "abcdefg") == set("abcde")


def test_colour_bitmap_fonts_are_not_used(tmp_path):
    font = small_font("Emoji", "\U0001f680")
    font["CBDT"] = DefaultTable("CBDT")
    font["CBDT"].data = b"\0" * 8
    font.save(tmp_path / "emoji.ttf")
    assert not faces(tmp_path / "emoji.ttf")[0].drawable
    assert fonts_for("\U0001f680", files=[tmp_path / "emoji.ttf"]).missing == {"\U0001f680"}


@pytest.mark.parametrize(
    "content", [b"", b"no font", b"ttcf\0\0\0\1\xff\xff\xff\xff", b"\0\1\0\0\0\x09" * 40]
)
def test_damaged_files_are_passed_over(tmp_path, content):
    bad = tmp_path / "notosanssc-regular.otf"
    bad.write_bytes(content)
    assert covered(Face(bad), "位") == frozenset()
    good = saved(tmp_path / "good.ttf", "Good SC", "位置")
    stack = fonts_for("位置", files=[bad, tmp_path / "gone.ttf", good])
    assert [face.path for face in stack.faces[1:]] == [good]


def test_a_font_cut_short_is_passed_over(tmp_path):
    whole = saved(tmp_path / "whole.ttf", "Whole", "位置").read_bytes()
    for length in range(0, len(whole), 97):
        (tmp_path / "cut.ttf").write_bytes(whole[:length])
        for face in faces(tmp_path / "cut.ttf"):
            assert covered(face, "位置") <= set("位置")


# which are chosen -------------------------------------------------------------------------------


def test_latin_needs_no_search():
    stack = fonts_for("Position 37 − ½ · 10⁻¹⁴", files=iter(()))
    assert [face.family for face in stack.faces] == ["DejaVu Sans"]
    assert stack.missing == frozenset()


def test_chinese_is_covered_and_leads_where_chinese_is_written():
    text = "位置 37，“指针”"
    assert fonts_for(text).faces[0].family == "DejaVu Sans"
    stack = fonts_for(text, lang="zh")
    assert stack.faces[0].family != "DejaVu Sans"
    assert stack.runs(text) == [(stack.faces[0], text)]
    assert fonts_for("37", lang="zh").faces[0].family == "DejaVu Sans"


def test_every_chinese_glyph_differs_from_the_box():
    for face, run in fonts_for("位置指针，旋转圈词元", lang="zh").runs("位置指针，旋转圈词元"):
        font = ImageFont.truetype(str(face.path), 32, index=face.index)
        box = drawn(font, "\U000ffffe")
        assert all(drawn(font, character) != box for character in run)


def drawn(font: ImageFont.FreeTypeFont, text: str) -> bytes:
    picture = Image.new("L", (48, 48))
    ImageDraw.Draw(picture).text((4, 4), text, font=font, fill=255)
    return picture.tobytes()


def test_simplified_forms_are_preferred_to_japanese(tmp_path):
    collection = TTCollection()
    collection.fonts = [small_font("Noto Sans CJK JP", "位"), small_font("Noto Sans CJK SC", "位")]
    collection.save(tmp_path / "NotoSansCJK-Regular.ttc")
    alone = fonts_for("位", files=[tmp_path / "NotoSansCJK-Regular.ttc"]).faces[1]
    assert (alone.index, alone.family) == (1, "Noto Sans CJK SC")
    simplified = saved(tmp_path / "NotoSansSC-Regular.ttf", "Noto Sans SC", "位")
    japanese = saved(tmp_path / "ipag.ttf", "IPAGothic", "位")
    files = [japanese, tmp_path / "NotoSansCJK-Regular.ttc", simplified]
    assert fonts_for("位", files=files).faces[1].path == simplified


def test_a_font_that_has_all_beats_two_that_have_parts(tmp_path):
    parts = [saved(tmp_path / f"simhei{i}.ttf", f"Part {i}", text) for i, text in enumerate(["位", "置"])]
    whole = saved(tmp_path / "other.ttf", "Whole", "位置")
    assert [face.path for face in fonts_for("位置", files=[*parts, whole]).faces[1:]] == [whole]
    assert {face.path for face in fonts_for("位置", files=parts).faces[1:]} == set(parts)


# what no font has -------------------------------------------------------------------------------


def test_chinese_without_a_font_says_what_to_install():
    with pytest.raises(MissingExtra) as caught:
        fonts_for("位置 37", files=())
    assert caught.value.extra == "zh"
    assert 'pip install "clockhands[zh]"' in caught.value.text.en
    assert "显示中文" in caught.value.text.zh


def test_a_rare_character_does_not_stop_the_picture(tmp_path):
    font = saved(tmp_path / "a.ttf", "A", "位置指针")
    stack = fonts_for("位置指针龘", files=[font])
    assert stack.drawable("针龘") == "针[U+9F98]"


def test_strays_become_code_points_and_are_noted():
    stack = fonts_for("ok \U0001f680", files=())
    assert stack.drawable("ok \U0001f680") == "ok [U+1F680]"
    assert stack.runs("\U0001f680")[0][1] == "[U+1F680]"
    assert "U+1F680" in stack.note.en
    assert "U+1F680" in stack.note.zh
    assert fonts_for("ok").note.en == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\nc\td", "a↵b↵c⇥d"),
        ("a\u202eb", "a[U+202E]b"),
        ("\ud800", "[U+D800]"),
        ("\x00\x7f", "[U+0000][U+007F]"),
        ("a\u200db\ufe0f", "ab"),
        ("\u200b", "[U+200B]"),
        ("plain 位", "plain 位"),
    ],
)
def test_what_is_invisible_is_made_visible(text, shown):
    assert visible(text) == shown
    assert fonts_for(text).drawable(text) == shown


def test_what_counts_as_chinese():
    assert all(map(is_chinese, "位，。（）「」"))
    assert not any(map(is_chinese, "a1 —“”é\U0001f680"))


# both libraries ---------------------------------------------------------------------------------


def test_matplotlib_draws_all_scripts_without_a_warning():
    text = "位置 37 “x” ½ \U0001f680"
    stack = fonts_for(text, lang="zh")
    with warnings.catch_warnings(), matplotlib.rc_context(style.matplotlib_settings(stack.families())):
        warnings.simplefilter("error")
        figure = Figure()
        figure.suptitle(stack.drawable(text))
        figure.savefig(io.BytesIO(), format="png")


def test_families_are_made_known_once():
    from matplotlib.font_manager import fontManager

    stack = fonts_for("位置", lang="zh")
    assert stack.families() == stack.families()
    assert stack.families()[1:] == ["DejaVu Sans"]
    path = str(stack.faces[0].path)
    assert sum(entry.fname == path and entry.index == 0 for entry in fontManager.ttflist) == 1


@pytest.mark.parametrize(
    ("platform", "variable", "inside"),
    [
        ("linux", "XDG_DATA_HOME", "fonts"),
        ("win32", "WINDIR", "Fonts"),
        ("win32", "LOCALAPPDATA", "Microsoft/Windows/Fonts"),
    ],
)
def test_each_system_has_its_folders(monkeypatch, tmp_path, platform, variable, inside):
    (tmp_path / inside).mkdir(parents=True)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert tmp_path / inside in font_folders()
    assert all(folder.is_dir() for folder in font_folders())


def test_mac_folders(monkeypatch, tmp_path):
    (tmp_path / "Library/Fonts").mkdir(parents=True)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert tmp_path / "Library/Fonts" in font_folders()


# colours ----------------------------------------------------------------------------------------


def test_hand_colours_run_from_fast_to_slow():
    colours = style.hand_colours(256)
    luminance = colours @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(luminance) > 0).all()
    assert style.hand_colours(1).shape == (1, 3)
    assert tuple(style.hand_colours(10)[0]) == style.rgb("#440154")


def test_half_of_a_colour_lies_half_way():
    assert style.mixed(np.array([200.0]), np.array([100.0]), 0.5).tolist() == [150.0]
