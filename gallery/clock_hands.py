"""The picture on the first screen: sixteen clock hands, positions 0 to 49 of a sinusoidal encoding.

python gallery/clock_hands.py [FOLDER] writes clock_hands.gif and clock_hands.zh.gif, into docs/images if no
folder is given.
"""

from __future__ import annotations

import sys
from pathlib import Path

from clockhands.formulas.frequencies import default_inv_freq
from clockhands.plots.clock import clock

IMAGES = Path(__file__).parent.parent / "docs" / "images"


def main(folder: Path = IMAGES) -> list[Path]:
    """Write the animation in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    inv_freq = default_inv_freq(32)
    english = clock(inv_freq, positions=50, lang="en").save(folder / "clock_hands.gif")
    chinese = clock(inv_freq, positions=50, lang="zh").save(folder / "clock_hands.zh.gif")
    return [english, chinese]


if __name__ == "__main__":
    print(*main(*map(Path, sys.argv[1:2])), sep="\n")
