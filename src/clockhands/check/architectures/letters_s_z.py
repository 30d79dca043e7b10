"""What model classes do with position, written by hand from the modelling code of transformers 5.24.0."""

from __future__ import annotations

from clockhands.check.architectures.mixtures import Architecture, Stacks
from clockhands.check.architectures.relative import Bucketed

ARCHITECTURES: dict[str, Architecture] = {
    "t5": Stacks(
        encoder=Bucketed(bidirectional=True),
        decoder=Bucketed(),
        encoder_layers="num_layers",
        decoder_layers="num_decoder_layers",
    ),
}
