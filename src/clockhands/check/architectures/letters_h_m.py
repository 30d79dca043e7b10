"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0."""

from __future__ import annotations

from clockhands.check.architectures.mixtures import Architecture
from clockhands.check.architectures.rope import Rope

ARCHITECTURES: dict[str, Architecture] = {
    "llama": Rope(),
    "mistral": Rope(window="sliding_window"),
}
