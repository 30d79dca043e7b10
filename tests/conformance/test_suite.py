"""The suite as people call it."""

from __future__ import annotations

from typing import ClassVar

import pytest
from healthy import Clipped, Line, Nothing, Rows, Turning

from clockhands import conformance
from clockhands.catalogue.card import Traits
from clockhands.conformance import LAWS, LawBroken, Sizes, Subject, check, laws_for

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
    assert NAMES[:7] == ["gap", "decode", "shift", "causal", "matters", "fused", "isometry"]
    assert len(set(NAMES)) == len(NAMES)
    assert all(law.says.endswith(".") for law in LAWS)


def names_for(encoding: conformance.suite.Encoding) -> list[str]:
    return [law.name for law in laws_for(encoding)]


def test_traits_and_hooks_choose_the_laws() -> None:
    assert names_for(Turning()) == NAMES
    assert names_for(Nothing()) == [name for name in NAMES if name not in ("matters", "isometry")]
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
