"""What a clock picture says, in both languages."""

from __future__ import annotations

from clockhands.language import Text
from clockhands.plots.clock.hands import Hands
from clockhands.plots.numerals import numeral, scientific


def position_title(position: float) -> Text:
    shown = numeral(position, 6)
    return Text(f"Position {shown}", f"位置 {shown}")


def about(hands: Hands) -> Text:
    """How many hands, the width they belong to, and the base if there is one.

    >>> from clockhands.plots.clock.hands import hands_of
    >>> about(hands_of([1.0, 0.1, 0.01, 0.001])).en
    '4 hands, d = 8, base 10,000'
    """
    base = hands.base
    count = hands.count
    return Text(
        f"{count:,} hand{'s' if count > 1 else ''}, d = {2 * count:,}"
        + (f", base {numeral(base, 4)}" if base else ""),
        f"{count:,} 根指针，d = {2 * count:,}" + (f"，底数 {numeral(base, 4)}" if base else ""),
    )


def tokens(wavelength: float) -> Text:
    """A wavelength: three digits are enough to read it by."""
    if wavelength == float("inf"):
        return Text("never turns", "不转动")
    shown = short(wavelength)
    return Text(f"{shown} tokens", f"{shown} 词元")


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


VOCABULARY = Text(
    "Position hands turns tokens base never Query at key wavelength past one made apart 0123456789"
    ",.:;=−–×/·…°∞¼½¾⁻⁰¹²³⁴⁵⁶⁷⁸⁹()d",
    "位置根指针圈词元底数不转动查询在键波长（）已转数满一的相差距离0123456789，。：,.:;=−–×/·…°∞¼½¾⁻⁰¹²³⁴⁵⁶⁷⁸⁹()d",
)
"""Every character that the picture's own words use."""
