"""One attention layer that gives back its own input: the set-up of the article on Chinese text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, final

import torch
from torch import Tensor, nn

from clockhands.core.attend import Attended
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import require_memory
from clockhands.models import Attention, initialise
from clockhands.training.batches import Batch, batched
from clockhands.training.corpus import Corpus
from clockhands.training.history import LOSS, NORM, VARIANCE
from clockhands.training.job import Job
from clockhands.training.room import require_room
from clockhands.training.schedule import constant
from clockhands.training.settings import AttendSettings

EPOCHS = 200
"""As in the article."""


class Reconstructor(nn.Module):
    """An embedding and one attention layer: no residual, no norm, no MLP.

    ``forward`` takes ids ``(b, t)`` to their embedding ``(b, t, dim)`` and what attention makes of it.
    """

    def __init__(self, settings: AttendSettings, vocab_size: int):
        super().__init__()
        dim = settings.model_dim
        self.attention = Attention(
            dim, settings.heads, settings.description(), kv_heads=settings.kv_heads,
            dropout=settings.dropout, seed=settings.seed,
        )  # fmt: skip
        if self.attention.token_width != dim:
            raise ClockhandsError(
                "the task 'reconstruct' compares output and embedding, which differ in width where positions "
                "are concatenated: use combine='add', or another task",
                "任务 reconstruct 要比较输出与嵌入，而拼接位置时两者宽度不同："
                "请用 combine='add'，或换一个任务",
            )
        require_memory(Text("the embedding", "嵌入"), (vocab_size, dim), bytes_each=4)
        self.embedding = nn.Embedding(vocab_size, dim)
        initialise(self, settings.seed)

    def forward(
        self, batch: Batch, valid: Tensor | None, want_weights: bool = False
    ) -> tuple[Tensor, Attended]:
        """``valid`` ``(b, t)`` or None: which tokens may be looked at."""
        x = self.embedding(batch.tokens)
        return x, self.attention.attended(x, batch.positions, valid, want_weights=want_weights)


@final
class Reconstruct(Job):
    """Mean squared error between output and embedding, one step an epoch on all sentences at once.

    The target is ``x.clone()``, through which the gradient flows as in the article. As printed, padding is
    looked at and counts in the loss; else neither.
    """

    measured: ClassVar[tuple[str, ...]] = (LOSS, VARIANCE, NORM)

    def __init__(self, settings: AttendSettings, corpus: Corpus, device: torch.device):
        self.seed, self.device, self.as_printed = settings.seed, device, settings.as_printed
        longest = max(len(text.ids) for text in corpus.train)
        require_room(settings, len(corpus.vocabulary), len(corpus.train), longest, device)
        self.model: Reconstructor = Reconstructor(settings, len(corpus.vocabulary)).to(device)
        self.batch = batched(corpus.train, settings.description(), device)
        self.steps, self.steps_per_epoch = settings.epochs or EPOCHS, 1
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=settings.full_rate)

    def rate(self, step: int) -> float:
        return constant(step, self.steps)

    def loss(self, step: int) -> tuple[Tensor, Mapping[str, float]]:
        seen = None if self.as_printed else self.batch.valid
        x, attended = self.model(self.batch, seen)
        target = x.clone()
        squares = (attended.output - target).square()
        counted = squares if seen is None else squares[seen]
        real = (x if self.batch.valid is None else x[self.batch.valid]).detach().flatten(0, -2)
        beside = {
            VARIANCE: (real - real.mean(0)).square().mean().item(),
            NORM: real.norm(dim=-1).mean().item(),
        }
        return counted.mean(), beside


def weights_of(model: Reconstructor, batch: Batch, *, as_printed: bool) -> Sequence[Tensor]:
    """Attention weights of each row, ``(heads, t, t)``, padding included; nothing is dropped."""
    model.eval()
    with torch.no_grad():
        _, attended = model(batch, None if as_printed else batch.valid, want_weights=True)
    assert attended.weights is not None
    return attended.weights.cpu().unbind(0)
