"""Rows of q and k of a GGUF file, some heads of some layers, for ``rows.layout_of_rows``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.read.gguf_header import Header, TensorEntry, read_header
from clockhands.check.read.gguf_layers import Sizes, sizes_of
from clockhands.check.read.gguf_tensors import can_expand, some_rows
from clockhands.check.read.gguf_values import Values
from clockhands.check.read.rows import MOST_QUERIES_READ, StoredRows, layout_of_rows, spread_over

MOST_WEIGHTS = 2**22  # of one head: 16 MB in float32


def rows_as_stored(
    path: str | Path, header: Header, v: Values, sizes: Sizes, form: LayerForm
) -> StoredRows | None:
    """What the rows of this file say of their layout; None where there are too few to say anything.

    Raises ``MissingExtra`` where quantised rows need the package gguf.
    """
    if form.head_dim is None or form.rotary_dim is None or sizes.heads is None:
        return None
    return layout_of_rows(_heads(path, header, v, sizes, form), form.rotary_dim)


def heads_to_measure(path: str | Path, form: LayerForm) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows that are looked at: of some query heads, ``(heads, head_dim, hidden)``, and of their key head."""
    header = read_header(path)
    v = Values(header.values, str(header.values["general.architecture"]))
    return _heads(path, header, v, sizes_of(v), form)


def _heads(
    path: str | Path, header: Header, v: Values, sizes: Sizes, form: LayerForm
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    width = form.head_dim or 0
    groups = v.by_layer("attention.head_count_kv", sizes.layers) or (sizes.heads or 0,) * sizes.layers
    heads = v.by_layer("attention.head_count", sizes.layers) or ()
    for layer, kv_head in spread_over(form.layers, lambda layer: groups[layer]):
        place = _place(header, layer, width, heads[layer], groups[layer])
        if place is None or heads[layer] % groups[layer]:
            continue
        (q, q_first), (k, k_first) = place
        if max(q.shape[1], k.shape[1]) * width > MOST_WEIGHTS or q.shape[1] != k.shape[1]:
            continue
        if not can_expand(q.kind, header.byte_order) or not can_expand(k.kind, header.byte_order):
            continue
        queries = heads[layer] // groups[layer]
        few = min(queries, MOST_QUERIES_READ)
        q_rows = some_rows(path, header, q, q_first + kv_head * queries * width, few * width)
        k_rows = some_rows(path, header, k, k_first + kv_head * width, width)
        yield q_rows.reshape(few, width, -1), k_rows


def _place(
    header: Header, layer: int, width: int, heads: int, groups: int
) -> tuple[tuple[TensorEntry, int], tuple[TensorEntry, int]] | None:
    """Tensor and first row of q, and of k; they may be one tensor with v behind them."""
    q, k = (header.tensors.get(f"blk.{layer}.attn_{one}.weight") for one in "qk")
    if q is None and k is None:
        q = k = header.tensors.get(f"blk.{layer}.attn_qkv.weight")
        rows, first = (heads + 2 * groups) * width, heads * width
        return None if q is None or k is None or q.shape[:-1] != (rows,) else ((q, 0), (k, first))
    if q is None or k is None or q.shape[:-1] != (heads * width,) or k.shape[:-1] != (groups * width,):
        return None
    return (q, 0), (k, 0)
