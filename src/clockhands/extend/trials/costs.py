"""How long a trial takes: measured on a short piece, told before the first window is read."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional
from transformers import PreTrainedModel

from clockhands.extend.trials.design import Cell
from clockhands.extend.trials.distances import Distances, attentions_of
from clockhands.extend.trials.losses import read
from clockhands.extend.trials.variants import Remapped, Variant, speeds_of
from clockhands.language import Text

SHORT, LONG = 256, 2048
"""Tokens that a whole pass, and attention alone, are measured on."""


@dataclass(frozen=True)
class Costs:
    """Seconds: of a token outside attention; of all attention of ``at`` tokens, plain and remapped."""

    token: float
    at: int
    plain: float
    remapped: float

    def of(self, cell: Cell, variant: Variant) -> float:
        """What a window takes: attention grows with the square of its length."""
        attention = self.remapped if isinstance(variant, Remapped) else self.plain
        return self.token * cell.length + attention * (cell.length / self.at) ** 2


def measured(model: PreTrainedModel, longest: int, remapped: Remapped | None) -> Costs:
    """On made-up tokens: a short pass of the whole model, and one layer's attention of a longer one."""
    device, layers = next(model.parameters()).device, attentions_of(model)
    short = min(SHORT, longest)
    ids = torch.arange(short) % model.get_output_embeddings().weight.shape[0]  # type: ignore[union-attr]
    token = _least(lambda: read(model, ids, ids), 2, device) / short
    config: Any = model.config.get_text_config()
    heads, at = config.num_attention_heads, min(LONG, longest)
    few = getattr(config, "num_key_value_heads", None) or heads
    width = getattr(layers[0], "head_dim", None) or config.hidden_size // heads
    made = {"device": device, "dtype": next(model.parameters()).dtype}
    q, k, v = (torch.randn(1, count, at, width, **made) for count in (heads, few, few))  # type: ignore[arg-type]

    def own() -> None:
        functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=heads != few)

    plain = other = _least(own, 2, device) * len(layers)
    if remapped is not None:
        speeds = speeds_of(model, remapped.source)
        distances = Distances.of(remapped.remap, speeds, at, layout=remapped.source.form.layout or "half")
        other = _least(lambda: distances.attend(q, k, v, 1.0), 2, device) * len(layers)
    return Costs(token, at, plain, other)


def in_words(seconds: float) -> Text:
    """About how long, as people say it.

    >>> in_words(50).en, in_words(1500).en, in_words(9000).en
    ('50 s', '25 min', '2 h 30 min')
    """
    if seconds < 90:
        return Text(f"{seconds:.0f} s", f"{seconds:.0f} 秒")
    minutes = round(seconds / 60)
    if minutes < 90:
        return Text(f"{minutes} min", f"{minutes} 分钟")
    return Text(f"{minutes // 60} h {minutes % 60} min", f"{minutes // 60} 小时 {minutes % 60} 分钟")


def _least(run: Callable[[], Any], times: int, device: torch.device) -> float:
    """Seconds of the fastest of some runs."""
    best = float("inf")
    with torch.inference_mode():
        for _ in range(times):
            begun = time.perf_counter()
            run()
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            best = min(best, time.perf_counter() - begun)
    return best
