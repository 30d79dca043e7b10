"""Two hands a dial, the query's and the key's: both turn on, the angle between them stands still."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import RADIANS, pair_axis, position_axis
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.language import Language, Text
from clockhands.plots.clock.animation import Animation
from clockhands.plots.clock.hands import Floats, Hands, hands_of
from clockhands.plots.clock.layout import MOST_DIALS, Settings
from clockhands.plots.clock.relative_parts import relative_painter
from clockhands.plots.clock.relative_svg import relative_svg
from clockhands.plots.clock.request import language, picture_size, shown_positions, speed
from clockhands.plots.clock.scene import Painter
from clockhands.plots.clock.svg import Motion
from clockhands.plots.clock.wording import about_distance, subtitle


@dataclass(frozen=True)
class RelativeDrawing:
    """Hands of a query ``distance`` tokens after a key. ``drawn`` are those of ``hands`` that have a dial."""

    hands: Hands
    drawn: Hands
    distance: int
    settings: Settings

    def painter(self, widest: float) -> Painter:
        """Draws frames in pixels; ``widest`` is the position with the most digits among them."""
        return relative_painter(self.drawn, self.distance, self.settings, widest)

    def svg(self, motion: Motion) -> str:
        """The animated document."""
        return relative_svg(self.drawn, self.distance, self.settings, motion)

    def data(self, positions: Floats) -> tuple[Labelled, ...]:
        """Angles of query and key, ``(positions, pairs)``, and the angle between, ``(pairs,)``."""
        given, pairs = np.argsort(self.hands.pair), pair_axis(self.hands.count)
        axes = (position_axis(positions, Text("key position", "键的位置")), pairs)
        query, key = (self.hands.angles(positions + ahead)[:, given] for ahead in (self.distance, 0))
        between = self.hands.angle(self.distance)[given]
        note = self.hands.note
        return (
            Labelled("query", Text("angle of the query", "查询的角度"), query, axes, RADIANS, note),
            Labelled("key", Text("angle of the key", "键的角度"), key, axes, RADIANS, note),
            Labelled("between", Text("angle between", "夹角"), between, (pairs,), RADIANS, note),
        )

    def about(self) -> Text:
        """What is shown, in a few words."""
        return about_distance(self.distance, self.drawn.count, self.hands.count)


def relative_clock(
    inv_freq: ArrayLike | Labelled,
    distance: int = 5,
    positions: int | range = 50,
    *,
    lang: Language = "en",
    title: str | Text = NOTHING,
    size: tuple[int, int] | None = None,
    wall: bool = True,
    steps_per_second: float = 3,
    start: int = 0,
) -> Animation:
    """The hands of a query (solid) and of a key (hollow), ``distance`` tokens before it, turning together.

    RoPE turns query and key by these angles, so what their dot product sees is the angle between: the same
    at every position. ``positions`` are those of the key. Past 24 hands, 24 evenly chosen ones are drawn.
    The other parameters are those of ``clock``.

    Raises:
        ClockhandsError: as ``clock``, or a distance that is not a whole number.

    >>> relative_clock([1.0, 0.1], distance=3).data[2].values.round(6).tolist()
    [3.0, 0.3]
    """
    hands, lang = hands_of(inv_freq), language(lang)
    distance = inputs.count(distance, Text("the distance", "距离"), least=-inputs.FARTHEST)
    chosen = np.unique(np.linspace(0, hands.count - 1, min(hands.count, MOST_DIALS)).round().astype(np.intp))
    drawn = Hands(hands.speed[chosen], hands.pair[chosen], hands.note)
    settings = Settings(
        size=picture_size(size, wall),
        wall=wall,
        trail=0,
        lang=lang,
        subtitle=subtitle(lang, title, about_distance(distance, drawn.count, hands.count), hands.note),
    )
    drawing = RelativeDrawing(hands, drawn, distance, settings)
    return Animation(drawing, shown_positions(positions, start), speed(steps_per_second), lang)
