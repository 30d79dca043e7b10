"""A million positions: the similarity curve keeps swinging, and 16 bits run out of numbers.

To see: on the left the band between the smallest and the largest similarity at each scale; on the right
bf16 stops telling positions apart at 256, fp16 at 2,048.

python gallery/long_sequences.py [FOLDER] writes long_sequences.png and long_sequences.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch
from clockhands.analysis.kernel import kernel_range

NAMES = {"en": "long_sequences.png", "zh": "long_sequences.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    curve = kernel_range(ch.describe("sinusoidal", dim=128).inv_freq(), 10**6)
    apart = ch.plots.told_apart(10**6)
    return [ch.plots.long_range(curve, apart, lang=lang).save(folder / file) for lang, file in NAMES.items()]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
