"""The kernel in its place in attention: whose twin it is, and what a decode step asks for."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch._dynamo.testing import CompileCounter
from torch.utils._python_dispatch import TorchDispatchMode

from clockhands import positions as place
from clockhands.catalogue import describe
from clockhands.catalogue.description import Description
from clockhands.catalogue.rope import RoPE
from clockhands.core.attend import attend, enter
from clockhands.core.cache import Cache, LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.turners import Hooks
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.kernels import FusedRotation, Together, heads
from clockhands.models import Transformer
from clockhands.schemes import build
from clockhands.schemes.rotation import Rotation

ANY_DEVICE = frozenset({"cpu"})

ROTATIONS = [
    RoPE(head_dim=16),
    RoPE(head_dim=16, layout="interleaved"),
    RoPE(head_dim=16, partial_rotary_factor=0.5),
    RoPE(head_dim=16, partial_rotary_factor=0.25, rotary_part="last"),
    describe("yarn", head_dim=16),
    describe("llama3", head_dim=16),
    describe("mrope", head_dim=16),
    describe("axial-2d", head_dim=16),
]


@pytest.fixture(autouse=True)
def _as_if_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numba is missing the operator computes by the readable formula, and all must hold as well."""
    from clockhands.kernels import turners

    monkeypatch.setattr(turners, "INSTALLED", ANY_DEVICE)


def numbers(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("description", ROTATIONS, ids=[f"{d.card.id}-{n}" for n, d in enumerate(ROTATIONS)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention_is_the_same_with_the_kernel(description: Description, dtype: torch.dtype) -> None:
    encoding = build(description)
    documents = torch.tensor([[0] * 5 + [1] * 4, [0] * 9])
    positions = place.from_documents(documents) * 1000
    if encoding.axes is not None:
        positions = torch.stack([positions + axis for axis in range(encoding.axes)], dim=-1)
    _, (placed,) = enter([encoding], torch.zeros(2, 9, 64), positions)
    outputs, gradients = [], []
    for turner in (FusedRotation(least=0), Hooks()):
        q, k, v = (numbers(2, n, 9, 16, seed=n, dtype=dtype).requires_grad_() for n in (4, 2, 1))
        v = numbers(2, 2, 9, 16, seed=9, dtype=dtype)
        seen = Visibility(documents=documents)
        output = attend(placed, q, k, v, visibility=seen, turners=(turner,)).output
        outputs.append(output)
        gradients.append(torch.autograd.grad(output.float().square().sum(), (q, k)))
    assert torch.equal(*outputs)
    with torch.no_grad():
        together = attend(placed, q, k, v, visibility=seen, turners=(Together(),)).output
    assert torch.equal(together, outputs[0])
    for mine, wanted in zip(*gradients, strict=True):
        torch.testing.assert_close(
            mine, wanted, rtol=2 * torch.finfo(dtype).eps, atol=2e-6 if dtype == torch.float32 else 0.02
        )


def test_the_kernel_is_the_twin_of_one_class_exactly() -> None:
    class Another(Rotation):  # pyright: ignore[reportGeneralTypeIssues] (final, which nobody keeps to)
        pass

    fused, q = FusedRotation(), numbers(1, 8, 512, 64)
    for encoding, says in (
        (build(RoPE(head_dim=64)), ""),
        (Another(RoPE(head_dim=64)), "there is no kernel for rope"),
        (Encoding(), "there is no kernel for Encoding"),
    ):
        table = encoding.table(torch.arange(512)[None])
        refusal = fused.refusal(encoding, q, q, table)
        assert (refusal.en if refusal else "") == says


def test_what_the_kernel_leaves_to_the_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding, q = build(RoPE(head_dim=64)), numbers(1, 8, 512, 64)
    table: Any = encoding.table(torch.arange(512)[None])

    def says(q: Tensor = q, table: Any = table) -> str:
        refusal = FusedRotation().refusal(encoding, q, q, table)
        assert refusal is not None
        return refusal.en

    assert "fewer than 131072 numbers" in says(q[:, :1, :511])
    assert (
        says(table=tuple(part.clone().requires_grad_() for part in table)) == "a gradient goes to the angles"
    )
    assert says(q[..., :62]) == "heads are too narrow"
    assert says(q.to("meta")) == "there is no kernel for meta"
    from clockhands.kernels import turners

    monkeypatch.setattr(turners, "INSTALLED", frozenset())
    assert says() == "numba is not installed"


def test_what_turns_together() -> None:
    encoding, q = build(RoPE(head_dim=64)), numbers(1, 8, 1, 64)
    table = encoding.table(torch.arange(1)[None])

    def says(encoding: Encoding = encoding, q: Tensor = q) -> str:
        refusal = Together(most=1024).refusal(encoding, q, numbers(1, 8, 1, 64), table)
        return "" if refusal is None else refusal.en

    assert says() == "a gradient may be wanted"
    with torch.no_grad():
        assert says() == ""
        assert "more than 1024 numbers" in says(q=numbers(1, 9, 1, 64))
        assert "differently" in says(Encoding())
        assert "differently" in says(q=q[..., :62])


def test_attention_without_any_turner_that_fits_is_refused() -> None:
    _, (placed,) = enter([Encoding()], torch.zeros(1, 3, 8))
    q = numbers(1, 2, 3, 4)
    with pytest.raises(ClockhandsError, match=r"add Hooks\(\) to turners"):
        attend(placed, q, q, q, turners=(FusedRotation(),))


def test_a_model_takes_the_kernel_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    run = FusedRotation.run
    monkeypatch.setattr(
        FusedRotation, "run", lambda self, *given: (taken.append(given[1].shape[2]), run(self, *given))[1]
    )
    model = Transformer(50, dim=64, heads=4, layers=2, seed=0).eval()
    with torch.no_grad():
        tokens = torch.arange(2048).view(2, 1024) % 50
        fused = model(tokens).logits
        assert taken == [1024, 1024]
        monkeypatch.setattr(FusedRotation, "least", 10**9)
        monkeypatch.setattr(FusedRotation, "refusal", lambda *_: "not now")
        torch.testing.assert_close(fused, model(tokens).logits, rtol=0, atol=0)
        assert len(taken) == 2


# one token after many -----------------------------------------------------------------------


class Watched(TorchDispatchMode):
    """Notes what torch is asked to do: sizes of sines, and reading a number back from the device."""

    READS = ("_local_scalar_dense", "nonzero", "is_nonzero", "equal", "item", "_unique2", "masked_select")

    def __init__(self) -> None:
        super().__init__()
        self.sines: list[int] = []
        self.reads: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        if name in ("cos", "sin"):
            self.sines.append(args[0].numel())
        if name in self.READS:
            self.reads.append(name)
        return func(*args, **(kwargs or {}))


def qkv(length: int) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = (numbers(2, n, length, 16, seed=n) for n in (4, 2, 2))
    return q, k, v


def step(encoding: Encoding, cache: LayerCache, positions: Tensor, *given: Tensor) -> Tensor:
    _, (placed,) = enter([encoding], torch.zeros(2, positions.shape[1], 64), positions)
    return attend(placed, *given, cache=cache).output


@pytest.mark.parametrize("scheme", ["rope", "yarn", "llama3", "alibi", "t5", "kerple-log"])
def test_a_decode_step_makes_no_table_anew_and_reads_nothing_back(scheme: str) -> None:
    sizes: Any = {"head_dim": 16} if scheme in ("rope", "yarn", "llama3") else {"num_heads": 4}
    encoding, cache = build(describe(scheme, **sizes)), LayerCache()
    one = qkv(1)
    with torch.no_grad():
        step(encoding, cache, torch.arange(500).expand(2, -1), *qkv(500))
        with Watched() as watched:
            step(encoding, cache, torch.full((2, 1), 500), *one)
    assert sum(watched.sines) <= 2 * 2 * 8  # cos and sin, two rows, eight pairs
    assert watched.reads == []


def test_the_watch_sees_what_it_is_there_for() -> None:
    with Watched() as watched:
        torch.ones(3).cos()
        bool(torch.ones(1))
        torch.ones(3).nonzero()
    assert watched.sines == [3]
    assert watched.reads == ["_local_scalar_dense", "nonzero"]


def test_a_decode_step_is_compiled_for_all_lengths() -> None:
    """Once for a length, once more for lengths as such; then never again."""
    encoding, counter = build(RoPE(head_dim=16)), CompileCounter()

    compiled: Any = torch.compile(step, backend=counter, fullgraph=True)
    cache = LayerCache()
    with torch.no_grad():
        step(encoding, cache, torch.arange(9).expand(2, -1), *qkv(9))
        frames = []
        for slot in range(9, 17):
            compiled(encoding, cache, torch.full((2, 1), slot), *qkv(1))
            frames.append(counter.frame_count)
    assert frames[-1] <= 2
    assert frames[1] == frames[-1]


@pytest.mark.parametrize("scheme", ["rope", "alibi", "t5", "fox"])
def test_a_model_on_a_gpu_never_waits_for_it(scheme: str) -> None:
    """Tensors without numbers stand for those on a device: reading one of them raises."""
    with torch.device("meta"), torch.no_grad():
        model = Transformer(50, dim=64, heads=4, layers=2, encoding=scheme, seed=0).eval()
        cache = Cache(2)
        for length in (40, 1, 1):
            logits = model(torch.zeros(1, length, dtype=torch.int64), cache=cache).logits
    assert (logits.shape, logits.device.type, cache.length) == ((1, 1, 50), "meta", 42)
    with pytest.raises(RuntimeError, match="meta tensors"):
        bool(logits[0, 0, 0])


def test_a_model_decodes_with_the_angles_of_one_token() -> None:
    model = Transformer(50, dim=64, heads=4, layers=2, seed=0).eval()
    cache = Cache(2)
    with torch.no_grad():
        model(torch.arange(40).view(1, 40), cache=cache)
        with Watched() as watched:
            model(torch.tensor([[7]]), cache=cache)
    assert watched.sines == [8, 8]  # once for both layers


def test_heads_know_what_is_installed() -> None:
    assert set(heads.NEEDED) >= heads.INSTALLED
