"""The line above the dials: where we are, and what is shown."""

from __future__ import annotations

from collections.abc import Callable

from clockhands.language import Language, Text
from clockhands.plots.clock.canvas import Canvas
from clockhands.plots.clock.layout import Layout, Settings
from clockhands.plots.clock.lettering import Lettering, Slot
from clockhands.plots.style import INK, QUIET


class Header:
    """``Position 37`` in bold, then a quiet subtitle that stays where it is while the number grows."""

    def __init__(
        self,
        canvas: Canvas,
        title: Lettering,
        subtitle: Lettering,
        places: Layout,
        settings: Settings,
        says: Callable[[float], Text],
        widest: float,
    ):
        """``says`` words a position; ``widest`` is the position with the most digits that will be shown."""
        self._says = says
        self._lang: Language = settings.lang
        self._slot = Slot(canvas, title, places.left, places.baseline)
        start = places.left + title.width(says(widest).said_in(self._lang)) + 1.6 * subtitle.size
        fitted = subtitle.fitted(settings.subtitle, max(canvas.width - places.left - start, 0))
        canvas.lay(subtitle.marks(canvas, start, places.baseline, fitted), QUIET)

    def draw(self, position: float) -> None:
        self._slot.lay(self._says(position).said_in(self._lang), INK)
