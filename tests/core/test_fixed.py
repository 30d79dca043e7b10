"""Constant tables stay exact, whatever is done to their module."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from clockhands.core.fixed import FixedTables, widest_float

SPEEDS = np.asarray([1.0, 1 / 3, 1e-5])


class Holder(FixedTables):
    speeds: Tensor
    order: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.fix("speeds", SPEEDS)
        self.fix("order", [[3, 1], [2, 2**40]])
        self.weight = nn.Parameter(torch.tensor([1 / 3]))


def is_exact(holder: Holder) -> bool:
    return (
        holder.speeds.dtype == torch.float64
        and holder.order.dtype == torch.int64
        and np.array_equal(holder.speeds.numpy(), SPEEDS)
        and holder.order.tolist() == [[3, 1], [2, 2**40]]
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_casting_rounds_parameters_and_no_table(dtype: torch.dtype) -> None:
    holder = Holder().to(dtype)
    assert holder.weight.dtype == dtype
    assert is_exact(holder)


def test_what_it_holds_is_cast_with_it() -> None:
    holder = Holder()
    holder.inner = nn.Linear(2, 2)
    assert holder.half().inner.weight.dtype == torch.float16  # pyright: ignore[reportAttributeAccessIssue] (set above)


def test_copies_and_pickles_keep_it() -> None:
    holder = Holder().half()
    assert is_exact(copy.deepcopy(holder))
    assert is_exact(pickle.loads(pickle.dumps(holder)))  # noqa: S301 (made in the same line)


def test_the_meta_device_and_back() -> None:
    with torch.device("meta"):
        holder = Holder()
    assert holder.speeds.is_meta
    assert is_exact(holder.to_empty(device="cpu"))
    assert Holder().to("meta").order.is_meta
    assert is_exact(nn.Sequential(Holder().to("meta")).to_empty(device="cpu")[0])  # pyright: ignore[reportArgumentType] (a Holder)


def test_checkpoints_hold_no_table() -> None:
    assert list(Holder().state_dict()) == ["weight"]
    assert [name for name, _ in Holder().named_buffers()] == ["speeds", "order"]


def test_the_numbers_are_a_copy() -> None:
    numbers = SPEEDS.copy()
    module = FixedTables()
    module.fix("speeds", numbers)
    numbers[:] = 0
    assert module.half().speeds.tolist() == SPEEDS.tolist()  # pyright: ignore[reportCallIssue] (a tensor)


def test_a_move_that_fails_loses_nothing() -> None:
    holder = Holder()
    with pytest.raises((RuntimeError, AssertionError)):
        holder.to("cuda:99")
    assert is_exact(holder)


def test_devices_without_float64_get_float32() -> None:
    assert widest_float(torch.device("cpu")) == torch.float64
    assert widest_float(torch.device("mps")) == torch.float32
