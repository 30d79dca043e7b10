"""Attention weights of sentences, with their tokens, padding cut away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clockhands.analysis.attention_trace import Sentence
from clockhands.analysis.axes import head_axis
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.language import Text
from clockhands.models import Transformer
from clockhands.text import BOS, SPECIALS, Segmented, Vocabulary
from clockhands.training.batches import batched, begun
from clockhands.training.corpus import numbered
from clockhands.training.reconstruct import Reconstructor, weights_of
from clockhands.training.room import require_room_for_maps
from clockhands.training.settings import AttendSettings
from clockhands.training.traces import Recorder, recorded, trace

WEIGHTS = Text("attention weight", "注意力权重")


class Maps(NamedTuple):
    """One Labelled ``(layer, head, query, key)`` a sentence, and the share of weight that padding got.

    ``traces``: the same with queries and keys, as the page draws them, padding that is looked at included.
    """

    sentences: tuple[Labelled, ...]
    on_padding: tuple[float, ...]
    traces: tuple[Sentence, ...]


def attention_maps(
    model: Transformer | Reconstructor,
    settings: AttendSettings,
    vocabulary: Vocabulary,
    sentences: Sequence[Segmented],
    device: torch.device,
    length: int | None = None,
) -> Maps:
    """Where each token of each sentence looks, in every layer and head. Nothing is dropped or hidden.

    length  tokens that rows are padded to where the article's own set-up lets padding be looked at; None:
            those of the longest sentence
    """
    description = settings.description()
    texts = [numbered(sentence, vocabulary, description) for sentence in sentences]
    labels = [sentence.labels for sentence in sentences]
    require_room_for_maps(settings, len(texts), max(len(text.ids) for text in texts))
    recorders: list[Recorder] = []
    if isinstance(model, Reconstructor):
        longest = max(len(text.ids) for text in texts)
        batch = batched(
            texts, description, device, max(longest, length or 0) if settings.as_printed else None
        )
        with recorded(model) as recorder:
            rows = [weights[None] for weights in weights_of(model, batch, as_printed=settings.as_printed)]
        recorders = [recorder] * len(rows)
    else:
        if settings.causal:
            texts = [begun(text, description) for text in texts]
            labels = [(SPECIALS[BOS], *each) for each in labels]
        rows = []
        model.eval()
        for text in texts:  # one at a time: a sentence looks the same whatever stands beside it
            batch = batched([text], description, device)
            with torch.no_grad(), recorded(model) as recorder:
                _, weights = model.read(batch.tokens, batch.positions, want_weights=True)
            rows.append(torch.cat(weights or ()).cpu())
            recorders.append(recorder)
    pairs = zip(rows, labels, strict=True)
    cropped = [_cropped(number, row, each) for number, (row, each) in enumerate(pairs, 1)]
    traces = [
        trace(text, drawn, row, recorder.layers, at if len(recorder.layers[0].q) > 1 else 0, settings)
        for at, (text, drawn, row, recorder) in enumerate(zip(texts, sentences, rows, recorders, strict=True))
    ]
    return Maps(tuple(each for each, _ in cropped), tuple(share for _, share in cropped), tuple(traces))


def _cropped(number: int, weights: Tensor, labels: Sequence[str]) -> tuple[Labelled, float]:
    """Weights ``(layers, heads, t, t)`` without padding, and the mean weight of a real token on padding."""
    count = len(labels)
    values = weights[:, :, :count].to(torch.float64).numpy()
    on_padding = float(values[..., count:].sum(-1).mean())
    tokens = _strings(labels)
    axes = (
        Axis(Text("layer", "层"), np.arange(values.shape[0])),
        head_axis(values.shape[1]),
        Axis(Text("query", "查询"), tokens),
        Axis(Text("key", "键"), tokens),
    )
    note = Text("", "")
    if on_padding > 0:
        share = f"{on_padding:.0%}"
        note = Text(f"{share} of the weight is on padding, cut away", f"{share} 的权重落在填充上，已裁去")
    return Labelled(f"attention{number}", WEIGHTS, values[..., :count], axes, note=note), on_padding


def _strings(labels: Sequence[str]) -> NDArray[np.object_]:
    """Python strings, which numpy leaves as they are."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def difference(one: Labelled, other: Labelled) -> NDArray[np.float64]:
    """How different two maps are, ``(layers, heads)``: mean total variation distance between their rows.

    0: every token spreads its attention alike; 1: no token looks at anything that it looked at before.
    """
    rows = np.abs(one.values - other.values).sum(-1) / 2
    return rows.mean(-1)
