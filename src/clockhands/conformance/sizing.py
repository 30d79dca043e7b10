"""For which attention layer an encoding is made, read off what it was built from."""

from __future__ import annotations

import numpy as np

from clockhands.catalogue.description import Description
from clockhands.conformance.subject import USUAL, Sizes
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError

_FEW_HEADS = (USUAL.num_heads, 2, 1)


def sizes_for(encoding: Encoding) -> Sizes:
    """The sizes that an encoding fits: those its description has, the usual ones for the rest.

    An encoding that was built from no description must be made for the usual sizes, or the sizes be given.
    Raises ClockhandsError if a description's own sizes don't fit one another.

    >>> from clockhands.schemes import make
    >>> sizes_for(make("rope", head_dim=64))
    Sizes(num_heads=4, num_kv_heads=2, head_dim=64)
    """
    if encoding.description is None:
        return USUAL
    heads, head_dim, width = needed(encoding.description)
    shared = _said(encoding.description, "num_kv_heads")
    if width is None:
        heads = USUAL.num_heads if heads is None else heads
        return _of(heads, USUAL.head_dim if head_dim is None else head_dim, shared)
    if heads is None and head_dim is not None and width % head_dim == 0:
        heads = width // head_dim
    if heads is None:
        heads = next(few for few in _FEW_HEADS if width % few == 0)
    if width % heads or head_dim not in (None, width // heads):
        by = "" if head_dim is None else f" of {head_dim}"
        raise ClockhandsError(
            f"{encoding.id} is {width} wide, which is not {heads} heads{by}: make it for sizes that fit",
            f"{encoding.id} 的宽度为 {width}，不等于 {heads} 个头{by and f'（每头 {head_dim}）'}的总宽度："
            "请让各个尺寸相符",
        )
    return _of(heads, width // heads, shared)


def require_fit(encoding: Encoding, sizes: Sizes) -> None:
    """Refuse sizes that a description contradicts; what has no description is taken at its word."""
    if encoding.description is None:
        return
    names = ("num_heads", "head_dim", "d_model")
    for name, need in zip(names, needed(encoding.description), strict=True):
        have = getattr(sizes, name)
        if need not in (None, have):
            raise ClockhandsError(
                f"{encoding.id} is made for {name} {need}, but the sizes say {have}: leave the sizes out, or "
                "make the encoding for them",
                f"{encoding.id} 是按 {name} = {need} 建的，而给出的尺寸是 {have}："
                "请不要给尺寸，或者按它来建编码",
            )


def needed(description: Description) -> tuple[int | None, int | None, int | None]:
    """Heads, width of a head and width of the model, None where any will do.

    A parameter says it, under its own name or another (``aliases``); else what is computed shows it.
    """
    hooks, zero = description.touches(), np.zeros(1, dtype=np.int64)
    heads, head_dim, width = (_said(description, name) for name in ("num_heads", "head_dim", "d_model"))
    if heads is None and "bias" in hooks:
        bias = description.bias(zero)
        heads = None if bias is None else len(bias)
    if "table" in hooks:
        if width is None:
            table = description.table(zero)
            width = None if table is None else table.shape[-1]
    elif head_dim is None and "inv_freq" in hooks:
        speeds = description.inv_freq()
        head_dim = None if speeds is None else max(USUAL.head_dim, 2 * len(speeds))
    return heads, head_dim, width


def _said(description: Description, name: str) -> int | None:
    value = getattr(description, description.aliases.get(name, name), None)
    return value if isinstance(value, int) else None


def _of(heads: int, head_dim: int, kv_heads: int | None) -> Sizes:
    """Grouped keys where the heads can be paired, unless the description says how many it needs."""
    pairs = heads if heads % 2 else heads // 2
    return Sizes(num_heads=heads, num_kv_heads=pairs if kv_heads is None else kv_heads, head_dim=head_dim)
