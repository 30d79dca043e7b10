"""Functions that misbehave get one sentence or one finding, and leave the process as it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from functions import attending, healthy
from torch import Tensor, nn

from clockhands.check.probe.function import probe
from clockhands.check.probe.function.surroundings import put_back, settings_of_process
from clockhands.errors import BadParameter, ClockhandsError

QK = "q, k, position_ids"
SQUARE = "query_length, key_length"


def settings() -> tuple[Any, ...]:
    return (
        torch.get_default_dtype(), torch.get_default_device(), torch.are_deterministic_algorithms_enabled(),
        torch.get_num_threads(), torch.is_grad_enabled(), np.geterr(), os.getcwd(),
        torch.get_rng_state().tolist(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda: torch.set_default_dtype(torch.float64), "the default dtype"),
        (lambda: torch.use_deterministic_algorithms(not torch.are_deterministic_algorithms_enabled()),
         "deterministic algorithms"),
        (lambda: torch.set_num_threads(torch.get_num_threads() + 1), "the number of threads"),
        (lambda: torch.set_grad_enabled(True), "the gradient mode"),
        (lambda: np.seterr(all="raise"), "how numpy treats errors"),
        (lambda: os.chdir(os.path.dirname(os.getcwd())), "the working directory"),
    ],
)  # fmt: skip
def test_what_is_set_for_the_whole_process_is_said_and_put_back(
    change: Callable[[], object], named: str
) -> None:
    before = settings()

    def changes(q: Tensor, k: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        change()
        return healthy.half(q, k, position_ids)

    found = probe(changes, head_dim=8).found
    assert [(each.code, each.severity) for each in found] == [("CH147", "warning")]
    assert f"it changes {named} for" in found[0].message.en
    assert settings() == before


def test_another_default_device_is_put_back() -> None:
    before = settings()

    def elsewhere(q: Tensor, k: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        torch.set_default_device("meta")
        return healthy.half(q, k, position_ids)

    with pytest.raises(ClockhandsError, match="meta"):
        probe(elsewhere, head_dim=8)
    assert settings() == before
    # A default device that is set, be it the CPU, watches every call; this one can't be traced then.
    torch.compile(lambda x: x.unflatten(-1, (-1, 2)), backend="eager", fullgraph=True)(torch.ones(4))


def test_a_default_device_of_the_caller_stays_the_caller_s() -> None:
    with torch.device("meta"):
        inside = settings_of_process(torch)
        torch.set_default_device("cpu")
        assert put_back(inside) == ["the default device"]
        assert torch.get_default_device() == torch.device("meta")
    assert torch.get_default_device() == torch.device("cpu")


class NoForward(nn.Module):
    """A module that only holds others."""


class OnMeta(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1, device="meta"))

    def forward(self, q: Tensor, k: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        return q * self.weight, k * self.weight


def tires() -> Callable[..., Any]:
    """Answers twenty times, and never again."""
    calls = iter(range(20))

    def tired(q: Tensor, k: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        next(calls)
        return healthy.half(q, k, position_ids)

    return tired


@pytest.mark.parametrize(
    ("fn", "how", "says"),
    [
        (lambda q, k, position_ids: (q.to("meta"), k), {}, "holds no plain numbers"),
        (lambda q, k, position_ids: (q.to_sparse(), k), {}, "holds no plain numbers"),
        (lambda q, k, position_ids: (each for each in (q, k)), {}, "it gave back generator"),
        (lambda q, k, position_ids: (q.tolist(), k), {}, "it gave back list for q"),
        (lambda q, k, position_ids: (q.long(), k.long()), {}, "does more than turn vectors"),
        (lambda q, k, position_ids: (torch.tensor(1.0), k), {}, r"q back in shape \(\)"),
        (lambda q, k, position_ids: (np.array([None]), k), {}, "it gave back no numbers"),
        (lambda q, k, position_ids: (q.cuda(), k), {}, "CUDA|NVIDIA|cuda"),
        (lambda position_ids: (None, None), {"signature": "position_ids"}, "it gave back NoneType for cos"),
        (
            lambda position_ids: (position_ids[..., None][..., :0],) * 2,
            {"signature": "position_ids"},
            "cos back",
        ),
        (NoForward, {}, "missing the required"),
        (OnMeta(), {}, "meta"),
        (tires(), {}, "StopIteration"),
        (healthy.half, {"head_dim": 1}, "cannot be probed"),
        (healthy.half, {"head_dim": 5}, "cannot be probed"),
        (healthy.half, {"head_dim": 4096}, "head_dim is 4,096"),
        (lambda q, k, v: v * 0, {"signature": "q, k, v"}, "is no attention"),
        (attending.rope, {"signature": "q, k, v, position_ids", "head_dim": 1}, "head_dim is 1"),
    ],
)
def test_one_sentence(fn: Any, how: dict[str, Any], says: str) -> None:
    before = settings()
    with pytest.raises(ClockhandsError, match=says) as caught:
        probe(fn, **{"head_dim": 16, **how})
    assert "\n" not in str(caught.value)
    assert caught.value.text.zh != caught.value.text.en or isinstance(caught.value, BadParameter)
    assert settings() == before


def one_row(q: Tensor, k: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    assert len(q) == 1
    return healthy.half(q, k, position_ids)


def odd(q: Tensor, k: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    """The last dimension of an odd head stays."""
    width = q.shape[-1] // 2 * 2
    turned = healthy.half(q[..., :width], k[..., :width], position_ids)
    return tuple(torch.cat((a, b[..., width:]), -1) for a, b in zip(turned, (q, k), strict=True))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("fn", "how", "form"),
    [
        (one_row, {}, {"family": "rope", "layout": "half", "rotary_dim": 16}),
        (
            odd,
            {"head_dim": 5},
            {"family": "rope", "layout": "half", "rotary_dim": 4, "rotary_dims": "prefix"},
        ),
        (odd, {"head_dim": 3}, {"family": "rope", "layout": None, "rotary_dim": 2, "rotary_dims": "prefix"}),
        (healthy.half, {"head_dim": 2}, {"family": "rope", "layout": None, "rotary_dim": 2}),
        (healthy.half, {"num_heads": 1}, {"family": "rope", "layout": "half"}),
        (healthy.half, {"num_heads": 2, "num_kv_heads": 1}, {"family": "rope", "layout": "half"}),
        (lambda q, k, position_ids: (q[:], k.view_as(k)), {}, {"family": "none"}),
        (lambda q, k, position_ids: {"q": q.clone(), "k": k.clone()}, {}, {"family": "none"}),
        (lambda q, k, position_ids: (q * 0, k * 0), {}, {"family": "other"}),
        (lambda q, k, position_ids: (torch.ones_like(q), torch.ones_like(k)), {}, {"family": "other"}),
        (lambda q, k, position_ids: (q * 2, k * 2), {}, {"family": "other"}),
    ],
)
def test_odd_ones_are_measured(fn: Any, how: dict[str, Any], form: dict[str, Any]) -> None:
    subject = probe(fn, **{"head_dim": 16, **how})
    assert [each.code for each in subject.found] == []
    assert subject.measured is not None
    assert {name: getattr(subject.measured[0], name) for name in form} == form


@pytest.mark.parametrize(
    ("fn", "how"),
    [
        (lambda q, k, position_ids: (q * float("nan"), k), {}),
        (lambda q, k, position_ids: (q + float("inf"), k), {}),
        (lambda q, k, v: v * float("nan"), {"signature": "q, k, v"}),
        (lambda query_length, key_length: np.full((query_length, key_length), np.nan), {"signature": SQUARE}),
        (
            lambda query_length, key_length: np.full((query_length, key_length), -np.inf),
            {"signature": SQUARE},
        ),
    ],
)
def test_numbers_that_are_none(fn: Any, how: dict[str, Any]) -> None:
    subject = probe(fn, **{"head_dim": 16, **how})
    assert [(each.code, each.severity) for each in subject.found] == [("CH143", "error")]
    assert [form.family for form in subject.measured or ()] == ["other"]
