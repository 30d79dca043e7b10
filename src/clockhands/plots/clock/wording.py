"""What a clock picture says, in both languages."""

from __future__ import annotations

import math

from clockhands.language import Language, Text
from clockhands.plots.clock.hands import Hands
from clockhands.plots.clock.layout import MOST_TIPS
from clockhands.plots.numerals import numeral, scientific

COLUMNS = (
    Text("wavelength, tokens", "波长（词元）"),
    Text("hands", "指针"),
    Text("turns made", "已转圈数"),
    Text("past one turn", "已满一圈"),
)
"""Heads of the table of bands."""


def subtitle(lang: Language, title: str | Text, *parts: Text) -> str:
    """The person's title, then what is shown; empty parts are left out."""
    first = title if isinstance(title, str) else title.said_in(lang)
    return " · ".join(part for part in (first, *(part.said_in(lang) for part in parts)) if part)


def position_title(position: float) -> Text:
    """``Position 37``."""
    shown = numeral(position, 6)
    return Text(f"Position {shown}", f"位置 {shown}")


def about(hands: Hands) -> Text:
    """How many hands, the width they belong to, and the base if there is one.

    >>> from clockhands.plots.clock.hands import hands_of
    >>> about(hands_of([1.0, 0.1, 0.01, 0.001])).en
    '4 hands, d = 8, base 10,000'
    """
    base = hands.base
    count, every = hands.count, -(-hands.count // MOST_TIPS)
    return Text(
        f"{count:,} hand{'s' if count > 1 else ''}, d = {2 * count:,}"
        + (f", base {numeral(base, 4)}" if base else "")
        + (f", one in {every} drawn" if every > 1 else ""),
        f"{count:,} 根指针，d = {2 * count:,}"
        + (f"，底数 {numeral(base, 4)}" if base else "")
        + (f"，每 {every} 根画一根" if every > 1 else ""),
    )


def tokens(wavelength: float) -> Text:
    """A wavelength: three digits are enough to read it by."""
    if wavelength == float("inf"):
        return Text("never turns", "不转动")
    shown = short(wavelength)
    return Text(f"{shown} tokens", f"{shown} 词元")


def turns_at(position: int) -> Text:
    """Head of a column that does not change as the hands turn."""
    return Text(f"turns at {numeral(position)}", f"到 {numeral(position)} 的圈数")


def turns_in(turns: float, steps: int) -> Text:
    """Turns made while the whole range goes by: a number that stays true as the hands turn."""
    made = turned(turns)
    return Text(f"{made.en} in {steps:,}", f"{steps:,} 步转 {made.zh}")


def turned(turns: float) -> Text:
    """Turns made, with two decimals as long as they mean something."""
    shown = f"{turns:,.2f}" if abs(turns) < 1000 else short(turns)
    shown = shown.replace("-0.00", "0.00").replace("-", "−")
    return Text(f"{shown} turns", f"{shown} 圈")


def short(value: float) -> str:
    """``6.3``, ``353``, ``35,333``, ``1 × 10⁸``.

    >>> short(6.283), short(353.3), short(35333.09)
    ('6.3', '353', '35,333')
    """
    if value == float("inf"):
        return "∞"
    if abs(value) >= 1e7:
        return scientific(value)
    whole = abs(value) >= 99.95 or float(value).is_integer()
    return f"{value:,.0f}" if whole else f"{value:.1f}"


def span(low: float, high: float) -> str:
    """``6.3 – 9.7``, or one number where both read the same."""
    return short(low) if short(low) == short(high) else f"{short(low)} – {short(high)}"


def turn_span(low: float, high: float) -> str:
    """Like ``span`` with two decimals, for turns made."""
    shown = [f"{turns:,.2f}" if turns < 1000 else short(turns) for turns in (low, high)]
    return shown[0] if shown[0] == shown[1] else " – ".join(shown)


def relative_title(position: float, distance: int) -> Text:
    """Where query and key are; ``position`` is the key's."""
    query, key = numeral(position + distance, 6), numeral(position, 6)
    return Text(f"Query {query}, key {key}", f"查询 {query}，键 {key}")


def about_distance(distance: int, drawn: int, hands: int) -> Text:
    """What a relative clock shows, and how many hands of how many."""
    some = (
        Text("", "")
        if drawn == hands
        else Text(f"{drawn} of {hands:,} hands", f"画出 {hands:,} 根中的 {drawn} 根")
    )
    whole = Text(
        f"distance {numeral(distance)}: both turn, the angle between stands still",
        f"距离 {numeral(distance)}：两针都在转，夹角不变",
    )
    return Text(*(" · ".join(filter(None, both)) for both in zip(whole, some, strict=True)))


def apart(angle: float) -> Text:
    """An angle in rad, said in degrees."""
    shown = numeral(math.degrees(angle), 3)
    return Text(f"{shown}° apart", f"相差 {shown}°")


def share_of(part: int, whole: int) -> str:
    """``13 / 64``."""
    return f"{part:,} / {whole:,}"


def vocabulary(lang: Language) -> str:
    """Every character that the picture's own words use, for choosing the fonts."""
    words = (
        position_title(0),
        relative_title(0, 0),
        tokens(1.0),
        tokens(math.inf),
        turned(1.0),
        apart(1.0),
        turns_at(0),
        turns_in(1.0, 0),
        *COLUMNS,
    )
    return "".join(text.said_in(lang) for text in words) + "0123456789,.−×·–/…∞¼½¾⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
