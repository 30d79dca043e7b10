"""Weights that a model hands out itself, for one whose attention goes through no interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from clockhands.analysis.attention_call import Call, Plain
from clockhands.errors import ClockhandsError, shown
from clockhands.real.capture import Watch


def handed_out(model: nn.Module, given: dict[str, Any], watch: Watch) -> list[list[Call]]:
    """Calls that hold weights and no queries and keys: maps and scores of heads can be made of them.

    Raises ClockhandsError where the model hands out none, and says what works still.
    """
    name = type(model).__name__
    training = model.training
    try:
        model.eval()
        with torch.no_grad():
            out = model(**given, output_attentions=True)
        weights = out.get("attentions") or ()
    except Exception as error:  # whatever other people's models say of being asked
        raise _unseen(name, shown(str(error), 100)) from error
    finally:
        model.train(training)
    maps = [each.float().cpu().numpy() for each in weights if each is not None and each.ndim == 4]
    if not maps:
        raise _unseen(name, "it hands out no weights")
    calls: list[list[Call]] = [[] for _ in range(len(maps[0]))]
    for layer, each in enumerate(maps):
        if watch.layers is not None and layer not in watch.layers:
            continue
        heads = list(range(each.shape[1]) if watch.heads is None else watch.heads)
        queries = np.arange(each.shape[2]) if watch.queries is None else watch.queries
        for text, own in enumerate(each):
            seen = own[heads][:, queries]
            calls[text].append(
                Call(
                    layer=layer,
                    stack="",
                    kind="self",
                    heads=tuple(heads),
                    of=each.shape[1],
                    count=each.shape[2],
                    queries=queries,
                    q=np.zeros((len(heads), len(queries), 0)),
                    k=np.zeros((1, each.shape[3], 0)),
                    shared=(0,) * len(heads),
                    lse=np.zeros(seen.shape[:2]),
                    scale=1.0,
                    sees=Plain(each.shape[3], causal=_causal(own)),
                    given=seen,
                )
            )
    return calls


def _causal(weights: np.ndarray) -> bool:
    """Whether no query looks ahead."""
    return not np.triu(weights, 1).any()


def _unseen(name: str, why: str) -> ClockhandsError:
    return ClockhandsError(
        f"{name} computes attention in code of its own, and its maps can't be taken ({why}): clockhands "
        "check "
        "tells still what it does with position, and clockhands show draws its encoding",
        f"{name} 用自己的代码计算注意力，无法取得注意力图（{why}）：clockhands check 仍可说明它如何使用位置，"
        "clockhands show 仍可画出它的编码",
    )
