"""The model of a cell, and what it costs beside what it scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from clockhands.catalogue.description import Description
from clockhands.core.cache import Cache
from clockhands.errors import ClockhandsError
from clockhands.experiments.design import Contender, Design
from clockhands.experiments.tasks import Task
from clockhands.models import Transformer

REFERENCE = Contender("nope")
"""What other models have as many parameters as: the one whose encoding has none."""


class Built(NamedTuple):
    """A model, its encoding described, and what its parameters are in."""

    model: Transformer
    description: Description
    hidden: int
    parameters: int
    position_parameters: int


def built(design: Design, scheme: Contender, task: Task, seed: int) -> Built:
    """The model of a cell, with as many parameters as one without positions: the MLP makes up for the rest.

    So it is where ``design.matching`` is ``parameters``; else all MLPs are four times as wide as the model.
    Weights outside the encoding come from streams named by seed and layer: where the MLP is as wide, they are
    equal to the bit whatever the scheme. ClockhandsError if the encoding alone is larger than all MLPs.
    """
    size, longest = design.model, task.longest()
    full = 4 * size.dim

    def made(one: Contender, hidden: int) -> Transformer:
        described = one.description(size, longest, seed, causal=task.causal)
        return Transformer(
            len(task.vocabulary), dim=size.dim, heads=size.heads, layers=size.layers, hidden=hidden,
            encoding=described, max_positions=longest, seed=seed, causal=task.causal,
        )  # fmt: skip

    model, hidden = made(scheme, full), full
    if design.matching == "parameters":
        surplus = round((_count(model) - _count(made(REFERENCE, full))) / (size.layers * (2 * size.dim + 1)))
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
    description = scheme.description(size, longest, seed, causal=task.causal)
    return Built(model, description, hidden, _count(model), sum(own.values()))


def _count(model: Transformer) -> int:
    return sum(weight.numel() for weight in model.parameters())


def flops_of(model: Transformer, tokens: Tensor, positions: Tensor | None, valid: Tensor | None) -> int:
    """Of all matrix products forward, and solutions of linear systems, of ``tokens`` ``(b, t)``; a
    multiplication with its addition is two. What is done number by number (norms, rotations, biases) is not
    counted, nor are exponentials of matrices.

    Attention counts with whole rows, what a decoder does not look at included. The dense back end computes:
    PyTorch's counter takes its kernel for attention on a CPU for nothing.
    """
    from torch.utils.flop_counter import FlopCounterMode  # brings triton with it

    model.eval()
    with torch.no_grad(), FlopCounterMode(display=False, custom_mapping=SOLVED) as counter:
        model(tokens, positions, valid, want_weights=True)
    model.train()
    return counter.get_total_flops()


def _of_solution(a: Sequence[int], b: Sequence[int], *_: object, **__: object) -> int:
    """Of ``a x = b`` with ``a`` ``(..., n, n)`` and k columns: its factors, and twice a triangle for each."""
    n, columns = a[-1], b[-1] if len(b) == len(a) else 1
    return math.prod(a[:-2]) * (2 * n**3 // 3 + 2 * n * n * columns)


def _of_triangle(a: Sequence[int], b: Sequence[int], *_: object, **__: object) -> int:
    return math.prod(a[:-2]) * a[-1] ** 2 * b[-1]


SOLVED = {
    torch.ops.aten._linalg_solve_ex: _of_solution,
    torch.ops.aten.linalg_solve_triangular: _of_triangle,
}
"""What PyTorch's counter takes for nothing."""


def cache_bytes_of(model: Transformer, tokens: Tensor, positions: Tensor | None) -> int:
    """What the layers keep of each token of ``tokens`` ``(b, t)`` to go on writing; 0 for an encoder, which
    writes nothing."""
    if not model.causal:
        return 0
    cache = Cache(len(model.blocks))
    model.eval()
    with torch.no_grad():
        model.read(tokens, positions, cache=cache)
    model.train()
    kept = 0
    for layer in cache.layers:
        if layer.tokens is not None:
            parts = (layer.tokens.k, layer.tokens.v, layer.tokens.memory)
            kept += sum(part.numel() * part.element_size() for part in parts if part is not None)
    return round(kept / tokens.numel())
