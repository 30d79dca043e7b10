"""The contract: what an encoding is until a scheme overrides a hook."""

from __future__ import annotations

import torch
from torch import Tensor

from clockhands.catalogue import describe
from clockhands.catalogue.card import Traits
from clockhands.core.context import Context
from clockhands.core.encoding import HOOKS, Encoding, Table
from clockhands.core.visibility import Visibility


class Scheme(Encoding):
    def keys(self, k: Tensor, table: Table) -> Tensor:
        return k

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x


def test_touches_names_what_is_overridden_in_the_order_of_the_ladder() -> None:
    assert Encoding.touches() == ()
    assert Scheme.touches() == ("embed", "keys")
    assert Scheme.overrides("embed")
    assert not Scheme.overrides("mix")
    assert all(hasattr(Encoding, hook) for hook in HOOKS)


def test_hooks_do_nothing_until_they_are_overridden() -> None:
    encoding, x, places = Encoding(), torch.ones(1, 2, 4), torch.arange(2)[None]
    assert encoding.place(places, None, None) is places
    assert encoding.token_width(7) == 7
    assert encoding.embed(x, places) is x
    assert encoding.table(places) is None
    assert encoding.queries(x, None) is x
    assert encoding.keys(x, None) is x
    assert encoding.annotate(x) is None
    assert encoding.score_scale == 1.0
    assert encoding.axes is None


def test_the_card_gives_traits_and_id_and_an_experiment_needs_none() -> None:
    assert Scheme().traits == Traits()
    assert Scheme().id == "Scheme"
    described = Scheme()
    described.card = describe("alibi").card
    assert described.id == "alibi"
    assert described.traits == described.card.traits
    assert Scheme().exceptions == {}


def test_the_context_knows_its_sizes() -> None:
    ctx = Context(
        q_places=torch.zeros(2, 3), k_places=torch.zeros(2, 5), visibility=Visibility(), memory=None,
        scale=1.0, num_heads=4, num_kv_heads=2, dtype=torch.float32,
    )  # fmt: skip
    assert (ctx.batch, ctx.num_queries, ctx.num_keys, ctx.q_start) == (2, 3, 5, 2)
    assert ctx.device == torch.device("cpu")
    assert ctx.mask.int().tolist() == [[[[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]]]
