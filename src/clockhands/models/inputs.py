"""What a model may be given: hidden states of its width, or token ids that it knows."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from clockhands.core.cache import Cache
from clockhands.core.checks import require_kind
from clockhands.errors import ClockhandsError
from clockhands.language import Text

_WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def require_hidden(x: Any, width: int, weight: Tensor) -> None:
    """Hidden states ``(b, t, width)`` of real numbers, in the dtype of ``weight`` unless autocast is on.

    >>> require_hidden(torch.zeros(2, 5, 8), 8, torch.zeros(1))
    """
    if not isinstance(x, Tensor):
        raise _no_tensor("x", x)
    if x.ndim != 3 or x.shape[-1] != width:
        raise ClockhandsError(
            f"x has shape {tuple(x.shape)}, and this layer needs (b, t, {width}): "
            "rows of a batch, tokens, numbers of a token",
            f"x 的形状是 {tuple(x.shape)}，而这一层需要 (b, t, {width})：依次为批的行、词元、每个词元的数",
        )
    fits = x.dtype == weight.dtype or torch.is_autocast_enabled(x.device.type)
    if not x.dtype.is_floating_point or not fits:
        raise ClockhandsError(
            f"x is {x.dtype}, and the weights of this layer are {weight.dtype}: "
            f"give x.to({weight.dtype}), or convert the layer",
            f"x 的类型是 {x.dtype}，而这一层的权重是 {weight.dtype}：请用 x.to({weight.dtype})，或转换这一层",
        )


def require_tokens(tokens: Any, vocab_size: int) -> None:
    """Token ids ``(b, t)``, integers from 0 to ``vocab_size - 1``.

    Their range is looked at on the CPU alone, where no device has to be waited for, and not while a graph is
    traced.

    >>> require_tokens(torch.tensor([[0, 3]]), 4)
    """
    if not isinstance(tokens, Tensor):
        raise _no_tensor("tokens", tokens)
    if tokens.dtype not in _WHOLE:
        raise ClockhandsError(
            f"tokens are {tokens.dtype}: they must be integers, e.g. torch.int64",
            f"tokens 的类型是 {tokens.dtype}：必须是整数，例如 torch.int64",
        )
    if tokens.ndim != 2:
        raise ClockhandsError(
            f"tokens have shape {tuple(tokens.shape)}, and a model needs (b, t): "
            "give one row as tokens[None]",
            f"tokens 的形状是 {tuple(tokens.shape)}，而模型需要 (b, t)：只有一行时请用 tokens[None]",
        )
    if torch.compiler.is_compiling() or tokens.device.type != "cpu" or not tokens.numel():
        return
    least, most = (int(end) for end in torch.aminmax(tokens))
    if least < 0 or most >= vocab_size:
        wrong = least if least < 0 else most
        raise ClockhandsError(
            f"tokens contain {wrong}, and this model knows 0 to {vocab_size - 1}: "
            "use its own vocabulary, or build it with a larger vocab_size",
            f"tokens 中有 {wrong}，而这个模型只认识 0 到 {vocab_size - 1}："
            "请用它自己的词表，或用更大的 vocab_size 建立模型",
        )


def require_asked(asked: Any, tokens: Tensor) -> None:
    """Which tokens are asked for, ``(b, t)`` bool, one at least.

    >>> require_asked(torch.tensor([[False, True]]), torch.tensor([[0, 3]]))
    """
    if not isinstance(asked, Tensor):
        raise _no_tensor("asked", asked)
    if asked.dtype != torch.bool or asked.shape != tokens.shape:
        raise ClockhandsError(
            f"asked is {asked.dtype} of shape {tuple(asked.shape)}, but it must be torch.bool and as the "
            f"tokens, {tuple(tokens.shape)}: True for each token whose hidden state is wanted",
            f"asked 的类型是 {asked.dtype}，形状是 {tuple(asked.shape)}；它必须是 torch.bool，且与词元同形"
            f"（{tuple(tokens.shape)}）：要哪个词元的隐藏状态，就在那里写 True",
        )
    if not bool(asked.any()):
        raise ClockhandsError(
            "no token is asked for: asked must be True for one at least",
            "没有要任何词元的隐藏状态：asked 中至少要有一个 True",
        )


def require_width(hidden: Any, width: int) -> None:
    """Hidden states ``(..., width)``.

    >>> require_width(torch.zeros(2, 8), 8)
    """
    if not isinstance(hidden, Tensor):
        raise _no_tensor("hidden", hidden)
    if hidden.shape[-1:] != (width,):
        raise ClockhandsError(
            f"hidden has shape {tuple(hidden.shape)}, but its last axis must be {width} wide: "
            "give what the model's read() returned",
            f"hidden 的形状是 {tuple(hidden.shape)}，但最后一维必须是 {width}："
            "请给出模型 read() 返回的隐藏状态",
        )


def require_cache(cache: Any, num_layers: int) -> None:
    """A memory for each layer of a model.

    >>> require_cache(Cache(2), 2)
    """
    require_kind(cache, Cache, "cache", Text(f"use Cache({num_layers})", f"请用 Cache({num_layers})"))
    if len(cache.layers) != num_layers:
        raise ClockhandsError(
            f"the cache is for {len(cache.layers)} layers and the model has {num_layers}: "
            f"use Cache({num_layers})",
            f"缓存是为 {len(cache.layers)} 层准备的，而模型有 {num_layers} 层：请用 Cache({num_layers})",
        )


def _no_tensor(name: str, value: Any) -> ClockhandsError:
    kind = type(value).__name__
    return ClockhandsError(
        f"{name} is a {kind}, and a model needs a torch.Tensor: use torch.as_tensor",
        f"{name} 的类型是 {kind}，而模型需要 torch.Tensor：请用 torch.as_tensor 转换",
    )
