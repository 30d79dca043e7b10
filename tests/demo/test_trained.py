from __future__ import annotations

from importlib.machinery import ModuleSpec
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from clockhands.demo import trained as module
from clockhands.demo.trained import Trained, loss_with_past_shuffled, trained
from clockhands.errors import MissingExtra
from clockhands.text import Segmenter

WORDS = 9


class Said(NamedTuple):
    logits: Tensor


class LastWord(nn.Module):
    """Knows the last word only."""

    def forward(self, tokens: Tensor, valid: Tensor) -> Said:
        return Said(torch.stack([(tokens * k).sin() for k in range(1, WORDS + 1)], dim=-1))


class Running(nn.Module):
    """Weighs each word by where it stands."""

    def forward(self, tokens: Tensor, valid: Tensor) -> Said:
        place = torch.arange(tokens.shape[1])
        sums = (tokens * place * valid).cumsum(dim=1).double()
        return Said(torch.stack([(sums * k).sin() for k in range(1, WORDS + 1)], dim=-1))


def run_of(model: nn.Module, *texts: list[int], loss: tuple[float, ...] = (4.0, 3.0, 2.0, 1.0)) -> Trained:
    return Trained(np.array(loss), np.array([]), (), tuple(np.array(text) for text in texts), model)


def test_moments_of_a_run() -> None:
    run = run_of(LastWord(), loss=tuple(range(20, 0, -1)))
    assert [run.at(share) for share in (0.25, 0.5, 1)] == [16, 11, 1]
    assert run.late() == 1.5


def test_shuffling_the_past_costs_only_who_reads_its_order() -> None:
    texts = [3, 4, 5, 6, 7, 8], [8, 3, 5, 4, 7]
    kept, shuffled = loss_with_past_shuffled(run_of(LastWord(), *texts), seed=0)
    assert kept == pytest.approx(shuffled)
    kept, shuffled = loss_with_past_shuffled(run_of(Running(), *texts), seed=0)
    assert abs(kept - shuffled) > 1e-3


def test_the_loss_is_that_of_the_word_that_follows() -> None:
    kept, _ = loss_with_past_shuffled(run_of(LastWord(), [3, 4, 5, 6]), seed=0)
    logits = torch.stack([torch.tensor(5.0 * k).sin() for k in range(1, WORDS + 1)])
    assert kept == pytest.approx(float(torch.logsumexp(logits, 0) - logits[6]), rel=1e-5)


def test_two_words_are_enough() -> None:
    kept, shuffled = loss_with_past_shuffled(run_of(Running(), [3, 4]), seed=0)
    assert kept == pytest.approx(shuffled)


def test_equal_arguments_give_equal_numbers() -> None:
    sentences = [Segmenter()("the wolf ate the sheep")]
    one, other = (trained(sentences, "masked", "rope", 3, seed=1) for _ in range(2))
    assert one.loss.tolist() == other.loss.tolist()
    assert one.maps[0].values.shape == (2, 4, 5, 5)
    assert one.maps[0].axes[-1].values.tolist() == ["the", "wolf", "ate", "the", "sheep"]


def test_only_reconstruction_watches_its_embedding() -> None:
    sentences = [Segmenter()("the wolf ate the sheep")]
    assert len(trained(sentences, "reconstruct", "nope", 3).variance) == 3
    assert len(trained(sentences, "next-token", "nope", 3).variance) == 0


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(module, "find_spec", absent)
    with pytest.raises(MissingExtra, match=r"clockhands\[torch\]"):
        trained([], "masked", "rope", 3)
