"""The suite as people call it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from healthy import Clipped, Line, Nothing, Rows, Turning

from clockhands import conformance
from clockhands.catalogue import Card, Description, OwnBias, OwnFrequencies, OwnTable, describe
from clockhands.catalogue.card import Traits
from clockhands.conformance import LAWS, LawBroken, Sizes, Subject, check, laws_for
from clockhands.conformance.sizing import sizes_for
from clockhands.errors import ClockhandsError
from clockhands.schemes import build

NAMES = [law.name for law in LAWS]


class Stretching(Turning):
    """Longer keys by design."""

    exceptions: ClassVar[dict[str, str]] = {"isometry": "magnitude is what it encodes"}
    stretch = 1.3

    def keys(self, k, table):
        return self.stretch * super().keys(k, table)


class StretchingInSecret(Stretching):
    exceptions: ClassVar[dict[str, str]] = {}


def test_the_laws_come_in_order_and_gap_is_first() -> None:
    assert NAMES[:7] == ["gap", "decode", "shift", "causal", "matters", "sides", "fused"]
    assert len(set(NAMES)) == len(NAMES)
    assert all(law.says.endswith(".") for law in LAWS)


def names_for(encoding: conformance.suite.Encoding) -> list[str]:
    return [law.name for law in laws_for(encoding)]


def test_traits_and_hooks_choose_the_laws() -> None:
    assert names_for(Turning()) == NAMES
    assert names_for(Nothing()) == [name for name in NAMES if name not in ("matters", "sides", "isometry")]
    assert names_for(Rows()) == [name for name in NAMES if name not in ("shift", "isometry")]
    assert names_for(Line()) == [name for name in NAMES if name != "isometry"]


def test_an_exception_is_declared_with_its_reason() -> None:
    assert names_for(Stretching()) == [name for name in NAMES if name != "isometry"]
    assert check(Stretching) == tuple(names_for(Stretching()))
    with pytest.raises(LawBroken, match="changes the length of keys") as caught:
        check(StretchingInSecret)
    assert "键的长度" in caught.value.text.zh


def test_checking_stops_at_the_first_law_that_breaks() -> None:
    class Wrong(StretchingInSecret):
        traits = Traits(relative=True, reads="order")

    with pytest.raises(LawBroken, match="a gap in the positions changes its output"):
        check(Wrong)


def test_other_sizes() -> None:
    sizes = Sizes(num_heads=2, num_kv_heads=1, head_dim=8)
    assert sizes.d_model == 16
    assert Subject(Turning, sizes).heads(Subject(Turning, sizes).tokens(Turning()))[0].shape == (2, 2, 16, 8)
    assert check(Turning, sizes) == tuple(NAMES)


@pytest.mark.parametrize(
    ("description", "sizes"),
    [
        (describe("rope"), (4, 2, 32)),
        (describe("layered", head_dim=6), (4, 2, 6)),
        (describe("alibi"), (8, 4, 8)),
        (describe("t5", heads=3), (3, 3, 8)),
        (describe("sinusoidal", dim=48), (4, 2, 12)),
        (describe("learned", dim=7), (1, 1, 7)),
        (describe("nope"), (4, 2, 8)),
        (OwnBias([[0.0, -1.0]] * 5), (5, 5, 8)),
        (OwnTable([[1.0, 2.0]] * 3), (2, 1, 1)),
        (OwnFrequencies([1.0], head_dim=2), (4, 2, 2)),
    ],
    ids=repr,
)
def test_sizes_follow_the_description(description: Description, sizes: tuple[int, int, int]) -> None:
    assert sizes_for(build(description)) == Sizes(*sizes)


@pytest.mark.parametrize("id", ["rope", "alibi", "t5", "layered", "sinusoidal"])
def test_a_scheme_is_checked_without_giving_sizes(id: str) -> None:
    assert "gap" in check(lambda: build(describe(id)))


def test_sizes_that_contradict_the_encoding_are_refused_in_a_sentence() -> None:
    for given, message in (("rope", "head_dim 32, but the sizes say 8"), ("t5", "num_heads 8, .* say 4")):
        with pytest.raises(ClockhandsError, match=f"{given} is made for {message}") as caught:
            check(lambda name=given: build(describe(name)), Sizes())
        assert "请不要给尺寸" in caught.value.text.zh


@dataclass(frozen=True, kw_only=True)
class Muddled(Description):
    """A table of 10 dimensions for 3 heads."""

    card: ClassVar[Card] = describe("nope").card
    num_heads: int = 3

    def table(self, positions: Any) -> Any:
        return np.zeros((*np.shape(positions), 10))


def test_sizes_that_do_not_fit_one_another_are_refused() -> None:
    with pytest.raises(ClockhandsError, match="is 10 wide, which is not 3 heads: make it"):
        check(lambda: build(Muddled()))


def test_parametrize_makes_a_test_of_each_law_of_each_encoding() -> None:
    mark = conformance.parametrize([Turning, Nothing]).mark
    ids = [parameter.id for parameter in mark.args[1]]
    assert ids == [f"Turning-{name}" for name in NAMES] + [f"Nothing-{name}" for name in names_for(Nothing())]
    named = conformance.parametrize({"mine": StretchingInSecret}).mark.args[1]
    cell = next(parameter.values[0] for parameter in named if parameter.id == "mine-isometry")
    with pytest.raises(LawBroken):
        cell()


def test_laws_are_tried_at_a_general_point_of_the_parameters() -> None:
    first, again = Subject(Clipped).encoding(), Subject(Clipped).encoding()
    assert (first.on_keys - Clipped().on_keys).abs().max() > 0.01
    assert (first.on_keys == again.on_keys).all()
