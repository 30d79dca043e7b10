"""What each head adds to its scores: one map per head on one shared scale, and the curves over distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.bias_colours import Colours, colours_of
from clockhands.plots.decimate import toeplitz_means
from clockhands.plots.end_names import name_ends
from clockhands.plots.given import DISTANCE, HEAD, labelled
from clockhands.plots.numerals import numeral, round_ticks, thinned
from clockhands.plots.picture import Picture
from clockhands.plots.scales import (
    colour_bar,
    finite_range,
    frameless,
    grid,
    linear,
    set_ticks,
)
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import axis_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("Bias on the scores", "加在得分上的偏置")

MOST_HEADS = 32
"""More heads than these are thinned evenly, which the picture says."""
MOST_CELLS = 256
_MAPS_WIDTH = 6.3  # inches for all maps side by side
_ROOM_FOR_WORDS = 1.05  # inches that "slope 0.00716" needs over a map
_GAP = 0.15
_BAR = 1.15  # for the colour bar, its numbers and the numbers of the curves
_MOST_NAMES = 12  # that find room at the ends of the curves
_BIAS = Text("bias", "偏置")
_ROOT = Text("cube root", "立方根")
_ROOT_SAID = Text(
    "Colours follow the cube root of a number, so that flat heads are seen too.",
    "颜色深浅按数值的立方根，平缓的头也看得见。",
)
_SHARED = Text("All heads share one colour scale.", "所有注意力头共用一个颜色尺度。")
_OWN = Text("Each head has a colour scale of its own.", "每个注意力头各用自己的颜色尺度。")
_MASKED = Text("Grey: keys after the query, masked.", "灰色：查询之后的键，被因果掩码遮住。")
_UNSEEN = Text("Grey below the diagonal: a head sees nothing there.", "对角线以下的灰色：该头看不到的键。")
_SLOPES = Text("The number of each head is its slope.", "每个头下面的数是它的斜率。")
_SOME = Text("{shown} of {all} heads are shown.", "共 {all} 个注意力头，图中画出 {shown} 个。")


def bias(
    values: Labelled | ArrayLike,
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    shared_scale: bool = True,
) -> Picture:
    """Draw a bias ``(heads, distances)`` as a map of queries and keys for each head.

    The distances are whole numbers without a gap, from 0 (then keys after the query are masked, in
    grey) or from ``-(n - 1)``, to ``n - 1``; a plain array starts at 0. ``shared_scale=False`` gives each
    head its own colours and says so. ClockhandsError: other shapes or distances, empty, not numbers.
    """
    values = labelled(values, "bias", _BIAS, (HEAD, DISTANCE))
    count = _positions(values)
    heads = thinned(len(values.values), MOST_HEADS)
    columns, side, body = _plan(len(heads))
    full = _both_ways(np.asarray(values.values, dtype=np.float64), count)
    maps = [toeplitz_means(full[head], count, MOST_CELLS)[0] for head in heads]
    colours = [colours_of(maps)] * len(maps) if shared_scale else [colours_of([each]) for each in maps]
    slopes = [slope_of(np.asarray(values.values)[head], np.asarray(values.axes[1].values)) for head in heads]
    facts = (
        (_SHARED if shared_scale else _OWN, True),
        (_ROOT_SAID, colours[0].cube_root),
        (_MASKED, len(values.axes[1].values) == count),
        (_UNSEEN, bool(np.isneginf(values.values).any())),
        (_SLOPES, side < _ROOM_FOR_WORDS and any(slopes)),
        (_SOME.filled(shown=len(heads), all=len(values.values)), len(heads) < len(values.values)),
    )
    said = [fact for fact, holds in facts if holds]
    says = Text(" ".join(fact.en for fact in said), "".join(fact.zh for fact in said))
    with sheet(lang, title, about=about, says=(says,), note=values.note, body=body) as page:
        _draw_maps(page, dict(zip(heads, maps, strict=True)), colours, slopes, columns, side, count)
        _draw_curves(page, values, heads, MARGIN + 0.5 + columns * (side + _GAP) + _BAR, body)
        return page.picture(values)


def _plan(heads: int) -> tuple[int, float, float]:
    """Maps in a row, inches of a map, and of the body: few heads in a row or a square, not in a strip."""
    rows_of = ((3, heads), (4, 2), (6, 3), (16, 4), (24, 6), (32, 8))
    columns = next(width for most, width in rows_of if heads <= most)
    rows = -(-heads // columns)
    side = min(2.3 if heads < 3 else 1.9 if columns == 2 else 1.75, (_MAPS_WIDTH + _GAP) / columns - _GAP)
    return columns, side, max(3.4, rows * (side + 0.5) + 0.5)


def _draw_maps(
    page: Sheet, maps: dict[int, NDArray[np.float64]], colours: list[Colours], slopes: list[float | None],
    columns: int, side: float, count: int,
) -> None:  # fmt: skip
    lines = style.hand_colours(len(maps)) / 255
    image: Any = None
    for place, (head, cells) in enumerate(maps.items()):
        row, column = divmod(place, columns)
        x, y = MARGIN + 0.5 + column * (side + _GAP), 0.5 + row * (side + 0.5)
        panel = page.panel(x, y, side, side, f"head {head}")
        image = _draw_map(panel, cells, colours[place], count)
        name = _name(head, slopes[place], page.lang, short=side < _ROOM_FOR_WORDS)
        panel.set_title(name, fontsize=style.SMALL_SIZE, color=style.INK, loc="left", pad=5)
        ticks = round_ticks(0, count - 1, 4, whole=True)
        if column == 0:
            set_ticks(panel, "y", ticks)
        if place + columns >= len(maps):
            set_ticks(panel, "x", ticks)
        frameless(panel)
        panel.axhline(-0.5, color=tuple(lines[place]), linewidth=3, clip_on=False)
    sides = Text("query position ↓   key position →", "查询位置 ↓   键位置 →").said_in(page.lang)
    page.write(MARGIN, 0.1, sides, va="baseline", size=style.SMALL_SIZE)
    if all(each is colours[0] for each in colours):
        scale, x = colours[0], MARGIN + 0.5 + columns * (side + _GAP) + 0.05
        label = (_ROOT if scale.cube_root else _BIAS).said_in(page.lang)
        colour_bar(page, image, x, 0.5, side, label, ticks=scale.ticks())


def slope_of(values: NDArray[Any], distances: NDArray[Any]) -> float | None:
    """Fall per token where the bias is a straight line from distance 0 on, else None.

    >>> slope_of(np.array([0.0, -0.5, -1.0]), np.arange(3))
    0.5
    """
    ahead = values[distances >= 0]
    if len(ahead) < 3 or ahead[0] != 0 or not np.isfinite(ahead).all():
        return None
    steps = np.diff(ahead)
    straight = np.allclose(steps, steps[0], rtol=1e-9, atol=1e-12) and steps[0] != 0
    return float(-steps[0]) if straight else None


def _positions(values: Labelled) -> int:
    """How many positions the distances come from."""
    distances = np.asarray(values.axes[1].values)
    last = int(distances[-1]) if distances.dtype.kind in "iu" else -1
    if last < 0 or not any(np.array_equal(distances, np.arange(first, last + 1)) for first in (0, -last)):
        raise ClockhandsError(
            "the distances of a bias must be whole numbers without a gap, from 0 or -(n - 1) to n - 1",
            "偏置的距离必须是连续的整数：从 0 或 -(n - 1) 到 n - 1",
        )
    return last + 1


def _both_ways(values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """``(heads, 2 count - 1)``: keys after the query are NaN where the distances start at 0."""
    missing = 2 * count - 1 - values.shape[1]
    return np.concatenate([np.full((len(values), missing), np.nan), values], axis=1)


def _name(head: int, slope: float | None, lang: Language, *, short: bool) -> str:
    name = Text(f"head {head + 1}", f"头 {head + 1}").said_in(lang)
    if slope is None:
        return name
    shown = numeral(slope, 3)
    return f"{name}\n" + (shown if short else Text(f"slope {shown}", f"斜率 {shown}").said_in(lang))


def _draw_map(panel: Axes, cells: NDArray[np.float64], colours: Colours, count: int) -> Any:
    panel.set_facecolor(style.NO_DATA)
    return panel.imshow(
        np.ma.masked_invalid(cells), cmap=colours.map, norm=colours.norm, aspect="auto",
        interpolation="nearest", extent=(-0.5, count - 0.5, count - 0.5, -0.5),
    )  # fmt: skip


def _draw_curves(page: Sheet, values: Labelled, chosen: list[int], left: float, body: float) -> None:
    tall = min(body, 5.4) - 1.15
    panel = page.panel(left + 0.2, 0.5, page.width - MARGIN - left - 0.9, tall, "curves")
    distances = np.asarray(values.axes[1].values)
    drawn = np.asarray(values.values, dtype=np.float64)[chosen]
    low, high = finite_range(drawn)
    room = 0.06 * (high - low)
    linear(
        panel,
        "x",
        float(distances[0]),
        max(float(distances[-1]), float(distances[0]) + 1),
        most=4,
        whole=True,
    )
    linear(panel, "y", low - room, high + room)
    grid(panel)
    panel.axhline(0, color=style.QUIET, linewidth=0.8)
    colours = style.hand_colours(len(chosen)) / 255
    for colour, head, line in zip(colours, chosen, drawn, strict=True):
        marker = "o" if len(distances) == 1 else ""
        panel.plot(distances, line, color=tuple(colour), linewidth=1.2, label=f"{head}", marker=marker)
    named = thinned(len(chosen), min(_MOST_NAMES, int(tall / 0.18)))
    ends = [float(last) if np.isfinite(last := drawn[index, -1]) else 0.0 for index in named]
    gap = 0.18 / tall * (high - low + 2 * room)
    names = [_name(chosen[index], None, page.lang, short=True) for index in named]
    name_ends(
        page, panel, names, ends, [tuple(colours[index]) for index in named], gap, size=style.SMALL_SIZE
    )
    panel.set_xlabel(axis_words(values.axes[1], page.lang))
    page.write(left - 0.1, 0.1, axis_words(values, page.lang), va="baseline", size=style.SMALL_SIZE)
