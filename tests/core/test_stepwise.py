"""Blocks computed again: gradients are those of the equation, without numbers below the normal ones."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from clockhands.core.attend import attend, enter
from clockhands.core.back_ends import BackEnd, Call, Dense, Sdpa
from clockhands.core.blocked import Blocked
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.stepwise import Stepwise
from clockhands.core.visibility import Visibility
from clockhands.schemes import make

TINY = 1.1754943508222875e-38  # the smallest normal number of float32 (IEEE 754)


class Falling(Encoding):
    """One number a token, the same for all heads."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return -1.0 * (ctx.q_places[b, i] - ctx.k_places[b, j])


def computed(
    encoding: Encoding,
    back_end: BackEnd,
    given: list[Tensor],
    coming: Tensor,
    causal: bool = True,
    valid: Tensor | None = None,
) -> list[Tensor]:
    """The output, and the gradients of queries, keys, values and what is learned."""
    q, k, v = (x.detach().requires_grad_() for x in given)
    _, (placed,) = enter([encoding], torch.zeros(len(q), q.shape[2], 8, dtype=q.dtype))
    output = attend(
        placed, q, k, v, visibility=Visibility(causal=causal, valid=valid), back_ends=(back_end,)
    ).output
    learned = list(encoding.parameters())
    return [output.detach(), *torch.autograd.grad(output, [q, k, v, *learned], coming)]


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("scheme", ["alibi", "t5"])
def test_in_float32_it_is_as_near_to_the_equation_as_the_kernel_of_torch(scheme: str, causal: bool) -> None:
    noise = torch.Generator().manual_seed(0)
    shapes = (2, 8, 200, 16), (2, 4, 200, 16), (2, 4, 200, 16)
    given = [torch.randn(shape, generator=noise) for shape in shapes]
    coming = torch.randn(2, 8, 200, 16, generator=noise)
    encoding = make(scheme)
    blocks = computed(encoding, Blocked(Sdpa(), cells=50_000, least=0), given, coming, causal)
    kernel = computed(encoding, Sdpa(), given, coming, causal)
    wide = [x.double() for x in given]
    wanted = computed(make(scheme).double(), Dense(), wide, coming.double(), causal)
    for mine, theirs, exact in zip(blocks, kernel, wanted, strict=True):
        largest = exact.abs().max()
        assert (mine - exact).abs().max() < 2 * (theirs - exact).abs().max() + 1e-7 * largest


def test_weights_and_gradients_below_the_normal_numbers_are_zero() -> None:
    """Keys at distance 80 have weights of 1.8e-35, those at 90 of 8.2e-40."""
    given = [
        torch.zeros(1, 1, 101, 1),
        torch.zeros(1, 1, 101, 1),
        1.0 + torch.arange(101).view(1, 1, 101, 1) % 2,
    ]
    given[0][..., 100, :] = 1.0
    coming = torch.zeros(1, 1, 101, 1)
    coming[..., 100, :] = 1e-2
    _, _, of_k, of_v = computed(Falling(), Stepwise(), given, coming)
    back = 100 - torch.arange(101)
    of_v = of_v.flatten()
    assert (of_v[back < 80] > TINY).all()
    assert (of_v[back >= 88] == 0).all()
    assert ((of_v == 0) | (of_v.abs() >= TINY * 1e-2)).all()
    of_k = of_k.flatten()
    assert (of_k[back < 80] != 0).all()
    assert (of_k[back == 86] == 0).all()
    assert ((of_k == 0) | (of_k.abs() >= TINY)).all()


@pytest.mark.parametrize("back_end", [Stepwise(), Blocked(Sdpa(), cells=300, least=0)])
def test_a_row_whose_bias_hides_all_has_no_weights(back_end: BackEnd) -> None:
    """Padded queries of heads with a small window: all keys that the mask shows them, the bias hides."""
    valid = torch.ones(2, 24, dtype=torch.bool)
    valid[:, 16:] = False
    noise = torch.Generator().manual_seed(0)
    given = [torch.randn(2, 4, 24, 8, generator=noise, dtype=torch.float64) for _ in range(3)]
    coming = torch.randn(2, 4, 24, 8, generator=noise, dtype=torch.float64)
    encoding = make("alibi-hard", num_heads=4).double()
    found, wanted = (computed(encoding, one, given, coming, valid=valid) for one in (back_end, Dense()))
    assert (wanted[0][:, :, 16:] == 0).all(-1).any()
    for mine, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-12)


def test_what_is_not_a_number_stays_so() -> None:
    given = [torch.zeros(1, 1, 4, 1) for _ in range(3)]
    given[0][..., 1, :] = torch.nan
    by = [computed(Falling(), one, given, torch.ones(1, 1, 4, 1)) for one in (Stepwise(), Sdpa())]
    assert by[0][0].isnan().flatten().tolist() == [False, True, False, False]
    for mine, theirs in zip(*by, strict=True):
        assert torch.equal(mine.isnan(), theirs.isnan())


@pytest.mark.parametrize("scheme", ["alibi", "t5"])
def test_autocast_rounds_nothing_of_a_gradient(scheme: str) -> None:
    back_end = Blocked(Sdpa(), cells=2000, least=0)
    noise = torch.Generator().manual_seed(0)
    given = [torch.randn(1, 8, 40, 16, generator=noise) for _ in range(3)]
    coming = torch.randn(1, 8, 40, 16, generator=noise)
    wanted = computed(make(scheme), back_end, given, coming)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = computed(make(scheme), back_end, given, coming)
    for mine, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, theirs)


def test_blocks_are_computed_again_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forward by the kernel of torch, backward without it."""
    asked: list[str] = []
    whole = Sdpa.run

    def run(self: Sdpa, call: Call) -> tuple[Tensor, Tensor | None]:
        asked.append(self.name)
        return whole(self, call)

    monkeypatch.setattr(Sdpa, "run", run)
    given = [torch.zeros(1, 1, 4, 1) for _ in range(3)]
    computed(Falling(), Blocked(Sdpa(), cells=8, least=0), given, torch.ones(1, 1, 4, 1))
    assert list(dict.fromkeys(asked)) == ["sdpa", "stepwise"]
