"""How similar every two positions are, and the one curve that the whole map is made of.

To see: stripes that run along the diagonal, and a curve that does not fall steadily: at 32 dimensions it
rises for the first time from distance 4 to 5.

python gallery/similarity_map.py [FOLDER] writes similarity_map.png and similarity_map.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "similarity_map.png", "zh": "similarity_map.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("sinusoidal", "similarity", dim=32, positions=100, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
