"""Every refusal says what, which value, which rule and what to do, in both languages."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.catalogue import describe
from clockhands.catalogue.rules import (
    real_positions,
    require_base,
    require_bool,
    require_choice,
    require_count,
    require_real,
    whole_numbers,
)
from clockhands.errors import ClockhandsError
from clockhands.language import Text


def refusal(rule: Any, *given: Any, **limits: Any) -> Text:
    with pytest.raises(ClockhandsError) as caught:
        rule(*given, **limits)
    return caught.value.text


@pytest.mark.parametrize("value", [8, np.int64(8), np.uint8(8)])
def test_whole_numbers_of_any_kind(value: Any) -> None:
    require_count(value, "dim", least=8, most=8, even=True)


@pytest.mark.parametrize("value", [True, np.True_, 8.0, "8", None, math.nan, [8], Fraction(8), np.arange(3)])
def test_what_is_no_whole_number(value: Any) -> None:
    refusal(require_count, value, "dim")


def test_a_count_that_is_refused() -> None:
    assert refusal(require_count, 9, "dim", least=2, even=True) == Text(
        "dim is 9, but it must be an even whole number from 2 to 1,000,000: use 8 or 10",
        "dim 为 9，但它必须是 2 到 1,000,000 之间的偶数：请用 8 或 10",
    )
    assert refusal(require_count, 1, "dim", least=2).en.endswith("use 2 or more")
    assert refusal(require_count, 5, "dim", most=4).en.endswith("use 4 or less")
    assert refusal(require_count, 64.0, "dim").en.endswith("for example 64")
    assert refusal(require_count, 3, "dim", least=3, most=4, even=True).en.endswith("use 4")


@given(st.integers(-(10**30), 10**30))
def test_exactly_the_even_numbers_within_bounds_pass(value: int) -> None:
    try:
        require_count(value, "dim", least=2, most=100, even=True)
        passed = True
    except ClockhandsError:
        passed = False
    assert passed == (value in range(2, 101, 2))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", None, True, 1j, -0.5, 2.5, 10**400])
def test_real_numbers_refused(value: Any) -> None:
    text = refusal(require_real, value, "share", least=0, most=2)
    assert text.en.startswith("share is ")
    assert "0 or more and 2 or less" in text.en
    assert "不小于 0、不大于 2" in text.zh


@pytest.mark.parametrize("value", [0, 2, 0.5, np.float32(1), Fraction(1, 3)])
def test_real_numbers_accepted(value: Any) -> None:
    require_real(value, "share", least=0, most=2)


@pytest.mark.parametrize("value", [0, -1, 0.999, math.nan, math.inf, "10000", True, 10**400])
def test_bases_refused(value: Any) -> None:
    assert "10000" in refusal(require_base, value, "base").en


@pytest.mark.parametrize("value", [1, 10000, 1e300, np.float64(2)])
def test_bases_accepted(value: Any) -> None:
    require_base(value, "base")


def test_choices_and_switches() -> None:
    require_choice("half", "layout", ("half", "interleaved"))
    assert (
        "did you mean 'interleaved'?"
        in refusal(require_choice, "inter", "layout", ("half", "interleaved")).en
    )
    refusal(require_choice, 3, "layout", ("half",))
    require_bool(False, "symmetric")
    refusal(require_bool, 0, "symmetric")


def test_long_values_are_cut() -> None:
    assert len(refusal(require_count, "x" * 10_000, "dim").en) < 200


def test_positions() -> None:
    assert real_positions([1, 2.5]).tolist() == [1, 2.5]
    assert whole_numbers(np.asarray([3], np.uint8), Text("positions", "位置")).dtype == np.int64
    for bad in ([math.nan], [math.inf], [True], ["1"], [None], [1j]):
        assert refusal(real_positions, bad).zh.startswith("位置")
    assert "give integers" in refusal(whole_numbers, [1.0], Text("positions", "位置")).en


@pytest.mark.parametrize(
    ("id", "size"),
    [("sinusoidal", "d_model"), ("learned", "d_model"), ("rope", "head_dim"), ("alibi", "num_heads"),
     ("t5", "num_heads"), ("mixed", "d_model"), ("layered", "head_dim"), ("tagged", "head_dim")],
)  # fmt: skip
@pytest.mark.parametrize("value", [0, -2, 2.0, True, math.nan, "2", 10**12])
def test_every_scheme_guards_its_size(id: str, size: str, value: Any) -> None:
    text = refusal(describe, id, **{size: value})
    assert text.en.startswith(f"{size} is ")
    assert text.zh.startswith(f"{size} 为 ")


@pytest.mark.parametrize(
    ("id", "base"),
    [("sinusoidal", "base"), ("rope", "base"), ("mixed", "base"), ("layered", "first_theta"),
     ("layered", "last_theta"), ("tagged", "base")],
)  # fmt: skip
@pytest.mark.parametrize("value", [0, -5, math.nan, math.inf, "big"])
def test_every_scheme_guards_its_base(id: str, base: str, value: Any) -> None:
    assert "finite number, 1 or more" in refusal(describe, id, **{base: value}).en


@pytest.mark.parametrize("id", ["sinusoidal", "mixed", "alibi", "t5"])
def test_what_would_fill_the_memory_is_refused_before_trying(id: str) -> None:
    described = describe(id)
    endless = np.broadcast_to(np.int8(0), (10**5, 10**5))  # no memory of its own
    compute = described.table if "table" in described.touches() else described.bias
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clockhands.memory.available_bytes", lambda: 10**6)
        small = np.broadcast_to(np.int8(0), (300, 300))
        assert "this machine has 1 MB free" in refusal(compute, small).en
    assert endless.nbytes == 10**10


def test_a_learned_table_that_would_fill_the_memory() -> None:
    assert "needs" in refusal(describe, "learned", max_positions=2**31, d_model=10**6).en
