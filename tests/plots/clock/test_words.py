"""What a picture says: true, in both languages, cut where it must be, and never as boxes."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.plots.clock import clock, relative_clock
from clockhands.plots.clock.canvas import Canvas
from clockhands.plots.clock.hands import hands_of
from clockhands.plots.clock.lettering import Lettering
from clockhands.plots.clock.wording import (
    about,
    apart,
    position_title,
    relative_title,
    short,
    span,
    subtitle,
    tokens,
    turn_span,
    turned,
    vocabulary,
)
from clockhands.plots.fonts import fonts_for
from clockhands.plots.style import PAGE

SINUSOID = 10000.0 ** (-np.arange(16) / 16)


def said(monkeypatch, draw):
    """Every text that is lettered while ``draw`` runs."""
    texts = []
    lettered = Lettering.marks

    def recorded(self, canvas, x, baseline, text, anchor="left"):
        texts.append(text)
        return lettered(self, canvas, x, baseline, text, anchor)

    monkeypatch.setattr(Lettering, "marks", recorded)
    draw()
    return texts


def test_the_wall_says_turns_and_wavelengths(monkeypatch):
    """Wavelengths 2 pi * 10000^(i/16), turns at 37, as the reference picture of the design has them."""
    texts = said(monkeypatch, lambda: clock(SINUSOID).frame(37))
    assert texts[:2] == ["16 hands, d = 32, base 10,000", "0"]
    assert "Position 37" in texts
    below = [6.3, 11.2, 19.9, 35.3, 62.8, 112, 199, 353, 628, 1117, 1987, 3533, 6283, 11173, 19869, 35333]
    assert [text for text in texts if text.endswith("tokens")] == [f"{value:,} tokens" for value in below]
    above = [5.89, 3.31, 1.86, 1.05, 0.59, 0.33, 0.19, 0.1, 0.06, 0.03, 0.02, 0.01, 0.01, 0, 0, 0]
    assert [text for text in texts if text.endswith("turns")] == [f"{value:.2f} turns" for value in above]
    assert {"0", "¼", "½", "¾"} <= set(texts)


def test_the_same_in_chinese(monkeypatch):
    texts = said(monkeypatch, lambda: clock(SINUSOID, lang="zh").frame(37))
    assert {"位置 37", "16 根指针，d = 32，底数 10,000", "6.3 词元", "5.89 圈"} <= set(texts)
    assert not [text for text in texts if re.search("[A-Za-z]{2}", text)]


def test_without_a_wall_the_rings_say_their_wavelengths(monkeypatch):
    texts = said(monkeypatch, lambda: clock(SINUSOID[:3], wall=False).frame(0))
    assert {"6.3", "11.2", "19.9"} <= set(texts)


def test_the_table_of_bands_counts_hands_and_turns(monkeypatch):
    speeds = 10000.0 ** (-np.arange(256) / 256)
    texts = said(monkeypatch, lambda: clock(speeds).frame(37))
    assert {"wavelength, tokens", "hands", "turns made", "past one turn"} <= set(texts)
    assert {"6.3 – 9.7", "13", "3.82 – 5.89", "13 / 13", "100 – 968", "64", "0.04 – 0.37", "0 / 64"} <= set(
        texts
    )


def test_columns_of_the_table_keep_apart(monkeypatch):
    """Heads and numbers end at the same edges, and none begins before the column left of it has ended."""
    ends, lettered = {}, Lettering.marks

    def recorded(self, canvas, x, baseline, text, anchor="left"):
        if anchor == "right":
            ends.setdefault(round(x), []).append(self.width(text))
        return lettered(self, canvas, x, baseline, text, anchor)

    monkeypatch.setattr(Lettering, "marks", recorded)
    clock(10000.0 ** (-np.arange(256) / 256)).frame(49)
    edges = sorted(ends)
    assert len(edges) == 4
    assert all(len(ends[edge]) == 1 + 5 for edge in edges)
    assert edges[-1] < 1200
    for left, right in pairwise(edges):
        assert right - max(ends[right]) > left + 5


def test_the_relative_clock_says_where_both_are(monkeypatch):
    texts = said(monkeypatch, lambda: relative_clock([1.0, 0.1], 5).frame(37))
    assert {"Query 42, key 37", "286° apart", "28.6° apart"} <= set(texts)
    assert "distance 5: both turn, the angle between stands still" in texts


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_word_of_a_picture_is_in_its_vocabulary(monkeypatch, lang):
    """So the fonts chosen for the vocabulary have every glyph: none is drawn as a box."""
    texts = []
    for draw in (
        lambda: clock(SINUSOID, lang=lang, trail=0).frame(10**9),
        lambda: clock(np.geomspace(1, 1e-12, 300), lang=lang).frame(10**9),
        lambda: clock([-1.0, 0.0], lang=lang).frame(37),
        lambda: relative_clock(np.geomspace(1, 1e-12, 30), lang=lang).frame(-7),
    ):
        texts += said(monkeypatch, draw)
    subtitles = {text for text in texts if re.search("d = |[:：]", text)}
    used = set("".join(set(texts) - subtitles))
    assert used - set(vocabulary(lang)) <= {" ", ","}
    for text in subtitles:
        assert not fonts_for(text, lang=lang).missing


def test_a_note_is_on_the_face_of_the_picture(monkeypatch):
    from clockhands.analysis.labelled import Axis, Labelled

    note = Text("untrained, seed 0", "未训练，随机种子 0")
    given = Labelled("s", note, np.array([1.0]), (Axis(note, np.arange(1)),), note=note)
    texts = said(monkeypatch, lambda: clock(given, title="mine").frame(0))
    assert "mine · 1 hand, d = 2 · untrained, seed 0" in texts


def test_words():
    assert position_title(1234567).en == "Position 1,234,567"
    assert position_title(-3).zh == "位置 −3"
    assert relative_title(37, 5).zh == "查询 42，键 37"
    assert tokens(np.inf).en == "never turns"
    assert tokens(35333.09).zh == "35,333 词元"
    assert [turned(value).en for value in (-0.001, -2.5, 1e9)] == [
        "0.00 turns",
        "−2.50 turns",
        "1 × 10⁹ turns",
    ]
    assert [short(value) for value in (6.283, 99.96, 100.0, 10.0, 1e8)] == [
        "6.3",
        "100",
        "100",
        "10",
        "1 × 10⁸",
    ]
    assert (span(6.28, 9.7), span(6.28, 6.281)) == ("6.3 – 9.7", "6.3")
    assert (turn_span(0.0, 0.001), turn_span(0.5, 1e9)) == ("0.00", "0.50 – 1 × 10⁹")
    assert apart(np.pi).en == "180° apart"
    assert about(hands_of(np.ones(600))).en == "600 hands, d = 1,200, one in 2 drawn"
    assert about(hands_of([1.0])).zh == "1 根指针，d = 2"
    assert subtitle("zh", Text("title", "标题"), Text("a", "甲"), Text("", "")) == "标题 · 甲"


@pytest.mark.parametrize(
    "title",
    [
        "<script>alert(1)</script>&\"'",
        "x" * 10_000,
        "\n\t\x00\u202e",
        "\ud800",
        "\U0001f680 emoji",
        "مرحبا",
        "位置" * 500,
    ],
)
@pytest.mark.parametrize("wall", [True, False])
def test_hostile_titles_stay_on_the_page(title, wall):
    animation = clock([1.0, 0.1], 2, title=title, wall=wall, size=(520, 300))
    assert animation.frame(1).size == (520, 300)


def test_an_unknown_language_is_refused():
    with pytest.raises(ClockhandsError, match="language"):
        clock([1.0], lang="fr")


# lettering --------------------------------------------------------------------------------------


@pytest.fixture
def canvas():
    return Canvas(200, 60, PAGE)


@pytest.fixture
def lettering():
    return Lettering(fonts_for("Position 位置", lang="en"), 20.0)


def columns(canvas, marks):
    return marks.pixels % canvas.width


def test_anchors_place_the_text(canvas, lettering):
    left, middle, right = (
        columns(canvas, lettering.marks(canvas, 100.0, 40.0, "Hi", anchor))
        for anchor in ("left", "middle", "right")
    )
    width = lettering.width("Hi")
    assert left.min() >= 100
    assert right.max() < 101
    assert middle.min() - right.min() == pytest.approx(width / 2, abs=1)
    assert left.min() - middle.min() == pytest.approx(width / 2, abs=1)


def test_text_stands_on_its_baseline(canvas, lettering):
    rows = lettering.marks(canvas, 10.0, 40.0, "HIT").pixels // canvas.width
    assert rows.max() in (39, 40)
    assert 40 - rows.min() == pytest.approx(0.73 * 20, abs=1.5)


def test_mixed_scripts_are_drawn_in_their_fonts(canvas, lettering):
    both = lettering.marks(canvas, 10.0, 40.0, "H位")
    alone = lettering.marks(canvas, 10.0, 40.0, "H")
    assert columns(canvas, both).max() > columns(canvas, alone).max() + 15
    assert lettering.width("H位") == pytest.approx(lettering.width("H") + 20, abs=0.5)


def test_bold_is_thicker_where_the_font_has_no_bold(canvas):
    stack = fonts_for("位", lang="zh")
    thin, thick = (Lettering(stack, 20.0, bold).marks(canvas, 10.0, 40.0, "位") for bold in (False, True))
    assert thick.coverage.sum() > 1.2 * thin.coverage.sum()


@pytest.mark.parametrize("text", ["Position 37", "位置指针" * 9, "", "x" * 10_000])
def test_text_that_is_too_long_is_cut_with_an_ellipsis(lettering, text):
    fitted = lettering.fitted(text, 120.0)
    assert lettering.width(fitted) <= 120
    assert fitted == text or fitted.endswith("…")
    assert lettering.fitted("Hi", 120.0) == "Hi"


def test_a_text_of_which_nothing_fits(lettering):
    assert lettering.fitted("Hi there", 0.0) in {"", "…"}


def test_text_off_the_page_is_cut(canvas, lettering):
    marks = lettering.marks(canvas, -10.0, 2.0, "Position")
    assert len(marks.pixels)
    assert marks.pixels.min() >= 0
    assert len(lettering.marks(canvas, 500.0, 500.0, "Position").pixels) == 0
