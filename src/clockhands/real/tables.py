"""Learned tables of positions in loaded models."""

from __future__ import annotations

import numpy as np
from torch import nn
from transformers import PreTrainedModel

from clockhands.analysis.axes import TOKENS, dimension_axis
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text

POSITIONS = ("position", "wpe", "pos_emb", "embed_positions")
"""In the name of a table that is looked up by position."""


def table_of(model: nn.Module) -> tuple[str, nn.Embedding] | None:
    """The model's learned table of positions and its name, if it has one; the shortest of several."""
    found = [
        (name, module)
        for name, module in model.named_modules()
        if isinstance(module, nn.Embedding) and any(word in name.rsplit(".", 1)[-1] for word in POSITIONS)
        and "relative" not in name and "distance" not in name
    ]  # fmt: skip
    return min(found, key=lambda each: each[1].num_embeddings, default=None)


def position_table(model: nn.Module) -> Labelled:
    """The model's learned table of positions, ``(positions, width)``, without rows that stand for none.

    Raises ClockhandsError where it has none.
    """
    found = table_of(model)
    if found is None:
        raise ClockhandsError(
            f"{type(model).__name__} looks no position up in a table: clockhands check says what it does "
            "instead",
            f"{type(model).__name__} 没有可学习的位置表：clockhands check 会说明它用的是什么",
        )
    rows = found[1].weight.detach().float().cpu().numpy()[_unused(found[1]) :]
    axes = Axis(Text("position", "位置"), np.arange(len(rows)), TOKENS), dimension_axis(rows.shape[1])
    return Labelled("learned", Text("learned table", "可学习的位置表"), rows, axes)


def _unused(table: nn.Embedding) -> int:
    """Rows at the beginning that no position takes, as up to the padding of RoBERTa, or the two of OPT."""
    return max(
        getattr(table, "offset", 0) or 0, -1 if table.padding_idx is None else table.padding_idx + 1, 0
    )


def require_length(model: PreTrainedModel, count: int) -> None:
    """Raises ClockhandsError where a text has more tokens than the model's table has positions."""
    found = table_of(model)
    if found is None:
        return
    module = found[1]
    rows = module.num_embeddings - _unused(module)
    if count > rows:
        raise ClockhandsError(
            f"the text has {count:,} tokens, and {type(model).__name__} has a table of {rows:,} positions: "
            "give a "
            "shorter text",
            f"文本有 {count:,} 个词元，而 {type(model).__name__} 的位置表只有 {rows:,} 行："
            "请给出短一些的文本",
        )
