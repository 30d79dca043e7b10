"""A bias is the same pair by pair, as fused kernels ask for it, and on grids of all slots at once."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from clockhands.catalogue import CATALOGUE
from clockhands.conformance.sizing import sizes_for
from clockhands.conformance.subject import Subject
from clockhands.core.bias import dense_bias
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import CAUSAL
from clockhands.schemes import build, make
from clockhands.schemes.biasing import of_heads

LENGTH = 6
GIVEN = {"fire": {"threshold": 3.0}}
"""Below it the bias hangs on the distance alone, and a grid that is turned over looks the same."""


def biased() -> list[str]:
    return [each.card.id for each in CATALOGUE if build(each()).overrides("bias_at")]


def context(encoding: Encoding) -> Context:
    """Of two rows of six tokens."""
    subject = Subject(lambda: encoding, sizes_for(encoding), length=LENGTH)
    x, places = subject.tokens(encoding), subject.positions(encoding)
    memory = encoding.annotate(x) if encoding.overrides("annotate") else None
    ctx = Context(
        q_places=places, k_places=places, num_heads=subject.sizes.num_heads,
        num_kv_heads=subject.sizes.num_kv_heads, visibility=CAUSAL, memory=memory, scale=0.5,
        dtype=torch.float64,
    )  # fmt: skip
    return Context(**(vars(ctx) | {"prepared": encoding.prepare(ctx)}))


@pytest.mark.parametrize("scheme", biased())
def test_a_bias_and_its_gradient_are_the_same_pair_by_pair(scheme: str) -> None:
    encoding = make(scheme, **GIVEN.get(scheme, {}))
    encoding = Subject(lambda: encoding).encoding()
    given = [parameter for parameter in encoding.parameters() if parameter.requires_grad]
    ctx = context(encoding)
    whole = dense_bias(encoding, ctx)
    assert whole is not None
    shape = (ctx.batch, ctx.num_heads, LENGTH, LENGTH)
    pairs = torch.cartesian_prod(*(torch.arange(size) for size in shape)).unbind(1)
    found = encoding.bias_at(ctx, *pairs)
    assert found is not None
    one_by_one = found.expand(len(pairs[0])).view(shape)
    torch.testing.assert_close(whole.expand(shape), one_by_one, rtol=0, atol=0)
    if one_by_one.requires_grad:
        weight = torch.linspace(-1, 1, one_by_one.numel(), dtype=torch.float64).view(shape)
        both = [
            torch.autograd.grad((bias * weight).sum(), given, retain_graph=True, allow_unused=True)
            for bias in (whole.expand(shape), one_by_one)
        ]
        for mine, theirs in zip(*both, strict=True):
            assert (mine is None) == (theirs is None)
            if mine is not None:
                torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)


def test_each_head_takes_from_its_own_column() -> None:
    table = torch.arange(15.0).view(5, 3).requires_grad_()
    row = torch.tensor([[[[0, 4], [4, 1]]], [[[2, 2], [3, 0]]]])
    h = torch.arange(3).view(1, 3, 1, 1)

    def once(taken: Tensor) -> tuple[Tensor, ...]:
        return taken.detach(), *torch.autograd.grad(
            (taken * torch.arange(24.0).view(2, 3, 2, 2)).sum(), table
        )

    for got, wanted in zip(once(of_heads(table, row, h)), once(table[row, h]), strict=True):
        torch.testing.assert_close(got, wanted, rtol=0, atol=0)
