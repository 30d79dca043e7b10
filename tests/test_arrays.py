"""Finding the library, device and dtype of what a formula was given."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch

from clockhands import formulas
from clockhands.arrays import as_dtype, device_of, namespace_of, real_dtype, require_whole, require_word
from clockhands.errors import ClockhandsError


def test_the_first_array_names_the_library() -> None:
    assert namespace_of(1.0, None).__name__ == "array_api_compat.numpy"
    assert namespace_of(2, np.ones(1)).__name__ == "array_api_compat.numpy"
    assert namespace_of(np.float64(1)).__name__ == "array_api_compat.numpy"
    assert namespace_of(1.0, torch.ones(1)).__name__ == "array_api_compat.torch"
    assert namespace_of(torch.nn.Parameter(torch.ones(1))).__name__ == "array_api_compat.torch"
    assert namespace_of(array_api_strict.asarray(1.0)).__name__ == "array_api_strict"


def test_device_of_the_first_that_has_one() -> None:
    assert device_of(1.0) is None
    assert device_of(1.0, torch.ones(1, device="meta"), torch.ones(1)).type == "meta"


def test_dtype_to_calculate_in() -> None:
    assert real_dtype(1.0, 2) == np.float64
    assert real_dtype(np.arange(3)) == np.float64
    assert real_dtype(np.float16(1)) == np.float32
    assert real_dtype(torch.ones(1).bfloat16(), torch.arange(2)) == torch.float32
    assert real_dtype(torch.ones(1), torch.ones(1, dtype=torch.float64)) == torch.float64


def test_plain_numbers_keep_their_kind() -> None:
    assert type(as_dtype(3, np.float32)) is int
    assert as_dtype(np.arange(2), np.float32).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: formulas.sinusoid(np.arange(2), np.ones(1), "interleave"),
            "arrangement is 'interleave'.*did you",
        ),
        (lambda: formulas.sinusoid(np.arange(2), np.ones(1), first="tan"), "first is 'tan'.*choose one"),
        (lambda: formulas.sinusoid_inv_freq(8, exponent="i/d"), "exponent is 'i/d'"),
        (
            lambda: formulas.resized_grid(np.ones((4, 1)), (2, 2), (3, 3), "cubic"),
            "method is 'cubic'.*'bicubic'",
        ),
        (
            lambda: formulas.relayout(np.ones(4), "half", "interleaved", num_heads=1, rotary_start=5),
            "a head has 4",
        ),
        (lambda: require_word(np.asarray(["half"]), "layout", ("half",)), "layout is array"),
    ],
)
def test_a_misspelt_word_never_means_another(call: Any, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said) as caught:
        call()
    assert "请" in caught.value.text.zh or "是不是想写" in caught.value.text.zh


def test_whole_numbers_of_any_kind() -> None:
    for fair in (3, np.int64(3), np.uint8(3), np.asarray(3), torch.tensor(3)):
        require_whole(fair, "length")
    for bad in (
        True,
        np.bool_(True),
        3.0,
        np.asarray(3.0),
        np.asarray([3]),
        torch.tensor([3]),
        "3",
        None,
        -1,
        2**31,
    ):
        with pytest.raises(ClockhandsError, match="length is"):
            require_whole(bad, "length")
