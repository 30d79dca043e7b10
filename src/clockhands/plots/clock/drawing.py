"""The clock of one set of hands, ready to be drawn in pixels or in vectors."""

from __future__ import annotations

from dataclasses import dataclass

from clockhands.analysis.labelled import Labelled
from clockhands.language import Text
from clockhands.plots.clock.clock_svg import clock_svg
from clockhands.plots.clock.hands import Floats, Hands
from clockhands.plots.clock.layout import Settings
from clockhands.plots.clock.scene import Painter, clock_painter
from clockhands.plots.clock.svg import Motion
from clockhands.plots.clock.wording import about


@dataclass(frozen=True)
class ClockDrawing:
    """Hands and the settings they are drawn with."""

    hands: Hands
    settings: Settings

    def painter(self, widest: float) -> Painter:
        """Draws frames in pixels; ``widest`` is the position with the most digits among them."""
        return clock_painter(self.hands, self.settings, widest)

    def svg(self, motion: Motion) -> str:
        """The animated document."""
        return clock_svg(self.hands, self.settings, motion)

    def data(self, positions: Floats) -> tuple[Labelled, ...]:
        """Angles and turns."""
        return self.hands.data(positions)

    def about(self) -> Text:
        """What is shown, in a few words."""
        words = about(self.hands)
        return Text(f"Clock hands: {words.en}", f"时钟指针：{words.zh}")
