"""The same map for a learned table before training: nothing depends on distance.

To see: only the main diagonal stands out, and beside it a wide band where the sinusoid has one curve. The
picture says on its face that it is untrained.

python gallery/learned_similarity.py [FOLDER] writes learned_similarity.png and learned_similarity.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "learned_similarity.png", "zh": "learned_similarity.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("learned", "similarity", dim=32, positions=100, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
