"""Maps of heads taken apart, four to a row: the map, position alone, content alone, and what takes both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from clockhands.analysis.attention_parts import Parts
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.attention import KEYS, QUERIES, WEIGHT, draw_weights, hidden_future
from clockhands.plots.head_sheet import small
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.token_labels import PITCH, TokenLabels, above, beside, put_above, put_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = Text("Position and content", "位置与内容")
COLUMNS = (
    Text("the map", "注意力图"),
    Text("position alone", "只有位置"),
    Text("content alone", "只有内容"),
    Text("what takes both", "两者共同"),
)
MOST = 96
"""Cells along a side; larger maps show the largest of each block."""
_GAP = 0.16


def head_parts(
    found: Sequence[Parts],
    names: Sequence[Text],
    tokens: Sequence[str],
    *,
    causal: bool = True,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    note: Text = NOTHING,
) -> Picture:
    """Draw the parts of each head, a row of four maps with its name and numbers above.

    names   one a head; tokens: one a key, the queries are the same ones
    causal  keys after the query are hatched
    """
    count = len(tokens)
    side = float(np.clip(min(count, MOST) * PITCH, 1.5, 3.2))
    says = [
        Text(
            "Position alone: every token has the mean query and the mean key. Content alone: nothing turns "
            "and no bias is added.",
            "只有位置：每个词元都用平均的查询和键。只有内容：不旋转，也不加偏置。",
        ),
        Text(
            "What takes both: the map less what the two scores give together, more (red) or less (blue).",
            "两者共同：注意力图减去两种得分相加所给出的，红色为多，蓝色为少。",
        ),
    ]
    if any(each.estimated for each in found):
        says.append(
            Text(
                "Position came in with the embeddings here: the mean score at each distance stands for it.",
                "这里的位置是随嵌入进入的：以各距离上的平均得分代表它。",
            )
        )
    with sheet(lang, title) as measuring:
        left, top = beside(measuring, tokens, side), above(measuring, tokens, side)
    start = MARGIN + left.longest + 0.12
    high = side + top.longest + 0.75
    width = start + 4 * (side + _GAP) + 0.9
    with sheet(
        lang, title, about=about, says=says, note=note, width=max(width, 8.6), body=len(found) * high + 0.1
    ) as page:
        for row, (one, name) in enumerate(zip(found, names, strict=True)):
            y = row * high + 0.62 + top.longest
            _row(page, one, name, start, y, side, causal, left, top)
        return page.picture(*_data(found, names, tokens))


def _row(
    page: Sheet, one: Parts, name: Text, x: float, y: float, side: float, causal: bool, left: TokenLabels,
    top: TokenLabels,
) -> None:  # fmt: skip
    heading = Text(
        f"{name.en}: the scores follow position {one.by_position:.0%}, content {one.by_content:.0%}",
        f"{name.zh}：得分与位置一致 {one.by_position:.0%}，与内容一致 {one.by_content:.0%}",
    )
    page.write(x, y - top.longest - 0.33, heading.said_in(page.lang), colour=style.INK, va="baseline")
    maps = [hidden_future(each, causal) for each in (one.whole, one.position, one.content, one.rest)]
    limit = max(float(np.nanmax(each, initial=0.0)) for each in maps[:3]) or 1.0
    image = None
    for column, cells in enumerate(maps):
        panel = page.panel(x + column * (side + _GAP), y, side, side, f"{name.en} {COLUMNS[column].en}")
        if column < 3:
            image = draw_weights(panel, small(cells, MOST), limit)
        else:
            _signed(panel, cells, limit)
        if column == 0 and len(cells) <= MOST:
            put_beside(panel, left)
        if len(cells) <= MOST:
            put_above(panel, top)
        page.write(
            x + column * (side + _GAP), y - top.longest - 0.12, COLUMNS[column].said_in(page.lang),
            size=style.SMALL_SIZE, va="baseline",
        )  # fmt: skip
    colour_bar(
        page,
        image,
        x + 4 * (side + _GAP),
        y,
        min(side, 1.6),
        WEIGHT.said_in(page.lang),
        name=f"{name.en} colours",
    )


def _signed(panel: Axes, cells: np.ndarray, limit: float) -> None:
    frameless(panel)
    panel.set_facecolor(style.NO_DATA)
    panel.imshow(
        np.ma.masked_invalid(cells[:: -(-len(cells) // MOST), :: -(-cells.shape[1] // MOST)]),
        cmap=style.DIVERGING, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest",
        extent=(-0.5, cells.shape[1] - 0.5, len(cells) - 0.5, -0.5),
    )  # fmt: skip


def _data(found: Sequence[Parts], names: Sequence[Text], tokens: Sequence[str]) -> list[Labelled]:
    words = np.empty(len(tokens), dtype=object)
    words[:] = list(tokens)
    heads = np.empty(len(names), dtype=object)
    heads[:] = [name.en for name in names]
    axes = (Axis(Text("head", "头"), heads), Axis(QUERIES, words[-len(found[0].whole) :]), Axis(KEYS, words))
    fields = zip(("whole", "position", "content", "rest"), COLUMNS, strict=True)
    return [Labelled(id, name, np.stack([getattr(one, id) for one in found]), axes) for id, name in fields]
