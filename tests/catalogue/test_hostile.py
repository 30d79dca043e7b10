"""No value of any parameter brings a traceback, a hang or silent nonsense: it works, or is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from clockhands.catalogue import CATALOGUE, Description, describe
from clockhands.errors import BadParameter, ClockhandsError, MissingExtra, shown
from clockhands.language import Text

HOSTILE: tuple[Any, ...] = (
    None, True, np.True_, -1, 0, 1, 2, 3, 7, 10**9, 10**18, 10**400, 10**5000, -(10**18),
    0.0, 0.5, 2.5, -1.0, 5e-324, 1e30, 1e308, 1e18, math.nan, math.inf, -math.inf, 1j,
    Fraction(1, 2), Fraction(10**400, 3), np.float32(2), np.float64("nan"), np.int8(4), np.uint64(2**63),
    "", "half", "8", "1,2,3", "\x00\n", "a" * 5000, b"x",
    [], [1, 2], (), {}, {"a": 1}, (0.5,) * 16, (math.nan,) * 16, (5e-324,) * 16, (True,) * 16, (None,),
    ("n", "n"), np.asarray(4), np.asarray([1, 2]), np.asarray([]), object, object(), range(3),
)  # fmt: skip


def computed(scheme: Description) -> dict[str, Any]:
    """All that numpy says of it."""
    assert hash(scheme) == hash(scheme)
    assert repr(scheme)
    found = {
        "inv_freq": scheme.inv_freq(),
        "inv_freq_at": scheme.inv_freq_at(10**7),
        "magnitude": scheme.magnitude(),
        "softmax_factor": scheme.softmax_factor(),
        "table": scheme.table(np.arange(6)),
        "bias": scheme.bias(np.arange(-2, 6)),
        "distance_map": scheme.distance_map(np.arange(6), np.arange(6)),
    }
    return {name: value for name, value in found.items() if value is not None}


def numbers(name: str, value: Any) -> Any:
    """Those that must be finite: a bias may shut out tokens with -inf, NaN in a map is what isn't seen."""
    if name == "distance_map":
        return np.nan_to_num(value)
    return np.where(np.isneginf(value), 0.0, value) if name == "bias" else value


def require_one_sentence(error: ClockhandsError, name: str = "") -> None:
    """In both languages, with the name; a table that is too large is refused by its sizes."""
    for said in error.text:
        assert name in said or "GB" in said
        assert len(said) < 400
        assert said.isprintable()
    assert error.text.en != error.text.zh


@pytest.mark.parametrize("scheme", CATALOGUE, ids=lambda scheme: scheme.card.id)
def test_any_value_of_any_parameter(scheme: type[Description]) -> None:
    typed = {field: alias for alias, field in scheme.aliases.items()}
    for field in scheme.parameters():
        name = typed.get(field, field)
        for value in HOSTILE:
            try:
                made = scheme.with_parameters(**{name: value})
            except ClockhandsError as error:
                require_one_sentence(error, name)
                continue
            try:
                for hook, found in computed(made).items():
                    assert np.isfinite(numbers(hook, found)).all(), f"{name}={shown(value)}: {hook}"
            except ClockhandsError as error:  # positions past the end of a small table
                require_one_sentence(error)


def test_a_number_of_numpy_is_one_of_python() -> None:
    """Sizes computed from an int8 would overflow, and a table of 4 x 256 rows be refused, or worse."""
    assert type(describe("deberta", heads=np.int8(4)).num_heads) is int
    assert type(describe("rope", base=np.float32(500)).rope_theta) is float
    assert describe("t5", heads=np.int8(100)).bias(np.arange(3)).shape == (100, 3)
    assert describe("fire", c=Fraction(1, 2)) == describe("fire", c=0.5)


@pytest.mark.parametrize(
    ("id", "given", "says"),
    [
        ("yarn", {"beta_slow": 64}, "beta_slow is 64 and beta_fast 32.0, but beta_slow must be no larger"),
        ("ntk-by-parts", {"alpha": 64}, "alpha is 64 and beta 32.0, but alpha must be the smaller one"),
        ("llama3", {"low_freq_factor": 4.0}, "low_freq_factor is 4.0 and high_freq_factor 4.0"),
        ("deberta", {"heads": 3}, "heads is 3 and d_model 32: heads must divide d_model"),
        ("deberta", {"dim": 30, "heads": 4}, "heads is 4 and dim 30: heads must divide dim, e.g. dim 32"),
        ("liere", {"dim": 30}, "dim is 30, but it must be a multiple of 4"),
        ("pope-polar", {"dim": "8"}, "dim is '8', but"),
        ("learned", {"numbers": "half"}, "numbers is 'half', but it must be numbers, or a file that ends in"),
        ("longrope", {"short_factor": (True,) * 16}, r"short_factor is \(True, True"),
        ("longrope", {"short_factor": (1.0,) * 3}, "short_factor is 3 numbers, but it must be 16"),
        ("alibi", {"heads": 10**6}, "heads is 1000000, but .* use 65,536 or less"),
        ("dynamic-ntk", {"factor": 1e18}, "factor is 1e[+]18, but .* 1e[+]09 or less"),
        ("yarn", {"mscale": 1e300}, "mscale is 1e[+]300, but it must be no farther from 0 than 1e[+]30"),
        ("rope", {"layout": np.asarray([1, 2])}, "layout is array"),
        ("t5", {"seed": 1e308}, "seed is 1e[+]308, .* for example 9223372036854775807"),
    ],
)
def test_what_is_said(id: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(ClockhandsError, match=says) as caught:
        describe(id, **given)
    assert all(name in caught.value.text.zh for name in given if name != "dim" or len(given) == 1)


def test_names_are_whole_words() -> None:
    error = ClockhandsError("d_model is 2: not d_models or a d_model", "d_model为2，d_models")
    assert error.with_names({"d_model": "dim"}).text == Text(
        "dim is 2: not d_models or a dim", "dim为2，d_models"
    )
    bad = BadParameter("a", " is 1 and b 2", " 为 1，b 为 2").with_names({"a": "b", "b": "a"})
    assert (bad.name, str(bad)) == ("b", "b is 1 and a 2")
    missing = MissingExtra(Text("This", "这"), "torch")
    assert missing.with_names({"torch": "x"}) is missing


def test_what_is_shown_fits_a_line() -> None:
    assert shown(10**5000) == "a very large int"
    assert shown(np.zeros((3, 3))).isprintable()
    assert len(shown("a" * 500)) == 60
