from __future__ import annotations

import pytest

from clockhands.demo.speech import (
    NUMBER_END,
    NUMBER_START,
    TOKEN_END,
    TOKEN_START,
    listed,
    number,
    plain,
    plainly,
    quoted,
    said,
    token,
    tokens,
    untrained,
)
from clockhands.language import Text


def test_numbers_are_written_as_people_read_them() -> None:
    template = Text("{a} {b} {c:.2f} {d:.0%} {e:+d}", "{a}、{b}")
    sentence = plainly(template, a=35333, b=0.73609, c=-0.148, d=0.47, e=-3)
    assert sentence == ("35,333 0.736 −0.15 47% −3", "35,333、0.736")


@pytest.mark.parametrize(
    ("value", "written"),
    [(4.2e-14, "4 × 10⁻¹⁴"), (-3e-5, "−3 × 10⁻⁵"), (0.0, "0"), (0.47, "0.47"), (9.6e-10, "1 × 10⁻⁹")],
)
def test_powers_of_ten_are_raised(value: float, written: str) -> None:
    assert plain(number(value, "power").en) == written


@pytest.mark.parametrize(
    ("value", "written"), [(float("nan"), "–"), (float("inf"), "∞"), (float("-inf"), "−∞")]
)
def test_what_is_no_number_is_a_dash(value: float, written: str) -> None:
    assert plain(number(value, ".0%").en) == written


def test_every_number_is_marked_and_nothing_else_is() -> None:
    sentence = said(Text("of {n} words {w} is first", "{n} 个词里 {w} 最先"), n=3, w="史进")
    assert sentence.en == (f"of {NUMBER_START}3{NUMBER_END} words {TOKEN_START}史进{TOKEN_END} is first")


def test_texts_are_put_in_by_language() -> None:
    parts = listed([Text("noun", "名词"), Text("verb", "动词")])
    assert said(Text("a {x}", "{x}"), x=parts) == ("a noun, verb", "名词、动词")


def test_what_is_no_number_token_or_text_is_refused() -> None:
    with pytest.raises(TypeError, match="neither a number"):
        said(Text("{x}", "{x}"), x=[1])


def test_tokens_hide_nothing_and_break_out_of_nothing() -> None:
    hostile = token(f"a{TOKEN_END}\u202eb{NUMBER_START}\n")
    assert hostile == f"{TOKEN_START}aU+2069U+202EbU+E000⏎{TOKEN_END}"


def test_a_long_token_is_cut() -> None:
    assert len(token("水" * 10_000)) < 40


def test_tokens_stand_apart() -> None:
    assert tokens(["史进", "打"]).zh == f"{TOKEN_START}史进{TOKEN_END} {TOKEN_START}打{TOKEN_END}"


def test_plain_takes_every_mark_away() -> None:
    assert plain(f"*so* `x` {NUMBER_START}1{NUMBER_END}{TOKEN_START}t{TOKEN_END}") == "so x 1t"
    assert plain(quoted(Text("a", "甲")).zh) == "甲"


def test_random_things_say_so() -> None:
    assert untrained(7) == ("untrained, seed 7", "未训练，随机种子 7")
