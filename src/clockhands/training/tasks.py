"""Guessing the next token, and guessing hidden tokens."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from clockhands.models import Transformer
from clockhands.text import UNK
from clockhands.training.batches import Batch, batched, begun, in_batches, order, windows
from clockhands.training.corpus import Corpus, Numbered
from clockhands.training.job import Job
from clockhands.training.room import require_room
from clockhands.training.schedule import warm_up_then_cosine
from clockhands.training.settings import LONGEST, AttendSettings

STEPS = {"next-token": 350, "masked": 900}
"""About how many steps a task gets where the number of epochs is left open."""
MOST_EPOCHS = 200
"""A short text gets fewer steps: it is soon known by heart."""

_NOT_ASKED = -100
_STEP, _HELD_OUT = 1, 2  # names of streams


def transformer_for(settings: AttendSettings, vocab_size: int) -> Transformer:
    """The model of a task; the last of ``vocab_size + 1`` token ids stands for a hidden token."""
    return Transformer(
        vocab_size + 1, dim=settings.model_dim, heads=settings.heads, layers=settings.model_layers,
        encoding=settings.description(), causal=settings.causal, kv_heads=settings.kv_heads,
        dropout=settings.dropout, max_positions=LONGEST + 1, seed=settings.seed,
    )  # fmt: skip


class TokenJob(Job):
    """Guessing tokens: cross-entropy in nats, over the tokens that are to be guessed and are known words."""

    clip: ClassVar[float | None] = 1.0
    rounds: ClassVar[int] = 1
    """How often held-out text is gone over; more where chance decides what is asked."""

    def __init__(self, settings: AttendSettings, corpus: Corpus, device: torch.device):
        self.description = settings.description()
        self.seed, self.device, self.batch = settings.seed, device, settings.batch
        self.hidden_share = settings.hidden_share
        self.mask = len(corpus.vocabulary)
        self.rows = self._rows(windows(corpus.train, settings.context))
        self.kept = self._rows(windows(corpus.held_out, settings.context))
        rows = min(self.batch, len(self.rows))
        longest = max(len(row.ids) for row in self.rows)
        require_room(settings, self.mask + 1, rows, longest, device)
        self.model: Transformer = transformer_for(settings, self.mask).to(device)
        self.steps_per_epoch = math.ceil(len(self.rows) / self.batch)
        suits = math.ceil(STEPS[settings.task] / self.steps_per_epoch)
        epochs = settings.epochs or min(suits, MOST_EPOCHS)
        self.steps = epochs * self.steps_per_epoch
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=settings.full_rate, betas=(0.9, 0.98), weight_decay=0.1
        )

    def _rows(self, texts: list[Numbered]) -> list[Numbered]:
        return texts

    @abstractmethod
    def guess(self, batch: Batch, generator: np.random.Generator) -> tuple[Batch, Tensor]:
        """What the model reads, and what it is to say ``(b, t)``, -100 where it need not."""

    def rate(self, step: int) -> float:
        return warm_up_then_cosine(step, self.steps)

    def loss(self, step: int) -> tuple[Tensor, Mapping[str, float]]:
        epoch, at = divmod(step, self.steps_per_epoch)
        chosen = order(len(self.rows), self.seed, epoch)[at * self.batch : (at + 1) * self.batch]
        generator = np.random.default_rng((self.seed, _STEP, step))
        total, count = self._scored([self.rows[index] for index in chosen], generator)
        return total / max(count, 1), {}

    def held_out(self) -> float | None:
        generator = np.random.default_rng((self.seed, _HELD_OUT))
        sums, counts = 0.0, 0
        self.model.eval()
        with torch.no_grad():
            for rows in in_batches(self.kept * self.rounds, 2 * self.batch):
                total, count = self._scored(rows, generator)
                sums, counts = sums + total.item(), counts + count
        self.model.train()
        return sums / counts if counts else None

    def _scored(self, rows: Sequence[Numbered], generator: np.random.Generator) -> tuple[Tensor, int]:
        """Sum of the losses over all tokens to be guessed, and how many there are."""
        read, said = self.guess(batched(rows, self.description, self.device), generator)
        hidden, _ = self.model.read(read.tokens, read.positions, read.valid)
        wanted = said != _NOT_ASKED
        logits = self.model.score(hidden[wanted])  # the map to the vocabulary is the dearest part
        return functional.cross_entropy(logits, said[wanted], reduction="sum"), int(wanted.sum())


@final
class NextToken(TokenJob):
    """Each token is guessed from those before it; ``<bos>`` stands before the first."""

    def _rows(self, texts: list[Numbered]) -> list[Numbered]:
        return [begun(text, self.description) for text in texts]

    def guess(self, batch: Batch, generator: np.random.Generator) -> tuple[Batch, Tensor]:
        tokens, valid, positions = batch
        read = Batch(
            tokens[:, :-1],
            None if valid is None else valid[:, :-1],
            None if positions is None else positions[:, :-1],
        )
        following = batch.tokens[:, 1:]
        return read, following.masked_fill(following <= UNK, _NOT_ASKED)


@final
class Masked(TokenJob):
    """Some tokens are hidden and guessed from all others (Devlin et al. 2018, section 3.1).

    While training, of the tokens to be guessed 80 % are hidden, 10 % replaced by any other and 10 % left as
    they are, so that the model also learns to read text in which nothing is hidden. In held-out text all
    are hidden.
    """

    rounds: ClassVar[int] = 4

    def guess(self, batch: Batch, generator: np.random.Generator) -> tuple[Batch, Tensor]:
        tokens = batch.tokens.cpu()
        known = tokens > UNK
        draws = torch.from_numpy(generator.random(tuple(tokens.shape))).masked_fill(~known, 2.0)
        asked = draws < self.hidden_share
        if not asked.any():  # in very short texts
            asked = known & (draws == draws.min())
        fate = torch.from_numpy(generator.random(tuple(tokens.shape))) if self.model.training else draws * 0
        others = torch.from_numpy(generator.integers(UNK + 1, max(self.mask, UNK + 2), tuple(tokens.shape)))
        read = tokens.masked_fill(asked & (fate < 0.8), self.mask)
        read = torch.where(asked & (fate >= 0.9), others, read)
        said = tokens.masked_fill(~asked, _NOT_ASKED)
        return batch._replace(tokens=read.to(self.device)), said.to(self.device)
