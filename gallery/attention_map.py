"""Attention of a Chinese sentence in two heads, untrained: random q and k, turned by RoPE.

To see: Chinese labels that stand upright above the columns, keys after the query hatched, one colour scale
for both heads, and what an attention weight does not mean.

python gallery/attention_map.py [FOLDER] writes attention_map.png and attention_map.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import clockhands as ch
from clockhands.language import Text

WORDS = [
    "鲁达", "听", "罢", "，", "大怒", "，", "三拳", "打死", "了", "镇关西", "，", "连夜", "离开",
    "渭州", "。",
]  # fmt: skip

NAMES = {"en": "attention_map.png", "zh": "attention_map.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(0)
    q, k = generator.normal(size=(2, 1, len(WORDS), 2, 16))
    logits = np.einsum("bihd,bjhd->hij", ch.rotate(q), ch.rotate(k)) / 4
    logits[:, ~np.tri(len(WORDS), dtype=bool)] = -np.inf
    weights = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    note = Text("untrained, seed 0", "未训练，随机种子 0")
    return [
        ch.plots.attention(weights, WORDS, causal=True, lang=lang, note=note).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
