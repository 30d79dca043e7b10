"""What tensors of checkpoints are called: data, for the classes of transformers and others like them."""

from __future__ import annotations

import re

LAYER = re.compile(r"(?:^|\.)(?:layers?|h|blocks?|block)\.(\d{1,6})\.")
"""The number of the layer within its stack; no model has a million."""

DECODER = re.compile(r"(?:^|\.)decoder\.")
ENCODER = re.compile(r"(?:^|\.)encoder\.")

Q, K, V = (
    re.compile(rf"\.(?:{one}_proj|{one}_lin|{word}|w{one}|{one})\.weight$")
    for one, word in (("q", "query"), ("k", "key"), ("v", "value"))
)

LEARNED_TABLES = re.compile(
    r"(?:^|\.)(?:wpe|embed_positions|position_embeddings?|positional_embedding|pos_emb|embed_pos|positions_embed)"
    r"(?:\.weight)?$"
)

RELATIVE_BIAS = re.compile(r"\.relative_attention_bias\.weight$")

FREQUENCIES = re.compile(r"(?:^|\.)(?:inv_freq|[a-z_]*_inv_freq)$")

OTHERS = re.compile(r"(?:^|\.)(?:vision\w*|visual|image\w*|audio\w*|speech\w*|vit|mm_\w*|mtp)\.")
"""Towers that read something else than text, and layers that predict ahead: their sizes are their own."""
