"""Adding positions to words: the score falls into four parts. Concatenating: what it costs.

To see: words with words, words with positions, and only the last part knows both places. The bars count
parameters: concatenating costs more only if the width grows.

python gallery/add_or_concatenate.py [FOLDER] writes add_or_concatenate.png and add_or_concatenate.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import clockhands as ch
from clockhands.analysis import add_concatenate

NAMES = {"en": "add_or_concatenate.png", "zh": "add_or_concatenate.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    words = np.random.default_rng(0).normal(size=(40, 32))
    table = ch.position_encoding(40, 32)
    split = add_concatenate.four_terms(words, table)
    counts = add_concatenate.parameter_counts(vocab_size=1000, d_model=64, position_width=16)
    gap = add_concatenate.concatenation_gap(words, table, width_out=32)
    return [
        ch.plots.four_terms(split, counts, gap, lang=lang).save(folder / file) for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
