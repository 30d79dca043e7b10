"""What is looked at before a trial starts: weights, memory, and each method on a short piece."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from clockhands.errors import ClockhandsError
from clockhands.extend.plan import Plan
from clockhands.extend.trials.design import AS_GIVEN
from clockhands.extend.trials.losses import read
from clockhands.extend.trials.texts import Ids
from clockhands.extend.trials.variants import (
    OTHER_HANDS,
    Remapped,
    Slowed,
    Variant,
    as_configured,
    halved,
    variant_of,
)
from clockhands.language import Text
from clockhands.memory import require_memory

CHECKED = 32
"""Tokens on which each method is looked at before the start."""

NEAR = {torch.float32: 1e-3, torch.float64: 1e-6}
"""Nats that losses may differ by which should be the same."""

NEARLY = 0.25
"""In other precisions: part of what halving does to losses that the gap may be."""

_REFUSALS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def checked(model: PreTrainedModel, made: Plan, ids: Ids) -> tuple[dict[str, Variant], dict[str, Text]]:
    """Those that the model's own code takes, and why others are left out.

    Remapped to half of every distance, a model must give the losses that its own code gives with hands of
    half the speed: then pair layout, the turning part of heads, scale and mask are as they are taken to be.
    """
    piece = _piece(ids)
    variants: dict[str, Variant] = {AS_GIVEN: variant_of(made, None)}
    left_out = {method.id: why for method, why in made.left_out}
    own = as_configured(model)
    for step in made.steps:
        try:
            variant = variant_of(made, step)
            if isinstance(variant, Slowed) and not own:
                raise ClockhandsError(*OTHER_HANDS)
            if isinstance(variant, Remapped):
                _require_turning_alone(model, variant, piece)
            else:
                with variant.applied(model, len(piece[0])):
                    read(model, *piece)
        except ClockhandsError as error:
            left_out[step.method.id] = error.text
        except _REFUSALS as error:
            left_out[step.method.id] = _refused(error)
        else:
            variants[step.method.id] = variant
    return variants, left_out


def _piece(ids: Ids) -> tuple[Tensor, Tensor]:
    count = min(CHECKED, len(ids.ids) - 1)
    return ids.ids[:count], ids.ids[1 : count + 1]


def _require_turning_alone(model: PreTrainedModel, variant: Remapped, piece: tuple[Tensor, Tensor]) -> None:
    with halved(model, variant.source):
        expected = read(model, *piece).losses
    with variant.at_half().applied(model, len(piece[0])):
        off = (read(model, *piece).losses - expected).abs()
    near = NEAR.get(next(model.parameters()).dtype)
    if near is not None:
        alike = bool(off.max() < near)
    else:  # numbers are coarse: the gap is held against what the halving does
        alike = bool(off.mean() < NEARLY * (read(model, *piece).losses - expected).abs().mean())
    if not alike:
        raise ClockhandsError(*_otherwise(float(off.max())))


def _refused(error: Exception) -> Text:
    said = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
    return Text(f"the model's code refuses the settings ({said})", f"模型的代码拒绝这些设置（{said}）")


def _otherwise(off: float) -> Text:
    return Text(
        "the model's attention does more than turn its heads: with half of every distance, losses differ by "
        f"up to {off:.2g} from those with hands of half the speed",
        f"模型的注意力除旋转外还做了别的：所有距离减半时的损失，与指针转速减半时相差可达 {off:.2g}",
    )


def require_finite(model: PreTrainedModel) -> None:
    """ClockhandsError for weights that hold NaN or infinity."""
    for name, each in model.named_parameters():
        if each.is_floating_point() and not bool(torch.isfinite(each).all()):
            raise ClockhandsError(
                f"{name} of the model holds numbers that are not finite (NaN or infinite): no loss would "
                "mean anything; fetch the weights again, or load them in float32",
                f"模型的 {name} 中有非有限的数（NaN 或无穷大）：算出的损失没有意义；"
                "请重新下载权重，或用 float32 载入",
            )


def require_room(model: PreTrainedModel, length: int) -> None:
    """Hidden states and the wide ones of an MLP of one layer; less than is really taken."""
    config: Any = model.config.get_text_config()
    wide = 3 * (getattr(config, "intermediate_size", None) or 4 * config.hidden_size) + 6 * config.hidden_size
    weight = next(model.parameters())
    if weight.device.type == "cpu":
        what = Text(f"a window of {length:,} tokens", f"{length:,} 个词元的窗口")
        require_memory(what, (length, wide), bytes_each=weight.element_size())


def fingerprint(model: PreTrainedModel) -> str:
    """Of the configuration and the first numbers of every weight."""
    config = {name: value for name, value in model.config.to_dict().items() if not name.startswith("_")}
    told = hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode())
    for name, each in model.named_parameters():
        first = each.detach().flatten()[:64].float().cpu().numpy()
        told.update(f"{name}{tuple(each.shape)}".encode() + first.tobytes())
    return told.hexdigest()
