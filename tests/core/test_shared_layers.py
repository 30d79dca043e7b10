"""What layers of one forward share, and what they must not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from clockhands.catalogue.rope import RoPE
from clockhands.core.attend import Placed, attend, enter
from clockhands.core.back_ends import Dense, Sdpa
from clockhands.core.bias import Biased, dense_bias
from clockhands.core.blocked import Blocked
from clockhands.core.cache import LayerCache, Tokens
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.once import Once
from clockhands.core.visibility import CAUSAL, Visibility
from clockhands.kernels import TURNERS, turners
from clockhands.models import Transformer
from clockhands.schemes import build
from clockhands.schemes.alibi import LinearBias
from tests.core.sharing import Annotated, Counted, Flat, Trained, asked, entered, heads


@pytest.mark.parametrize("visibility", [CAUSAL, Visibility(causal=False), Visibility(window=3)])
def test_layers_ask_once_for_a_bias_by_places(visibility: Visibility) -> None:
    encoding = Counted()
    assert asked(encoding, entered(encoding), visibility=visibility) == 1
    assert asked(encoding, entered(encoding), visibility=visibility) == 1  # and anew in the next forward


def test_each_asks_where_numbers_are_trained() -> None:
    """They may change between two layers that share what ``enter`` returned."""
    encoding = Trained()
    layers = entered(encoding)
    assert asked(encoding, layers) == 3
    with torch.no_grad():
        assert asked(encoding, layers) == 3
        encoding.factor.data.mul_(2)
        assert asked(encoding, layers) == 3


def test_each_asks_where_a_gradient_goes_through_the_bias() -> None:
    class Plain(Counted):
        """Trained by somebody else: torch knows of no parameter."""

        factor = torch.ones((), requires_grad=True)

        def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None:
            bias = super().bias_at(ctx, b, h, i, j)
            return None if bias is None else self.factor * bias

    encoding = Plain()
    assert asked(encoding, entered(encoding)) == 3


def test_a_layer_that_trains_has_its_gradient_whatever_those_before_it_did() -> None:
    """The lower layers of a model are often frozen by computing them without a gradient."""

    class Plain(Counted):
        factor = torch.ones((), requires_grad=True)

        def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None:
            bias = super().bias_at(ctx, b, h, i, j)
            return None if bias is None else self.factor * bias

    frozen, trained = entered(Plain(), layers=2)
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    with torch.no_grad():
        attend(frozen, q, k, v)
    attend(trained, q, k, v).output.square().sum().backward()
    assert Plain.factor.grad is not None


@pytest.mark.parametrize("visibility", [CAUSAL, Visibility(window=3)])
@pytest.mark.parametrize("encoding", [Encoding, Counted])
def test_what_inference_mode_made_is_not_for_layers_that_train(
    encoding: Callable[[], Encoding], visibility: Visibility
) -> None:
    """Autograd refuses to save it."""
    (placed,) = entered(encoding(), layers=1)
    q, k, v = (heads(2, 4, 9, 8, seed=n).requires_grad_() for n in range(3))
    with torch.inference_mode():
        attend(placed, q, k, v, visibility=visibility)
    attend(placed, q, k, v, visibility=visibility).output.sum().backward()
    assert q.grad is not None


def test_what_autocast_rounds_is_not_for_layers_without_it() -> None:
    class Multiplied(Counted):
        def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor | None:
            bias = super().bias_at(ctx, b, h, i, j)
            assert bias is not None
            return bias @ torch.eye(9) * 1.001

    (placed,) = entered(Multiplied(), layers=1)
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    seen = Visibility(causal=False)
    with torch.no_grad():
        wanted = attend(replace(placed, once=None), q, k, v, visibility=seen).output
        with torch.autocast("cpu", dtype=torch.bfloat16):
            attend(placed, q, k, v, visibility=seen)
        assert torch.equal(attend(placed, q, k, v, visibility=seen).output, wanted)


@pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")  # torch has no batched kernel
def test_positions_may_differ_in_each_call_of_a_vmap() -> None:
    encoding = Counted()
    q, k, v = (heads(1, 4, 5, 8, seed=n) for n in range(3))
    positions = torch.tensor([[0, 1, 2, 3, 4], [0, 2, 4, 6, 8], [0, 1, 2, 3, 4]])

    def outputs(positions: Tensor) -> Tensor:
        _, layers = enter([encoding] * 2, torch.zeros(1, 5, 8), positions[None])
        return sum((attend(one, q, k, v).output for one in layers), torch.zeros(()))

    with torch.no_grad():
        wanted = torch.stack([outputs(row) for row in positions])
        torch.testing.assert_close(torch.vmap(outputs)(positions), wanted)


def test_each_asks_where_the_bias_knows_hidden_states() -> None:
    encoding = Annotated()
    layers = entered(encoding, layers=1)
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    for seed in (5, 6):
        x = heads(2, 9, 8, seed=seed)
        output = attend(layers[0], q, k, v, x=x).output
        torch.testing.assert_close(output, attend(layers[0], q, k, v, x=x, back_ends=(Dense(),)).output)


def test_layers_with_encodings_of_their_own_share_nothing() -> None:
    """Even if they had one ``Once``."""
    steep, flat = Counted(), Flat()
    first, second = enter([steep, flat], torch.zeros(2, 9, 8))[1]
    assert first.once is not second.once
    layers = [replace(one, once=first.once) for one in (first, second, first)]
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    for one in layers:
        alone = attend(replace(one, once=None), q, k, v).output
        assert torch.equal(attend(one, q, k, v).output, alone)


CHANGES: dict[str, Callable[[Placed], tuple[Placed, dict[str, Any]]]] = {
    "nothing": lambda placed: (placed, {}),
    "places": lambda placed: (replace(placed, places=placed.places * 3), {}),
    "places of one token": lambda placed: (
        replace(placed, places=placed.places + (torch.arange(9) == 8)),
        {},
    ),
    "places that differ in the rows": lambda placed: (
        replace(placed, places=placed.places * torch.tensor([[1], [2]]), alike=False),
        {},
    ),
    "a window": lambda placed: (placed, {"visibility": Visibility(window=3)}),
    "later tokens": lambda placed: (placed, {"visibility": Visibility(causal=False)}),
    "padding": lambda placed: (placed, {"visibility": Visibility(valid=torch.arange(9).expand(2, 9) > 2)}),
    "documents": lambda placed: (
        placed,
        {"visibility": Visibility(documents=torch.arange(9).expand(2, 9) // 4)},
    ),
    "an encoding": lambda placed: (replace(placed, encoding=Flat()), {}),
    "a scale": lambda placed: (placed, {"scale": 3.0}),
}


@pytest.mark.parametrize("first", CHANGES)
@pytest.mark.parametrize("then", CHANGES)
def test_what_another_layer_made_serves_only_the_same(first: str, then: str) -> None:
    """Two calls with one ``Once``: the second is as if the first had not been."""
    (placed,) = entered(Counted(), layers=1)
    assert placed.once is not None
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    with torch.no_grad():
        for change in (first, then):
            changed, how = CHANGES[change](placed)
            alone = attend(replace(changed, once=None), q, k, v, **how).output
            assert torch.equal(attend(changed, q, k, v, **how).output, alone)


SEEN = [
    Visibility(window=3),
    Visibility(window=3, causal=False),
    Visibility(window=4, causal=False),
    CAUSAL,
    Visibility(causal=False),
]


@pytest.mark.parametrize("encoding", [Encoding, Counted])
def test_a_mask_serves_only_the_same_rules_and_slots(encoding: Callable[[], Encoding]) -> None:
    (placed,) = entered(encoding(), layers=1)
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    calls = [(seen, begin, end) for seen in SEEN for begin, end in ((0, 9), (5, 9), (4, 8), (0, 9))]
    with torch.no_grad():
        for seen, begin, end in calls + calls[::-1]:
            earlier, part = slice(0, begin), slice(begin, end)
            before = Tokens(k[:, :, earlier], v[:, :, earlier], placed.places[:, earlier])
            of_part = replace(placed, places=placed.places[:, part])
            found, wanted = (
                attend(
                    one, q[:, :, part], k[:, :, part], v[:, :, part], visibility=seen,
                    cache=LayerCache(before) if begin else None,
                ).output
                for one in (of_part, replace(of_part, once=None))
            )  # fmt: skip
            assert torch.equal(found, wanted)


def test_blocks_of_a_long_call_are_kept_for_nobody() -> None:
    """Keeping the last one would hold its memory, and no other block is like it."""
    (placed,) = entered(Counted(), layers=1)
    assert placed.once is not None
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    with torch.no_grad():
        attend(placed, q, k, v, back_ends=(Blocked(Sdpa(), cells=64, least=0),))
    assert (placed.once._bias, placed.once._made) == (None, {})


def test_a_traced_mask_is_not_kept() -> None:
    (placed,) = entered(Encoding(), layers=1)
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))

    def some(q: Tensor) -> Tensor:
        return attend(placed, q, k, v, visibility=Visibility(window=3)).output

    with torch.no_grad():
        torch.compile(some, backend="eager", fullgraph=True)(q)
    assert placed.once is not None
    assert not placed.once._made


def test_a_compiled_graph_keeps_nothing() -> None:
    """What is kept while a graph is traced would be a number of that graph."""
    encoding = Counted()
    (placed,) = entered(encoding, layers=1)
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))

    def both(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return attend(placed, q, k, v).output + attend(placed, q, k, v).output

    with torch.no_grad():
        wanted = 2 * attend(replace(placed, once=None), q, k, v).output
        for kept in (False, True):
            if kept:
                attend(placed, q, k, v)
            torch.compiler.reset()
            before = encoding.asked
            traced: Any = torch.compile(both, backend="eager", fullgraph=True)
            torch.testing.assert_close(traced(q, k, v), wanted)
            assert encoding.asked == before + 2
            if not kept:
                attend(placed, q, k, v)
                assert encoding.asked == before + 3


def test_a_mask_with_a_gradient_is_not_kept() -> None:
    """Its graph would stay as long as what ``enter`` returned."""
    (placed,) = entered(Trained(), layers=1)
    assert placed.once is not None
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    attend(placed, q, k, v)
    assert not placed.once._made


def test_padded_decoding_asks_once_a_token() -> None:
    encoding, layers = Counted(), 3
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    valid = torch.arange(9) >= torch.tensor([[0], [3]])
    _, whole = enter([encoding], torch.zeros(2, 9, 8))
    with torch.no_grad():
        wanted = attend(whole[0], q, k, v, visibility=Visibility(valid=valid)).output
        caches = [LayerCache() for _ in range(layers)]
        for begin, end in ((0, 5), (5, 6), (6, 7), (7, 9)):
            before, part = encoding.asked, slice(begin, end)
            positions = torch.arange(begin, end)[None]
            _, placed = enter([encoding] * layers, torch.zeros(2, end - begin, 8), positions)
            for one, cache in zip(placed, caches, strict=True):
                made = attend(
                    one, q[:, :, part], k[:, :, part], v[:, :, part], cache=cache,
                    visibility=Visibility(valid=valid[:, part]),
                ).output  # fmt: skip
                torch.testing.assert_close(made, wanted[:, :, part])
            assert encoding.asked == before + 1


def test_layers_turn_by_one_table_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    wide = turners._wide

    def counted(table: tuple[Tensor, ...], dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        made.append(dtype)
        return wide(table, dtype)

    monkeypatch.setattr(turners, "_wide", counted)
    q, k, v = (heads(2, 4, 9, 8, seed=n) for n in range(3))
    layers = entered(build(RoPE(head_dim=8)))
    with torch.no_grad():
        for dtype in (torch.float32, torch.float64):
            for one in layers:
                given = (part.to(dtype) for part in (q, k, v))
                attend(one, *given, turners=(turners.Together(),))
    assert made == [torch.float32, torch.float64]


@pytest.mark.parametrize("scheme", ["rope", "a bias"])
def test_decoding_asks_once_a_token_and_gives_what_one_pass_gives(scheme: str) -> None:
    """Each layer has a cache of its own, whose places lie elsewhere in memory."""
    encoding = build(RoPE(head_dim=8)) if scheme == "rope" else Counted()
    layers, length = 3, 7
    q, k, v = ([heads(2, 4, length, 8, seed=10 * n + m) for m in range(layers)] for n in range(3))
    with torch.no_grad():
        _, whole = enter([encoding] * layers, torch.zeros(2, length, 8))
        wanted = [attend(one, *each).output for one, *each in zip(whole, q, k, v, strict=True)]
        caches = [LayerCache() for _ in range(layers)]
        for slot in range(length):
            before = encoding.asked if isinstance(encoding, Counted) else 0
            _, placed = enter([encoding] * layers, torch.zeros(2, 1, 8), torch.tensor([[slot]]))
            for one, cache, output, *each in zip(placed, caches, wanted, q, k, v, strict=True):
                token = [part[:, :, slot : slot + 1] for part in each]
                made = attend(one, *token, cache=cache, turners=TURNERS).output
                torch.testing.assert_close(made, output[:, :, slot : slot + 1])
            if isinstance(encoding, Counted):
                assert encoding.asked == before + 1


def test_a_model_trains_to_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bias that all layers share leaves outputs and gradients as they are, bit by bit."""

    def gradients() -> list[Tensor]:
        model = Transformer(9, dim=16, heads=2, layers=3, encoding="alibi", seed=0)
        model(torch.arange(8).view(2, 4)).logits.square().sum().backward()
        return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]

    def anew(_: Once, encoding: Biased, ctx: Context) -> Tensor | None:
        return dense_bias(encoding, ctx)

    asked: list[int] = []
    bias_at = LinearBias.bias_at

    def counted(*given: Any) -> Tensor:
        asked.append(1)
        return bias_at(*given)

    monkeypatch.setattr(LinearBias, "bias_at", counted)
    shared = gradients()
    assert len(asked) == 1
    monkeypatch.setattr(Once, "bias", anew)
    assert all(map(torch.equal, gradients(), shared))
    assert len(asked) == 4
