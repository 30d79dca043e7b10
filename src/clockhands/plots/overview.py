"""All attention maps of all sentences at a glance: small, unlabelled, on one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.attention import NOT_IMPORTANCE, WEIGHT, draw_weights, hidden_future, with_layers
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar
from clockhands.plots.sheet import MARGIN, Sheet, sheet
from clockhands.plots.wording import shortened

TITLE = Text("Attention at a glance", "注意力总览")

_GAP = 0.14
_NAMES = 1.25  # inches for the names of rows, at least
MOST_COLUMNS = 16
MOST_MAPS = 384  # a picture so long that no one looks through it


def overview(
    sentences: Sequence[Labelled],
    names: Sequence[str] | None = None,
    *,
    causal: bool = False,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    note: Text = NOTHING,
) -> Picture:
    """Draw one row per sentence and layer, one column per head; all maps share one scale.

    sentences  each ``(heads, q, k)`` or ``(layers, heads, q, k)``, padding already cut away
    names      what is written beside each; by default its number

    ClockhandsError: no sentence, sentences with different numbers of layers or heads, or too many maps.
    """
    maps = [with_layers(one, None) for one in sentences]
    shapes = {one.values.shape[:2] for one in maps}
    if len(shapes) != 1:
        raise ClockhandsError(
            f"the sentences have {sorted(shapes)} (layers, heads): give at least one, all from one model",
            f"各句的（层数，头数）是 {sorted(shapes)}：请至少给一句，且都来自同一个模型",
        )
    layers, heads = shapes.pop()
    require_few_in_all(len(maps), layers, heads)
    columns = min(heads, MOST_COLUMNS)
    rows = -(-heads // columns) * layers * len(maps)
    numbered = [Text(f"sentence {i}", f"第 {i} 句").said_in(lang) for i in range(1, len(maps) + 1)]
    beside = [shortened(name, 28) for name in (numbered if names is None else names)]
    face = note if note.en else maps[0].note
    says = Text(
        "One row per sentence and layer, one column per head; rows of a map are queries.",
        "每行是一个句子的一层，每列是一个注意力头；图中的行是查询，列是键。",
    )
    with sheet(lang, title) as page:
        room = max(_NAMES, *(page.width_of(name, style.SMALL_SIZE) + 0.15 for name in beside))
        side = float(np.clip((page.width - 2 * MARGIN - room - 0.7) / columns - _GAP, 0.5, 1.9))
    body = rows * (side + _GAP) + 0.45
    with sheet(lang, title, about=about, says=(says,), note=face, feet=(NOT_IMPORTANCE,), body=body) as page:
        _draw(page, maps, beside, columns, (room, side), causal)
        return page.picture(*(_renamed(one, index) for index, one in enumerate(maps)))


def require_few_in_all(sentences: int, layers: int, heads: int) -> None:
    """Raise ClockhandsError where ``overview`` would: said before the training that the maps come of."""
    maps = sentences * layers * heads
    if maps > MOST_MAPS:
        raise ClockhandsError(
            f"there are {maps:,} maps (sentences × layers × heads), and an overview holds {MOST_MAPS}: "
            "give fewer sentences, layers or heads",
            f"共有 {maps:,} 张图（句数 × 层数 × 头数），而总览最多放 {MOST_MAPS} 张：请减少句子、层数或头数",
        )


def _draw(
    page: Sheet,
    maps: Sequence[Labelled],
    names: Sequence[str],
    columns: int,
    sizes: tuple[float, float],
    causal: bool,
) -> None:
    room, side = sizes  # inches: for the names, and of a map
    layers, heads = maps[0].values.shape[:2]
    shown = [hidden_future(np.asarray(one.values, dtype=np.float64), causal) for one in maps]
    limit = max(float(np.nanmax(one, initial=0.0)) for one in shown) or 1.0
    lines = -(-heads // columns)
    image = None
    for index, cells in enumerate(shown):
        for layer in range(layers):
            first_row = (index * layers + layer) * lines
            name = names[index] if layer == 0 else ""
            y = 0.35 + first_row * (side + _GAP)
            page.write(MARGIN, y + 0.02, name, size=style.SMALL_SIZE, colour=style.INK)
            if layers > 1:
                words = Text(f"layer {layer + 1}", f"第 {layer + 1} 层").said_in(page.lang)
                page.write(MARGIN, y + 0.22, words, size=style.SMALL_SIZE)
            for head in range(heads):
                row, column = divmod(head, columns)
                x = MARGIN + room + column * (side + _GAP)
                panel = page.panel(
                    x, y + row * (side + _GAP), side, side, f"sentence {index} layer {layer} head {head}"
                )
                image = draw_weights(panel, cells[layer, head], limit)
                if first_row == 0 and row == 0:
                    words = (
                        f"{head + 1}"
                        if side < 0.8
                        else Text(f"head {head + 1}", f"头 {head + 1}").said_in(page.lang)
                    )
                    page.write(x, 0.27, words, size=style.SMALL_SIZE, va="baseline")
    x = MARGIN + room + columns * (side + _GAP) + 0.08
    colour_bar(page, image, x, 0.35, max(side, 1.2), WEIGHT.said_in(page.lang))


def _renamed(one: Labelled, index: int) -> Labelled:
    """Each sentence gets an id of its own, so that one file can hold them all."""
    return Labelled(f"sentence{index + 1}", one.name, one.values, one.axes, one.unit, one.note)
