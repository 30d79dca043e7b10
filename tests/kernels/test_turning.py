"""Kernels that turn queries and keys, against the readable formula and float64, with numba and without it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from clockhands import formulas
from clockhands.errors import ClockhandsError
from clockhands.kernels import heads, turn, turning
from clockhands.kernels.heads import INSTALLED

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
B, H, T = 2, 4, 7
Turning = Callable[..., tuple[Tensor, Tensor]]

every_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype).removeprefix("torch."))
every_layout = pytest.mark.parametrize("layout", ["half", "interleaved"])


@pytest.fixture(params=["installed", "missing"], autouse=True)
def _numba(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the machine is, and as one is that has no numba; where it has none, both are the same."""
    if request.param == "missing":
        monkeypatch.setattr(heads, "INSTALLED", frozenset())


def numbers(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    noise = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=noise, dtype=torch.float64).to(dtype)


def laid(how: str, heads: int, width: int, seed: int, dtype: torch.dtype) -> Tensor:
    """Heads ``(b, heads, t, width)`` that lie in memory in one of the ways that models have."""
    if how == "heads first":
        return numbers(B, heads, T, width, seed=seed, dtype=dtype)
    if how == "tokens first":
        return numbers(B, T, heads, width, seed=seed, dtype=dtype).transpose(1, 2)
    if how == "part of a packed projection":
        packed = numbers(B, T, 3 + heads * width + 5, seed=seed, dtype=dtype)
        return packed[..., 3 : 3 + heads * width].unflatten(-1, (heads, width)).transpose(1, 2)
    if how == "each second token":
        return numbers(B, heads, 2 * T, width, seed=seed, dtype=dtype)[:, :, 1::2]
    if how == "one row for all":
        return numbers(1, heads, T, width, seed=seed, dtype=dtype).expand(B, -1, -1, -1)
    assert how == "dimensions first"
    return numbers(B, heads, width, T, seed=seed, dtype=dtype).transpose(2, 3)


LAID = (
    "heads first", "tokens first", "part of a packed projection", "each second token", "one row for all",
    "dimensions first",
)  # fmt: skip
POSITIONS = {
    "one row for all": torch.arange(T)[None],
    "far and in any order": torch.tensor([[9, 3, 131071, 0, 5, 5, 2], [1, 0, 7, 1000003, 4, 3, 2]]),
    "packed documents": torch.tensor([[0, 1, 2, 0, 1, 0, 1], [0, 0, 1, 2, 3, 4, 0]]),
}
PARTS = {  # width of a head, first dimension that turns, pairs: vectors are 32 pairs wide, 16, or 8
    "whole": (64, 0, 32),
    "vectors of two widths and a pair": (98, 0, 49),
    "the first": (44, 0, 18),
    "the last": (40, 36, 2),
    "the middle, one pair": (9, 3, 1),
    "nothing": (4, 2, 0),
}


def table(positions: Tensor, pairs: int) -> tuple[Tensor, Tensor]:
    angle = formulas.angles(positions, 1e4 ** (-torch.arange(pairs, dtype=torch.float64) / max(pairs, 1)))
    return angle.cos(), angle.sin()


def exactly(x: Tensor, cos: Tensor, sin: Tensor, layout: str, start: int) -> Tensor:
    """In float64: each pair is a complex number that is multiplied by another."""
    result, pairs = x.detach().double().clone(), cos.shape[-1]
    turned = result[..., start : start + 2 * pairs]
    if layout == "half":
        u, v = turned[..., :pairs], turned[..., pairs:]
    else:
        u, v = turned[..., ::2], turned[..., 1::2]
    hands = torch.complex(u, v) * torch.complex(cos.double(), sin.double())[:, None]
    u.copy_(hands.real)
    v.copy_(hands.imag)
    return result


def compare(how: Turning, dtype: torch.dtype, layout: str) -> None:
    """All ways of lying, positions, parts of a head and numbers of key heads; forward and backward."""
    given = itertools.product(LAID, POSITIONS.values(), PARTS.values())
    for seed, (lies, positions, (width, start, pairs)) in enumerate(given):
        kv_heads = (1, 2, 4, 2)[seed % 4]  # 4 and 90 share no cycle of ways, positions and parts
        q = laid(lies, H, width, seed, dtype).requires_grad_()
        k = laid(lies, kv_heads, width, seed + 1, dtype).requires_grad_()
        cos, sin = table(positions, pairs)
        got = how(q, k, cos, sin, layout, start=start)
        back = [
            numbers(*x.shape, seed=seed, dtype=dtype).transpose(0, 1).contiguous().transpose(0, 1)
            for x in got
        ]
        gradients = torch.autograd.grad(got, (q, k), back)
        counted = torch.promote_types(dtype, torch.float32)
        for x, turned, gradient, wanted in zip((q, k), got, gradients, back, strict=True):
            same = heads.readable(x, cos.to(counted), sin.to(counted), layout, start)  # pyright: ignore[reportArgumentType] (a layout)
            assert torch.equal(turned, same), (lies, pairs, kv_heads)
            close(turned, exactly(x, cos, sin, layout, start))
            close(gradient, exactly(wanted, cos, -sin, layout, start))


def close(got: Tensor, exact: Tensor) -> None:
    """Within a rounding of the dtype, and a few on the way, of numbers that are 4 at most."""
    counted = torch.finfo(torch.promote_types(got.dtype, torch.float32)).eps
    narrow = torch.finfo(got.dtype).eps
    torch.testing.assert_close(got.detach().double(), exact, rtol=narrow, atol=4 * counted + narrow * 2e-3)


@every_layout
@every_dtype
def test_the_same_numbers_as_the_readable_formula(dtype: torch.dtype, layout: str) -> None:
    compare(turn, dtype, layout)


@every_layout
@every_dtype
def test_into_given_memory_and_in_place(dtype: torch.dtype, layout: str) -> None:
    for lies, (width, start, pairs) in itertools.product(LAID, PARTS.values()):
        cos, sin = table(POSITIONS["far and in any order"], pairs)
        q, k = laid(lies, H, width, 1, dtype), laid(lies, 2, width, 2, dtype)
        wanted = turn(q, k, cos, sin, layout, start=start)  # pyright: ignore[reportArgumentType] (a layout)
        for other in LAID[:4]:
            out = laid(other, H, width, 3, dtype), laid(other, 2, width, 4, dtype)
            returned = turn(q, k, cos, sin, layout, start=start, out=out)  # pyright: ignore[reportArgumentType] (a layout)
            assert returned[0] is out[0]
            assert all(map(torch.equal, out, wanted)), (lies, other)
        if lies != "one row for all":
            turn(q, k, cos, sin, layout, start=start, out=(q, k))  # pyright: ignore[reportArgumentType] (a layout)
            assert all(map(torch.equal, (q, k), wanted)), lies


def test_what_lies_beside_the_heads_stays() -> None:
    packed = numbers(B, T, 3 * 64, dtype=torch.float32)
    q, k, v = (part.unflatten(-1, (H, 16)).transpose(1, 2) for part in packed.clone().chunk(3, dim=-1))
    cos, sin = table(POSITIONS["packed documents"], 8)
    wanted = turn(q, k, cos, sin)
    turn(q, k, cos, sin, out=(q, k))
    assert torch.equal(torch.stack((q, k)), torch.stack(wanted))
    assert torch.equal(v.transpose(1, 2).flatten(2), packed[..., 128:])


def test_numbers_at_the_edge_of_narrow_dtypes() -> None:
    """Overflow, infinities, what is not a number, the smallest numbers, and halves that round to even."""
    edge = [
        65504.0,
        -65504.0,
        1e-7,
        6e-8,
        -2e-45,
        0.0,
        -0.0,
        math.inf,
        math.nan,
        1.00390625,
        1.01171875,
        3e38,
    ]
    for dtype in (torch.bfloat16, torch.float16):
        q = torch.tensor(edge + edge[::-1]).to(dtype).repeat(4).expand(1, 2, 3, 96)
        angle = torch.tensor([[0.0, 0.7, 3.0]], dtype=torch.float64)[..., None].expand(1, 3, 48)
        got = turn(q, q, angle.cos(), angle.sin())[0]
        wanted = heads.readable(q, angle.cos().float(), angle.sin().float(), "half", 0)
        assert torch.equal(got.isnan(), wanted.isnan())
        assert torch.equal(got.nan_to_num(1.0), wanted.nan_to_num(1.0))


@every_layout
def test_what_is_no_number_on_a_gpu_is_none_here(layout: str) -> None:
    """All bits below the sign are set in CUDA's: rounding to bfloat16 must not carry into the sign."""
    q = torch.ones(1, 2, 1, 98, dtype=torch.bfloat16)  # vectors of all widths, and a pair
    cos = torch.full((1, 1, 49), 0x7FFFFFFF, dtype=torch.int32).view(torch.float32)
    assert all(x.isnan().all() for x in turn(q, q, cos, torch.ones_like(cos), layout))  # pyright: ignore[reportArgumentType] (a layout)


def at_a_line(like: Tensor) -> Tensor:
    """Memory for as much, where torch puts what is large: at a multiple of 64 bytes and of no more."""
    space = 512 // like.element_size()
    memory = like.new_empty(like.numel() + space)
    begin = (64 - memory.data_ptr()) % 512 // like.element_size()
    return memory[begin : begin + like.numel()].view(like.shape)


@every_layout
@every_dtype
def test_results_that_go_past_the_cache(
    dtype: torch.dtype, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies at multiples of a vector does, and what does not is written as usual."""
    ways: list[bool] = []
    if "cpu" in heads.INSTALLED:
        from clockhands.kernels import on_cpu, shares

        run = shares.Shared.run
        monkeypatch.setattr(on_cpu, "PAST_CACHE", 0)
        monkeypatch.setattr(
            shares.Shared, "run",
            lambda self, works, *how: (ways.extend(work.far for work in works), run(self, works, *how)),
        )  # fmt: skip
    for lies, (width, start, pairs) in itertools.product(LAID, PARTS.values()):
        q, k = laid(lies, H, width, 1, dtype), laid(lies, 2, width, 2, dtype)
        cos, sin = table(POSITIONS["packed documents"], pairs)
        counted = torch.promote_types(dtype, torch.float32)
        for x, got in zip((q, k), turn(q, k, cos, sin, layout, start=start), strict=True):  # pyright: ignore[reportArgumentType] (a layout)
            assert torch.equal(got, heads.readable(x, cos.to(counted), sin.to(counted), layout, start)), lies  # pyright: ignore[reportArgumentType] (a layout)
    q, k = numbers(B, H, T, 64, dtype=dtype), numbers(B, 2, T, 64, dtype=dtype)
    cos, sin = table(POSITIONS["packed documents"], 32)
    out = at_a_line(q), at_a_line(k)  # where torch puts small ones is a matter of chance
    turn(q, k, cos, sin, layout, out=out)  # pyright: ignore[reportArgumentType] (a layout)
    assert all(map(torch.equal, out, turn(q, k, cos, sin, layout)))  # pyright: ignore[reportArgumentType] (a layout)
    assert set(ways) == ({True, False} if "cpu" in heads.INSTALLED else set())
    if "cpu" in heads.INSTALLED:
        from clockhands.kernels.loops import LOOPS

        # LLVM may turn a store into another that does not: the instructions of x86 and of ARM that do.
        (code,) = LOOPS[str(dtype).removeprefix("torch."), layout].share.inspect_asm().values()
        assert re.search(r"movnt|stnp", code)


def test_nothing_to_turn() -> None:
    cos, sin = table(torch.zeros(1, 0), 2)
    q = torch.zeros(0, 4, 0, 8)
    assert turn(q, q[:, :1], cos, sin)[1].shape == (0, 1, 0, 8)
    cos, sin = table(torch.zeros(1, 3), 2)
    q = torch.ones(2, 4, 3, 8)
    assert torch.equal(turn(q, q[:, :0], cos, sin)[0], q)


def test_a_gradient_that_only_one_of_both_gets() -> None:
    q, k = numbers(B, H, T, 8).requires_grad_(), numbers(B, 2, T, 8).requires_grad_()
    cos, sin = table(POSITIONS["packed documents"], 4)
    for which in (0, 1):
        output = turn(q, k, cos, sin)[which]
        (gradient,) = torch.autograd.grad(output, ((q, k)[which],), torch.ones_like(output))
        close(gradient, exactly(torch.ones_like(output), cos, -sin, "half", 0))


def test_gradients_of_gradients() -> None:
    q, k = numbers(1, 2, 3, 6).requires_grad_(), numbers(1, 1, 3, 6).requires_grad_()
    cos, sin = table(torch.tensor([[0, 5, 2]]), 3)
    assert torch.autograd.gradgradcheck(lambda q, k: turn(q, k, cos, sin), (q, k))


def test_the_operators_keep_the_rules_of_torch() -> None:
    q, k = numbers(B, H, T, 16, dtype=torch.float32), numbers(B, 2, T, 16, dtype=torch.float32)
    cos, sin = (part.float() for part in table(POSITIONS["packed documents"], 4))
    given = (cos, sin, "interleaved", 2)
    torch.library.opcheck(turning.turned, (q.clone().requires_grad_(), k.clone().requires_grad_(), *given))
    torch.library.opcheck(turning.turn_into, (q, k, *given, torch.empty_like(q), torch.empty_like(k)))
    torch.library.opcheck(turning.turn_in_place, (q, k, *given))


def test_one_graph_under_compile() -> None:
    cos, sin = table(POSITIONS["far and in any order"], 8)

    def both(q: Tensor, k: Tensor) -> Tensor:
        turned_q, turned_k = turn(q * 2, k, cos, sin, "interleaved")
        return turned_q.sum() + turned_k.square().sum()

    given = [numbers(B, n, T, 16, dtype=torch.float32).requires_grad_() for n in (H, 2)]
    compiled: Any = torch.compile(both, fullgraph=True, backend="aot_eager")
    got, wanted = (torch.autograd.grad(run(*given), given) for run in (compiled, both))
    assert all(map(torch.equal, got, wanted))


@pytest.mark.parametrize(
    ("q", "how", "says"),
    [
        ((1, 2, 3, 8), {"start": 1}, "start 1 don't fit"),
        ((1, 2, 3, 6), {}, "don't fit"),
        ((1, 2, 4, 8), {}, "don't fit"),
        ((1, 2, 3, 8), {"layout": "pairs"}, "layout is"),
    ],
)
def test_what_does_not_fit_is_refused(q: tuple[int, ...], how: dict[str, Any], says: str) -> None:
    cos, sin = table(torch.arange(3)[None], 4)
    with pytest.raises(ClockhandsError, match=says):
        turn(torch.zeros(q), torch.zeros(1, 1, 3, 8), cos, sin, **how)


def test_written_results_have_no_gradient() -> None:
    q = torch.zeros(1, 2, 3, 8)
    cos, sin = table(torch.arange(3)[None], 4)
    with pytest.raises(ClockhandsError, match="leave out away"):
        turn(q, q.clone().requires_grad_(), cos, sin, out=(q, q.clone()))
    with pytest.raises(ClockhandsError, match="give tensors like q and k"):
        turn(q, q, cos, sin, out=(q.double(), q.clone()))
    with pytest.raises(ClockhandsError, match="begin at the same place"):
        turn(q, q, cos, sin, out=(q, q))
    q = torch.zeros(1, 2, 3, 8).expand(4, -1, -1, -1)
    with pytest.raises(ClockhandsError, match="several of its numbers lie in one place"):
        turn(q, q.clone(), cos, sin, out=(q, q.clone()))


# the comparison itself: a kernel with a fault must not pass ----------------------------------


def negated(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, *how: Any, **more: Any) -> tuple[Tensor, Tensor]:
    return turn(q, k, cos, -sin, *how, **more)


def other_layout(
    q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, layout: str, start: int
) -> tuple[Tensor, Tensor]:
    return turn(q, k, cos, sin, "half" if layout == "interleaved" else "interleaved", start=start)


def first_row_for_all(
    q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, *how: Any, **more: Any
) -> tuple[Tensor, Tensor]:
    return turn(q, k, cos[:1], sin[:1], *how, **more)


def keys_left(q: Tensor, k: Tensor, *how: Any, **more: Any) -> tuple[Tensor, Tensor]:
    return turn(q, k, *how, **more)[0], k.clone()


def slots_for_positions(
    q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, *how: Any, **more: Any
) -> tuple[Tensor, Tensor]:
    return turn(q, k, *table(POSITIONS["one row for all"], cos.shape[-1]), *how, **more)


def always_from_the_first(q: Tensor, k: Tensor, *how: Any, start: int) -> tuple[Tensor, Tensor]:
    return turn(q, k, *how, start=0)


class WrongWayBack(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, *how: Any) -> tuple[Tensor, Tensor]:  # pyright: ignore[reportIncompatibleMethodOverride] (torch's own has no names)
        ctx.how = how
        return turn(q, k, *how[:3], start=how[3])

    @staticmethod
    def backward(ctx: Any, *of: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride] (as above)
        return (*turn(*of, *ctx.how[:3], start=ctx.how[3]), None, None, None, None)


def gradient_turned_on(q: Tensor, k: Tensor, *how: Any, start: int) -> tuple[Tensor, Tensor]:
    return WrongWayBack.apply(q, k, *how, start)  # pyright: ignore[reportReturnType] (two tensors)


def rounded_on_the_way(
    q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, *how: Any, **more: Any
) -> tuple[Tensor, Tensor]:
    """cos and sin in the dtype of the heads, as some models have them."""
    return turn(q, k, cos.to(q.dtype), sin.to(q.dtype), *how, **more)


@pytest.mark.parametrize(
    "fault",
    [
        negated, other_layout, first_row_for_all, keys_left, slots_for_positions, always_from_the_first,
        gradient_turned_on, rounded_on_the_way,
    ],
    ids=lambda fault: fault.__name__,
)  # fmt: skip
def test_a_fault_is_found(fault: Turning) -> None:
    with pytest.raises((AssertionError, ClockhandsError)):
        compare(fault, torch.bfloat16, "half")


def test_the_kernel_is_what_computes_where_numba_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above would pass without it too."""
    if "cpu" not in INSTALLED:
        assert heads.kernel_for("cpu") is None
        return
    monkeypatch.setattr(heads, "INSTALLED", INSTALLED)
    from clockhands.kernels import on_cpu

    taken: list[int] = []
    whole = on_cpu.turn
    monkeypatch.setattr(on_cpu, "turn", lambda turns, *how: (taken.append(len(turns)), whole(turns, *how)))
    q = numbers(1, 2, 3, 8)
    turn(q, q, *table(torch.arange(3)[None], 4))
    assert taken == [2]
