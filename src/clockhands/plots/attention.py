"""Attention maps: who looks at whom, one map per layer and head, tokens written along the sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.given import HEAD, LAYER, labelled
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.token_labels import PITCH, TokenLabels, above, beside, put_above, put_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("Attention", "注意力")

WEIGHT = Text("weight", "权重")
NOT_IMPORTANCE = Text(
    "An attention weight is not importance: it says how much of a value is mixed in, "
    "not what the result depends on.",
    "注意力权重不等于重要程度：它只说明混入了多少，并不说明结果取决于哪个词元。",
)
QUERIES, KEYS = Text("query", "查询"), Text("key", "键")
MOST_CELLS = 768
MOST_MAPS = 96
"""More maps than these are for ``overview``, which writes no tokens."""
_GAP = 0.2
_SIDES = ((4, (2.2, 9.3)), (8, (2.0, 5.2)), (12, (1.7, 3.4)), (MOST_MAPS, (1.3, 2.0)))
"""How many maps there may be, and the smallest and largest side of each, inches: few maps may be large."""


def attention(
    weights: Labelled | ArrayLike,
    tokens: Sequence[str] | None = None,
    *,
    valid: Sequence[bool] | None = None,
    causal: bool = False,
    shared_scale: bool = True,
    names: Sequence[Text] | None = None,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
    note: Text = NOTHING,
) -> Picture:
    """Draw the weights of one sentence, ``(heads, queries, keys)`` or ``(layers, heads, queries, keys)``.

    tokens        one label per key; the queries are the last of them. Not needed where ``weights`` is
                  a Labelled whose last two axes hold the labels, which may be those of two texts
    valid         one bool per key, False for padding, which is cut away
    causal        keys after the query are hatched in grey, not shown as zeros
    shared_scale  one colour scale for all heads; else each has its own and its title says its maximum
    names         one a map, layer by layer, in place of its number
    note          what must be said on the face; by default the Labelled's own

    ClockhandsError: shapes that don't fit, nothing left without padding, or not numbers.
    """
    given = with_layers(weights, tokens)
    require_few_maps(*given.values.shape[:2])
    kept = _cropped(given, valid)
    face = note if note.en else kept.note
    says_all = (Text("Each row is a query: where it looks.", "每一行是一个查询，看它关注哪些词元。"), says)
    plan = _planned(kept.values.shape)
    labels_of = [str(token) for token in kept.axes[3].values]
    queries = _query_labels(kept)
    with sheet(lang, title, width=plan.width, body=1.0) as measuring:
        left = beside(measuring, queries, plan.height)
        top = above(measuring, labels_of, plan.side)
    grid = _Grid(plan, left, top)
    feet = (*_thinning(left, top), NOT_IMPORTANCE)
    with sheet(
        lang, title, about=about, says=says_all, note=face, feet=feet, width=grid.width, body=grid.body
    ) as page:
        _draw(page, kept, grid, causal, shared_scale, names)
        return page.picture(kept)


def require_few_maps(layers: int, heads: int) -> None:
    """Raise ClockhandsError where ``attention`` would: said before the training that the maps come of."""
    maps = layers * heads
    if maps > MOST_MAPS:
        raise ClockhandsError(
            f"there are {maps:,} maps (layers × heads), and one picture holds {MOST_MAPS}: "
            "give fewer layers or heads",
            f"共有 {maps:,} 张图（层数 × 头数），而一幅画最多放 {MOST_MAPS} 张：请减少层数或头数",
        )


@dataclass(frozen=True)
class _Plan:
    """Sizes in inches before the labels are measured."""

    rows: int
    columns: int
    side: float
    height: float

    @property
    def width(self) -> float:
        return self.columns * (self.side + _GAP) + 2.0


@dataclass(frozen=True)
class _Grid:
    plan: _Plan
    left: TokenLabels
    top: TokenLabels

    @property
    def start(self) -> float:
        """Left edge of the first map."""
        return MARGIN + max(self.left.longest + 0.1, 0.55)

    @property
    def row_height(self) -> float:
        return self.plan.height + self.top.longest + 0.5

    @property
    def width(self) -> float:
        return max(8.6, self.start + self.plan.columns * (self.plan.side + _GAP) + 0.95)

    @property
    def body(self) -> float:
        return self.plan.rows * self.row_height + 0.3

    def corner(self, place: int) -> tuple[float, float]:
        row, column = divmod(place, self.plan.columns)
        y = row * self.row_height + self.top.longest + 0.5
        return self.start + column * (self.plan.side + _GAP), y


def _planned(shape: tuple[int, ...]) -> _Plan:
    layers, heads, queries, keys = shape
    panels = layers * heads
    smallest, largest = next(sides for most, sides in _SIDES if panels <= most)
    side = float(np.clip(keys * PITCH, smallest, largest))
    if layers > 1 or heads > 8:
        columns = min(heads, 8)
    else:
        columns = max(1, min(heads, int(20.0 // (side + _GAP))))
        columns = -(-heads // -(-heads // columns))  # rows of equal length
    rows = -(-heads // columns) * layers
    return _Plan(rows, columns, side, max(side * queries / keys, 0.3))


def with_layers(weights: Labelled | ArrayLike, tokens: Sequence[str] | None) -> Labelled:
    """``(layers, heads, queries, keys)`` with the tokens as labels of its last axis."""
    values = weights.values if isinstance(weights, Labelled) else np.asarray(weights)
    name = Text("attention weight", "注意力权重")
    axes = (LAYER, HEAD, QUERIES, KEYS)[-max(values.ndim, 3) :]
    given = labelled(
        weights, "attention", name, axes if values.ndim in {3, 4} else (LAYER, HEAD, QUERIES, KEYS)
    )
    if values.ndim == 3:
        layer = Axis(LAYER, np.arange(1))
        given = Labelled(
            given.id, given.name, given.values[None], (layer, *given.axes), given.unit, given.note
        )
    queries, keys = given.values.shape[2:]
    two_texts = tokens is None and given.axes[2].values.dtype.kind not in "iuf"
    if (queries > keys and not two_texts) or (tokens is not None and len(tokens) != keys):
        count = "?" if tokens is None else len(tokens)
        raise ClockhandsError(
            f"there are {queries} queries, {keys} keys and {count} tokens: give one token per key, and no "
            "more queries than keys (cut padding with valid=)",
            f"共有 {queries} 个查询、{keys} 个键、{count} 个词元：每个键要对应一个词元，"
            "查询不能比键多（填充用 valid= 去掉）",
        )
    if tokens is None:
        return given
    words = np.empty(keys, dtype=object)
    words[:] = [str(token) for token in tokens]
    key_axis, query_axis = Axis(given.axes[3].name, words), Axis(given.axes[2].name, words[keys - queries :])
    return Labelled(
        given.id, given.name, given.values, (*given.axes[:2], query_axis, key_axis), given.unit, given.note
    )


def _cropped(given: Labelled, valid: Sequence[bool] | None) -> Labelled:
    """Without padding, neither as queries nor as keys."""
    if valid is None:
        return given
    keys = np.asarray(valid, dtype=bool)
    if keys.shape != (given.values.shape[3],) or not keys.any():
        raise ClockhandsError(
            f"valid has shape {keys.shape} and {int(keys.sum())} true: give one bool per key "
            f"({given.values.shape[3]}), at least one of them true",
            f"valid 的形状是 {keys.shape}，其中 {int(keys.sum())} 个为真：请为每个键给一个布尔值"
            f"（共 {given.values.shape[3]} 个），至少一个为真",
        )
    queries = keys[len(keys) - given.values.shape[2] :]
    values = given.values[:, :, queries][:, :, :, keys]
    query_axis = Axis(given.axes[2].name, given.axes[2].values[queries], given.axes[2].unit)
    key_axis = Axis(given.axes[3].name, given.axes[3].values[keys], given.axes[3].unit)
    return Labelled(
        given.id, given.name, values, (*given.axes[:2], query_axis, key_axis), given.unit, given.note
    )


def _query_labels(given: Labelled) -> list[str]:
    """Of the queries: their own where the axis holds words, else the last of the keys'."""
    own = given.axes[2].values
    return [str(each) for each in (given.axes[3].values[-len(own) :] if own.dtype.kind in "iuf" else own)]


def _thinning(left: TokenLabels, top: TokenLabels) -> tuple[Text, ...]:
    every = max(left.every, top.every)
    if every == 1:
        return ()
    return (Text(f"One token in {every} is written along the sides.", f"两侧每 {every} 个词元写一个。"),)


def _draw(
    page: Sheet, kept: Labelled, grid: _Grid, causal: bool, shared_scale: bool, names: Sequence[Text] | None
) -> None:
    layers, heads = kept.values.shape[:2]
    shown = hidden_future(np.asarray(kept.values, dtype=np.float64), causal)
    limit = float(np.nanmax(shown, initial=0.0)) or 1.0
    per_layer = -(-heads // grid.plan.columns) * grid.plan.columns
    image: Any = None
    for layer in range(layers):
        for head in range(heads):
            place = layer * per_layer + head
            x, y = grid.corner(place)
            panel = page.panel(x, y, grid.plan.side, grid.plan.height, f"layer {layer} head {head}")
            own = limit if shared_scale else float(np.nanmax(shown[layer, head], initial=0.0)) or 1.0
            image = draw_weights(panel, shown[layer, head], own)
            if place % grid.plan.columns == 0:
                put_beside(panel, grid.left)
            put_above(panel, grid.top)
            called = None if names is None else names[layer * heads + head]
            name = _name(layer, head, layers, None if shared_scale else own, called).said_in(page.lang)
            page.write(
                x, y - grid.top.longest - 0.14, name, colour=style.INK, size=style.LABEL_SIZE, va="baseline"
            )
    if shared_scale:
        x, y = grid.corner(grid.plan.columns - 1)
        colour_bar(
            page, image, x + grid.plan.side + 0.15, y, min(grid.plan.height, 2.6), WEIGHT.said_in(page.lang)
        )


def draw_weights(panel: Axes, cells: NDArray[np.float64], limit: float) -> Any:
    """One map, 0 to ``limit``; what is NaN shows the hatched ground."""
    rows, columns = cells.shape
    frameless(panel)
    panel.set_facecolor(style.NO_DATA)
    panel.patch.set_hatch("//////")
    panel.patch.set_edgecolor(style.PAGE)
    panel.patch.set_linewidth(0)
    return panel.imshow(
        np.ma.masked_invalid(_strongest(cells)), cmap=style.SEQUENTIAL, vmin=0.0, vmax=limit, aspect="auto",
        interpolation="nearest", extent=(-0.5, columns - 0.5, rows - 0.5, -0.5),
    )  # fmt: skip


def hidden_future(weights: NDArray[np.float64], causal: bool) -> NDArray[np.float64]:
    """NaN where a causal mask forbids to look; the last query is the last key."""
    if not causal:
        return weights
    queries, keys = weights.shape[-2:]
    future = np.arange(keys) > np.arange(queries)[:, None] + keys - queries
    return np.where(future, np.nan, weights)


def _strongest(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest weight of each block where cells outnumber pixels: a mean would hide single ones."""
    for axis, length in enumerate(cells.shape):
        step = -(-length // MOST_CELLS)
        if step > 1:
            cells = np.fmax.reduceat(cells, np.arange(0, length, step), axis=axis)
    return cells


def _name(layer: int, head: int, layers: int, largest: float | None, called: Text | None) -> Text:
    name = called or Text(f"head {head + 1}", f"头 {head + 1}")
    if layers > 1 and called is None:
        name = Text(f"layer {layer + 1} · head {head + 1}", f"第 {layer + 1} 层 · 头 {head + 1}")
    if largest is None:
        return name
    top = numeral(largest, 2)
    return Text(f"{name.en} · up to {top}", f"{name.zh} · 最大 {top}")
