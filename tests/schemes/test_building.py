"""From descriptions to modules, and from patterns to layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from clockhands.catalogue import CATALOGUE, describe
from clockhands.catalogue.card import Card
from clockhands.catalogue.description import Description
from clockhands.catalogue.rope import RoPE
from clockhands.core.bias import dense_bias
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.schemes import build, layers, make
from clockhands.schemes.added_table import AddedTable
from clockhands.schemes.distance_bias import DistanceBias
from clockhands.schemes.rotation import Rotation

SIZES = {"d_model": 32, "num_heads": 4, "head_dim": 8, "max_positions": 64}
POSITIONS = np.asarray([[0, 1, 5, 40], [63, 2, 3, 9]])
DISTANCES = POSITIONS[:, :, None] - POSITIONS[:, None, :]
NOTHING = describe("nope").card


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.card.id)
def test_module_and_description_say_the_same(kind: type[Description]) -> None:
    """What numpy draws is what torch computes."""
    description = kind.fitted(SIZES)
    encoding, places = build(description).double(), torch.tensor(POSITIONS)
    assert encoding.card is kind.card
    assert encoding.description == description
    inv_freq = description.inv_freq()
    if inv_freq is not None:
        np.testing.assert_allclose(encoding.inv_freq.detach(), inv_freq, rtol=1e-5, atol=1e-6)
    last = description.traits.max_position
    inside = POSITIONS if last is None else POSITIONS % last
    table = description.table(inside)
    if table is not None:
        added = encoding.embed(torch.zeros(2, 4, 32, dtype=torch.float64), torch.tensor(inside))
        np.testing.assert_allclose(added.detach().numpy(), table, atol=1e-7)  # float32 parameters
    bias = description.bias(DISTANCES)
    if bias is not None:
        np.testing.assert_allclose(np.moveaxis(biases(encoding, places), 0, 1), bias, rtol=1e-6, atol=1e-6)
    assert (table is not None) == encoding.overrides("embed")
    makes_logits = any(map(encoding.overrides, ("bias_at", "logits", "weigh")))
    if "inv_freq" in kind.content_hooks:  # turned by what the tokens say, before or while logits are made
        assert encoding.overrides("queries") or encoding.overrides("logits")
        return
    wants_logits = "bias" in kind.content_hooks or "distance_map" in description.touches()
    assert (bias is not None or wants_logits) == makes_logits


def biases(encoding: Encoding, places: torch.Tensor) -> np.ndarray:
    """``(b, h, tq, tk)``."""
    every = {"visibility": Visibility(causal=False), "memory": None, "scale": 1.0, "dtype": torch.float64}
    ctx = Context(q_places=places, k_places=places, num_heads=4, num_kv_heads=4, **every)
    bias = dense_bias(encoding, Context(**(vars(ctx) | {"prepared": encoding.prepare(ctx)})))
    assert bias is not None
    return bias.detach().numpy()


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.card.id)
def test_a_module_of_its_own_or_a_generic_one(kind: type[Description]) -> None:
    """What computes nothing, or has numbers to train, needs a module of its own."""
    made = build(kind.fitted(SIZES))
    if kind.module is None:
        assert type(made) in (AddedTable, DistanceBias, Rotation)
        assert not kind.card.traits.learned
    if made.traits.learned:
        assert list(made.parameters())


def test_build_takes_whatever_names_a_scheme() -> None:
    for scheme in ("rope", RoPE, RoPE()):
        assert build(scheme).description == RoPE()
    with pytest.raises(ClockhandsError, match="no scheme 'rpe': did you mean 'rope'"):
        build("rpe")
    with pytest.raises(ClockhandsError, match="3 is not a scheme"):
        build(3)


def test_make_takes_ids_and_short_names() -> None:
    assert make("rope", dim=16, base=100.0).inv_freq[1].item() == pytest.approx(100 ** (-1 / 8))
    with pytest.raises(ClockhandsError, match="did you mean 'rope'"):
        make("rpe")
    with pytest.raises(ClockhandsError, match="rope has no parameter 'heads'"):
        make("rope", heads=3)


def test_a_module_prints_what_it_was_built_from() -> None:
    assert repr(make("alibi", heads=2)) == "LinearBias(ALiBi(num_heads=2, symmetric=False))"


# descriptions that have no module of their own -------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Ramp(Description):
    """A table and hands: a table is what counts then."""

    card: ClassVar[Card] = NOTHING

    def table(self, positions: Any) -> Any:
        return np.repeat(np.asarray(positions, dtype=float)[..., None], 4, axis=-1)

    def inv_freq(self) -> Any:
        return np.ones(2)


@dataclass(frozen=True, kw_only=True)
class Step(Description):
    card: ClassVar[Card] = NOTHING

    def bias(self, distance: Any) -> Any:
        return np.stack([np.asarray(distance) > head for head in range(4)]).astype(float)


@dataclass(frozen=True, kw_only=True)
class Hands(Description):
    card: ClassVar[Card] = NOTHING

    def inv_freq(self) -> Any:
        return np.asarray([1.0, 0.5])


@dataclass(frozen=True, kw_only=True)
class Empty(Description):
    card: ClassVar[Card] = NOTHING


def test_a_new_description_gets_a_generic_module() -> None:
    ramp = build(Ramp())
    assert ramp.embed(torch.zeros(1, 2, 4), torch.tensor([[3, 5]]))[..., 0].tolist() == [[3, 5]]
    assert ramp.touches() == ("embed",)
    step = build(Step())
    np.testing.assert_array_equal(
        np.moveaxis(biases(step, torch.tensor(POSITIONS)), 0, 1), Step().bias(DISTANCES)
    )
    assert build(Hands()).touches() == ("table", "queries", "keys")
    with pytest.raises(ClockhandsError, match="nope describes no frequencies, table or bias"):
        build(Empty())


# layers ----------------------------------------------------------------------------------


def test_layers_with_equal_descriptions_share_one_module() -> None:
    made = layers("t5", 3, SIZES)
    assert made[0] is made[1] is made[2]
    assert made[0].weights.shape == (32, 4)


def test_a_pattern_is_repeated_over_the_layers() -> None:
    spec = {"R": "rope", "N": "nope", "B": RoPE(head_dim=8, rope_theta=1e6)}
    made = layers(spec, 7, SIZES, pattern="RRBN")
    assert [encoding.id for encoding in made] == ["rope", "rope", "rope", "nope", "rope", "rope", "rope"]
    assert made[0] is made[1] is made[4]
    assert made[2] is made[6] is not made[0]


def test_layered_makes_a_module_for_each_layer() -> None:
    made = layers("layered", 4, SIZES)
    assert [round(encoding.description.rope_theta) for encoding in made] == [1000, 10000, 100000, 1000000]
    assert len(set(made)) == 4


def test_a_function_of_the_layer() -> None:
    made = layers(lambda layer: "nope" if layer % 2 else RoPE(head_dim=8), 4, SIZES)
    assert [encoding.id for encoding in made] == ["rope", "nope", "rope", "nope"]
    assert made[0] is made[2]


def test_ready_encodings_go_anywhere() -> None:
    own = make("rope", head_dim=8)
    assert layers(own, 2) == [own, own]
    assert layers({"X": own, "N": "nope"}, 3, pattern="XN")[2] is own


def test_sizes_and_seed_fill_in_what_an_id_leaves_open() -> None:
    (made,) = layers("learned", 1, {**SIZES, "seed": 9})
    assert made.rows.shape == (64, 32)
    assert torch.equal(made.rows, make("learned", d_model=32, max_positions=64, seed=9).rows)
    assert layers("learned", 1)[0].rows.shape == (512, 32)


@pytest.mark.parametrize(
    ("spec", "pattern", "message"),
    [
        ({"R": "rope"}, None, "a mapping of letters needs a pattern"),
        ({"R": "rope"}, "", "a mapping of letters needs a pattern"),
        ({"R": "rope"}, "RX", "has the letter 'X', which stands for nothing"),
        ("rope", "RR", "needs a mapping that says what its letters stand for"),
        ("rppe", None, "did you mean 'rope'"),
        (3, None, "3 is not a scheme"),
    ],
)
def test_patterns_that_say_nothing_are_refused(spec: Any, pattern: str | None, message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        layers(spec, 2, SIZES, pattern)
