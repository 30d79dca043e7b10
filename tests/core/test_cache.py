"""What a cache holds."""

from __future__ import annotations

import torch
from torch import Tensor

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
