"""Architectures whose attention adds a bias to its scores, or has relative vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clockhands.check.architectures.widths import head_width, layer_count, root_of_width
from clockhands.check.form import Family, LayerForm
from clockhands.check.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Alibi:
    """A penalty that grows with the distance, one slope a head.

    slopes  gives them, from the settings: most often ``alibi_slopes`` of ``formulas.slopes``
    """

    slopes: Callable[[Settings], tuple[float, ...] | None]
    bidirectional: bool = False
    head_dim: Callable[[Settings], int | None] = head_width
    scale: float | Callable[[Settings, int | None], float | None] = root_of_width

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        width = self.head_dim(s)
        return (
            LayerForm(
                layers=tuple(range(layer_count(s))) if layers is None else layers,
                family="alibi",
                head_dim=width,
                slopes=self.slopes(s),
                bidirectional=self.bidirectional,
                score_scale=self.scale(s, width) if callable(self.scale) else self.scale,
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Bucketed:
    """T5's bias, or another of the relative families that differ by their buckets or tables only."""

    family: Family = "t5"
    num_buckets: str | Callable[[Settings], int | None] | None = "relative_attention_num_buckets"
    max_distance: str | Callable[[Settings], int | None] | None = "relative_attention_max_distance"
    bidirectional: bool = False
    head_dim: Callable[[Settings], int | None] = head_width
    scale: float | Callable[[Settings, int | None], float | None] = 1.0
    window: Callable[[Settings], int | None] | None = None

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        width = self.head_dim(s)
        return (
            LayerForm(
                layers=tuple(range(layer_count(s))) if layers is None else layers,
                family=self.family,
                head_dim=width,
                num_buckets=_whole(self.num_buckets, s),
                max_distance=_whole(self.max_distance, s),
                bidirectional=self.bidirectional,
                score_scale=self.scale(s, width) if callable(self.scale) else self.scale,
                window=None if self.window is None else self.window(s),
            ),
        )


def _whole(key: str | Callable[[Settings], int | None] | None, s: Settings) -> int | None:
    if key is None:
        return None
    return s.whole(key) if isinstance(key, str) else key(s)


__all__ = ["Alibi", "Bucketed", "root_of_width"]
