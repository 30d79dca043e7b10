"""The page: everything readable whatever its texts, Chinese in a font that has it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from clockhands.language import Language, Text
from clockhands.plots.fonts import fonts_for, is_chinese
from clockhands.plots.recorder import collisions, record
from clockhands.plots.sheet import sheet

LONG = Text("word " * 80, "词元，" * 80)
UNBROKEN = Text("x" * 400, "位" * 300)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("title", "about", "says"),
    [
        (Text("Short", "短"), Text("about it", "关于"), ()),
        (Text("Short", "短"), LONG, (LONG, LONG)),
        (UNBROKEN, UNBROKEN, (UNBROKEN,)),
        (Text("", ""), Text("", ""), (LONG,)),
    ],
)
def test_headings_of_any_length_can_be_read(
    lang: Language, title: Text, about: Text, says: Sequence[Text]
) -> None:
    note = Text("untrained, seed 0", "未训练，随机种子 0")
    with sheet(lang, title, about=about, says=says, note=note, feet=(LONG,), body=1.0) as page:
        page.panel(0.5, 0.2, 2, 0.5, "p")
        picture = page.picture()
    assert collisions(picture) == []
    for text in (title, about, *says, note, LONG):
        assert record(picture).says(text.said_in(lang))


def test_a_parameter_list_that_has_no_room_beside_the_title_goes_under_it() -> None:
    with sheet("en", Text("T", "T"), about=Text("abc " * 9, "")) as page:
        beside = page.picture().figure.texts
    with sheet("en", Text("T", "T"), about=Text("abc " * 60, "")) as page:
        under = page.picture().figure.texts
    height = {text.get_text()[0]: text.get_position()[1] for text in beside}
    assert height["T"] == height["a"]
    height = {text.get_text()[0]: text.get_position()[1] for text in under}
    assert height["T"] > height["a"]


def test_every_text_is_drawn_in_a_font_with_its_glyphs() -> None:
    with sheet(
        "zh", Text("en", "热力图 Heat"), about=Text("en", "只有 latin"), says=(Text("en", "plain"),)
    ) as page:
        picture = page.picture()
    for text in picture.figure.texts:
        needed = fonts_for(text.get_text(), lang="zh").families()
        if any(map(is_chinese, text.get_text())):
            assert text.get_fontfamily()[0] == needed[0] != "DejaVu Sans"


def test_characters_without_a_glyph_become_code_points() -> None:
    with sheet("en", Text("🚀 up", "🚀 up"), note=Text("line\nbreak", "x")) as page:
        picture = page.picture()
    texts = [text.get_text() for text in picture.figure.texts]
    assert any("U+1F680" in text for text in texts)


def test_titles_are_bold_only_where_the_font_is() -> None:
    """Chinese fonts often come in one weight, and matplotlib warns when asked for another."""
    weights = {}
    for words in ("Heat map", "Heat map of 位置"):
        with sheet("en", Text(words, "")) as page:
            (title,) = [text for text in page.picture().figure.texts if text.get_text() == words]
        weights[words] = title.get_fontweight()
    assert weights == {"Heat map": "bold", "Heat map of 位置": "normal"}
