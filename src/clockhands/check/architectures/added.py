"""Architectures that add a table to the tokens; what their attention then does has a form of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clockhands.check.architectures.widths import head_width, layer_count, root_of_width
from clockhands.check.form import LayerForm, Stack
from clockhands.check.read.frequencies import WIDEST
from clockhands.check.settings import Settings
from clockhands.formulas.frequencies import sinusoid_inv_freq
from clockhands.formulas.frequencies.geometric import Exponent


@dataclass(frozen=True, kw_only=True)
class Learned:
    """A learned table, as in GPT-2.

    rows    key of the number of positions it is made for, or a function that gives it
    offset  row of position 0 (the table then has that many rows more: ``rows`` here counts all)
    width   of the table, where it is not the hidden width
    scale   of the scores of attention
    window  key of the window of attention, or a function
    """

    rows: str | Callable[[Settings], int | None] = "max_position_embeddings"
    offset: int | Callable[[Settings], int] = 0
    width: str | Callable[[Settings], int | None] = "hidden_size"
    head_dim: Callable[[Settings], int | None] = head_width
    scale: float | Callable[[Settings, int | None], float | None] = root_of_width
    window: str | Callable[[Settings], int | None] | None = None

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        layers = tuple(range(layer_count(s))) if layers is None else layers
        offset = self.offset(s) if callable(self.offset) else self.offset
        rows = s.whole(self.rows) if isinstance(self.rows, str) else self.rows(s)
        return (
            LayerForm(
                layers=layers,
                family="learned",
                head_dim=s.whole(self.width) if isinstance(self.width, str) else self.width(s),
                rows=None if rows is None else rows + (offset if isinstance(self.rows, str) else 0),
                offset=offset,
                score_scale=_scale(self.scale, s, self.head_dim(s)),
                window=_window(self.window, s),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Sinusoidal:
    """A fixed table of sines and cosines.

    layout     ``interleaved``: sin and cos alternate; ``half``: all sines, then all cosines
    exponent   ``"2i/d"``, or ``"i/(d/2-1)"``
    offset     position of the first token in the formula
    """

    layout: str = "interleaved"
    exponent: Exponent = "2i/d"
    base: float = 10000.0
    offset: int | Callable[[Settings], int] = 0
    rows: str | Callable[[Settings], int | None] | None = None
    width: str | Callable[[Settings], int | None] = "hidden_size"
    head_dim: Callable[[Settings], int | None] = head_width
    scale: float | Callable[[Settings, int | None], float | None] = root_of_width

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        layers = tuple(range(layer_count(s))) if layers is None else layers
        width = s.whole(self.width) if isinstance(self.width, str) else self.width(s)
        inv_freq = (
            None
            if not width or width > WIDEST
            else sinusoid_inv_freq(width, self.base, exponent=self.exponent)
        )
        rows = s.whole(self.rows) if isinstance(self.rows, str) else self.rows and self.rows(s)
        return (
            LayerForm(
                layers=layers,
                family="sinusoidal",
                layout=self.layout,  # type: ignore[arg-type]
                head_dim=width,
                rope_theta=self.base,
                inv_freq=None if inv_freq is None else tuple(float(each) for each in inv_freq),
                rows=rows or None,
                offset=self.offset(s) if callable(self.offset) else self.offset,
                score_scale=_scale(self.scale, s, self.head_dim(s)),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class NoPosition:
    """Attention that sees no position but by its mask, or (``mixer="other"``) no attention at all."""

    mixer: str = "attention"
    head_dim: Callable[[Settings], int | None] = head_width
    scale: float | Callable[[Settings, int | None], float | None] = root_of_width
    window: str | Callable[[Settings], int | None] | None = None

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        layers = tuple(range(layer_count(s))) if layers is None else layers
        if self.mixer == "other":
            return (LayerForm(layers=layers, family="none", mixer="other"),)
        width = self.head_dim(s)
        return (
            LayerForm(
                layers=layers,
                family="none",
                head_dim=width,
                score_scale=_scale(self.scale, s, width),
                window=_window(self.window, s),
            ),
        )


def _scale(scale: float | Callable[[Settings, int | None], float | None], s: Settings, width: int | None):
    return scale(s, width) if callable(scale) else scale


def _window(window: str | Callable[[Settings], int | None] | None, s: Settings) -> int | None:
    if window is None:
        return None
    return s.whole(window) if isinstance(window, str) else window(s)


__all__ = ["Learned", "NoPosition", "Sinusoidal", "Stack"]
