"""Torch modules for the schemes of the catalogue.

``make("rope", head_dim=64)`` builds one; ``build(description)`` does the same for any description;
``layers(...)`` makes one encoding a layer of a model, for example by a pattern such as ``"RRRN"``.
"""

from clockhands.schemes.building import build, make
from clockhands.schemes.stacking import layers

__all__ = ["build", "layers", "make"]
