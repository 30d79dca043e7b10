"""One cell: a small model with one encoding, trained on one task and tested at every length."""

from __future__ import annotations

import platform
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from clockhands import __version__
from clockhands.errors import ClockhandsError
from clockhands.experiments.building import built, cache_bytes_of, flops_of
from clockhands.experiments.cells import Cell, probes_of
from clockhands.experiments.design import Contender, Design
from clockhands.experiments.failing import is_of_memory, no_memory, why_it_failed
from clockhands.experiments.rows import Measured, Row
from clockhands.experiments.sharing import Share
from clockhands.experiments.tasks import Items, Task
from clockhands.experiments.tasks.task import PAD
from clockhands.language import Text
from clockhands.models import Transformer, stream
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.history import LOSS, History
from clockhands.training.job import Job
from clockhands.training.loop import Stopped, train
from clockhands.training.schedule import warm_up_then_cosine
from clockhands.writing import CannotWrite, cannot_write

CPU = torch.device("cpu")

_PAIRS_AT_ONCE = 2**22
"""Pairs of tokens in a part of a test, which bounds the memory that attention takes."""
_ROWS_AT_ONCE = 64
_LOSSES = 20


class Trial(Job):
    """Cross-entropy of the tokens that are asked for; batches hang on seed, task and step alone."""

    clip: ClassVar[float | None] = 1.0
    model: Transformer

    def __init__(
        self, design: Design, scheme: Contender, task: Task, seed: int, steps: int, rate: float,
        device: torch.device = CPU, share: Share | None = None,
    ):  # fmt: skip
        self.share = share
        self.task, self.scheme, self.built = task, scheme, built(design, scheme, task, seed)
        self.model = self.built.model
        self.model.to(device)
        self.seed, self.device, self.batch = seed, device, design.batch
        self.steps = self.steps_per_epoch = steps
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True
        )

    def rate(self, step: int) -> float:
        return warm_up_then_cosine(step, self.steps)

    def loss(self, step: int) -> tuple[Tensor, Mapping[str, float]]:
        items = self.task.batch(self.seed, step, self.batch)
        if self.share is None:
            logits, said, _ = self.guesses(items)
            return functional.cross_entropy(logits, said), {}
        logits, said, _ = self.guesses(items, self.share.rows(self.batch))
        part = functional.cross_entropy(logits, said, reduction="sum") / int(items.asked.sum())
        return part + (self.share.total(part) - part.detach()), {}

    def after_backward(self) -> None:
        if self.share is not None:
            self.share.add_up_gradients(self.model.parameters())

    def guesses(self, items: Items, rows: slice = slice(None)) -> tuple[Tensor, Tensor, Tensor]:
        """Logits ``(n, vocabulary)`` and the right tokens ``(n,)`` of all that is asked, and their rows.

        rows  of these alone, though positions are drawn as for all
        """
        given, asked, targets = self.given(items)
        positions, valid = self.positions(items, given), self.valid(given)
        hidden = self.model.read_asked(given, asked, positions, valid, rows=rows)
        asked = asked[rows]
        return self.model.score(hidden), targets[rows][asked], asked.nonzero()[:, 0]

    def given(self, items: Items) -> tuple[Tensor, Tensor, Tensor]:
        """What the model reads, at which places it is asked, and what is right there, all ``(b, t)``.

        A decoder guesses the next token at each place; an encoder says something about that place.
        """
        tokens = torch.from_numpy(items.tokens).to(self.device)
        asked = torch.from_numpy(items.asked).to(self.device)
        if items.targets is not None:
            return tokens, asked, torch.from_numpy(items.targets).to(self.device)
        return tokens[:, :-1], asked[:, 1:], tokens[:, 1:]

    def hidden(self, items: Items, given: Tensor) -> Tensor:
        """Hidden states ``(b, t, dim)`` of the tokens that are given."""
        return self.model.read(given, self.positions(items, given), self.valid(given))[0]

    def valid(self, given: Tensor) -> Tensor | None:
        """Which tokens are no padding ``(b, t)``: None in a decoder, which never sees it."""
        return None if self.task.causal else given != PAD

    def positions(self, items: Items, given: Tensor) -> Tensor:
        """Where the tokens are said to be, ``(b or 1, t)``.

        That is 0, 1, 2, ... in all rows for most schemes. One may read positions off tokens, or off their
        parts of speech; one with ``randomised_to`` draws them, in tests from a stream of their own.
        """
        description, width = self.built.description, given.shape[1]
        if self.scheme.randomised_to is not None:
            reach = max(self.scheme.randomised_to, width)
            if self.model.training:
                drawn = torch.rand(len(given), reach)
            else:
                with stream(self.seed, "places", width, zlib.crc32(items.tokens.tobytes())):
                    drawn = torch.rand(len(given), reach)
            return drawn.argsort(dim=1)[:, :width].sort(dim=1).values.to(self.device)
        if description.kinds and items.tags is not None:
            kinds = np.array([description.kind_of(tag) for tag in self.task.tags])
            found = description.positions_of(kinds[items.tags[:, :width]])
            if found is not None:
                return torch.from_numpy(found).to(self.device)
        words = self.task.vocabulary
        if description.positions_in([words[0]]) is None:
            return torch.arange(width, device=self.device)[None]
        read = [description.positions_in([words[one] for one in row]) for row in given.tolist()]
        return torch.from_numpy(np.stack([one for one in read if one is not None])).to(self.device)

    def costs(self) -> tuple[int, int]:
        """FLOPs of matrix products forward, of each token of a batch of the training length, and bytes kept.

        Counted of one row and of two: what the second adds is what each further one adds, and the rest is
        shared by all rows of a batch. So no more memory is taken than training takes.
        """
        sample = self.task.test(0, self.task.length, 2).part([0, -1])  # a short text may have one alone
        given, *_ = self.given(sample)
        positions, valid = self.positions(sample, given), self.valid(given)

        def counted(rows: int) -> int:
            part = slice(rows)
            return flops_of(self.model, given[part], positions[part], None if valid is None else valid[part])

        one, two = counted(1), counted(2)
        flops = (one + (self.batch - 1) * (two - one)) / (self.batch * given.shape[1])
        return round(flops), cache_bytes_of(self.model, given, positions)

    def parts(self, items: Items) -> list[Items]:
        """Rows that fit into memory together."""
        rows = max(1, min(_ROWS_AT_ONCE, _PAIRS_AT_ONCE // items.tokens.shape[1] ** 2))
        return [items.part(slice(start, start + rows)) for start in range(0, len(items.tokens), rows)]

    @torch.inference_mode()
    def tested(self, items: Items, *, exact: bool | None = None) -> tuple[Measured, float]:
        """Scores of items of one length, and their mean loss a token.

        exact  whether an item scores 1 or 0; None: as the task says
        """
        right, losses, rows, start = [], [], [], 0
        self.model.eval()
        for part in self.parts(items):
            logits, said, at = self.guesses(part)
            if not bool(logits.isfinite().all()):
                length = items.tokens.shape[1]
                raise ClockhandsError(
                    f"its outputs are no numbers (inf or NaN) in rows of {length} tokens: look for a "
                    "division by zero, or for a number that grows with the distance",
                    f"在 {length} 个词元的行里，它的输出不是数（inf 或 NaN）：请检查除以零，或随距离增大的数",
                )
            right.append((logits.argmax(-1) == said).double().cpu().numpy())
            losses.append(functional.cross_entropy(logits, said, reduction="none").double().cpu().numpy())
            rows.append(at.cpu().numpy() + start)
            start += len(part.tokens)
        self.model.train()
        row, loss, correct = np.concatenate(rows), np.concatenate(losses), np.concatenate(right)
        asked = np.bincount(row)
        places: list[float] = []
        if self.task.exact if exact is None else exact:
            scores = (np.bincount(row, correct) == asked).astype(float)
        else:
            scores = np.bincount(row, loss) / asked
            if self.task.causal:  # where an encoder is asked differs from row to row
                places = loss.reshape(len(asked), -1).mean(axis=0).tolist()
        return Measured(_short(scores), float(correct.mean()), _short(places)), float(loss.mean())


def perform(
    design: Design,
    cell: Cell,
    rate: float,
    after_step: Callable[[int], None],
    *,
    task: Task | None = None,
    checkpoints: Checkpoints | None = None,
    device: torch.device = CPU,
    share: Share | None = None,
) -> Row:
    """Train and test one cell: its row hangs on the design, the cell and the rate alone.

    task         the task of the cell, if it is at hand already
    checkpoints  where the state is kept, and gone on from
    device       what computes: a GPU gives other last digits than a CPU, so the row names it
    share        which of the processes that train it together this one is

    A cell that diverges, or whose scheme raises, gives a row that says so; a test that the scheme refuses (a
    table that ends) is undefined. Raises Stopped as ``after_step`` does, and after Ctrl-C; CannotWrite where
    no state can be kept, and ClockhandsError where memory runs out: neither is the scheme's fault, so neither
    gives a row.
    """
    from clockhands.experiments.probing import probed

    begun, about = time.monotonic(), (cell.id, cell.stage, cell.scheme.label, cell.task)
    spent = 0.0  # by pieces of the training that are kept

    def seconds() -> float:
        return round(spent + time.monotonic() - begun, 3)

    try:
        task = design.task(cell.task) if task is None else task
        trial = Trial(design, cell.scheme, task, cell.seed, cell.steps, rate, device, share)
        if checkpoints is not None:
            _go_on_from(checkpoints, trial)
        spent = trial.seconds
        history = train(trial, checkpoints, quiet=True, after_step=after_step)
        validation = trial.tested(task.check(cell.seed, design.items))[1]
        final = cell.stage == "final"  # rates are chosen without a look past the training length
        measured, undefined = _tested(trial, cell.seed, design.items) if final else ({}, {})
        probes = {probe: probed(probe, trial, design.items) for probe in probes_of(design, cell.task)}
        flops, cache_bytes = trial.costs()
    except (Stopped, CannotWrite):  # a full disk is no fault of the scheme
        raise
    except (Exception, SystemExit) as error:  # anybody's code; the other cells go on
        if is_of_memory(error):
            raise no_memory(cell.scheme.label, cell.task) from error
        return Row(*about, cell.seed, rate, failed=why_it_failed(error), seconds=seconds())
    return Row(
        *about, cell.seed, rate, validation=validation, parameters=trial.built.parameters,
        position_parameters=trial.built.position_parameters, hidden=trial.built.hidden,
        flops=flops, cache_bytes=cache_bytes, measured=measured, undefined=undefined,
        probes=probes if final else {}, losses=_thinned(history),
        seconds=seconds(), speed=round(cell.steps / max(trial.seconds, 1e-9), 2),
        versions=versions(device),
    )  # fmt: skip


def _go_on_from(checkpoints: Checkpoints, trial: Trial) -> None:
    """Put the kept state into a trial; where no state is whole, the cell begins anew."""
    try:
        checkpoints.load(trial)
    except (ClockhandsError, OSError):
        for file in checkpoints.files:
            try:
                file.unlink(missing_ok=True)
            except OSError as error:
                raise cannot_write(file, error) from error


def _tested(trial: Trial, seed: int, items: int) -> tuple[dict[int, Measured], dict[int, Text]]:
    measured: dict[int, Measured] = {}
    undefined: dict[int, Text] = {}
    for length in trial.task.lengths:
        try:
            measured[length] = trial.tested(trial.task.test(seed, length, items))[0]
        except ClockhandsError as error:
            if length == trial.task.length:
                raise
            undefined[length] = error.text
            trial.model.train()
    return measured, undefined


def _short(values: Iterable[float]) -> tuple[float, ...]:
    """Four digits after the point: far less than seeds differ by, and half the file."""
    return tuple(round(float(value), 4) for value in values)


def versions(device: torch.device = CPU) -> dict[str, str]:
    """Of all that the numbers hang on."""
    gpu = {} if device.type == "cpu" else {"device": torch.cuda.get_device_name(device)}
    return {
        "clockhands": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        **gpu,
    }


def _thinned(history: History) -> tuple[float, ...]:
    parts = np.array_split(history.values(LOSS), _LOSSES)
    return tuple(round(float(part.mean()), 6) for part in parts if len(part))
