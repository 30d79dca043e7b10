"""What the article's task teaches once it is measured: a shrinking embedding, and no need of position."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from clockhands.analysis.axes import head_axis
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.catalogue import describe
from clockhands.language import Text
from clockhands.training.corpus import Corpus
from clockhands.training.history import LOSS, VARIANCE, History
from clockhands.training.loop import train
from clockhands.training.maps import Maps, attention_maps, difference
from clockhands.training.reconstruct import Reconstruct
from clockhands.training.settings import AttendSettings

RELATIVE = Text("loss / variance of the embedding", "损失 / 嵌入方差")
SENTENCE = Text("sentence", "句子")


@dataclass(frozen=True)
class Twin:
    """The same run, changed in one thing.

    final_loss  of its last epoch
    maps        one Labelled a sentence, as in the run itself
    difference  ``(sentence, head)``: mean total variation distance between its maps and the run's, 0 to 1
    """

    final_loss: float
    maps: tuple[Labelled, ...]
    difference: Labelled


@dataclass(frozen=True)
class Lesson:
    """Why a falling loss and a picture prove nothing here.

    loss, variance  first and last epoch: of the loss, and of the embedding that it is measured against
    relative        loss divided by variance at each epoch; guessing the mean embedding always gives 1
    shrinking       share of the fall of ln(loss) that is the embedding shrinking; NaN if there is no fall
    without_position  the same seed with no position at all; None if the run itself has none
    other_seed      the same encoding with another seed: how much maps differ by chance alone
    """

    loss: tuple[float, float]
    variance: tuple[float, float]
    relative: Labelled
    shrinking: float
    without_position: Twin | None
    other_seed: Twin


def lesson_of(
    settings: AttendSettings, corpus: Corpus, history: History, maps: Maps, device: torch.device
) -> Lesson:
    """Measure a finished reconstruction, and train its twins."""
    loss, variance = history.values(LOSS), history.values(VARIANCE)
    ends = (float(loss[0]), float(loss[-1])), (float(variance[0]), float(variance[-1]))
    curve = history.curve(LOSS)
    blind = describe("nope")
    return Lesson(
        *ends,
        relative=replace(curve, id="relative_loss", name=RELATIVE, values=loss / variance),
        shrinking=shrinking_share(*ends),
        without_position=None
        if settings.description() == blind
        else _twin(replace(settings, scheme=blind, parameters={}), corpus, maps, device),
        other_seed=_twin(replace(settings, seed=settings.seed ^ 1), corpus, maps, device),
    )


def shrinking_share(loss: tuple[float, float], variance: tuple[float, float]) -> float:
    """Since loss = (loss / variance) * variance, falls of logarithms add up; this is the variance's part.

    >>> shrinking_share((1.0, 0.25), (1.0, 0.5))
    0.5
    """
    fall = math.log(loss[0] / loss[1])
    return math.log(variance[0] / variance[1]) / fall if fall > 0 else math.nan


def _twin(settings: AttendSettings, corpus: Corpus, maps: Maps, device: torch.device) -> Twin:
    job = Reconstruct(settings, corpus, device)
    history = train(job, quiet=True)
    own = attention_maps(job.model, settings, corpus.vocabulary, corpus.sentences, device)
    pairs = zip(maps.sentences, own.sentences, strict=True)
    return Twin(
        float(history.values(LOSS)[-1]), own.sentences, _differences([difference(a, b)[0] for a, b in pairs])
    )


def _differences(rows: list[NDArray[np.float64]]) -> Labelled:
    values = np.array(rows)
    axes = (Axis(SENTENCE, np.arange(1, len(rows) + 1)), head_axis(values.shape[1]))
    return Labelled("map_difference", Text("difference of maps", "注意力图的差异"), values, axes)
