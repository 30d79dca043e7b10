"""PaTH, CoPE and Shaw on texts that are long for their formulas: blocks give what the whole gives."""

from __future__ import annotations

import pytest
import torch

from clockhands.core.attend import attend, enter
from clockhands.core.back_ends import Dense
from clockhands.core.blocked import Blocked
from clockhands.core.visibility import Visibility
from clockhands.schemes import layers, path

SIZES = {
    "d_model": 32, "head_dim": 8, "num_heads": 4, "num_layers": 1, "seed": 0, "max_positions": 64,
    "bidirectional": False,
}  # fmt: skip


@pytest.mark.parametrize("scheme", ["path", "path-fox", "cope-contextual", "shaw"])
def test_blocks_give_output_and_gradients_of_the_whole(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PaTH besides takes its mirrors in blocks past ``BLOCK`` keys, and all at once before."""
    (encoding,) = layers(scheme, 1, SIZES)
    encoding = encoding.double()
    noise, t = torch.Generator().manual_seed(0), 150
    shapes = ((2, 4, t, 8), (2, 2, t, 8), (2, 2, t, 8), (2, t, 32))
    given = [torch.randn(shape, generator=noise, dtype=torch.float64).requires_grad_() for shape in shapes]
    q, k, v, x = given
    _, (placed,) = enter([encoding], x)
    seen = Visibility(documents=torch.arange(t).expand(2, t) // 100)
    leaves = [*given[:3], *([x] if encoding.overrides("annotate") else []), *encoding.parameters()]
    outputs, gradients = [], []
    for back_end, mirrors in ((Blocked(Dense(), cells=60_000, least=0), path.BLOCK), (Dense(), 10**6)):
        monkeypatch.setattr(path, "BLOCK", mirrors)
        output = attend(placed, q, k, v, x=x, visibility=seen, back_ends=(back_end,)).output
        outputs.append(output.detach())
        gradients.append(torch.autograd.grad(output.square().sum(), leaves))
    torch.testing.assert_close(*outputs, rtol=0, atol=1e-10)
    for mine, wanted in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-8, atol=1e-9)
