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
from clockhands.training.history import LOSS, NORM, VARIANCE, History
from clockhands.training.loop import train
from clockhands.training.maps import Maps, attention_maps, difference
from clockhands.training.reconstruct import Reconstruct
from clockhands.training.settings import AttendSettings

RELATIVE = Text("loss / variance of the embedding", "损失 / 嵌入方差")
SENTENCE, EPOCH = Text("sentence", "句子"), Text("epoch", "轮")


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
    """Why a falling loss and a picture prove nothing here. Curves are by epoch.

    loss       that is minimised
    variance   of the embedding that the loss is measured against, mean over its dimensions
    norm       of the embedding, mean over tokens
    relative   loss divided by variance; guessing the mean embedding gives 1 whatever its size
    shrinking  share of the fall of ln(loss) that is the embedding shrinking; NaN if there is no fall
    without_position  the same seed with no position at all; None if the run itself has none
    other_seed        the same encoding with another seed: how much maps differ by chance alone
    """

    loss: Labelled
    variance: Labelled
    norm: Labelled
    relative: Labelled
    shrinking: float
    without_position: Twin | None
    other_seed: Twin


def lesson_of(
    settings: AttendSettings, corpus: Corpus, history: History, maps: Maps, device: torch.device
) -> Lesson:
    """Measure a finished reconstruction, and train its twins."""
    loss, variance, norm = (_by_epoch(history.curve(name)) for name in (LOSS, VARIANCE, NORM))
    blind = describe("nope")
    twin = None
    if settings.description() != blind:
        twin = _twin(replace(settings, scheme=blind, parameters={}), corpus, maps, device)
    return Lesson(
        loss=loss,
        variance=variance,
        norm=norm,
        relative=replace(loss, id="relative_loss", name=RELATIVE, values=loss.values / variance.values),
        shrinking=shrinking_share(loss.values, variance.values),
        without_position=twin,
        other_seed=_twin(replace(settings, seed=settings.seed ^ 1), corpus, maps, device),
    )


def _by_epoch(curve: Labelled) -> Labelled:
    """In this task a step is an epoch."""
    return replace(curve, axes=(replace(curve.axes[0], name=EPOCH),))


def shrinking_share(loss: NDArray[np.float64], variance: NDArray[np.float64]) -> float:
    """Since loss = (loss / variance) * variance, falls of logarithms add up; this is the variance's part.

    >>> shrinking_share(np.array([1.0, 0.5, 0.25]), np.array([1.0, 0.7, 0.5]))
    0.5
    """
    if not (loss > 0).all() or not (variance > 0).all():
        return math.nan
    fall = math.log(loss[0] / loss[-1])
    return math.log(variance[0] / variance[-1]) / fall if fall > 0 else math.nan


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
