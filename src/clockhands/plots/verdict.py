"""A table's verdict, drawn where it is: marks at the rows and columns of each finding, sentences below."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis.findings import SEVERITIES, Finding
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.analysis.verdict import Verdict
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.decimate import block_means
from clockhands.plots.given import DIMENSION, POSITION, labelled
from clockhands.plots.heatmap import MOST_CELLS
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless, index_ticks, symmetric_limit
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("Verdict on a table", "位置表的检查结论")

_NOTE_COLOUR = style.QUIET
_COLOURS = (
    style.CATEGORIES[1],
    style.CATEGORIES[2],
    style.CATEGORIES[3],
    style.CATEGORIES[0],
    style.CATEGORIES[4],
)
_LINE = 0.22
_MAP_HEIGHT = 3.3


def verdict(
    table: Labelled | ArrayLike,
    found: Verdict,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
) -> Picture:
    """Draw a table ``(positions, dimensions)`` with the findings of ``analysis.verdict.examine`` on it.

    Triangles above the map mark positions, triangles to its right mark dimensions; each finding has a
    number and a colour. ClockhandsError: not two dimensions, empty, or not numbers.
    """
    table = labelled(table, "table", Text("value", "数值"), (POSITION, DIMENSION))
    with sheet(lang, title, body=1.0) as measuring:
        width = measuring.width - 2 * MARGIN - 1.55
        lines = [measuring.wrap(one.sentence.said_in(lang), width) for one in found.findings]
    below = sum(_LINE * len(each) + 0.1 for each in lines) + 0.3
    with sheet(
        lang, title, about=about, says=(found.sentence,), note=table.note, body=_MAP_HEIGHT + 1.15 + below
    ) as page:
        panel = _draw_map(page, table)
        _mark(panel, table, found.findings)
        _list(page, found.findings, lines)
        drawn = page.picture(table, *findings_data(found))
    return replace(drawn, findings=(found.sentence, *(one.sentence for one in found.findings)))


def _draw_map(page: Sheet, table: Labelled) -> Axes:
    upright = np.asarray(table.values, dtype=np.float64).T
    cells, _ = block_means(upright, MOST_CELLS)
    limit = symmetric_limit(upright)
    width = page.width - 2 * MARGIN - 1.6
    panel = page.panel(MARGIN + 0.5, 0.42, width, _MAP_HEIGHT, "map")
    panel.set_facecolor("#000000")  # NaN and infinity stand out
    image = panel.imshow(
        np.ma.masked_invalid(cells), aspect="auto", cmap=style.DIVERGING, vmin=-limit, vmax=limit,
        interpolation="nearest", extent=(-0.5, upright.shape[1] - 0.5, upright.shape[0] - 0.5, -0.5),
    )  # fmt: skip
    frameless(panel)
    index_ticks(panel, "x", table.axes[0], 11, page.lang)
    index_ticks(panel, "y", table.axes[1], 9, page.lang)
    panel.set_xlabel(axis_words(table.axes[0], page.lang))
    page.write(MARGIN, 0.2, axis_words(table.axes[1], page.lang), va="baseline")
    colour_bar(page, image, MARGIN + 0.5 + width + 0.42, 0.42, _MAP_HEIGHT, axis_words(table, page.lang))
    return panel


def _mark(panel: Axes, table: Labelled, findings: tuple[Finding, ...]) -> None:
    """Triangles that point at the rows and columns of each finding."""
    positions = np.asarray(table.axes[0].values, dtype=np.float64)
    count, width = table.values.shape
    for number, finding in enumerate(findings):
        colour = _colour(number, finding)
        shown = {"s": 42, "color": colour, "clip_on": False, "zorder": 5}
        if finding.rows:
            places = np.interp(finding.rows, positions, np.arange(count))
            panel.scatter(
                places, np.full(len(places), -0.5), marker="v", transform=_lifted(panel, 0, 5), **shown
            )
        if finding.columns:
            columns = np.asarray(finding.columns, dtype=np.float64)
            panel.scatter(
                np.full(len(columns), count - 0.5),
                columns,
                marker="<",
                transform=_lifted(panel, 5, 0),
                **shown,
            )
    panel.set_xlim(-0.5, count - 0.5)
    panel.set_ylim(width - 0.5, -0.5)


def _lifted(panel: Axes, right: float, up: float) -> object:
    """Data coordinates moved by some points."""
    from matplotlib.transforms import ScaledTranslation

    figure = panel.get_figure()
    assert figure is not None
    return panel.transData + ScaledTranslation(right / 72, up / 72, figure.dpi_scale_trans)


def _colour(number: int, finding: Finding) -> str:
    return _NOTE_COLOUR if finding.severity == "note" else _COLOURS[number % len(_COLOURS)]


def _list(page: Sheet, findings: tuple[Finding, ...], lines: list[list[str]]) -> None:
    y = _MAP_HEIGHT + 1.2
    for number, (finding, sentence) in enumerate(zip(findings, lines, strict=True)):
        colour = _colour(number, finding)
        page.write(MARGIN, y, f"▼ {SEVERITIES[finding.severity].said_in(page.lang)}", colour=colour)
        for line in sentence:
            page.write(MARGIN + 1.1, y, line, colour=style.INK)
            y += _LINE
        y += 0.1


def findings_data(found: Verdict) -> tuple[Labelled, ...]:
    """The findings as numbers: the value behind each, by rule; nothing where there are none."""
    if not found.findings:
        return ()
    rules = np.empty(len(found.findings), dtype=object)
    rules[:] = [finding.id for finding in found.findings]
    values = np.array([finding.value for finding in found.findings], dtype=np.float64)
    return (Labelled("findings", Text("findings", "检查结果"), values, (Axis(Text("rule", "规则"), rules),)),)
