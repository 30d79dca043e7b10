"""Where each token is: integer positions for padding, packed documents, caches and running counts.

All functions take and return arrays of one library (numpy, torch, ...), on the device of their input.
"""

from clockhands.positions.cached import following, from_offset
from clockhands.positions.masked import from_mask
from clockhands.positions.packed import from_documents, from_lengths
from clockhands.positions.tags import tag_counts

__all__ = ["following", "from_documents", "from_lengths", "from_mask", "from_offset", "tag_counts"]
