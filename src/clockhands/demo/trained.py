"""Models trained while the page is made. Small ones, on the text of the run, one thread each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.labelled import Labelled
from clockhands.catalogue.description import Array
from clockhands.errors import MissingExtra
from clockhands.language import Text
from clockhands.text import Segmented, Vocabulary

if TYPE_CHECKING:
    from torch import nn

    from clockhands.training.settings import Task

DROPOUT = 0.1
_SHORTEST_PAST = 3  # words: two that can change places, and a last one


@dataclass(frozen=True)
class Trained:
    """A finished run.

    loss      at each step; variance: of the embedding at each step, empty but for the task ``reconstruct``
    maps      attention weights ``(layer, head, query, key)`` of each sentence
    texts     ids of each sentence, as the model reads them
    model     what was trained
    """

    loss: Array
    variance: Array
    maps: tuple[Labelled, ...]
    texts: tuple[NDArray[np.int64], ...]
    model: nn.Module

    def at(self, share: float) -> float:
        """The loss after this share of the steps."""
        return float(self.loss[round(share * len(self.loss)) - 1])

    def late(self) -> float:
        """Mean loss of the last tenth of the steps."""
        return float(self.loss[-max(1, len(self.loss) // 10) :].mean())


def require_torch() -> None:
    """Raise MissingExtra where training has nothing to run on."""
    if any(find_spec(name) is None for name in ("torch", "safetensors")):
        raise MissingExtra(Text("This step, which trains a model,", "这一步要训练模型，"), "torch")


def trained(
    sentences: Sequence[Segmented],
    task: Task,
    scheme: str,
    epochs: int,
    *,
    seed: int = 0,
    as_printed: bool = False,
    dropout: float = DROPOUT,
) -> Trained:
    """Train on ``sentences`` and take their attention maps. Equal arguments give equal numbers.

    Raises MissingExtra without torch.
    """
    require_torch()
    from clockhands.training.attend import JOBS
    from clockhands.training.corpus import Corpus, numbered
    from clockhands.training.device import device_of
    from clockhands.training.history import LOSS, VARIANCE
    from clockhands.training.loop import train
    from clockhands.training.maps import attention_maps
    from clockhands.training.settings import AttendSettings

    settings = AttendSettings(
        task=task, scheme=scheme, epochs=epochs, seed=seed, as_printed=as_printed, dropout=dropout
    )
    vocabulary = Vocabulary.built([sentence.keys for sentence in sentences])
    texts = tuple(numbered(sentence, vocabulary, settings.description()) for sentence in sentences)
    corpus = Corpus(vocabulary, texts, (), tuple(sentences))
    device = device_of("cpu")
    job = JOBS[task](settings, corpus, device)
    history = train(job, quiet=True)
    maps = attention_maps(job.model, settings, vocabulary, sentences, device)
    ids = tuple(text.ids for text in texts)
    return Trained(history.values(LOSS), history.values(VARIANCE), maps.sentences, ids, job.model)


def loss_with_past_shuffled(run: Trained, seed: int) -> tuple[float, float]:
    """Loss of each next word, as written, and with all words before the last one in random order, nats.

    A model that reads which words came before, but not in which order, has the same loss twice.
    """
    import torch
    from torch.nn import functional

    from clockhands.text import BOS, padded

    generator = np.random.default_rng(seed)
    shortest = min(_SHORTEST_PAST, max(map(len, run.texts)) - 1)
    places = [(text, end) for text in run.texts for end in range(shortest, len(text))]
    starts = [text[:end] for text, end in places]
    wanted = torch.tensor([text[end] for text, end in places])
    shuffled = [np.append(generator.permutation(start[:-1]), start[-1]) for start in starts]

    def loss(rows: list[NDArray[np.int64]]) -> float:
        batch = padded([[BOS, *row] for row in rows])
        last = torch.from_numpy(batch.valid.sum(axis=1) - 1)
        with torch.no_grad():
            logits = run.model(torch.from_numpy(batch.ids), valid=torch.from_numpy(batch.valid)).logits
        return float(functional.cross_entropy(logits[torch.arange(len(rows)), last], wanted))

    run.model.eval()
    return loss(starts), loss(shuffled)
