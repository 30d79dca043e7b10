"""Golden vectors: what each scheme computes, as numbers that any implementation in any language can check.

A document is JSON: ``{"format": "clockhands.golden", "version": 1, "vectors": [...]}``, and a vector says

name        unique in the document
scheme      id in the catalogue
parameters  of the scheme, by name
quantity    ``inv_freq`` (rad / token), ``attention_factor``, ``table`` (rows added at ``position``), ``bias``
            (logits of each head at ``distance``), or ``rotated`` (``x`` turned at ``position``, row by row)
inputs      what the quantity is computed of: ``position`` or ``distance`` in tokens, ``x``, ``length``
output      numbers, nested as arrays are; null is minus infinity, the bias of a masked key

``check`` recomputes each vector from its scheme, parameters and inputs, so a document may hold any of them,
with the outputs of the implementation under test.
"""

from clockhands.golden.checking import Compared, check, read_document
from clockhands.golden.vectors import FORMAT, VERSION, document

__all__ = ["FORMAT", "VERSION", "Compared", "check", "document", "read_document"]
