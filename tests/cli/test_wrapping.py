"""Lines are broken by columns, and Chinese punctuation never starts one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.cli.wrapping import columns, padded, wrap

MIXED = st.text(alphabet="ab -位置编码，。RoPE ", max_size=80)


@pytest.mark.parametrize(
    ("text", "width"),
    [("RoPE", 4), ("位置", 4), ("RoPE 位置", 9), ("e\u0301", 1), ("，", 2), ("", 0)],
)
def test_columns_count_what_a_terminal_shows(text: str, width: int) -> None:
    assert columns(text) == width


def test_english_breaks_at_spaces() -> None:
    assert wrap("every pair is a clock hand", 12) == ["every pair", "is a clock", "hand"]


def test_chinese_breaks_between_characters() -> None:
    assert wrap("位置编码像时钟", 8) == ["位置编码", "像时钟"]


def test_punctuation_stays_with_the_character_before_it() -> None:
    assert wrap("位置编码，时钟", 8) == ["位置编", "码，时钟"]


def test_a_word_wider_than_the_line_stays_whole() -> None:
    assert wrap("a clockhands b", 4) == ["a", "clockhands", "b"]


@given(MIXED, st.integers(4, 40))
def test_nothing_is_lost_and_lines_fit(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert line == line.strip() or line.startswith(" ")
        if columns(line) > width:  # only what can't be broken may be too wide
            assert all(len(wrap(line, 1)) >= 1 and " " not in line for _ in line)


def test_padding_counts_columns() -> None:
    assert padded("位置", 6) == "位置  "
