"""A float32 bias on keys of 16 bits: the numbers of the dense path, and no distance merged with another."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from clockhands.core.attend import attend, enter
from clockhands.core.back_ends import Call, Dense, Sdpa
from clockhands.core.blocked import Blocked
from clockhands.core.cache import LayerCache
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.core.wide_bias import WideBias, widened
from clockhands.errors import ClockhandsError
from clockhands.schemes import make

FOX = {"fox": {"d_model": 64, "seed": 0}}


class Line(Encoding):
    """A fixed line for each head, raised by as much as is said, which a softmax doesn't see."""

    def __init__(self, height: float) -> None:
        super().__init__()
        self.fix("slopes", [0.5, 0.25, 0.125, 0.0625])
        self.height = height

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        slopes: Tensor = self.slopes  # pyright: ignore[reportAssignmentType] (a tensor)
        return slopes.to(ctx.dtype)[h] * (ctx.k_places[b, j] - ctx.q_places[b, i]) + self.height


class Widened(WideBias):
    """As on a device whose kernels want one dtype."""

    def run(self, call: Call) -> tuple[Tensor, None]:
        return widened(call), None


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("scheme", ["alibi", "t5", "fox", "nope"])
@torch.no_grad()
def test_a_wide_bias_on_narrow_keys_gives_the_dense_numbers(scheme: str, dtype: torch.dtype) -> None:
    """Heads that share keys, padding, one query and three; also as devices without such a kernel compute it.

    Weights are rounded before they meet values, so that an output is off by half a unit in the last place of
    the largest value, and by its own rounding.
    """
    valid = torch.ones(2, 11, dtype=torch.bool)
    valid[1, :3] = False
    encoding = make(scheme, **({"num_heads": 4} if scheme != "nope" else {}), **FOX.get(scheme, {}))
    for queries in (1, 3):
        outputs = []
        for back_end in (WideBias(), Widened(), Dense()):
            x = torch.randn(2, 11, 64, generator=torch.Generator().manual_seed(1)).to(dtype)
            cache, seen = LayerCache(), Visibility(valid=valid[:, :-queries])
            for part, visibility in ((x[:, :-queries], seen), (x[:, -queries:], Visibility())):
                places = torch.arange(11)[None, : part.shape[1]] + cache.length
                _, (placed,) = enter([encoding], part, places)
                q = torch.randn(2, 4, part.shape[1], 16, generator=torch.Generator().manual_seed(2)).to(dtype)
                k, v = q[:, ::2] * 0.5, q[:, 1::2]
                used = (back_end,) if cache.length else (Dense(),)
                output = attend(
                    placed, q, k, v, x=part, visibility=visibility, cache=cache, back_ends=used
                ).output
            outputs.append(output)
        fused, wide, dense = outputs
        assert fused.dtype == wide.dtype == dtype
        eps = torch.finfo(dtype).eps
        torch.testing.assert_close(wide, dense, rtol=eps, atol=1e-6)
        torch.testing.assert_close(fused, dense, rtol=eps, atol=eps * float(v.abs().max()) / 2)


@pytest.mark.parametrize("causal", [True, False])
@torch.no_grad()
def test_a_bias_is_not_rounded_with_the_keys(causal: bool) -> None:
    """At 1,000 bfloat16 has steps of 4."""
    outputs = []
    noise = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, n, 12, 16, generator=noise).bfloat16() for n in (4, 2, 2))
    seen = Visibility(causal=causal)
    for encoding in (Line(0.0), Line(1000.0)):
        _, (placed,) = enter([encoding], torch.zeros(2, 12, 64))
        outputs.append(attend(placed, q, k, v, visibility=seen, back_ends=(WideBias(),)).output)
    torch.testing.assert_close(*outputs, rtol=2**-7, atol=2**-8)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "back_end",
    [Blocked(Sdpa(), least=1), Blocked(Dense(), least=1), Sdpa(), WideBias(), Dense()],
    ids=lambda one: one.name,
)
def test_autocast_rounds_no_bias(back_end, dtype):
    """A query a thousand tokens after its keys: rounded to 16 bits, the distances of neighbours are one."""
    encoding = make("alibi", num_heads=8)
    positions = torch.tensor([[*range(15), 1100]])
    visibility = Visibility(valid=torch.tensor([[True] * 15 + [False]]))
    v = torch.randn(1, 8, 16, 8, generator=torch.Generator().manual_seed(1))

    def output(dtype, back_ends, autocast):
        _, (placed,) = enter([encoding], torch.zeros(1, 16, 64, dtype=dtype), positions)
        q = torch.zeros(1, 8, 16, 8, dtype=dtype)
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            return attend(placed, q, q, v.to(dtype), visibility=visibility, back_ends=back_ends).output

    exact = output(torch.float32, (Dense(),), autocast=False)
    try:
        found = output(dtype, (back_end,), autocast=True)
    except ClockhandsError:
        assert (back_end.name, dtype) in {("sdpa", torch.bfloat16), ("wide-bias", torch.float32)}
        return
    assert (found.float() - exact)[0, :, -1].abs().max() < 0.02
