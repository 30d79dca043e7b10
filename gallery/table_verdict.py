"""What is wrong with a table: two rows alike, one dimension that never changes.

To see: triangles point at the rows and columns, the sentences below say what to do.

python gallery/table_verdict.py [FOLDER] writes table_verdict.png and table_verdict.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "table_verdict.png", "zh": "table_verdict.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    table = ch.position_encoding(64, 32)
    table[40] = table[12]
    table[:, 8] = 0.3
    return [ch.show(table, "verdict", lang=lang).save(folder / file) for lang, file in NAMES.items()]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
