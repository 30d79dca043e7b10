"""T5 learns one number per bucket of distances and head; here before any training.

To see: bands that widen with distance, since far distances share a bucket, on both sides of the diagonal.

python gallery/t5_bias.py [FOLDER] writes t5_bias.png and t5_bias.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "t5_bias.png", "zh": "t5_bias.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("t5", "bias", heads=4, bidirectional=True, positions=64, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
