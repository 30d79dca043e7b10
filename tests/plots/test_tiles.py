"""Tiles are the map, band by band; the page beside them asks for nothing but them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.plots import tiles
from clockhands.plots.tiles import halved, palette, save_tiles, shades

TITLE = Text("a <map>", "图")


def bands(weights: np.ndarray, step: int) -> Iterator[tuple[Any, Any]]:
    for first in range(0, len(weights), step):
        yield np.arange(first, min(first + step, len(weights))), weights[first : first + step]


def causal(count: int) -> np.ndarray:
    made = np.tril(np.random.default_rng(0).random((count, count)) ** 8)
    return (made / made.sum(1, keepdims=True)).astype(np.float32)


def assembled(folder: Path, level: int, shape: tuple[int, int]) -> np.ndarray:
    """What the tiles of one level show, in shades; 0 where there is none."""
    made = np.zeros(shape, np.uint8)
    for path in folder.glob(f"{level}_*_*.png"):
        row, column = (int(each) * tiles.SIDE for each in path.stem.split("_")[1:])
        picture = Image.open(path)
        assert picture.getpalette()[: 3 * 256] == palette()
        cells = np.asarray(picture)
        made[row : row + len(cells), column : column + cells.shape[1]] = cells
    return made


@pytest.mark.parametrize("step", [7, 64])
def test_every_level_is_the_map_or_the_largest_of_four(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "SIDE", 16)
    weights = causal(50)
    save_tiles(tmp_path, bands(weights, step), 50, 50, title=TITLE)
    low, cells = np.log10(0.1 / 50), weights
    for level in range(3):
        assert np.array_equal(assembled(tmp_path, level, cells.shape), shades(cells, low))
        cells = halved(cells)
    assert len(list(tmp_path.glob("2_*.png"))) == 1
    assert not (tmp_path / "0_0_3.png").exists()  # a causal map has nothing there
    assert not list(tmp_path.glob("3_*.png"))


def test_shades_are_logarithmic_from_fading_to_one() -> None:
    assert shades(np.array([0.0, 1e-4, 1.001e-3, 10**-1.5, 1.0]), -3.0).tolist() == [0, 0, 1, 128, 255]


def test_the_page_names_tiles_and_tokens_and_escapes_them(tmp_path: Path) -> None:
    path = save_tiles(tmp_path, bands(causal(9), 9), 9, 9, title=TITLE, lang="zh", labels=["</script>", "虎"])
    page = path.read_text(encoding="utf-8")
    assert "a &lt;map&gt;" not in page
    assert "<title>图</title>" in page
    assert "default-src 'none'" in page
    assert not re.search(r"https?:", page)
    found = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])  # type: ignore[index]
    assert found["labels"] == ["</script>", "虎"]
    assert found["tiles"] == ["0_0_0"]
    assert "拖动移动" in page
    assert "a &lt;map&gt;" in save_tiles(tmp_path, bands(causal(9), 9), 9, 9, title=TITLE).read_text("utf-8")


def test_old_tiles_are_taken_away_and_bad_places_said(tmp_path: Path) -> None:
    (tmp_path / "0_7_7.png").write_bytes(b"old")
    save_tiles(tmp_path, bands(causal(9), 9), 9, 9, title=TITLE)
    assert not (tmp_path / "0_7_7.png").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(ClockhandsError, match="can't be written"):
        save_tiles(tmp_path / "file", bands(causal(9), 9), 9, 9, title=TITLE)
    with pytest.raises(ClockhandsError, match="map is empty"):
        save_tiles(tmp_path, [], 0, 9, title=TITLE)
