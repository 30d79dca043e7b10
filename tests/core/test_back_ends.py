"""Which back end computes what, why not another, and that they agree."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from clockhands.core.attend import Placed, attend, enter, explain_back_end
from clockhands.core.back_ends import Call, Dense, Sdpa
from clockhands.core.bias import dense_bias, score_mod
from clockhands.core.cache import LayerCache, Tokens
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.flex import FlexAttention
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.schemes import make

FOX = {"fox": {"d_model": 64, "seed": 0}}
TRIED = FlexAttention(compiled=False, min_queries=0)


class Plain(Encoding):
    pass


class Slope(Encoding):
    """A fixed line for each head."""

    def __init__(self) -> None:
        super().__init__()
        self.fix("slopes", [0.5, 0.25, 0.125, 0.0625])

    def prepare(self, ctx: Context) -> Tensor:
        return self.slopes.to(ctx.dtype)  # pyright: ignore[reportCallIssue] (a tensor)

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return ctx.prepared[h] * (ctx.k_places[b, j] - ctx.q_places[b, i])


class Trained(Slope):
    """The same, but trained."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.ones(()))

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return self.factor * super().bias_at(ctx, b, h, i, j)


class WholeRows(Slope):
    def weigh(self, logits: Tensor, ctx: Context) -> Tensor:
        return logits.sigmoid() * ctx.mask


def call(
    encoding: Encoding, t: int = 8, dtype: torch.dtype = torch.float32, hk: int = 2
) -> tuple[Placed, Tensor, Tensor, Tensor]:
    _, (placed,) = enter([encoding], torch.zeros(2, t, 64))
    noise = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, n, t, 16, generator=noise, dtype=torch.float64).to(dtype) for n in (4, hk, hk))
    return placed, q, k, v


def padded(t: int = 8) -> Visibility:
    valid = torch.ones(2, t, dtype=torch.bool)
    valid[1, :3] = False
    return Visibility(valid=valid)


def why(name: str, *given: object, **how: object) -> str:
    """Why the back end of this name refuses; empty if it does not."""
    choice = explain_back_end(*given, back_ends=(TRIED, Sdpa(), Dense()), **how)  # pyright: ignore[reportArgumentType] (passed on)
    return dict(choice.refused)[name].en if name in dict(choice.refused) else ""


def test_the_choice_follows_from_the_hooks() -> None:
    with torch.no_grad():
        assert explain_back_end(*call(Plain())).taken == "sdpa"
        assert explain_back_end(*call(Slope())).taken == "sdpa"
        assert explain_back_end(*call(WholeRows())).taken == "dense"
        assert explain_back_end(*call(Plain()), want_weights=True).taken == "dense"
        assert explain_back_end(*call(Slope(), dtype=torch.bfloat16)).taken == "wide-bias"
        assert explain_back_end(*call(Slope(), 17, dtype=torch.bfloat16)).taken == "dense"
        assert explain_back_end(*call(WholeRows(), dtype=torch.bfloat16)).taken == "dense"
        assert explain_back_end(*call(Plain(), dtype=torch.bfloat16)).taken == "sdpa"


def test_a_step_that_is_trained_does_without_the_wide_bias() -> None:
    assert explain_back_end(*call(Slope(), dtype=torch.bfloat16)).taken == "dense"
    with torch.no_grad():
        assert explain_back_end(*call(Slope(), dtype=torch.bfloat16), dropout=0.1).taken == "dense"


class Simple(Encoding):
    """A bias that does not speak of every axis."""

    def __init__(self, axes: str) -> None:
        super().__init__()
        self.of = axes

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        found = torch.ones(()) if self.of == "none" else (j * 0.1)[0, 0, 0]
        return {"head": h * 0.5, "key": j * 0.1, "query": i * 0.3}.get(self.of, found)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("tokens", [1, 7])
@pytest.mark.parametrize("axes", ["none", "head", "key", "query", "last"])
@torch.no_grad()
def test_a_bias_may_speak_of_some_axes_only(axes: str, tokens: int, causal: bool) -> None:
    for kv_heads in (2, 4):
        given = call(Simple(axes), tokens, hk=kv_heads)
        seen = Visibility(causal=causal)
        fused, dense = (attend(*given, visibility=seen, back_ends=(one,)).output for one in (Sdpa(), Dense()))
        torch.testing.assert_close(fused, dense, rtol=1e-5, atol=1e-6)


def test_reasons_name_what_is_in_the_way() -> None:
    assert why("flex", *call(WholeRows())) == why("sdpa", *call(WholeRows()))
    assert "whole rows (weigh)" in why("sdpa", *call(WholeRows()))
    assert "weights are wanted" in why("flex", *call(Slope()), want_weights=True)
    assert "no bias or mask" in why("flex", *call(Plain()))
    assert "rounded to torch.bfloat16" in why("sdpa", *call(Slope(), dtype=torch.bfloat16), dropout=0.5)
    assert "drops no weights" in why("flex", *call(Slope()), dropout=0.5)


def test_flex_on_a_cpu_runs_forward_only() -> None:
    placed, q, k, v = call(Slope())
    assert why("flex", placed, q, k, v) == ""
    q.requires_grad_()
    assert "forward only" in why("flex", placed, q, k, v)
    with torch.no_grad():
        assert why("flex", placed, q, k, v) == ""
    assert "forward only" in why("flex", *call(Trained()))


def test_flex_is_worth_it_only_for_many_queries() -> None:
    with torch.no_grad():
        refused = dict(explain_back_end(*call(Slope(), t=8)).refused)
        assert refused["flex"].en.startswith("8 queries are fewer than 2048")
        flex = FlexAttention(compiled=False, min_queries=8)
        assert explain_back_end(*call(Slope(), t=8), back_ends=(flex, Dense())).taken == "flex"
        assert explain_back_end(*call(Slope(), t=7), back_ends=(flex, Dense())).taken == "dense"


def test_a_compiled_flex_needs_a_compiler_and_no_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = (FlexAttention(min_queries=0, on_cpu=True), Dense())
    with torch.no_grad():
        exact = call(Slope(), dtype=torch.float64)
        assert "has no float64" in explain_back_end(*exact, back_ends=compiled).sentence.en
        monkeypatch.setattr(shutil, "which", lambda name: None)
        assert "C++ compiler, and none" in explain_back_end(*call(Slope()), back_ends=compiled).sentence.en
        monkeypatch.setattr(shutil, "which", lambda name: name if name == "clang++" else None)
        assert explain_back_end(*call(Slope()), back_ends=compiled).taken == "flex"


def test_flex_is_not_compiled_on_a_cpu_unless_asked() -> None:
    with torch.no_grad():
        choice = explain_back_end(*call(Slope()), back_ends=(FlexAttention(min_queries=0), Dense()))
    assert choice.sentence.en == "dense; not flex: on a CPU it takes long to compile"


def test_flex_on_other_devices() -> None:
    """Stand-ins for tensors on devices that this machine may not have."""

    def reason(device: str, head_dim: int = 16, training: bool = False) -> str:
        placed, q, k, v = call(Slope())
        there = SimpleNamespace(
            device=SimpleNamespace(type=device),
            shape=(*q.shape[:-1], head_dim),
            dtype=q.dtype,
            requires_grad=training,
        )
        ctx = Context(
            q_places=placed.places, k_places=placed.places, visibility=Visibility(), memory=None, scale=1.0,
            num_heads=4, num_kv_heads=2, dtype=q.dtype,
        )  # fmt: skip
        given = Call(Slope(), there, k, v, ctx)  # pyright: ignore[reportArgumentType] (a stand-in)
        refusal = FlexAttention(min_queries=0).refusal(given)
        return "" if refusal is None else refusal.en

    assert reason("cuda") == ""
    assert reason("cuda", training=True) == ""
    assert "head_dim 16 or more, and it is 15" in reason("cuda", head_dim=15)
    assert reason("xpu", head_dim=15) == ""
    assert reason("mps") == "FlexAttention does not run on mps"


@pytest.mark.parametrize("t", [1, 2, 8])
@pytest.mark.parametrize("causal", [True, False])
def test_sdpa_makes_no_mask_that_its_kernels_have_built_in(
    causal: bool, t: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, visibility = call(Plain(), t=t), Visibility(causal=causal)
    wanted = attend(*given, visibility=visibility, back_ends=(Dense(),)).output
    monkeypatch.setattr(Visibility, "mask", None)
    got = attend(*given, visibility=visibility, back_ends=(Sdpa(),)).output
    torch.testing.assert_close(got, wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize("encoding", [Plain(), Slope()], ids=lambda encoding: encoding.id)
@pytest.mark.parametrize("hk", [1, 2, 4])
@pytest.mark.parametrize("padding", [False, True])
def test_one_query_repeats_no_keys(encoding: Encoding, hk: int, padding: bool) -> None:
    """Heads that share keys are taken as queries of one head: the dense path knows nothing of it."""
    placed, q, k, v = call(encoding, dtype=torch.float64, hk=hk)
    valid = padded().valid if padding else None
    outputs = []
    for back_end in (Sdpa(), Dense()):
        marks = None if valid is None else valid[:, :7]
        cache = LayerCache(Tokens(k[:, :, :7], v[:, :, :7], placed.places[:, :7], valid=marks))
        last = Placed(encoding, placed.places[:, 7:], None)
        seen = Visibility(valid=None if valid is None else valid[:, 7:])
        given = (q[:, :, 7:], k[:, :, 7:], v[:, :, 7:])
        outputs.append(attend(last, *given, visibility=seen, cache=cache, back_ends=(back_end,)).output)
    assert outputs[0].shape == (2, 4, 1, 16)
    torch.testing.assert_close(*outputs, rtol=0, atol=1e-12)


def test_flex_reads_masks_without_a_bias() -> None:
    packed = Visibility(documents=torch.arange(8).expand(2, 8) // 3)
    for visibility in (padded(), packed, Visibility(window=2)):
        assert why("flex", *call(Plain()), visibility=visibility) == ""


@pytest.mark.parametrize("encoding", [Plain(), Slope()], ids=lambda encoding: encoding.id)
@pytest.mark.parametrize("hk", [1, 4])
def test_flex_agrees_with_dense(encoding: Encoding, hk: int) -> None:
    given = call(encoding, hk=hk)
    visibility = padded() if hk == 1 else Visibility(causal=False, window=3)
    flex = attend(*given, visibility=visibility, back_ends=(TRIED,)).output
    dense = attend(*given, visibility=visibility, back_ends=(Dense(),)).output
    torch.testing.assert_close(flex, dense, rtol=0, atol=1e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, while it compiles
def test_compiled_flex_agrees_with_dense_or_says_why_not() -> None:
    compiled = (FlexAttention(min_queries=0, on_cpu=True), Dense())
    given, visibility = call(Slope(), t=32), padded(32)
    has_compiler = any(map(shutil.which, ("g++", "clang++", "cl")))
    with torch.no_grad():
        choice = explain_back_end(*given, visibility=visibility, back_ends=compiled)
        assert choice.taken == ("flex" if has_compiler else "dense")
        got = attend(*given, visibility=visibility, back_ends=compiled).output
    dense = attend(*given, visibility=visibility, back_ends=(Dense(),)).output
    torch.testing.assert_close(got, dense, rtol=0, atol=1e-6)


@pytest.mark.parametrize("encoding", [Plain(), Slope(), Trained()], ids=lambda encoding: encoding.id)
def test_sdpa_and_dense_agree_on_gradients(encoding: Encoding) -> None:
    gradients = []
    for back_end in (Sdpa(), Dense()):
        placed, *qkv = call(encoding, dtype=torch.float64)
        leaves = [part.requires_grad_() for part in qkv] + list(encoding.parameters())
        output = attend(placed, *qkv, visibility=padded(), back_ends=(back_end,)).output
        gradients.append(torch.autograd.grad(output.square().sum(), leaves))
    for mine, wanted in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, wanted, rtol=1e-5, atol=1e-9)


def test_a_bias_may_turn_out_to_be_none() -> None:
    class Undecided(Slope):
        def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> None:
            return None

    for back_end in (Dense(), Sdpa(), TRIED):
        got = attend(*call(Undecided()), back_ends=(back_end,)).output
        torch.testing.assert_close(got, attend(*call(Plain())).output, rtol=0, atol=1e-6)


def test_both_forms_of_a_bias_are_the_same_numbers() -> None:
    places = torch.tensor([[0, 3, 4], [7, 8, 20]])
    ctx = Context(
        q_places=places[:, 1:], k_places=places, visibility=Visibility(), memory=None, scale=1.0,
        num_heads=4, num_kv_heads=2, dtype=torch.float32,
    )  # fmt: skip
    encoding = Slope()
    ctx = Context(**{**vars(ctx), "prepared": encoding.prepare(ctx)})
    dense, scalar = dense_bias(encoding, ctx), score_mod(encoding, ctx)
    assert dense is not None
    assert scalar is not None
    assert dense.dtype == torch.float32
    assert dense[1, 0, 1, 0].item() == 0.5 * (7 - 20)
    for b, h, i, j in ((0, 0, 0, 0), (1, 0, 1, 0), (1, 3, 0, 2)):
        index = [torch.tensor(number) for number in (b, h, i, j)]
        assert scalar(torch.tensor(2.0), *index) == 2 + dense[b, h, i, j]
    assert dense_bias(Plain(), ctx) is None
    assert score_mod(Plain(), ctx) is None


class Refusing:
    """Notes how often it is asked."""

    name = "refusing"

    def __init__(self) -> None:
        self.asked = 0

    def refusal(self, call: Call) -> Text | None:
        self.asked += 1
        return Text(f"asked {self.asked} times", f"问了 {self.asked} 次")

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        raise AssertionError("it refused")


def test_a_back_end_is_asked_once_a_call_and_both_doors_give_its_answer() -> None:
    _, (plain,) = enter([Encoding()], torch.zeros(1, 3, 8))
    q = torch.ones(1, 2, 3, 4)
    with pytest.raises(ClockhandsError, match=r"\(refusing: asked 1 times\)"):
        attend(plain, q, q, q, back_ends=(Refusing(),))
    choice = explain_back_end(plain, q, q, q, back_ends=(Refusing(), Dense()))
    assert (choice.taken, choice.refused[0][1].en) == ("dense", "asked 1 times")
    assert attend(plain, q, q, q, back_ends=(Refusing(), Dense())).output.shape == q.shape


def bias_and_rows(encoding: Encoding, positions: Tensor | None, rows: int = 3) -> tuple[Tensor, int]:
    """Output ``(rows, 4, 8, 16)`` of SDPA, whose gradients are taken, and the rows of its bias."""
    seen: list[int] = []

    class Counting(Sdpa):
        def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
            bias = dense_bias(call.encoding, call.ctx)
            seen.append(0 if bias is None else len(bias))
            return super().run(call)

    x, (placed,) = enter([encoding], torch.zeros(rows, 8, 64), positions)
    noise = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(rows, 4, 8, 16, generator=noise) for _ in range(3))
    output = attend(placed, q, k, v, x=x, back_ends=(Counting(),)).output
    output.square().sum().backward()
    return output, seen[0]


@pytest.mark.parametrize("scheme", ["t5", "kerple-log", "fire", "own"])
def test_a_bias_of_equal_places_is_computed_for_one_row(scheme: str) -> None:
    made = [Trained() if scheme == "own" else make(scheme, num_heads=4) for _ in range(2)]
    once, rows = bias_and_rows(made[0], None)
    each, all_rows = bias_and_rows(made[1], torch.arange(8).expand(3, 8))
    assert (rows, all_rows) == (1, 3)
    torch.testing.assert_close(once, each)
    for one, other in zip(made[0].parameters(), made[1].parameters(), strict=True):
        assert one.grad is not None
        assert one.grad.abs().sum() > 0
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-6)


def test_rows_that_are_marked_or_cached_have_a_bias_each() -> None:
    placed, q, k, v = call(Slope())
    x, ctxs = torch.zeros(2, 8, 64), list[Context]()

    class Noting(Dense):
        def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
            ctxs.append(call.ctx)
            return super().run(call)

    for how in ({}, {"visibility": padded()}, {"cache": LayerCache()}):
        attend(placed, q, k, v, x=x, back_ends=(Noting(),), **how)  # pyright: ignore[reportArgumentType] (passed on)
    assert [ctx.batch for ctx in ctxs] == [1, 2, 2]


def test_one_row_of_bias_compiles_to_one_graph() -> None:
    placed, q, k, v = call(Trained())
    compiled = torch.compile(attend, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(placed, q, k, v).output, attend(placed, q, k, v).output)
