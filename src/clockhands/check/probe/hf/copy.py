"""The probe's own copy of a model, so that the caller's stays as it is to the last bit."""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from clockhands.check.probe.function.loading import shown_plain
from clockhands.check.probe.function.surroundings import put_back, settings_of_process
from clockhands.check.probe.hf.interface import NAME, register
from clockhands.errors import ClockhandsError

WAS = "_clockhands_was"

LARGE = 1_000_000_000
"""Parameters from which on weights are shared with the caller's model instead of copied."""


def own_copy(model: nn.Module, dtype: torch.dtype = torch.float64) -> nn.Module:
    """A copy on which anything may be changed, in float64 on the CPU, evaluating, with the watching
    interface.

    Float64 matters: a hand that turns by 1e-7 rad a token still shows after one token, since the library's
    float32 sine of a small angle is as precise as that of a large one; some classes run in float32 only.
    Weights of large models are shared and
    keep their dtype: nothing writes to them.

    Raises ClockhandsError for a model that can't be copied, or whose weights are no numbers.
    """
    _require_weights(model)
    count = sum(each.numel() for each in model.parameters())
    large = count > LARGE
    memo = {id(each): each for each in model.parameters()} if large else {}
    try:
        ours = copy.deepcopy(model, memo)
    except Exception as error:  # whatever other people's modules say of being copied
        said = shown_plain(f"{type(error).__name__}: {error}")
        raise ClockhandsError(
            f"a {type(model).__name__} can't be copied ({said}), and only a copy is measured: "
            "take out of it what "
            "can't be copied",
            f"无法复制 {type(model).__name__}（{said}），而实测只在副本上进行：请去掉其中无法复制的内容",
        ) from error
    ours.eval()
    if not large:
        ours = ours.to("cpu", dtype)
    for each in ours.parameters():
        each.requires_grad_(False)
    register()
    for config in configs_of(ours):
        setattr(config, WAS, config._attn_implementation)
        config._attn_implementation = NAME
        # Experts in one grouped product know no float64.
        config._experts_implementation = "eager"
    if not large:
        plain_weights(ours)
    return ours


def _require_weights(model: nn.Module) -> None:
    """Raises ClockhandsError where weights have no memory, or hold what is no number."""
    for name, each in (*model.named_parameters(), *model.named_buffers()):
        if each.is_meta:
            raise ClockhandsError(
                f"{name} is on the meta device, which holds no numbers: load the weights first",
                f"{name} 在 meta 设备上，其中没有数：请先载入权重",
            )
    for name, each in model.named_parameters():
        if each.is_floating_point() and not bool(torch.isfinite(each).all()):
            raise ClockhandsError(
                f"{name} holds numbers that are not finite, so nothing can be measured: load the "
                "weights anew",
                f"{name} 中有非有限的数，无法实测：请重新载入权重",
            )


def configs_of(model: nn.Module) -> list[Any]:
    """The settings that the modules of a model hold, each once; nothing is read from them."""
    return list(
        {id(each.config): each.config for each in model.modules() if hasattr(each, "config")}.values()
    )


def unwatched(model: nn.Module) -> None:
    """Give a model whose attention has code of its own the way of attending that the caller's has."""
    for config in configs_of(model):
        config._attn_implementation = getattr(config, WAS)


def plain_weights(model: nn.Module) -> None:
    """Weights that would hide positions made plain: norms scale nothing, and no table is all of one number.

    A norm after the rotation would stretch one dimension of a pair and not the other; a bias table of zeros
    is no bias; without biases a token of zeros is a query of zeros.
    """
    generator = torch.Generator().manual_seed(0)
    for module in model.modules():
        inner = list(module.children())
        for name, each in module.named_parameters(recurse=False):
            if not each.is_floating_point() or each.numel() == 0:
                continue
            if name == "bias":
                each.data.zero_()
            elif each.ndim == 1 and not inner:
                each.data.fill_(1.0 if name == "weight" else 0.0)
            elif each.ndim >= 2 and bool((each.data == each.data.flatten()[0]).all()):
                each.data.normal_(0.0, 0.5, generator=generator)


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings, nothing printed, and what is set for the whole process as it was, random numbers too."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    settings = settings_of_process(torch)
    # torch.random.fork_rng would start every accelerator there is.
    state = torch.get_rng_state()
    logging.set_verbosity_error()
    try:
        with warnings.catch_warnings(), torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        put_back(settings)
        logging.set_verbosity(level)
        torch.set_rng_state(state)


def words_of(model: nn.Module) -> Tensor | None:
    """The table of the tokens, ``(vocabulary, d)``, None where the model doesn't tell."""
    try:
        table = model.get_input_embeddings()  # type: ignore[operator]
    except (NotImplementedError, AttributeError):
        return None
    weight = getattr(table, "weight", None)
    return weight if isinstance(weight, Tensor) else None


def codes_of(model: nn.Module) -> int:
    """Tables that a token is looked up in, one for each code that it is made of: 1 where it is a word."""
    try:
        table = model.get_input_embeddings()  # type: ignore[operator]
    except (NotImplementedError, AttributeError):
        return 1
    return max(1, len(table)) if isinstance(table, nn.ModuleList) else 1
