"""Inkling: a vector of the query's token, not the query itself, is multiplied by one vector a distance.

Beside it keys and values, and what attention and the perceptron give, go through short convolutions.
"""

from __future__ import annotations

from dataclasses import replace

from clockhands.check.architectures.common import OTHER
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Together
from clockhands.check.architectures.patterns import Kinds, listed, told_or
from clockhands.check.architectures.relative import Bucketed
from clockhands.check.architectures.widths import MOST_LAYERS, Scale, root_of_width
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings


def inkling_kinds(s: Settings) -> list[str]:
    """Windows in the layers of ``local_layer_ids``, in all but every sixth where none are told."""
    told = listed(s, "local_layer_ids") if s.get("local_layer_ids") is not None else None

    def rule(s: Settings, n: int, count: int) -> str:
        return "hybrid_sliding" if ((n + 1) % 6 if told is None else n in told) else "hybrid"

    return list(told_or(rule)(s))


def one_over_width(s: Settings, width: int | None) -> float | None:
    """Queries and keys are normed, and the scale is that of muP."""
    return None if not width else 1.0 / width


def loop_kinds(s: Settings) -> list[str]:
    """Inkling 2 Loop: layers from ``loop_layer_index_start`` on are run three times; every run counts."""
    told, kinds = Settings(s.within("loop_config")), inkling_kinds(s)
    start = told.whole("core_start") or s.whole("loop_layer_index_start") or 6
    end = told.whole("core_end") or s.whole("loop_layer_index_end") or 18
    passes = told.whole("num_passes") or s.whole("loop_num_passes") or 3
    looped = kinds[start:end] * min(passes, MOST_LAYERS // max(len(kinds), 1))
    return [*kinds[:start], *looped, *kinds[end:]]


def looped(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Inkling 2 with such layers."""
    runs = tuple(range(len(loop_kinds(s)))) if layers is None else layers
    return inkling(root_of_width, loop_kinds)(s, runs)


def inkling(scale: Scale, kinds: Kinds = inkling_kinds) -> Together:
    """Distances below ``rel_extent``, past which there is no bias; in windows all that are seen.

    Layers without a window multiply queries by 1 + alpha ln(position / floor) besides, past that floor.
    """
    whole = Bucketed(
        family="other",
        num_buckets=None,
        max_distance="rel_extent",
        head_dim=lambda s: s.whole("head_dim"),
        scale=scale,
    )
    windowed = replace(
        whole,
        max_distance=None,
        head_dim=lambda s: s.whole("swa_head_dim"),
        window=lambda s: s.whole("sliding_window_size"),
    )
    return Together((ByLayer(kinds, {"hybrid": whole, "hybrid_sliding": windowed}), OTHER))


INKLINGS: dict[str, Architecture] = {
    "inkling_text": inkling(one_over_width),
    "inkling2_text": inkling(root_of_width),
    "inkling2_loop_text": looped,
}
