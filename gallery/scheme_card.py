"""The index card of a scheme: idea, formula, parameters, what it promises, where it comes from.

python gallery/scheme_card.py [FOLDER] writes scheme_card.png and scheme_card.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "scheme_card.png", "zh": "scheme_card.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return [ch.show("rope", "card", dim=64, lang=lang).save(folder / file) for lang, file in NAMES.items()]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
