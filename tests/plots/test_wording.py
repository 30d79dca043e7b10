"""Text on a page: broken at the right places, never lost, never too wide, never invisible."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clockhands.analysis.labelled import Axis
from clockhands.language import Text
from clockhands.plots.wording import axis_words, labels, shortened, wrapped


def columns(text: str) -> float:
    """A ruler: Han characters are two wide."""
    return sum(2.0 if ord(character) > 0x2E80 else 1.0 for character in text)


def test_latin_breaks_at_spaces() -> None:
    assert wrapped("the hands turn clockwise", 10, columns) == ["the hands", "turn", "clockwise"]


def test_chinese_breaks_anywhere_but_before_a_closing_mark() -> None:
    lines = wrapped("两根指针都在转，夹角不变。", 14, columns)
    assert lines == ["两根指针都在", "转，夹角不变。"]
    assert not any(line[0] in "，。" for line in lines)


def test_no_line_ends_with_an_opening_mark() -> None:
    assert wrapped("波长（词元）", 6, columns) == ["波长", "（词", "元）"]


def test_mixed_text_keeps_latin_words_whole() -> None:
    assert wrapped("用 RoPE 旋转 queries 和 keys", 12, columns) == ["用 RoPE 旋转", "queries 和", "keys"]


@given(st.text(alphabet="ab 词，。（）.", max_size=60), st.integers(3, 30))
def test_nothing_is_lost_and_nothing_sticks_out(text: str, width: int) -> None:
    lines = wrapped(text, width, columns)
    assert "".join("".join(lines).split()) == "".join(text.split())
    # Only a mark that must not start a line may hang over.
    assert all(columns(line.rstrip("，。）.")) <= width for line in lines)


def test_a_word_wider_than_the_line_is_cut() -> None:
    assert wrapped("x" * 10, 4, columns) == ["xxxx", "xxxx", "xx"]


def test_shortened_counts_han_characters_twice() -> None:
    assert shortened("鲁提辖拳打镇关西", 12) == "鲁提辖拳打…"
    assert shortened("鲁提辖", 12) == "鲁提辖"
    assert shortened("x" * 10_000, 12) == "x" * 11 + "…"


def test_labels_show_what_is_invisible_and_what_has_no_glyph() -> None:
    said = labels(["\n", " ", "", "\u202e", "</script>", "🚀", "的"], "en")
    assert all(label.strip() for label in said)
    assert said[4] == "</script>"
    assert "🚀" not in said[5]
    assert "1F680" in said[5]
    assert said[6] == "的"


def test_axis_words_have_units_in_the_brackets_of_the_language() -> None:
    axis = Axis(Text("wavelength", "波长"), [], Text("tokens", "词元"))  # type: ignore[arg-type]  # unused
    assert axis_words(axis, "en") == "wavelength (tokens)"
    assert axis_words(axis, "zh") == "波长（词元）"
    assert axis_words(Axis(Text("head", "头"), []), "zh") == "头"  # type: ignore[arg-type]  # unused
