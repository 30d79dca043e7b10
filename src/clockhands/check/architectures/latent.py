"""Latent attention as DeepSeek has it: a query is ``[unturned | turned]``, each part of its own width."""

from __future__ import annotations

import math
from collections.abc import Callable

from clockhands.check.architectures.rope import Rope
from clockhands.check.form import Layout
from clockhands.check.read.rope_parameters import rope_parameters_of
from clockhands.check.settings import Settings, finite


def latent_width(s: Settings) -> int | None:
    """Width of a whole query: ``qk_nope_head_dim + qk_rope_head_dim``."""
    unturned, turned = s.whole("qk_nope_head_dim"), turned_width(s)
    return None if turned is None else (unturned or 0) + turned


def turned_width(s: Settings) -> int | None:
    """Width of the part of a query that turns; files call it ``qk_rope_head_dim``."""
    return s.whole("qk_rope_head_dim")


def latent_scale(s: Settings, width: int | None) -> float | None:
    """Root of the whole width, and for scaled frequencies ``(0.1 m ln f + 1)²`` with m = ``mscale_all_dim``.

    ``yarn_apply_mscale`` of transformers 5.24.0.
    """
    if not width:
        return None
    values = rope_parameters_of(s, layer_type=None, partial=False).values
    m, factor = finite(values.get("mscale_all_dim")), finite(values.get("factor"))
    if values.get("rope_type", "default") == "default" or not m:
        return width**-0.5
    if factor is None:
        return None
    grown = 1.0 if factor <= 1 else 0.1 * m * math.log(factor) + 1.0
    return width**-0.5 * grown * grown


def layout_told(s: Settings) -> Layout:
    """``rope_interleave``: pairs of neighbours unless it is switched off."""
    return "interleaved" if s.get("rope_interleave", True) else "half"


def latent(layout: Layout | Callable[[Settings], Layout] = "interleaved", *, partial: bool = False) -> Rope:
    """Rotary latent attention.

    layout  of the projections: pairs are neighbours there, though the code of all but DeepSeek-V2 lays the
            turned dimensions out in halves afterwards, those of queries and keys alike
    """
    return Rope(
        layout=layout,
        head_dim=latent_width,
        rotary_dim=turned_width,
        rotary_dims="suffix",
        partial=partial,
        scale=latent_scale,
    )
