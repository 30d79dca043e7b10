"""The hands of a model before and after a scaling, against the lengths it is trained on and promised for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import RADIANS_PER_TOKEN, TOKENS, pair_axis
from clockhands.analysis.exact_angle import TURN
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral, round_ticks
from clockhands.plots.picture import Picture
from clockhands.plots.scales import grid, logarithmic, set_ticks
from clockhands.plots.sheet import ACCENT, MARGIN, Sheet, sheet
from clockhands.plots.wording import with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clockhands.analysis.inputs import Floats

TITLE = Text("The hands, before and after the scaling", "缩放前后的指针")
WAVELENGTH = Text("wavelength", "波长")
NEVER = Text("stands still", "不动")
SHORTER, LONGER = Text("in shorter texts", "文本较短时"), Text("in longer texts", "文本更长时")

UNTOUCHED, BLENDED, DIVIDED = style.CATEGORIES[0], style.CATEGORIES[4], style.CATEGORIES[1]
SAME = 1e-6
"""Relative difference below which a hand is as fast as before, or slowed by the whole factor."""

LATER = style.CATEGORIES[2]

_NAMES = (
    (UNTOUCHED, Text("untouched", "不变")),
    (BLENDED, Text("blended", "过渡")),
    (DIVIDED, Text("divided", "除以系数")),
)
_ROOM = 1.8  # ratio between the end of the axis and the last thing on it


def slowed_hands(
    inv_freq: ArrayLike,
    plain: ArrayLike | None = None,
    lengths: Mapping[Text, int] | None = None,
    *,
    longer: ArrayLike | None = None,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: tuple[Text, ...] = (),
) -> Picture:
    """One row a hand: a ring at its wavelength before the scaling, a dot after it, a line between.

    inv_freq  ``(pairs,)``, rad / token, as the model has them
    plain     ``(pairs,)``, the same without the scaling; None: there is none
    lengths   tokens, by what they are: each is an upright line
    longer    ``(pairs,)``, what the hands have in longer texts, where that is something else: a triangle

    Hands are coloured by what happens to them: untouched, blended, or divided by the whole factor. With
    ``longer`` the colours are those of short and of long texts.
    """
    speed = inputs.speeds(inv_freq)
    before = speed if plain is None else inputs.speeds(plain)
    later = None if longer is None else inputs.speeds(longer)
    marks = dict(lengths or {})
    with sheet(lang, title, about=about, says=says, body=5.0) as page:
        panel = page.panel(MARGIN + 0.45, 0.45, page.width - 2 * MARGIN - 0.6, 3.95, "hands")
        far = None if later is None else _waves(later)
        _draw(page, panel, _waves(before), _waves(speed), far, marks, plain is not None)
        panel.set_xlabel(with_unit(WAVELENGTH, TOKENS, lang))
        page.write(MARGIN, 0.2, Text("hand", "指针").said_in(lang), va="baseline")
        return page.picture(*_numbers(speed, before, marks), *_longer(later))


def _longer(later: Floats | None) -> tuple[Labelled, ...]:
    if later is None:
        return ()
    return (Labelled("longer", LONGER, later, (pair_axis(len(later)),), RADIANS_PER_TOKEN),)


def _numbers(speed: Floats, before: Floats, marks: Mapping[Text, int]) -> tuple[Labelled, ...]:
    axes = (pair_axis(len(speed)),)
    named = Axis(Text("length", "长度"), np.array([name.en for name in marks]))
    return (
        Labelled("inv_freq", Text("angular frequency", "角频率"), speed, axes, RADIANS_PER_TOKEN),
        Labelled("plain", Text("before the scaling", "缩放前"), before, axes, RADIANS_PER_TOKEN),
        Labelled("lengths", Text("lengths", "长度"), np.array([*marks.values()], int), (named,), TOKENS),
    )


def _waves(speed: Floats) -> Floats:
    still = speed == 0
    return np.where(still, np.inf, TURN / np.abs(np.where(still, 1.0, speed)))


def _draw(
    page: Sheet, panel: Axes, before: Floats, after: Floats, longer: Floats | None, marks: Mapping[Text, int],
    scaled: bool,
) -> None:  # fmt: skip
    rows = np.arange(len(after))
    finite = np.isfinite(after)
    far = np.empty(0) if longer is None else longer
    known = [*after[finite].tolist(), *before[np.isfinite(before)].tolist(), *map(float, marks.values())]
    known += far[np.isfinite(far)].tolist()
    low, high = min(known, default=1.0) / _ROOM, max(known, default=10.0) * _ROOM
    logarithmic(panel, "x", low, high)
    panel.set_ylim(len(after) - 0.4, -0.9)
    set_ticks(panel, "y", round_ticks(0, max(len(after) - 1, 1), 8, whole=True))
    grid(panel, "x")
    ends = np.where(finite, after, high)
    starts = np.where(np.isfinite(before), before, high)
    two = longer is not None
    parts = [UNTOUCHED] * len(after) if two else _colours(before, after)
    colours = np.array(parts) if scaled else style.hand_colours(len(after)) / 255
    size = 30 if len(after) <= 32 else 10
    if scaled:
        panel.hlines(rows, starts, ends, color=colours, linewidth=1.0, alpha=0.6)
        panel.scatter(
            starts, rows, s=size, facecolor=style.PAGE, edgecolor=style.QUIET, linewidth=0.8, zorder=3
        )
    panel.scatter(ends[finite], rows[finite], s=size, color=colours[finite], zorder=4)
    panel.scatter(
        ends[~finite], rows[~finite], s=size, color=style.QUIET, marker=">", zorder=4, clip_on=False
    )
    if longer is not None:
        panel.hlines(rows, ends, far, color=style.QUIET, linewidth=0.8, alpha=0.6)
        panel.scatter(far, rows, s=size, facecolor=style.PAGE, edgecolor=LATER, marker=">", zorder=5)
    _lengths(page, panel, marks, low, high)
    if scaled:
        _legend(page, _of_lists() if two else _of_parts(colours, finite))


def _colours(before: Floats, after: Floats) -> list[str]:
    slowed = np.where(np.isfinite(after), after / before, np.inf)
    factor = float(slowed[np.isfinite(slowed)].max(initial=1.0))
    whole = factor > 1 + SAME
    return [
        UNTOUCHED if abs(each - 1) < SAME else DIVIDED if whole and abs(each / factor - 1) < SAME else BLENDED
        for each in slowed.tolist()
    ]


def _lengths(page: Sheet, panel: Axes, marks: Mapping[Text, int], low: float, high: float) -> None:
    """Upright lines with their names above, a name on a second line where it would run into the last one."""
    across = panel.get_position().width * page.width / np.log(high / low)
    taken = [-np.inf, -np.inf]
    for name, length in sorted(marks.items(), key=lambda item: item[1]):
        words = f"{name.said_in(page.lang)} {numeral(length)}"
        half = page.width_of(words, style.SMALL_SIZE) / 2 + 0.06
        place = float(np.log(length / low)) * across
        line = 0 if place - half >= taken[0] else 1
        taken[line] = place + half
        panel.axvline(length, color=ACCENT, linewidth=1.2)
        panel.annotate(
            words, (length, 1), xycoords=("data", "axes fraction"), xytext=(0, 4 + 12 * line),
            textcoords="offset points", ha="center", color=ACCENT, fontsize=style.SMALL_SIZE,
            annotation_clip=False,
        )  # fmt: skip


def _of_lists() -> list[tuple[str, str, Text]]:
    return [("●", UNTOUCHED, SHORTER), ("▷", LATER, LONGER)]


def _of_parts(colours: np.ndarray, finite: np.ndarray) -> list[tuple[str, str, Text]]:
    still = int((~finite).sum())
    entries = [(colour, name, int((colours[finite] == colour).sum())) for colour, name in _NAMES]
    entries = [*entries, (style.QUIET, NEVER, still)] if still else entries
    return [
        ("●", colour, Text(f"{name.en} {count}", f"{name.zh} {count}")) for colour, name, count in entries
    ]


def _legend(page: Sheet, entries: list[tuple[str, str, Text]]) -> None:
    x = page.width - MARGIN
    for mark, colour, name in reversed(entries):
        words = f"{mark} {name.said_in(page.lang)}"
        page.write(x, 4.95, words, size=style.SMALL_SIZE, colour=colour, ha="right", va="baseline")
        x -= page.width_of(words, style.SMALL_SIZE) + 0.25
