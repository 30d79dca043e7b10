"""RoPE's relative property: the hands of q and k turn, the angle between them stands still."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.axes import RADIANS
from clockhands.analysis.diagonals import Diagonals, diagonals
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text, counted
from clockhands.plots import style
from clockhands.plots.given import POSITION, labelled
from clockhands.plots.kernel import draw_kernel
from clockhands.plots.numerals import scientific, thinned
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless, index_ticks, symmetric_limit
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("Only the difference counts", "只看位置之差")

MOST_DIALS = 6
QUERY_COLOUR, KEY_COLOUR = style.CATEGORIES[0], style.CATEGORIES[1]
_DIAL = 1.42  # inches
_APART = 0.35  # radians between the names of two hands, at least


def relative(
    hands: Labelled | ArrayLike,
    scores: Labelled | ArrayLike,
    distance: int,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
) -> Picture:
    """Draw dials with one hand of q and k at several places, and the scores of all places.

    hands     ``(places, 2)``, rad, clockwise from twelve: one pair of q and of k, turned to where they are;
              the first axis holds the query's positions, each key is ``distance`` tokens before
    scores    ``(n, n)``, logits of one fixed q and one fixed k put at every two positions

    ClockhandsError: other shapes, empty, or not numbers.
    """
    hands = labelled(
        hands, "angles", Text("angle of the hand", "指针的角度"), (POSITION, Text("hand", "指针"))
    )
    scores = labelled(scores, "scores", Text("score", "得分"), (POSITION, POSITION))
    if hands.values.shape[1] != 2 or scores.values.shape[0] != scores.values.shape[1]:
        raise ClockhandsError(
            f"hands have shape {hands.values.shape} and scores {scores.values.shape}: "
            "give (places, 2) and a square",
            f"hands 的形状是 {hands.values.shape}，scores 是 {scores.values.shape}：请给（位置，2）和方阵",
        )
    along = diagonals(scores)
    says = (_angle_in_words(hands.values, distance), _scores_in_words(along))
    with sheet(lang, title, about=about, says=says, note=scores.note, body=6.35) as page:
        _draw_dials(page, hands, distance)
        _draw_scores(page, scores, along)
        return page.picture(hands, scores, along.mean, along.lowest, along.highest)


def _angle_in_words(hands: NDArray[np.float64], distance: int) -> Text:
    between = np.unwrap(hands[:, 0] - hands[:, 1])
    degrees, spread = np.degrees(between[0]) % 360, float(np.ptp(between))
    noise = scientific(spread) if spread else "0"
    return Text(
        f"Query and key stay {counted(distance, 'token')} apart: both hands turn, the angle between "
        f"them stands still at {degrees:.1f}° (it moves by {noise} rad: rounding).",
        f"查询与键始终相距 {distance} 个词元：两根指针都在转，夹角始终是 {degrees:.1f}°"
        f"（只变了 {noise} 弧度，那是舍入误差）。",
    )


def _scores_in_words(along: Diagonals) -> Text:
    spread = scientific(along.spread) if along.spread else "0"
    return Text(
        f"So for one q and one k the score is constant along each diagonal (to within {spread}); "
        "that it falls with distance is not promised.",
        f"所以对固定的 q 和 k，得分在每条对角线上处处相同（误差 {spread}）；但并不保证它随距离下降。",
    )


def _draw_dials(page: Sheet, hands: Labelled, distance: int) -> None:
    chosen = thinned(len(hands.values), MOST_DIALS)
    step = (page.width - 2 * MARGIN) / MOST_DIALS
    for column, place in enumerate(chosen):
        x = MARGIN + column * step + (step - _DIAL) / 2
        panel = page.panel(x, 0.1, _DIAL, _DIAL, f"dial {column}")
        query, key = (float(angle) for angle in hands.values[place])
        draw_dial(panel, query, key, named=column == 0)
        at = int(np.asarray(hands.axes[0].values)[place])
        words = Text(f"q at {at}, k at {at - distance}", f"q 在 {at}，k 在 {at - distance}").said_in(
            page.lang
        )
        page.write(x + _DIAL / 2, 0.1 + _DIAL + 0.08, words, size=style.SMALL_SIZE, ha="center")


def draw_dial(panel: Axes, query: float, key: float, *, named: bool = False) -> None:
    """One dial: q's hand solid, k's hand dashed with a hollow tip, the angle between them shaded."""
    from matplotlib.patches import Circle, Wedge

    panel.set_xlim(-1.25, 1.25)
    panel.set_ylim(-1.25, 1.25)
    panel.set_aspect("equal")
    panel.set_facecolor("none")
    frameless(panel)
    panel.add_patch(Circle((0, 0), 1, facecolor=style.PANEL, edgecolor=style.RULE, linewidth=1.2))
    # A wedge is drawn anticlockwise from three o'clock; a clock's angle goes clockwise from twelve.
    between = (query - key) % (2 * np.pi)
    first, second = (query, key) if between <= np.pi else (key, query)
    panel.add_patch(Wedge((0, 0), 0.62, 90 - np.degrees(first), 90 - np.degrees(second), color="#e5e0d4"))
    panel.plot([0, 0], [1.02, 1.13], color=style.QUIET, linewidth=1.2)
    for angle, colour, face, dash in (
        (key, KEY_COLOUR, style.PANEL, "--"),
        (query, QUERY_COLOUR, QUERY_COLOUR, "-"),
    ):
        tip = (np.sin(angle) * 0.86, np.cos(angle) * 0.86)
        panel.plot([0, tip[0]], [0, tip[1]], color=colour, linewidth=1.8, linestyle=dash)
        panel.plot([tip[0]], [tip[1]], "o", markersize=6, markerfacecolor=face, markeredgecolor=colour)
    if named:
        closer = max(0.0, _APART - min(between, 2 * np.pi - between)) / 2
        outward = closer if between <= np.pi else -closer
        for name, colour, angle in (("q", QUERY_COLOUR, query + outward), ("k", KEY_COLOUR, key - outward)):
            place = (np.sin(angle) * 1.14, np.cos(angle) * 1.14)
            panel.text(*place, name, color=colour, fontsize=style.LABEL_SIZE, ha="center", va="center")
    panel.plot([0], [0], "o", markersize=3.5, color=style.INK)


def _draw_scores(page: Sheet, scores: Labelled, along: Diagonals) -> None:
    side, top = 3.3, 2.35
    limit = symmetric_limit(np.asarray(scores.values))
    panel = page.panel(MARGIN + 0.55, top, side, side, "scores")
    image = panel.imshow(scores.values, cmap=style.DIVERGING, vmin=-limit, vmax=limit, aspect="auto")
    frameless(panel)
    index_ticks(panel, "x", scores.axes[1], 6, page.lang)
    index_ticks(panel, "y", scores.axes[0], 6, page.lang)
    panel.set_xlabel(axis_words(scores.axes[1], page.lang))
    page.write(MARGIN, top - 0.1, axis_words(scores.axes[0], page.lang), va="baseline")
    colour_bar(page, image, MARGIN + 0.55 + side + 0.2, top, side, scores.name.said_in(page.lang))
    left = MARGIN + 5.5
    curve = page.panel(left + 0.2, top, page.width - MARGIN - left - 0.3, side, "by distance")
    distances = np.asarray(along.mean.axes[0].values, dtype=np.float64)
    draw_kernel(curve, distances, along.mean.values)
    curve.set_xlabel(axis_words(along.mean.axes[0], page.lang))
    page.write(left, top - 0.1, Text("score by distance", "得分与距离").said_in(page.lang), va="baseline")


def hand_angles(angles: ArrayLike, query_positions: ArrayLike) -> Labelled:
    """``(places, 2)`` angles of q's and k's hand with their names and units, for ``relative``."""
    axes = (
        Axis(Text("query position", "查询位置"), np.asarray(query_positions)),
        Axis(Text("hand", "指针"), np.array(["q", "k"])),
    )
    return Labelled(
        "angles", Text("angle of the hand", "指针的角度"), np.asarray(angles, dtype=float), axes, RADIANS
    )
