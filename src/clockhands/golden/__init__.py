"""Golden vectors: what each scheme computes, as numbers that any implementation in any language can check.

A document is JSON: ``{"format": "clockhands.golden", "version": 2, "vectors": [...]}``, and a vector says

name        unique in the document
scheme      id in the catalogue
parameters  of the scheme, by name
quantity    ``inv_freq`` (rad / token), ``attention_factor``, ``table`` (rows added at ``position``), ``bias``
            (logits of each head at ``distance``), ``rotated`` (``x`` turned at ``position``, row by row),
            ``distance_map``, ``places`` (where training or a text puts tokens), ``embedded`` (tokens ``x``
            with their positions), or ``attended`` (what comes out of attention with ``q``, ``k`` and ``v``)
inputs      what the quantity is computed of, ``weights`` by name among it where any are trained or drawn
output      numbers, nested as arrays are; null is minus infinity, the bias of a masked key

A version adds quantities and changes none: documents of version 1 are read as well. ``embedded`` and
``attended`` need torch. Any two schemes differ in a vector.

``check`` recomputes each vector from its scheme, parameters and inputs, so a document may hold any of them,
with the outputs of the implementation under test.
"""

from clockhands.golden.checking import Compared, check, read_document
from clockhands.golden.vectors import FORMAT, VERSION, can_pass, document

__all__ = ["FORMAT", "VERSION", "Compared", "can_pass", "check", "document", "read_document"]
