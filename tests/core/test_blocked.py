"""Blocks of queries against the whole: the same numbers and gradients, and never all logits at once."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from largest import Largest
from torch import Tensor, nn
from torch.nn import functional

from clockhands.catalogue.shaw import Shaw
from clockhands.core.attend import Placed, attend, enter, explain_back_end
from clockhands.core.back_ends import Call, Dense, Sdpa
from clockhands.core.blocked import Blocked
from clockhands.core.cache import LayerCache
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility


class Slope(Encoding):
    """A fixed line for each head."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return 0.25 * (h + 1) * (ctx.k_places[b, j] - ctx.q_places[b, i])


class Trained(Encoding):
    """A learned line for each head, and a learned number for each token, which is cached."""

    def __init__(self) -> None:
        super().__init__()
        self.slopes = nn.Parameter(torch.tensor([0.5, 0.25, 0.125, 0.0625], dtype=torch.float64))
        self.gate = nn.Parameter(torch.linspace(-0.3, 0.3, 64, dtype=torch.float64))

    def annotate(self, x: Tensor) -> Tensor:
        return functional.logsigmoid(x @ self.gate.to(x.dtype))

    def prepare(self, ctx: Context) -> tuple[Tensor, Tensor]:
        assert ctx.memory is not None
        return self.slopes.to(ctx.dtype), ctx.memory.cumsum(1).to(ctx.dtype)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        slopes, sums = ctx.prepared
        line = slopes[h] * (ctx.k_places[b, j] - ctx.q_places[b, i])
        return line + sums[b, ctx.q_start + i] - sums[b, j]


class Pairs(Encoding):
    """``prepare`` looks at every pair: of one block it must be asked anew."""

    def prepare(self, ctx: Context) -> Tensor:
        return (ctx.q_places[:, :, None] - ctx.k_places[:, None, :]).abs().sqrt()

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return -ctx.prepared[b, i, j]


class WholeRows(Trained):
    """Sigmoids divided by how many keys a query sees, and something learned for values."""

    card = Shaw.card  # who has one has passed the laws

    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        return logits.sigmoid() * ctx.mask / ctx.mask.sum(-1, keepdim=True).clamp(min=1)

    def mix(self, weights: Tensor, v: Tensor, ctx: Context) -> Tensor:
        return super().mix(weights, v, ctx) + weights.sum(-1, keepdim=True) * self.slopes[0].to(weights.dtype)


def blocked(encoding: Encoding, cells: int = 500) -> Blocked:
    return Blocked(Dense() if encoding.overrides("weigh") else Sdpa(), cells=cells, least=0)


def given(encoding: Encoding, t: int = 20, hk: int = 2, dtype: torch.dtype = torch.float64) -> list[Any]:
    noise = torch.Generator().manual_seed(0)
    places = torch.stack((torch.arange(t) * 3, torch.arange(t) + 100))
    _, (placed,) = enter([encoding], torch.zeros(2, t, 64), places)
    shapes = ((2, 4, t, 16), (2, hk, t, 16), (2, hk, t, 16), (2, t, 64))
    return [placed, *(torch.randn(shape, generator=noise, dtype=torch.float64).to(dtype) for shape in shapes)]


def masks(t: int) -> dict[str, Visibility]:
    valid = torch.ones(2, t, dtype=torch.bool)
    valid[1, :3] = False
    documents = torch.arange(t).expand(2, t) // 6
    allowed = torch.rand(1, t, t, generator=torch.Generator().manual_seed(1)) < 0.7
    return {
        "causal": Visibility(),
        "padded, packed, with a window": Visibility(valid=valid, documents=documents, window=4),
        "some allowed": Visibility(allowed=allowed),
        "both ways": Visibility(causal=False),
        "both ways, padded": Visibility(causal=False, valid=valid, window=5, allowed=allowed),
    }


SCHEMES = {"slope": Slope, "trained": Trained, "pairs": Pairs, "whole rows": WholeRows}


@pytest.mark.parametrize("mask", masks(20))
@pytest.mark.parametrize("scheme", SCHEMES)
def test_output_and_gradients_are_those_of_the_whole(scheme: str, mask: str) -> None:
    encoding, visibility = SCHEMES[scheme](), masks(20)[mask]
    outputs, gradients = [], []
    for back_end in (blocked(encoding), Dense()):
        placed, *tensors = given(encoding)
        q, k, v, x = (tensor.requires_grad_() for tensor in tensors)
        output = attend(placed, q, k, v, x=x, visibility=visibility, back_ends=(back_end,)).output
        reads = [x] if encoding.overrides("annotate") else []
        leaves = [q, k, v, *reads, *encoding.parameters()]
        outputs.append(output)
        gradients.append(torch.autograd.grad(output.square().sum(), leaves))
    torch.testing.assert_close(*outputs, rtol=0, atol=1e-12)
    for mine, wanted in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("cells", [1, 100, 10**6])
def test_blocks_of_any_size_and_narrow_dtypes(cells: int, dtype: torch.dtype) -> None:
    """A bias is never rounded to the dtype of the heads: bfloat16 differs from the dense path by nothing."""
    encoding = Slope()
    placed, q, k, v, _ = given(encoding, dtype=dtype)
    got, wanted = (
        attend(placed, q, k, v, back_ends=(back_end,)).output
        for back_end in (blocked(encoding, cells), Dense())
    )
    assert got.dtype == dtype
    torch.testing.assert_close(got, wanted, rtol=torch.finfo(dtype).eps, atol=1e-6)


def test_rows_that_share_a_bias() -> None:
    """Positions said once for all rows: the bias is that of one row, the blocks are those of all."""
    _, (placed,) = enter([Slope()], torch.zeros(2, 20, 64))
    assert placed.alike
    _, q, k, v, _ = given(Slope())
    sizes = [end - begin for begin, end, _ in _blocks_of(placed, q, k, v)]
    assert sum(sizes) == 20
    assert max(sizes) > min(sizes) >= 1
    outputs = [attend(placed, q, k, v, back_ends=(how,)).output for how in (blocked(Slope()), Dense())]
    torch.testing.assert_close(*outputs, rtol=0, atol=1e-12)


def _blocks_of(placed: Placed, q: Tensor, k: Tensor, v: Tensor) -> list[tuple[int, int, int]]:
    seen: list[tuple[int, int, int]] = []

    class Noting(Blocked):
        def blocks(self, call: Call) -> Any:
            for block in super().blocks(call):
                seen.append(block)
                yield block

    attend(placed, q, k, v, back_ends=(Noting(Sdpa(), cells=500, least=0),))
    assert all((end - begin) * last * 2 * 4 <= 500 or end - begin == 1 for begin, end, last in seen)
    return seen


def test_a_gradient_that_only_some_inputs_want() -> None:
    encoding = Trained()
    encoding.slopes.requires_grad_(False)
    placed, q, k, v, x = given(encoding)
    v.requires_grad_()
    output = attend(placed, q, k, v, x=x, back_ends=(blocked(encoding),)).output
    got = torch.autograd.grad(output.sum(), (v, encoding.gate))
    dense = attend(placed, q, k, v, x=x, back_ends=(Dense(),)).output
    for mine, wanted in zip(got, torch.autograd.grad(dense.sum(), (v, encoding.gate)), strict=True):
        torch.testing.assert_close(mine, wanted)


def test_after_a_cache_blocks_see_its_keys() -> None:
    encoding, outputs = Trained(), []
    for back_end in (blocked(encoding), Dense()):
        cache = LayerCache()
        for part in (slice(0, 7), slice(7, 20)):
            placed, *tensors = given(encoding)
            placed = Placed(encoding, placed.places[:, part], None)
            q, k, v = (tensor[:, :, part] for tensor in tensors[:3])
            output = attend(placed, q, k, v, x=tensors[3][:, part], cache=cache, back_ends=(back_end,)).output
        outputs.append(output)
    torch.testing.assert_close(*outputs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_tensor_is_larger_than_a_block(scheme: str) -> None:
    encoding, t, cells = SCHEMES[scheme](), 160, 4000
    sizes = {}
    for name, back_end in (("blocked", blocked(encoding, cells)), ("dense", Dense())):
        placed, *tensors = given(encoding, t=t)
        q, k, v, x = (tensor.requires_grad_() for tensor in tensors)
        with Largest() as largest:
            attend(placed, q, k, v, x=x, back_ends=(back_end,)).output.square().sum().backward()
        sizes[name] = largest.numbers
    tokens = 2 * 4 * t * 16
    assert sizes["dense"] == 2 * 4 * t * t
    assert sizes["blocked"] <= max(cells, tokens)


def test_what_blocks_are_not_for() -> None:
    def says(encoding: Encoding, how: Blocked, **more: Any) -> str:
        placed, q, k, v, x = given(encoding)
        choice = explain_back_end(placed, q, k, v, x=x, back_ends=(how, Dense()), **more)
        return choice.refused[0][1].en if choice.refused else ""

    few = Blocked(Sdpa())
    assert says(Slope(), Blocked(Sdpa(), least=0)) == ""
    assert says(Encoding(), few) == "there is no bias that would have to be held"
    assert says(Slope(), few) == "3200 biases are fewer than 16777216: they fit into memory as they are"
    assert "weights are wanted" in says(Slope(), blocked(Slope()), want_weights=True)
    assert says(Slope(), blocked(Slope()), dropout=0.1) == "blocks drop no weights"
    assert "whole rows" in says(WholeRows(), Blocked(Sdpa(), least=0))
    both_ways, unknown = Visibility(causal=False), WholeRows()
    unknown.card = None
    assert says(WholeRows(), blocked(WholeRows()), visibility=both_ways) == ""
    assert "without a card" in says(unknown, blocked(unknown), visibility=both_ways)
    assert says(unknown, blocked(unknown)) == ""


def test_a_compiled_graph_has_no_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    placed, q, k, v, _ = given(Slope())
    choice = explain_back_end(placed, q, k, v, back_ends=(blocked(Slope()), Dense()))
    assert "would hold each block" in choice.sentence.en


class OneKeyShort(Blocked):
    """A fault: the last query of each block does not see itself."""

    def blocks(self, call: Call) -> Any:
        for begin, end, seen in super().blocks(call):
            yield begin, end, max(1, seen - 1)


def test_the_comparison_finds_a_fault() -> None:
    placed, q, k, v, _ = given(Slope())
    faulty = OneKeyShort(Sdpa(), cells=500, least=0)
    got, wanted = (attend(placed, q, k, v, back_ends=(how,)).output for how in (faulty, Dense()))
    with pytest.raises(AssertionError):
        torch.testing.assert_close(got, wanted, rtol=0, atol=1e-3)
