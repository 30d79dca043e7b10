"""One hand drawn both ways: as the table stores it, and with sine and cosine exchanged.

To see: (sin, cos) starts at twelve and turns clockwise, as a clock does; (cos, sin) starts at three and turns
the other way.

python gallery/hand_directions.py [FOLDER] writes hand_directions.png and hand_directions.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clockhands as ch

NAMES = {"en": "hand_directions.png", "zh": "hand_directions.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    tips = ch.analysis.hands.hands([0.3], range(6))
    return [ch.plots.hand_directions(tips, lang=lang).save(folder / file) for lang, file in NAMES.items()]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
