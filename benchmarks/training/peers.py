"""Processes that train what a sweep is measured beside, so many steps at a time, on the same batches."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.training.decoders import Plain, x_transformer
from clockhands.experiments.design import Design
from clockhands.experiments.tasks import Items
from clockhands.training.job import Job
from clockhands.training.loop import train
from clockhands.training.schedule import warm_up_then_cosine

PLAIN, PRODUCT = "plain", "product"
WIDE = 1024
"""Rows and columns of the square matrices whose product shows what a core can do."""


class Peer(Job):
    """Their decoder as ``clockhands compare`` trains its own: batches, optimiser, rates, clipping."""

    clip = 1.0

    def __init__(self, design: Design, model: nn.Module, seed: int, steps: int):
        self.model, self.task = model, design.task(design.tasks[0])
        self.seed, self.batch, self.device = seed, design.batch, torch.device("cpu")
        self.steps = self.steps_per_epoch = steps
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=design.rates[0], betas=(0.9, 0.98), weight_decay=0.01, fused=True
        )

    def rate(self, step: int) -> float:
        return warm_up_then_cosine(step, self.steps)

    def loss(self, step: int) -> tuple[Tensor, Mapping[str, float]]:
        return loss_of(self.model, *batch_of(self.task.batch(self.seed, step, self.batch))), {}


def batch_of(items: Items) -> tuple[Tensor, Tensor]:
    """Token ids ``(b, t)``, and those to be guessed ``(b, t)``, -100 where nothing is asked."""
    tokens, asked = torch.from_numpy(items.tokens), torch.from_numpy(items.asked)
    return tokens[:, :-1], tokens[:, 1:].masked_fill(~asked[:, 1:], -100)


def loss_of(model: nn.Module, ids: Tensor, said: Tensor) -> Tensor:
    """Mean cross-entropy of what is asked."""
    return functional.cross_entropy(model(ids).flatten(0, 1), said.flatten(), ignore_index=-100)


def plain_loop(design: Design, model: nn.Module, seed: int, steps: int) -> None:
    """The loop that everyone writes."""
    task = design.task(design.tasks[0])
    optimizer = torch.optim.AdamW(model.parameters(), lr=design.rates[0])
    for step in range(steps):
        ids, said = batch_of(task.batch(seed, step, design.batch))
        loss = loss_of(model, ids, said)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()


class Peers:
    """``count`` processes of one kind with ``threads`` threads each, warm from the first call on.

    kind  PLAIN, PRODUCT, or an encoding of x-transformers' decoder
    """

    def __init__(self, kind: str, design: Design, count: int, threads: int):
        context = multiprocessing.get_context("spawn")
        self._lines: list[Connection] = []
        self._processes = []
        for _ in range(count):
            line, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(kind, design, threads, theirs), daemon=True)
            process.start()
            theirs.close()
            self._lines.append(line)
            self._processes.append(process)

    def work(self, amount: int) -> None:
        """Each trains a new model for so many steps, or multiplies so often; returns when all are done."""
        for line in self._lines:
            line.send(amount)
        for line in self._lines:
            line.recv()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *how: object) -> None:
        for line, process in zip(self._lines, self._processes, strict=True):
            line.send(None)
            process.join()


def model_of(kind: str, design: Design) -> nn.Module:
    """Their decoder in the sizes of the design."""
    task, size = design.task(design.tasks[0]), design.model
    sizes = (len(task.vocabulary), task.longest(), size.dim, size.heads, size.layers)
    return Plain(*sizes) if kind == PLAIN else x_transformer(*sizes, kind)


def _serve(kind: str, design: Design, threads: int, line: Connection) -> None:
    torch.set_num_threads(threads)
    one = torch.rand(WIDE, WIDE)
    for seed, amount in enumerate(iter(line.recv, None)):
        if kind == PRODUCT:
            for _ in range(amount):
                torch.mm(one, one)
        elif kind == PLAIN:
            plain_loop(design, model_of(kind, design), seed, amount)
        else:
            train(Peer(design, model_of(kind, design), seed, amount), quiet=True)
        line.send(amount)
