"""Numbered tokens and sentences as a run keeps them, and back; whatever can't have been kept is refused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clockhands.text import Segmented, Token
from clockhands.training.corpus import Corpus, Numbered
from clockhands.training.settings import LONGEST

CORPUS = ("ids", "kinds", "lengths", "train")
"""Tensors of ``corpus.safetensors``: ids and kinds of all tokens one after the other, the number of tokens of
each text, and how many of the texts are trained on; the others are held out."""

_FIELDS = (str, int, int, str, str)


def sentences_as_json(sentences: Sequence[Segmented]) -> list[dict[str, Any]]:
    """Sentences with their tokens, as plain values."""
    return [{"text": sentence.text, "tokens": [list(token) for token in sentence]} for sentence in sentences]


def sentences_from_json(content: Any) -> tuple[Segmented, ...]:
    """What ``sentences_as_json`` gave. ValueError, TypeError or KeyError for what can't be drawn."""
    _require(isinstance(content, list) and len(content) > 0)
    return tuple(_sentence(each) for each in content)


def _sentence(content: Any) -> Segmented:
    text, tokens = content["text"], content["tokens"]
    _require(isinstance(text, str) and isinstance(tokens, list) and 2 <= len(tokens) <= LONGEST)
    for token in tokens:
        _require(isinstance(token, list) and tuple(map(type, token)) == _FIELDS)
        _require(0 <= token[1] < token[2] <= len(text))
    return Segmented(text, tuple(Token(*token) for token in tokens))


def corpus_as_tensors(corpus: Corpus) -> dict[str, Tensor]:
    """All tokens as int64 tensors; see ``CORPUS``."""
    texts = (*corpus.train, *corpus.held_out)
    kinds = [text.kinds if text.kinds is not None else np.zeros(0, dtype=np.int64) for text in texts]
    return {
        "ids": torch.from_numpy(np.concatenate([text.ids for text in texts])),
        "kinds": torch.from_numpy(np.concatenate(kinds)),
        "lengths": torch.tensor([len(text.ids) for text in texts]),
        "train": torch.tensor(len(corpus.train)),
    }


def corpus_from_tensors(
    tensors: dict[str, Tensor], vocab_size: int, num_kinds: int
) -> tuple[tuple[Numbered, ...], tuple[Numbered, ...]]:
    """Texts to train on, and those held out.

    vocab_size  ids are below it; num_kinds: kinds are below it, 0 where the encoding reads none

    Raises ValueError for tensors that ``corpus_as_tensors`` can't have given.
    """
    for name, dimensions in zip(CORPUS, (1, 1, 1, 0), strict=True):
        _require(tensors[name].dtype == torch.int64 and tensors[name].ndim == dimensions)
    ids, kinds, lengths = (tensors[name].numpy() for name in CORPUS[:3])
    count = int(tensors["train"])
    _require(1 <= count <= len(lengths) and bool((lengths > 0).all()))
    _require(bool((lengths <= len(ids)).all()) and int(lengths.sum()) == len(ids))
    _require(_below(ids, vocab_size) and _below(kinds, num_kinds))
    _require(len(kinds) == (len(ids) if num_kinds else 0))
    ends = [0, *np.cumsum(lengths).tolist()]
    texts = tuple(
        Numbered(ids[start:end], kinds[start:end] if num_kinds else None) for start, end in pairwise(ends)
    )
    return texts[:count], texts[count:]


def _below(values: NDArray[np.int64], end: int) -> bool:
    return bool(((values >= 0) & (values < end)).all())


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("damaged")
