"""Other people's models: loaded, looked at, and their position encoding swapped for any of the catalogue.

``clockhands.hf`` is what this package can do to models of transformers, and ``clockhands.attention`` what it
sees of their attention (extra ``hf``).
"""

from clockhands.real import attention
from clockhands.real import hf_swap as hf
from clockhands.real.loading import Loaded, load

__all__ = ["Loaded", "attention", "hf", "load"]
