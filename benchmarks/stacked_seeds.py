"""Several seeds trained as one stacked model (torch.func) against one after the other, on one thread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.harness import Contender, Report, number, ratios, table, take_turns
from benchmarks.training.peers import PLAIN, batch_of, loss_of, model_of
from clockhands.experiments.design import Design, ModelSize
from clockhands.training.threads import one_thread

SEEDS, STEPS, TURNS = 4, 10, 7
BATCHES = (4, 16, 64)
Batch = tuple[Tensor, Tensor]


def design(rows: int) -> Design:
    """Decoders of 150,000 parameters that copy up to 17 letters."""
    return Design(
        schemes=("rope", "nope"), tasks=("copy",), seeds=SEEDS, steps=STEPS, batch=rows, length=17,
        model=ModelSize(layers=3),
    )  # fmt: skip


def batches(asked: Design, step: int) -> list[Batch]:
    """One a seed, all as wide as the widest row can be."""
    task = asked.task("copy")
    made = [batch_of(task.batch(seed, step, asked.batch)) for seed in range(SEEDS)]
    return [(_wide(ids, task.longest(), 0), _wide(said, task.longest(), -100)) for ids, said in made]


def _wide(rows: Tensor, width: int, fill: int) -> Tensor:
    return functional.pad(rows, (0, width - 1 - rows.shape[1]), value=fill)


def one_by_one(
    models: Sequence[nn.Module], optimizers: Sequence[torch.optim.Optimizer], asked: Design
) -> None:
    """``STEPS`` steps of each seed."""
    for step in range(STEPS):
        for model, optimizer, batch in zip(models, optimizers, batches(asked, step), strict=True):
            optimizer.zero_grad()
            loss_of(model, *batch).backward()
            optimizer.step()


class Stacked:
    """All seeds as one model whose weights have one more axis."""

    def __init__(self, models: Sequence[nn.Module]):
        stacked, self._buffers = stack_module_state(list(models))
        self._weights = {name: one.detach().requires_grad_() for name, one in stacked.items()}
        self._base = models[0]
        self._optimizer = torch.optim.AdamW(self._weights.values(), lr=1e-3, fused=True)
        self._step = vmap(grad_and_value(self._loss))

    def _loss(
        self, weights: dict[str, Tensor], buffers: dict[str, Tensor], ids: Tensor, said: Tensor
    ) -> Tensor:
        logits = functional_call(self._base, (weights, buffers), (ids,))
        return functional.cross_entropy(logits.flatten(0, 1), said.flatten(), ignore_index=-100)

    def train(self, asked: Design) -> list[float]:
        """``STEPS`` steps of all seeds together; the last losses."""
        losses = torch.empty(0)
        for step in range(STEPS):
            ids, said = (torch.stack(each) for each in zip(*batches(asked, step), strict=True))
            with sdpa_kernel(SDPBackend.MATH):  # flash attention on a CPU has no rule for vmap in torch 2.13
                gradients, losses = self._step(self._weights, self._buffers, ids, said)
            for name, weight in self._weights.items():
                weight.grad = gradients[name]
            self._optimizer.step()
        return losses.tolist()


def measure() -> Report:
    lines = []
    with one_thread():
        for rows in BATCHES:
            asked = design(rows)
            models = [model_of(PLAIN, asked) for _ in range(SEEDS)]
            stacked = Stacked([model_of(PLAIN, asked) for _ in range(SEEDS)])
            optimizers = [torch.optim.AdamW(one.parameters(), lr=1e-3, fused=True) for one in models]
            one, all_at_once = f"{SEEDS} one by one", "stacked"
            seconds = take_turns(
                [
                    Contender(one, partial(one_by_one, models, optimizers, asked)),
                    Contender(all_at_once, partial(stacked.train, asked)),
                ],
                TURNS,
            )  # fmt: skip
            lines.append((str(rows), *(number(STEPS * SEEDS / min(each)) for each in seconds.values()),
                          ratios(seconds[one], seconds[all_at_once])))  # fmt: skip
    return Report(
        "Several seeds in one model",
        (
            f"{SEEDS} plain PyTorch decoders of 3 layers of width 64 copy up to 17 letters on one thread: "
            "one after the other, and stacked by `torch.func` (`vmap` over weights and batches, one fused "
            f"optimiser). {TURNS} turns of {STEPS} steps in alternation; best steps a second of all seeds, "
            "and the ratio turn by turn, median and range; above 1 stacking wins.",
            table(("rows a step", "one by one", "stacked", "times as fast, stacked"), lines),
            "`clockhands compare` trains one seed in a process: its batches have 32 rows and more, and there "
            "are more trainings to do than cores.",
        ),
    )  # fmt: skip
