"""RoPE turns the query and the key: both hands move, the angle between them does not.

To see: six moments, one angle. Below, the scores of one fixed query and key are constant along every
diagonal, and they do not fall with distance.

python gallery/relative_hands.py [FOLDER] writes relative_hands.png and relative_hands.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "relative_hands.png", "zh": "relative_hands.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("rope", "relative", dim=32, positions=64, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
