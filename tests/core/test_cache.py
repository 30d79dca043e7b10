"""What a cache holds."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from clockhands.core.attend import attend, enter
from clockhands.core.cache import Cache, LayerCache, Tokens
from clockhands.core.encoding import Encoding, Table


class Doubling(Encoding):
    """Queries and keys are multiplied by their positions."""

    def table(self, places: Tensor) -> Table:
        return places

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return q * table[:, None, :, None]

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return k * table[:, None, :, None]


def tokens(first: int, count: int, **marks: torch.Tensor) -> Tokens:
    places = torch.arange(first, first + count).expand(2, count)
    heads = places[:, None, :, None].expand(2, 1, count, 3).float()
    return Tokens(k=heads, v=-heads, places=places, **marks)


def test_tokens_follow_each_other_along_time() -> None:
    joined = tokens(0, 2, memory=torch.zeros(2, 2, 5)).then(tokens(2, 3, memory=torch.ones(2, 3, 5)))
    assert joined.length == 5
    assert joined.places.tolist() == [[0, 1, 2, 3, 4]] * 2
    assert joined.k.shape == joined.v.shape == (2, 1, 5, 3)
    assert joined.k[0, 0, :, 0].tolist() == [0, 1, 2, 3, 4]
    assert joined.v[0, 0, :, 0].tolist() == [0, -1, -2, -3, -4]
    assert joined.memory is not None
    assert joined.memory[1, :, 0].tolist() == [0, 0, 1, 1, 1]
    assert joined.valid is None
    assert joined.documents is None
    assert tokens(0, 1).then(tokens(1, 1)).memory is None


def test_marks_that_only_some_tokens_have_are_filled_in() -> None:
    padded = torch.tensor([[False, True], [True, True]])
    after = tokens(0, 2, valid=padded).then(tokens(2, 1))
    before = tokens(0, 1).then(tokens(1, 2, valid=padded))
    assert after.valid is not None
    assert after.valid.tolist() == [[False, True, True], [True, True, True]]
    assert before.valid is not None
    assert before.valid.tolist() == [[True, False, True], [True, True, True]]
    numbered = tokens(0, 1).then(tokens(1, 2, documents=torch.tensor([[5, 6], [0, 1]]))).documents
    assert numbered is not None
    assert numbered.tolist() == [[0, 5, 6], [0, 0, 1]]
    assert numbered.dtype == torch.int64


def test_a_layer_that_is_only_asked_does_not_change() -> None:
    cache = LayerCache()
    assert cache.extended(tokens(0, 2)).length == 2
    assert cache.length == 0
    cache.tokens = tokens(0, 2)
    assert cache.extended(tokens(2, 3)).length == 5
    assert cache.length == 2


def test_a_cache_has_one_memory_a_layer() -> None:
    cache = Cache(num_layers=2)
    cache[0].tokens = tokens(0, 4)
    assert len(cache.layers) == 2
    assert cache.length == cache[0].length == 4
    assert cache[1].length == 0


def test_a_cache_may_hold_keys_as_they_were_made() -> None:
    """Somebody else's cache knows nothing of turning: all its keys are turned in each call."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 2, 6, 3, generator=generator) for _ in range(3))
    positions = torch.tensor([[0, 1, 4, 5, 6, 9]])
    encoding = Doubling()
    _, (all_of_them,) = enter([encoding], torch.zeros(2, 6, 1), positions)
    _, (last,) = enter([encoding], torch.zeros(2, 2, 1), positions[:, 4:])
    earlier = Tokens(k=k[:, :, :4], v=v[:, :, :4], places=positions[:, :4].expand(2, 4))
    cache = LayerCache(earlier, turned=False)
    made = attend(last, q[:, :, 4:], k[:, :, 4:], v[:, :, 4:], cache=cache).output
    torch.testing.assert_close(made, attend(all_of_them, q, k, v).output[:, :, 4:])
    assert cache.tokens is not None
    assert torch.equal(cache.tokens.k, k)


# memory with room behind the tokens ---------------------------------------------------------


class Moved(TorchDispatchMode):
    """Counts the numbers that are joined or copied."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__ in ("cat", "copy_"):
            self.numbers += result.numel()
        return result


def grow(cache: LayerCache, new: Tokens) -> None:
    cache.tokens = cache.grown(new)


def same(one: Tokens | None, other: Tokens | None) -> None:
    assert one is not None
    assert other is not None
    for name, part in vars(one).items():
        wanted = vars(other)[name]
        assert (part is None) == (wanted is None), name
        assert part is None or (part.dtype == wanted.dtype and torch.equal(part, wanted)), name


def test_tokens_that_follow_one_by_one_are_not_moved_again() -> None:
    moved = []
    for wanted in (LayerCache(), LayerCache(length_to_come=400)):
        grow(wanted, tokens(0, 100))
        with torch.no_grad(), Moved() as seen:
            for n in range(100, 400):
                grow(wanted, tokens(n, 1))
        moved.append(seen.numbers)
        same(wanted.tokens, tokens(0, 400))
    a_token = 2 * (3 + 3 + 1)  # two rows of k, v and a place
    assert moved[1] == 400 * a_token  # all once
    assert moved[0] < 3 * 400 * a_token  # joined anew it would be 75,000
    with Moved() as seen:
        tokens(0, 399).then(tokens(399, 1))
    assert seen.numbers == 400 * a_token


def test_marks_that_come_late_or_stay_away_are_those_of_joined_tokens() -> None:
    marked = {
        "memory": torch.zeros(2, 2, 5), "valid": torch.tensor([[False, True], [True, True]]),
        "documents": torch.tensor([[5, 6], [0, 1]]),
    }  # fmt: skip
    plain = {"memory": torch.ones(2, 2, 5)}
    for parts in ([marked, plain, plain, marked], [plain, plain, marked, plain], [plain, {}, plain]):
        joined: Tokens | None = None
        cache = LayerCache()
        with torch.no_grad():
            for n, marks in enumerate(parts):
                new = tokens(2 * n, 2, **marks)
                grow(cache, new)
                joined = new if joined is None else joined.then(new)
        same(cache.tokens, joined)


def test_who_holds_earlier_tokens_keeps_them() -> None:
    with torch.no_grad():
        cache = LayerCache(tokens(0, 4))
        grow(cache, tokens(4, 1))
        held = cache.tokens
        branches = copy.copy(cache), copy.deepcopy(cache), LayerCache(held)
        grow(cache, tokens(5, 1))
        for n, branch in enumerate(branches):
            grow(branch, tokens(100 + n, 1))
        cache.tokens = held  # back by one token
        grow(cache, tokens(200, 2))
    same(held, tokens(0, 5))
    for branch, last in zip((*branches, cache), ([100], [101], [102], [200, 201]), strict=True):
        assert branch.tokens is not None
        assert branch.tokens.places[0].tolist() == [0, 1, 2, 3, 4, *last]


def test_a_gradient_through_earlier_tokens_is_not_spoilt() -> None:
    cache = LayerCache(tokens(0, 4))
    with torch.no_grad():
        grow(cache, tokens(4, 1))
    assert cache.tokens is not None
    scale = torch.ones(2, 1, 5, 3, requires_grad=True)
    output = (cache.tokens.k * scale).sum()
    with torch.no_grad():
        grow(cache, tokens(5, 1))
    (gradient,) = torch.autograd.grad(output, (scale,))
    assert torch.equal(gradient, tokens(0, 5).k)
    wanted = tokens(6, 1)
    wanted.k.requires_grad_()
    grow(cache, wanted)
    assert cache.tokens.k.requires_grad


def test_a_cache_that_was_filled_in_inference_mode_goes_on_outside() -> None:
    cache = LayerCache()
    for n, mode in enumerate((torch.inference_mode, torch.inference_mode, torch.no_grad, torch.no_grad)):
        with mode():
            grow(cache, tokens(n, 1))
    same(cache.tokens, tokens(0, 4))


def test_narrow_keys_behind_wide_ones_are_joined() -> None:
    half = tokens(2, 1)
    half = Tokens(half.k.half(), half.v, half.places)
    with torch.no_grad():
        same(LayerCache(tokens(0, 2)).grown(half), tokens(0, 3))
