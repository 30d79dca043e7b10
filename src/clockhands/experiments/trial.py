"""One cell: a small decoder with one encoding, trained on one task and tested at every length."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from clockhands import __version__
from clockhands.catalogue.description import Description
from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import Cell
from clockhands.experiments.design import Contender, Design
from clockhands.experiments.rows import Measured, Row
from clockhands.experiments.tasks import Items, Task
from clockhands.language import Text
from clockhands.models import Transformer
from clockhands.training.history import LOSS, History
from clockhands.training.job import Job
from clockhands.training.loop import Stopped, train
from clockhands.training.schedule import warm_up_then_cosine

CPU = torch.device("cpu")
REFERENCE = Contender("nope")
"""What other models have as many parameters as: the one whose encoding has none."""

_AT_ONCE = 64  # rows of a test
_LOSSES = 20
_RAISED = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What a scheme may raise while it trains; the other cells go on."""


class Built(NamedTuple):
    """A model, its encoding described, and what its parameters are in."""

    model: Transformer
    description: Description
    hidden: int
    parameters: int
    position_parameters: int


def built(design: Design, scheme: Contender, task: Task, seed: int) -> Built:
    """The model of a cell, with as many parameters as one without positions: the MLP makes up for the rest.

    Weights outside the encoding come from streams named by seed and layer: where the MLP is as wide, they are
    equal to the bit whatever the scheme. ClockhandsError if the encoding alone is larger than all MLPs.
    """
    size, longest = design.model, task.longest()
    full, unit = 4 * size.dim, size.layers * (2 * size.dim + 1)

    def made(one: Contender, hidden: int) -> Transformer:
        return Transformer(
            len(task.vocabulary), dim=size.dim, heads=size.heads, layers=size.layers, hidden=hidden,
            encoding=one.description(size, longest, seed), max_positions=longest, seed=seed,
        )  # fmt: skip

    model = made(scheme, full)
    surplus = round((_count(model) - _count(made(REFERENCE, full))) / unit)
    hidden = full - surplus
    if hidden < 1:
        raise ClockhandsError(
            f"{scheme.label} has {_count(model):,} parameters and no MLP can be narrowed "
            "to make up for them: use a larger dim, or fewer rows",
            f"{scheme.label} 有 {_count(model):,} 个参数，缩小 MLP 也补不回来："
            "请用更大的 dim，或减少位置表的行数",
        )
    if surplus:
        model = made(scheme, hidden)
    own = {id(weight): weight.numel() for one in model.encodings for weight in one.parameters()}
    return Built(model, scheme.description(size, longest, seed), hidden, _count(model), sum(own.values()))


def _count(model: Transformer) -> int:
    return sum(weight.numel() for weight in model.parameters())


class Trial(Job):
    """Cross-entropy of the tokens that are asked for; batches hang on seed, task and step alone."""

    clip: ClassVar[float | None] = 1.0

    def __init__(self, design: Design, cell: Cell, task: Task, rate: float):
        self.task, self.built = task, built(design, cell.scheme, task, cell.seed)
        self.model: Transformer = self.built.model
        self.seed, self.device, self.batch = cell.seed, CPU, design.batch
        self.steps = self.steps_per_epoch = cell.steps
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01, foreach=True
        )

    def rate(self, step: int) -> float:
        return warm_up_then_cosine(step, self.steps)

    def loss(self, step: int) -> tuple[Tensor, Mapping[str, float]]:
        logits, said, _ = self.guesses(self.task.batch(self.seed, step, self.batch))
        return functional.cross_entropy(logits, said), {}

    def guesses(self, items: Items) -> tuple[Tensor, Tensor, Tensor]:
        """Logits ``(n, vocabulary)`` and the right tokens ``(n,)`` of all that is asked, and their rows."""
        tokens = torch.from_numpy(items.tokens)
        asked = torch.from_numpy(items.asked)[:, 1:]
        hidden, _ = self.model.read(tokens[:, :-1], self._positions(items))
        return self.model.score(hidden[asked]), tokens[:, 1:][asked], asked.nonzero()[:, 0]

    def _positions(self, items: Items) -> Tensor | None:
        """Where a scheme that reads positions off the tokens says they are; None: 0, 1, 2, ..."""
        read = [
            self.built.description.positions_in([self.task.vocabulary[one] for one in row])
            for row in items.tokens[:, :-1].tolist()
        ]
        places = [one for one in read if one is not None]
        return torch.from_numpy(np.stack(places)) if places else None

    @torch.no_grad()
    def measured(self, items: Items) -> tuple[Measured, float]:
        """Scores of items of one length, and their mean loss a token."""
        right, losses, rows = [], [], []
        self.model.eval()
        for start in range(0, len(items.tokens), _AT_ONCE):
            rows_now = slice(start, start + _AT_ONCE)
            part = Items(items.tokens[rows_now], items.asked[rows_now])
            logits, said, at = self.guesses(part)
            right.append((logits.argmax(-1) == said).double().numpy())
            losses.append(functional.cross_entropy(logits, said, reduction="none").double().numpy())
            rows.append(at.numpy() + start)
        self.model.train()
        row, loss, correct = np.concatenate(rows), np.concatenate(losses), np.concatenate(right)
        asked = np.bincount(row)
        if self.task.exact:
            scores = (np.bincount(row, correct) == asked).astype(float)
            places: list[float] = []
        else:
            scores = np.bincount(row, loss) / asked
            places = loss.reshape(len(asked), -1).mean(axis=0).tolist()
        short = tuple(round(score, 6) for score in scores.tolist())
        return Measured(short, float(correct.mean()), tuple(round(x, 6) for x in places)), float(loss.mean())


def perform(design: Design, cell: Cell, rate: float, after_step: Callable[[int], None]) -> Row:
    """Train and test one cell. A cell that diverges, or whose scheme raises, gives a row that says so.

    Raises Stopped as ``after_step`` does, and after Ctrl-C.
    """
    begun, about = time.monotonic(), (cell.id, cell.stage, cell.scheme.label, cell.task)
    try:
        task = design.task(cell.task)
        trial = Trial(design, cell, task, rate)
        history = train(trial, quiet=True, after_step=after_step)
        validation = trial.measured(task.check(cell.seed, design.items))[1]
        lengths = task.lengths if cell.stage == "final" else ()  # rates are chosen without a look past it
        measured = {n: trial.measured(task.test(cell.seed, n, design.items))[0] for n in lengths}
    except Stopped:
        raise
    except _RAISED as error:
        return Row(*about, cell.seed, rate, failed=_why(error), seconds=round(time.monotonic() - begun, 3))
    return Row(
        *about, cell.seed, rate, validation=validation, parameters=trial.built.parameters,
        position_parameters=trial.built.position_parameters, hidden=trial.built.hidden, measured=measured,
        losses=_thinned(history), seconds=round(time.monotonic() - begun, 3), versions=versions(),
    )  # fmt: skip


def versions() -> dict[str, str]:
    """Of all that the numbers hang on."""
    return {
        "clockhands": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _thinned(history: History) -> tuple[float, ...]:
    parts = np.array_split(history.values(LOSS), _LOSSES)
    return tuple(round(float(part.mean()), 6) for part in parts if len(part))


def _why(error: Exception) -> Text:
    if isinstance(error, ClockhandsError):
        return error.text
    kind, words = type(error).__name__, " ".join(str(error).split())[:200]
    return Text(f"the scheme raised {kind}: {words}", f"方案出错（{kind}）：{words}")
