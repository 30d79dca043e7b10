"""Calling a model of which nothing is known but its class: one constant token, and positions where it takes
them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from clockhands.check.probe.hf.copy import codes_of, words_of
from clockhands.check.probe.hf.refusal import Refusal

ROWS = 5
"""Texts in a batch: neither a number of positions nor of heads that anything here uses."""

TOKEN = 7
"""The constant token, if the vocabulary has it: rows before it are often for padding and the like."""

ENCODED = 13
"""Tokens that an encoder gets, so that attention across to it is told from attention within."""


@dataclass(frozen=True)
class Feed:
    """How a model is called: ``name`` of the way, and the call for a number of tokens and positions."""

    name: str
    call: Callable[..., Any]


def feeds(model: nn.Module) -> tuple[Feed, ...]:
    """Ways of calling this model, the likeliest first."""
    parameters = set(inspect.signature(model.forward).parameters)
    table = words_of(model)
    token = TOKEN if table is None or len(table) > TOKEN else len(table) - 1

    # A token of several codes is one row of ids for each.
    rows = ROWS * codes_of(model)

    def ids(count: int) -> Tensor:
        return torch.full((rows, count), token)

    def with_positions(count: int, positions: Tensor | None, **others: Any) -> dict[str, Any]:
        given = {**others, "use_cache": False}
        if positions is not None:
            given["position_ids"] = positions
        return given

    def plain(model: nn.Module, count: int, positions: Tensor | None = None) -> Any:
        return model(input_ids=ids(count), **with_positions(count, positions))

    def bare(model: nn.Module, count: int, positions: Tensor | None = None) -> Any:
        given = {} if positions is None else {"position_ids": positions}
        return model(input_ids=ids(count), **given)

    def both(model: nn.Module, count: int, positions: Tensor | None = None) -> Any:
        if positions is not None:
            raise Refusal("a class with an encoder takes no position_ids here")
        return model(input_ids=ids(ENCODED), decoder_input_ids=ids(count), use_cache=False)

    def encoding(model: nn.Module, count: int, positions: Tensor | None = None) -> Any:
        if positions is not None:
            raise Refusal("a class with an encoder takes no position_ids here")
        return model(input_ids=ids(count), decoder_input_ids=ids(ENCODED), use_cache=False)

    ways = [Feed("plain", plain), Feed("bare", bare)]
    if "decoder_input_ids" in parameters:
        ways = [Feed("decoder", both), Feed("encoder", encoding), *ways]
    return tuple(ways)
