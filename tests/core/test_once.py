"""What one ``Once`` keeps, and for whom."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._subclasses import FakeTensorMode

from clockhands.core.attend import attend, enter
from clockhands.core.context import Context
from clockhands.core.once import Once
from clockhands.core.visibility import CAUSAL, Visibility
from tests.core.sharing import Counted


def context(**changed: Any) -> Context:
    places = torch.arange(6)[None]
    given: dict[str, Any] = {
        "q_places": places, "k_places": places, "visibility": CAUSAL, "memory": None, "scale": 1.0,
        "num_heads": 2, "num_kv_heads": 2, "dtype": torch.float32,
    }  # fmt: skip
    return Context(**(given | changed))


OTHERS: dict[str, Any] = {
    "q_places": torch.arange(6)[None] + 1,
    "k_places": torch.arange(6)[None] * 2,
    "visibility": Visibility(window=2),
    "visibility of later tokens": Visibility(causal=False),
    "memory": torch.ones(1, 6, 1),
    "scale": 2.0,
    "num_heads": 3,
    "num_kv_heads": 1,
    "dtype": torch.float64,
    "first": 1,
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_bias_may_know_anything_of_a_call(name: str) -> None:
    encoding, once = Counted(), Once()
    once.bias(encoding, context())
    once.bias(encoding, context(k_places=torch.arange(6)[None]))  # other memory, the same places
    assert encoding.asked == 1
    other = context(**{name.split()[0]: OTHERS[name]})
    once.bias(encoding, other)
    assert encoding.asked == 2
    once = Once()
    once.bias(encoding, other)
    once.bias(encoding, context())
    assert encoding.asked == 4


@pytest.mark.parametrize("marks", ["valid", "documents"])
def test_marks_of_tokens_are_compared(marks: str) -> None:
    """Each layer's cache has its own."""
    encoding, once = Counted(), Once()

    def ask(values: list[int] | None) -> int:
        one = None if values is None else torch.tensor([values])
        given: dict[str, Any] = {marks: one if marks == "documents" or one is None else one > 0}
        once.bias(encoding, context(visibility=Visibility(**given)))
        return encoding.asked

    first, other = [0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1]
    assert [ask(one) for one in (first, first, other, other, None, None, first)] == [1, 1, 2, 2, 3, 3, 4]


def test_what_may_be_seen_is_not_compared_number_by_number() -> None:
    """That could take as long as a bias: another tensor counts as another."""
    encoding, once = Counted(), Once()
    allowed = torch.ones((1, 6, 6), dtype=torch.bool)
    for given, count in ((allowed, 1), (allowed, 1), (allowed.clone(), 2)):
        once.bias(encoding, context(visibility=Visibility(allowed=given)))
        assert encoding.asked == count


def test_nothing_of_another_device_is_read_or_kept() -> None:
    encoding, once = Counted(), Once()
    places = torch.arange(6, device="meta")[None]
    for count in (1, 2):
        once.bias(encoding, context(q_places=places, k_places=places))
        assert encoding.asked == count
    assert once._bias is None


def test_tensors_without_numbers_pass() -> None:
    """Those that stand for real ones while a program estimates its memory."""
    encoding = Counted()
    with FakeTensorMode(), torch.no_grad():
        _, layers = enter([encoding] * 3, torch.zeros(2, 9, 8))
        q = torch.zeros(2, 4, 9, 8)
        shapes = [attend(one, q, q, q).output.shape for one in layers]
    assert shapes == [(2, 4, 9, 8)] * 3


def test_places_of_another_dtype_are_others() -> None:
    encoding, once = Counted(), Once()
    once.bias(encoding, context())
    once.bias(encoding, context(k_places=torch.arange(6.0)[None]))
    assert encoding.asked == 2


def test_what_is_made_is_made_anew_of_something_else() -> None:
    once, first, second = Once(), object(), object()
    made = [once.of("a", given, kind, object) for given, kind in ((first, 1), (first, 2), (second, 2))]
    assert len(set(made)) == 3
    assert once.of("a", second, 2, object) is made[-1]
    assert once.of("b", second, 2, object) is not made[-1]
    assert once.of("a", second, 2, object) is made[-1]
