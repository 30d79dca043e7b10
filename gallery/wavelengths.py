"""The wavelengths of 64 RoPE hands against a context of 4,096 tokens.

To see: on a logarithmic axis the hands lie on a line. Those in the grey part never finish a turn in the
context: a model trained at that length has not seen their far side.

python gallery/wavelengths.py [FOLDER] writes wavelengths.png and wavelengths.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "wavelengths.png", "zh": "wavelengths.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ch.show("rope", "spectrum", dim=128, positions=4096, lang=lang).save(folder / file)
        for lang, file in NAMES.items()
    ]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
