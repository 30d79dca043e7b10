"""Small models that take any positional encoding: one attention layer, and a whole Transformer."""

from clockhands.models.drop_in import Attention
from clockhands.models.generating import generate
from clockhands.models.relayout import relayout_weights
from clockhands.models.seeding import initialise, stream
from clockhands.models.transformer import Scored, Transformer

__all__ = ["Attention", "Scored", "Transformer", "generate", "initialise", "relayout_weights", "stream"]
