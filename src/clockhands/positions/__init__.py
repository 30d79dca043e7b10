"""Where each token is: positions for padding, packing, caches, pictures, ranks and running counts.

All functions take and return integer arrays of one library (numpy, torch, ...), on the device of their
input. Where there is no array to go by, it is numpy, or that of ``like``.
"""

from clockhands.positions.cached import following, from_offset
from clockhands.positions.digits import abacus, coupled, in_runs
from clockhands.positions.evicted import Kept, after_eviction, kept_slots
from clockhands.positions.grids import from_grid
from clockhands.positions.masked import after_padding_row, from_mask
from clockhands.positions.packed import (
    cu_seqlens_of,
    documents_of,
    from_cu_seqlens,
    from_documents,
    from_lengths,
)
from clockhands.positions.sharded import gathered_order, packed_shard_slots, shard_slots, sharded
from clockhands.positions.tags import tag_counts
from clockhands.positions.vision import Grid, after_parts, from_parts, from_token_types, parts_of

__all__ = [
    "Grid",
    "Kept",
    "abacus",
    "after_eviction",
    "after_padding_row",
    "after_parts",
    "coupled",
    "cu_seqlens_of",
    "documents_of",
    "following",
    "from_cu_seqlens",
    "from_documents",
    "from_grid",
    "from_lengths",
    "from_mask",
    "from_offset",
    "from_parts",
    "from_token_types",
    "gathered_order",
    "in_runs",
    "kept_slots",
    "packed_shard_slots",
    "parts_of",
    "shard_slots",
    "sharded",
    "tag_counts",
]
