"""Mixed frequencies, halfway between an even and a geometric schedule: sharper nearby, echoes far away.

To see: the curve falls faster than the sinusoid's, crosses zero within ten tokens, and comes back to 0.6 at
distance 181.

python gallery/similarity_curve.py [FOLDER] writes similarity_curve.png and similarity_curve.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "similarity_curve.png", "zh": "similarity_curve.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("mixed", "kernel", dim=32, positions=400, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
