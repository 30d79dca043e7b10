"""Other people's models: their position encoding swapped for any of the catalogue.

``clockhands.hf`` is what this package can do to models of transformers (extra ``hf``).
"""

from clockhands.real import hf_swap as hf

__all__ = ["hf"]
