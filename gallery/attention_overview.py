"""Every head of three sentences at a glance, on one colour scale; untrained.

To see: small maps that can be compared, since one colour means one weight everywhere.

python gallery/attention_overview.py [FOLDER] writes attention_overview.png and attention_overview.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import clockhands as ch
from clockhands.language import Text

NAMES = {"en": "attention_overview.png", "zh": "attention_overview.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(0)
    sentences = [softmax(generator.normal(size=(4, length, length))) for length in (9, 14, 11)]
    note = Text("untrained, seed 0", "未训练，随机种子 0")
    return [
        ch.plots.overview(sentences, lang=lang, note=note).save(folder / file) for lang, file in NAMES.items()
    ]


def softmax(logits: np.ndarray) -> np.ndarray:
    grown = np.exp(logits)
    return grown / grown.sum(axis=-1, keepdims=True)


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
