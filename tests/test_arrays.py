"""Finding the library, device and dtype of what a formula was given."""

from __future__ import annotations

import array_api_strict
import numpy as np
import torch

from clockhands.arrays import as_dtype, device_of, namespace_of, real_dtype


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
