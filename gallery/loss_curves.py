"""Training loss and the loss on held-out text: the gap between them is what was only learned by heart.

To see: each curve is named at its end, and the axis starts at zero. The numbers here are made up.

python gallery/loss_curves.py [FOLDER] writes loss_curves.png and loss_curves.zh.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import clockhands as ch
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.language import Text

NAMES = {"en": "loss_curves.png", "zh": "loss_curves.zh.png"}


def main(folder: Path) -> list[Path]:
    """Draw in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    steps = np.arange(0, 1000, 10)
    axis = (Axis(Text("step", "训练步"), steps),)
    made_up = Text("made-up numbers", "示意数据")
    training = Labelled(
        "training", Text("training", "训练"), 3 * np.exp(-steps / 300) + 0.4, axis, note=made_up
    )
    held = Labelled(
        "held_out", Text("held-out text", "留出文本"), training.values + steps / 2000, axis, note=made_up
    )
    return [ch.plots.curves([training, held], lang=lang).save(folder / file) for lang, file in NAMES.items()]


if __name__ == "__main__":
    print(*main(Path(*sys.argv[1:2])), sep="\n")
