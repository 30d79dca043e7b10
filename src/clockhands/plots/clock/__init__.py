"""Positional encodings as clock hands: one hand a pair of dimensions, turning clockwise from twelve.

>>> animation = clock([1.0, 0.1, 0.01], positions=50)
>>> len(animation.positions), animation.data[0].values.shape
(50, (50, 3))
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.language import Language, Text
from clockhands.plots.clock.animation import Animation
from clockhands.plots.clock.drawing import ClockDrawing
from clockhands.plots.clock.hands import hands_of
from clockhands.plots.clock.layout import Settings
from clockhands.plots.clock.relative import relative_clock
from clockhands.plots.clock.request import language, picture_size, shown_positions, speed, trail_steps
from clockhands.plots.clock.wording import about, subtitle

__all__ = ["Animation", "clock", "relative_clock"]


def clock(
    inv_freq: ArrayLike | Labelled,
    positions: int | range = 50,
    *,
    lang: Language = "en",
    title: str | Text = NOTHING,
    size: tuple[int, int] | None = None,
    trail: int = 6,
    wall: bool = True,
    steps_per_second: float = 3,
    start: int = 0,
) -> Animation:
    """Clock hands turning through ``positions``.

    Concentric dials, the fastest hand inside; beside them a wall of small clocks with wavelengths (tokens)
    and turns made. Past 24 hands the dials become a polar map and the wall a table of bands.

    inv_freq    angular speed of each hand, ``(pairs,)``, rad / token, in any order
    positions   how many, from ``start``; or a range such as ``range(0, 5000, 100)``
    title       written after the position, before what is shown
    size        width and height in pixels; 1200 × 660 with the wall, 640 × 640 without
    trail       how many steps the trail behind each hand goes back
    wall        ``False`` leaves the wall out and writes the wavelengths on the rings

    Raises:
        ClockhandsError: speeds that are not a list of finite numbers; a size, speed or range out of bounds.
        MissingExtra: Chinese text, and no font that has it (when a frame is drawn).

    >>> clock([1.0, 0.1], range(0, 100, 10)).frame(0).size
    (1200, 660)
    """
    hands, lang = hands_of(inv_freq), language(lang)
    settings = Settings(
        size=picture_size(size, wall),
        wall=wall,
        trail=trail_steps(trail),
        lang=lang,
        subtitle=subtitle(lang, title, about(hands), hands.note),
    )
    return Animation(
        ClockDrawing(hands, settings), shown_positions(positions, start), speed(steps_per_second), lang
    )
