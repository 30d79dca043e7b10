"""The wavelengths of the hands on a logarithmic axis, against the length of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.axes import TOKENS
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.analysis.spectrum import Spectrum
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral, round_ticks
from clockhands.plots.picture import Picture
from clockhands.plots.scales import grid, logarithmic, set_ticks
from clockhands.plots.sheet import ACCENT, MARGIN, Sheet, sheet
from clockhands.plots.wording import with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("Wavelengths of the hands", "指针的波长")

MOST_NUMBERS = 24
"""With more hands than these the wavelengths are not written beside the dots."""
_MARKERS = ("o", "s", "^")
_SHAPES = (Text("dots", "圆点"), Text("squares", "方块"), Text("triangles", "三角"))
_OFF, _CLEAR = 8.0, 4.0  # points from a dot to its number, and from the line of the context
_END = 1e306
"""An axis has to end before float64 does."""


def spectrum(
    seen: Spectrum,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    reads: Labelled | None = None,
    axes: tuple[Text, ...] = (),
) -> Picture:
    """Draw one row per hand, a dot at its wavelength; hands that finish no turn in the context are hollow.

    reads  ``(pairs,)``, for positions with axes: the index in ``axes``, their names, that each hand reads
    """
    says = (_in_words(seen), *(() if reads is None else (_shapes_in_words(axes),)))
    with sheet(lang, title, about=about, says=says, note=seen.speed.note, body=5.0) as page:
        panel = page.panel(MARGIN + 0.45, 0.35, page.width - 2 * MARGIN - 0.6, 4.05, "spectrum")
        _draw(page, panel, seen, np.zeros(len(seen.speed.values), int) if reads is None else reads.values)
        panel.set_xlabel(with_unit(seen.wavelength.name, TOKENS, lang))
        page.write(MARGIN, 0.2, Text("hand", "指针").said_in(lang), va="baseline")
        numbers = (seen.speed, seen.wavelength, seen.turns, seen.finishes)
        return page.picture(*numbers, *(() if reads is None else (reads,)))


def _in_words(seen: Spectrum) -> Text:
    pairs, length = len(seen.speed.values), numeral(seen.context_length)
    tokens = "1 token" if seen.context_length == 1 else f"{length} tokens"
    if not seen.unfinished:
        return Text(
            f"Every hand makes a full turn within {tokens}.",
            f"在 {length} 个词元内，每根指针都至少转满一圈。",
        )
    return Text(
        ("The one hand never finishes" if pairs == 1 else f"{seen.unfinished} of {pairs} hands never finish")
        + f" a turn within {tokens}: a model trained at this length has not seen their far side.",
        f"在 {length} 个词元内，{pairs} 根指针中有 {seen.unfinished} 根转不满一圈：在这个长度上训练的模型，"
        "从没见过它们转到另一边的样子。",
    )


def _shapes_in_words(axes: tuple[Text, ...]) -> Text:
    pairs = tuple(zip(_SHAPES, axes, strict=False))
    en = ", ".join(f"{shape.en} read the {axis.en}" for shape, axis in pairs)
    return Text(
        f"{en[0].upper()}{en[1:]}.", "，".join(f"{shape.zh}读{axis.zh}" for shape, axis in pairs) + "。"
    )


def _leaning(place: float, low: float, high: float) -> str:
    """How a label over ``place`` of a logarithmic axis is set so that it stays over the axis."""
    share = float(np.log(place / low) / np.log(high / low))
    return "left" if share < 0.1 else "right" if share > 0.9 else "center"


def _draw(page: Sheet, panel: Axes, seen: Spectrum, reads: NDArray[np.int64]) -> None:
    waves, done = seen.wavelength.values, seen.finishes.values
    finite = np.isfinite(waves)
    rows = np.arange(len(waves))
    known = [*waves[finite].tolist(), float(seen.context_length)]
    low, high = min(known) / 1.6, max(known) * (2.2 if finite.all() else 6)
    high = min(high * (high / low) ** 0.06, _END)  # room for the last number
    logarithmic(panel, "x", low, high)
    panel.set_ylim(len(waves) - 0.4, -0.9)
    set_ticks(panel, "y", round_ticks(0, len(waves) - 1, 16 if len(waves) <= 16 else 8, whole=True))
    grid(panel, "x")
    places = np.where(finite, waves, high / 1.6)
    colours = style.hand_colours(len(waves)) / 255
    panel.axvspan(seen.context_length, high, color=style.NO_DATA, alpha=0.55, linewidth=0)
    panel.axvline(seen.context_length, color=ACCENT, linewidth=1.2)
    panel.hlines(
        rows, low, places, color=colours, linewidth=1.0 if len(waves) <= MOST_NUMBERS else 0.5, alpha=0.5
    )
    size = 34 if len(waves) <= MOST_NUMBERS else 10
    hollow = {"s": size, "facecolor": style.PAGE, "zorder": 3, "linewidth": 1.3}
    for axis in np.unique(reads):
        full, open_, marker = done & (reads == axis), ~done & (reads == axis), _MARKERS[axis]
        panel.scatter(places[full], rows[full], s=size, c=colours[full], marker=marker, zorder=3)
        panel.scatter(places[open_], rows[open_], edgecolor=colours[open_], marker=marker, **hollow)
    words = Text(f"context {numeral(seen.context_length)}", f"上下文 {numeral(seen.context_length)}")
    panel.annotate(
        words.said_in(page.lang), (seen.context_length, 1), xycoords=("data", "axes fraction"), xytext=(0, 5),
        textcoords="offset points", ha=_leaning(seen.context_length, low, high), color=ACCENT,
        fontsize=style.SMALL_SIZE, annotation_clip=False,
    )  # fmt: skip
    if len(waves) <= MOST_NUMBERS:
        across = panel.get_position().width * page.width * 72 / np.log(high / low)
        for row, (place, wave) in enumerate(zip(places, waves, strict=True)):
            said = numeral(float(wave), 3)
            line = across * float(np.log(seen.context_length / place))
            shift = _beside(line, page.width_of(said, style.SMALL_SIZE) * 72)
            panel.annotate(
                said, (place, row), xytext=(shift, 0), textcoords="offset points", va="center",
                color=style.QUIET, fontsize=style.SMALL_SIZE,
            )  # fmt: skip


def _beside(line: float, width: float) -> float:
    """How far right of its dot a label of ``width`` begins, so that no line ``line`` away runs through it.

    >>> _beside(50.0, 20.0), _beside(12.0, 20.0)
    (8.0, 16.0)
    """
    return line + _CLEAR if _OFF - _CLEAR <= line <= _OFF + width + _CLEAR else _OFF
