"""ALiBi has no hands: each head subtracts a slope times the distance.

To see: one colour scale for all heads, so the flat heads look nearly white; grey is what the causal mask
hides; the lines on the right have the slopes that the titles say.

python gallery/alibi_bias.py [FOLDER] writes alibi_bias.png and alibi_bias.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "alibi_bias.png", "zh": "alibi_bias.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("alibi", "bias", heads=8, positions=64, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
