"""What more dimensions buy: more hands, a larger step from one position to the next, weaker echoes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clockhands.analysis.axes import TOKENS
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.spectrum import spectrum
from clockhands.errors import ClockhandsError
from clockhands.formulas import default_inv_freq
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.scales import grid, linear, set_ticks
from clockhands.plots.sheet import MARGIN, Sheet, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("What dimensions buy", "维度能换来什么")

WIDTHS = (8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Bought:
    """Each ``(widths,)``: what a table of each width has within a context of ``context`` tokens.

    ``hands``     clock hands, half the width
    ``finished``  those of them that make a full turn in the context
    ``step``      Euclidean distance between neighbouring positions
    ``echo``      highest cosine similarity at a distance of ``far`` or more: how much a far position can pass
                  for a near one
    ``echo_at``   the distance at which it stands, tokens
    """

    context: int
    far: int
    hands: Labelled
    finished: Labelled
    step: Labelled
    echo: Labelled
    echo_at: Labelled


def bought(widths: Sequence[int] = WIDTHS, base: float = 10000.0, context: int = 512) -> Bought:
    """Measure sinusoidal tables of several ``widths`` (even, ascending) within ``context`` positions.

    >>> bought((8, 32)).hands.values.tolist()
    [4, 16]
    """
    if not widths:
        raise ClockhandsError(
            "there are no widths to compare: give at least one", "没有可比较的宽度：请至少给一个"
        )
    speeds = [default_inv_freq(width, float(base)) for width in widths]
    axis = Axis(Text("dimensions d", "维度 d"), np.asarray(widths))
    far = max(1, context // 8)
    curves = [kernel_range(speed, context - far + 1, start=far).values for speed in speeds]

    def each(id: str, name: Text, values: Sequence[float], unit: Text = NOTHING) -> Labelled:
        return Labelled(id, name, np.asarray(values), (axis,), unit)

    return Bought(
        context,
        far,
        each("hands", Text("clock hands", "时钟指针"), [len(speed) for speed in speeds]),
        each(
            "finished",
            Text("hands that finish a turn", "转满一圈的指针"),
            [spectrum(s, context).finished for s in speeds],
        ),
        each(
            "step",
            Text("step to the next position", "相邻位置距离"),
            [neighbour_distance(speed) for speed in speeds],
        ),
        each("echo", Text("strongest echo", "最强回声"), [float(curve.max()) for curve in curves]),
        each(
            "echo_at",
            Text("where the echo is", "回声所在距离"),
            [far + int(curve.argmax()) for curve in curves],
            TOKENS,
        ),
    )


def dimensions(
    found: Bought,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
) -> Picture:
    """Draw three small panels over the width: hands, step, echo."""
    says = Text(
        f"Within {found.context:,} positions. Twice the width is twice the hands; but the slow ones hardly "
        "move, and far positions still look alike.",
        f"在 {found.context:,} 个位置之内。宽度加倍，指针就加倍；但慢针几乎不动，远处的位置仍然有些相像。",
    )
    with sheet(lang, title, about=about, says=(says,), body=4.15) as page:
        _draw_hands(page, found)
        _draw_line(
            page, 1, found.step, Text("step to the next position", "到下一位置的距离"), found.step.values
        )
        echo = Text(f"strongest echo past {found.far} tokens", f"距离 {found.far} 之外的最强回声")
        _draw_line(page, 2, found.echo, echo, found.echo.values)
        _write_distances(page, found)
        return page.picture(found.hands, found.finished, found.step, found.echo, found.echo_at)


_PANEL, _PITCH = 2.75, 3.5  # inches


def _panel(page: Sheet, column: int, of: Labelled, heading: Text) -> Axes:
    x = MARGIN + 0.4 + column * _PITCH
    panel = page.panel(x, 0.35, _PANEL, 3.0, of.id)
    page.write(x - 0.35, 0.2, heading.said_in(page.lang), va="baseline")
    count = len(of.values)
    panel.set_xlim(-0.75, count - 0.25)
    set_ticks(panel, "x", list(range(count)), [str(width) for width in of.axes[0].values])
    panel.set_xlabel(of.axes[0].name.said_in(page.lang))
    grid(panel)
    return panel


def _draw_hands(page: Sheet, found: Bought) -> None:
    heading = Text("hands; dark: finish a turn", "指针数；深色：转满一圈")
    panel = _panel(page, 0, found.hands, heading)
    places = np.arange(len(found.hands.values))
    panel.bar(places, found.hands.values, width=0.62, color=style.CATEGORIES[5], alpha=0.45)
    panel.bar(places, found.finished.values, width=0.62, color=style.CATEGORIES[0])
    linear(panel, "y", 0, 1.12 * float(found.hands.values.max()))
    for place, (hands, done) in enumerate(zip(found.hands.values, found.finished.values, strict=True)):
        panel.annotate(
            f"{done}/{hands}", (place, hands), xytext=(0, 3), textcoords="offset points", ha="center",
            fontsize=style.SMALL_SIZE - 1, color=style.QUIET,
        )  # fmt: skip


def _draw_line(page: Sheet, column: int, of: Labelled, heading: Text, values: np.ndarray) -> None:
    panel = _panel(page, column, of, heading)
    linear(panel, "y", min(0.0, 1.2 * float(values.min())), 1.2 * float(values.max()) or 1.0)
    panel.plot(np.arange(len(values)), values, color=style.CATEGORIES[0], marker="o", markersize=4.5)
    rising = len(values) > 1 and values[-1] > values[0]
    for place, value in enumerate(values):
        panel.annotate(
            numeral(float(value), 3), (place, value), xytext=(-3 if rising else 3, 6),
            textcoords="offset points", ha="right" if rising else "left", fontsize=style.SMALL_SIZE - 1,
            color=style.QUIET,
        )  # fmt: skip


def _write_distances(page: Sheet, found: Bought) -> None:
    """At the foot of the echo panel: at which distance each echo stands."""
    at = ", ".join(numeral(float(place)) for place in found.echo_at.values)
    words = Text(f"at distances {at}", f"所在距离：{at}")
    page.write(MARGIN + 0.05 + 2 * _PITCH, 3.95, words.said_in(page.lang), size=style.SMALL_SIZE)
