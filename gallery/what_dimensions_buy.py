"""Hands, step and echo of sinusoidal tables from 8 to 512 dimensions.

To see: the number of hands doubles with the width, but about half of them never finish a turn in 512
tokens; neighbours move apart; the most similar far position fades.

python gallery/what_dimensions_buy.py [FOLDER] writes what_dimensions_buy.png and what_dimensions_buy.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "what_dimensions_buy.png", "zh": "what_dimensions_buy.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    found = ch.plots.bought(base=1e4, context=512)
    return [ch.plots.dimensions(found, lang=lang).save(folder / file) for lang, file in NAMES.items()]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
