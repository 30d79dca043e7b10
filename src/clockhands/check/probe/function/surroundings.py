"""What a call does besides: it may print, draw random numbers, or change what the whole process works
with."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def settings_of_process(torch: Any) -> dict[str, tuple[Any, Callable[[Any], object]]]:
    """What is set for the whole process: its value, and how to put that back."""
    found: dict[str, tuple[Any, Callable[[Any], object]]] = {}
    if torch is not None:
        found = {
            # First of all: on another device not even states of random numbers can be compared.
            "the default device": (torch.get_default_device(), lambda value: _default_device(torch, value)),
            "the default dtype": (torch.get_default_dtype(), torch.set_default_dtype),
            "deterministic algorithms": (
                torch.are_deterministic_algorithms_enabled(), torch.use_deterministic_algorithms,
            ),
            "the number of threads": (torch.get_num_threads(), torch.set_num_threads),
        }  # fmt: skip
    return found | {
        "how numpy treats errors": (np.geterr(), lambda value: np.seterr(**value)),
        "the working directory": (os.getcwd(), os.chdir),
    }


def _default_device(torch: Any, device: Any) -> None:
    """The default device as it was. None set is not the same as the CPU set: a set one watches every call
    of torch, which ``torch.compile`` then can't trace."""
    torch.set_default_device(None)
    if torch.get_default_device() != device:
        torch.set_default_device(device)


def put_back(settings: dict[str, tuple[Any, Callable[[Any], object]]]) -> list[str]:
    """Names of those that are not what they were, which they are again afterwards."""
    moved: list[str] = []
    for name, (value, set_to) in settings.items():  # the default device first: others are read on it
        if settings_of_process(sys.modules.get("torch"))[name][0] != value:
            moved.append(name)
            set_to(value)
    return moved


@contextlib.contextmanager
def watched(seen: set[str], stirred: bool) -> Iterator[None]:
    """What is printed is kept from the console; random states are put back, and changes of them noted."""
    torch = sys.modules.get("torch")
    settings = settings_of_process(torch)
    plain: Any = random.getstate()
    numbers: Any = np.random.get_state()  # noqa: NPY002 - the global one is what is watched
    tensors = None if torch is None else torch.get_rng_state()
    said = io.StringIO()
    before = (plain, numbers, tensors)
    if stirred:
        plain, numbers, tensors = _stir(torch)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            warnings.simplefilter("ignore")
            with contextlib.nullcontext() if torch is None else torch.no_grad():
                yield
                if torch is not None and torch.is_grad_enabled():
                    seen.add("sets the gradient mode")
    finally:
        seen.update(f"sets {name}" for name in put_back(settings))
        if said.getvalue():
            seen.add("prints")
        after: Any = np.random.get_state()  # noqa: NPY002
        moved = plain != random.getstate() or after[2] != numbers[2] or (after[1] != numbers[1]).any()
        if torch is not None and tensors is not None:
            moved = moved or not bool((torch.get_rng_state() == tensors).all())
            torch.set_rng_state(before[2])
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        if moved:
            seen.add("random")


def _stir(torch: Any) -> tuple[Any, Any, Any]:
    """Random states moved on by one draw, so that what is drawn differs from the call before."""
    random.random()
    np.random.random()  # noqa: NPY002
    if torch is not None:
        torch.rand(1)
    tensors = None if torch is None else torch.get_rng_state()
    return random.getstate(), np.random.get_state(), tensors  # noqa: NPY002
