"""How much memory a run takes: refused before it is tried, and said where it runs out all the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import require_memory
from clockhands.training.settings import AttendSettings

FLOAT = 4
"""Bytes."""

KEPT, KEPT_ALONE = 16, 6
"""Numbers of ``dim`` that a layer keeps of a token for the way back: a whole block, or attention alone."""

DROPPED = 3
"""Arrays ``(heads, t, t)`` that a layer keeps where weights are dropped: weights, their mask, the product."""

_RAN_OUT = ("can't allocate memory", "not enough memory", "out of memory")
"""What torch says on Linux, on Windows, and of an accelerator."""


def require_room(
    settings: AttendSettings, vocab_size: int, rows: int, tokens: int, device: torch.device
) -> None:
    """Raise ClockhandsError where a step on ``rows`` windows of ``tokens`` tokens needs more than is free.

    What is counted is less than a step really takes, so that nothing is refused that would have fitted. On
    another device than the CPU its own memory counts, which is found out by trying.
    """
    if device.type != "cpu":
        return
    heads, dim = settings.heads, settings.model_dim
    of_a_token = (KEPT_ALONE if settings.alone else KEPT) * dim
    of_weights = DROPPED * heads * tokens if settings.dropout else 0
    numbers = settings.model_layers * rows * tokens * (of_a_token + of_weights)
    what = Text(
        f"a step of training on {rows:,} x {tokens:,} tokens",
        f"在 {rows:,} x {tokens:,} 个词元上训练一步",
    )
    if not settings.alone:
        share = settings.hidden_share if settings.task == "masked" else 1.0
        numbers += int(2 * share * rows * tokens * vocab_size)
    require_memory(what, (numbers,), bytes_each=FLOAT)


def require_room_for_maps(settings: AttendSettings, rows: int, tokens: int) -> None:
    """Raise ClockhandsError where the maps of ``rows`` sentences of ``tokens`` tokens don't fit."""
    what = Text("the attention maps", "这些注意力图")
    require_memory(what, (rows, settings.model_layers, settings.heads, tokens, tokens), bytes_each=3 * FLOAT)


@contextmanager
def memory_running_out_said() -> Iterator[None]:
    """Within it, torch running out of memory is a ClockhandsError, as any other input that can't be met."""
    try:
        yield
    except RuntimeError as error:
        if not any(words in str(error).lower() for words in _RAN_OUT):
            raise
        raise ClockhandsError(
            "this training needs more memory than there is: use a smaller batch, context or dim",
            "训练需要的内存超过了现有内存：请减小 batch、context 或 dim",
        ) from error
