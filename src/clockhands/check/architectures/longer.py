"""Encoders whose attention is local: LED, Longformer, LongT5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clockhands.check.architectures.added import Learned
from clockhands.check.architectures.common import ROBERTA, width_by
from clockhands.check.architectures.mixtures import Architecture, Stacks
from clockhands.check.architectures.relative import Bucketed
from clockhands.check.architectures.widths import layer_count
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings


def window_of(n: int) -> Callable[[Settings], int | None]:
    """``attention_window``, one for all layers or a list: half of it to either side, and the token itself."""

    def window(s: Settings) -> int | None:
        told = s.get("attention_window", 512)
        each = told[n] if isinstance(told, list | tuple) and n < len(told) else told
        return (
            each // 2 * 2 + 1 if isinstance(each, int) and not isinstance(each, bool) and each > 0 else None
        )

    return window


def by_layer(table: Learned) -> Architecture:
    """The same table, a window for each layer; tokens that are marked global see and are seen beyond it."""

    def forms(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        numbers = range(layer_count(s)) if layers is None else layers
        return tuple(form for n in numbers for form in replace(table, window=window_of(n))(s, (n,)))

    return forms


def radius(s: Settings) -> int | None:
    """``local_radius`` tokens to either side."""
    told = s.whole("local_radius")
    return None if told is None else 2 * told + 1


def led_table(rows: str, heads: str) -> Learned:
    """Encoder and decoder have lengths of their own."""
    return Learned(rows=rows, width="d_model", head_dim=width_by(heads))


LONGER: dict[str, Architecture] = {
    "led": Stacks(
        encoder=by_layer(led_table("max_encoder_position_embeddings", "encoder_attention_heads")),
        decoder=led_table("max_decoder_position_embeddings", "decoder_attention_heads"),
    ),
    "longformer": by_layer(ROBERTA),
    "longt5": Stacks(
        encoder=Bucketed(bidirectional=True, window=radius),  # transient-global attention adds summaries
        decoder=Bucketed(),
        encoder_layers="num_layers",
        decoder_layers="num_decoder_layers",
    ),
}
