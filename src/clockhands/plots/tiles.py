"""A map of any size as tiles to zoom into: a folder of small pictures and a page that shows them.

The map comes in bands of rows and is never held: each level is half as wide as the one before, and a cell of
it is the largest of the four that it stands for, so that single strong weights stay to be seen.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.webfont import font_face
from clockhands.writing import cannot_write, written_aside

SIDE = 512
"""Cells, and pixels, of a tile."""

FADING = 0.1
"""The palest weight, as a part of ``1 / keys``, which is what equal weights are; colours are logarithmic."""

MOST_LABELS = 100_000


def save_tiles(
    folder: Path,
    bands: Iterable[tuple[NDArray[Any], NDArray[Any]]],
    queries: int,
    keys: int,
    *,
    title: Text,
    lang: Language = "en",
    labels: Sequence[str] = (),
) -> Path:
    """Write the tiles of a map ``(queries, keys)`` into ``folder``; gives the path of its ``index.html``.

    bands   places of queries, ascending, and their weights ``(band, keys)``, as ``Call.bands`` gives them
    labels  one a key; where queries are the same tokens the page names both

    Tiles in which nothing can be seen are not written. Raises ClockhandsError where the folder can't be
    written.
    """
    if queries < 1 or keys < 1:
        raise ClockhandsError("the map is empty: give one with cells", "图是空的：请给出有单元格的图")
    low = math.log10(FADING / keys)
    levels = max(0, math.ceil(math.log2(max(queries, keys) / SIDE)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*_*_*.png"):
            old.unlink()
        pyramid = _Level(folder, keys, low, levels)
        for _, weights in bands:
            pyramid.add(np.asarray(weights, dtype=np.float32))
        written = pyramid.close()
    except OSError as error:
        raise cannot_write(folder, error) from error
    about = {
        "queries": queries, "keys": keys, "side": SIDE, "levels": levels, "tiles": sorted(written),
        "low": low, "labels": [str(each) for each in labels[:MOST_LABELS]],
    }  # fmt: skip
    with written_aside(folder / "index.html") as aside:
        aside.write_text(_page(about, title, lang), encoding="utf-8")
    return folder / "index.html"


class _Level:
    """One level of the pyramid, 0 the finest; rows are put in from above and leave as tiles.

    Rows that are waiting for a full tile are the only ones that are held.
    """

    def __init__(self, folder: Path, keys: int, low: float, more: int, level: int = 0):
        self.folder, self.keys, self.low, self.level = folder, keys, low, level
        self.coarser = _Level(folder, -(-keys // 2), low, more - 1, level + 1) if more > 0 else None
        self.waiting: list[NDArray[Any]] = []
        self.held = self.row = 0
        self.written: list[str] = []

    def add(self, rows: NDArray[Any]) -> None:
        while len(rows):
            part, rows = rows[: SIDE - self.held], rows[SIDE - self.held :]
            self.waiting.append(part)
            self.held += len(part)
            if self.held == SIDE:
                self._write()

    def close(self) -> list[str]:
        if self.held:
            self._write()
        return self.written + ([] if self.coarser is None else self.coarser.close())

    def _write(self) -> None:
        band = np.concatenate(self.waiting)
        self.waiting, self.held = [], 0
        for column in range(0, self.keys, SIDE):
            tile = band[:, column : column + SIDE]
            if float(tile.max(initial=0.0)) > 10**self.low:
                name = f"{self.level}_{self.row}_{column // SIDE}.png"
                _save(self.folder / name, tile, self.low)
                self.written.append(name.removesuffix(".png"))
        self.row += 1
        if self.coarser is not None:
            self.coarser.add(halved(band))


def halved(cells: NDArray[Any]) -> NDArray[Any]:
    """The largest of each four cells; an odd row or column at the end stands alone.

    >>> halved(np.arange(6).reshape(2, 3)).tolist()
    [[4, 5]]
    """
    rows = np.maximum.reduceat(cells, np.arange(0, cells.shape[0], 2), axis=0)
    return np.maximum.reduceat(rows, np.arange(0, cells.shape[1], 2), axis=1)


def shades(weights: NDArray[Any], low: float) -> NDArray[np.uint8]:
    """0 for what is hidden or fades away, 1 to 255 from ``10 ** low`` to 1, by the logarithm."""
    with np.errstate(divide="ignore"):
        share = 1 - np.log10(np.clip(weights, 0, 1)) / low
    return np.where(share > 0, 1 + np.rint(254 * np.clip(share, 0, 1)), 0).astype(np.uint8)


def _save(path: Path, weights: NDArray[Any], low: float) -> None:
    from PIL import Image

    picture = Image.fromarray(shades(weights, low), "P")
    picture.putpalette(palette())
    picture.save(path, compress_level=6)


def palette() -> list[int]:
    """768 numbers: the page's colour for what is empty, then the colours of weights."""
    from matplotlib import colormaps

    colours = (colormaps[style.SEQUENTIAL](np.linspace(0, 1, 255))[:, :3] * 255).round().astype(int)
    return [*style.rgb(style.NO_DATA), *(int(each) for each in colours.ravel())]


WORDS = {
    "how": Text(
        "Drag to move, turn the wheel to zoom, double click to see all.", "拖动移动，滚轮缩放，双击看全图。"
    ),
    "query": Text("query", "查询"),
    "key": Text("key", "键"),
    "scale": Text("weight, logarithmic", "权重（对数）"),
    "rows": Text("rows are queries, columns keys", "行是查询，列是键"),
}


def _page(about: dict[str, Any], title: Text, lang: Language) -> str:
    words = {name: said.said_in(lang) for name, said in WORDS.items()}
    data = json.dumps({**about, "words": words}, ensure_ascii=False).replace("<", "\\u003c")
    stops = palette()[3:]
    bar = ", ".join(f"rgb({stops[n]},{stops[n + 1]},{stops[n + 2]})" for n in range(0, len(stops), 3 * 16))
    ends = f"10^{about['low']:.1f}"
    template = Template(resources.files("clockhands.plots").joinpath("tiles.html").read_text("utf-8"))
    return template.substitute(
        lang="zh-CN" if lang == "zh" else "en", title=html.escape(title.said_in(lang)), page=style.PAGE,
        face=font_face("".join((title.said_in(lang), *words.values(), *about["labels"])), lang),
        ink=style.INK, quiet=style.QUIET, empty=style.NO_DATA, bar=bar, ends=ends, data=data,
        how=html.escape(words["how"]), scale=html.escape(words["scale"]), rows=html.escape(words["rows"]),
    )  # fmt: skip
