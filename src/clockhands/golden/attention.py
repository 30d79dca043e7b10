"""What a whole module does to tokens or in attention, in float64: golden vectors that need torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clockhands.catalogue.description import Description
from clockhands.core.attend import attend, enter
from clockhands.core.back_ends import Dense
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError, nearest
from clockhands.golden.cases import WEIGHTS, filled
from clockhands.language import Text
from clockhands.memory import require_memory
from clockhands.schemes.building import build


def passed(scheme: Description, quantity: str, inputs: dict[str, Any]) -> NDArray[np.float64] | None:
    """``embedded`` or ``attended`` for one text; None where the scheme does not do it.

    inputs  ``position`` ``(t,)`` or ``(t, axes)``; ``weights`` of the module by name, if it has any; and
            ``x`` ``(t, d_model)`` for ``embedded``, or ``q``, ``k``, ``v`` ``(heads, t, head_dim)`` for
            ``attended``, ``x`` too where hidden states are read. ``causal`` is true unless it is given
    """
    module = build(scheme)
    if module.overrides("embed") != (quantity == "embedded"):
        return None
    module = loaded(module, inputs.get("weights", {}), random_tables(scheme))
    positions = torch.tensor(inputs["position"])[None]
    require_memory(Text("this attention", "这次注意力计算"), (positions.shape[1],) * 2)
    x = _numbers(inputs["x"]) if "x" in inputs else torch.zeros(1, positions.shape[1], 1, dtype=torch.float64)
    with torch.no_grad():
        hidden, (placed,) = enter([module], x, positions)
        if quantity == "embedded":
            return hidden[0].numpy()
        q, k, v = (_numbers(inputs[name]) for name in ("q", "k", "v"))
        seen = Visibility(causal=_yes_or_no(inputs.get("causal", True)))
        return attend(placed, q, k, v, visibility=seen, x=hidden, back_ends=(Dense(),)).output[0].numpy()


def reads_states(scheme: Description) -> bool:
    """Whether its attention needs the hidden states ``x`` beside queries, keys and values."""
    return build(scheme).overrides("annotate")


def axes_of(scheme: Description) -> tuple[int | None, bool]:
    """How many axes its positions have, None: plain; and whether plain ones count on all of them."""
    module = build(scheme)
    return module.axes, module.spreads or module.axes is None


def sample_weights(scheme: Description) -> dict[str, Any]:
    """Numbers in place of trained and of random ones, by name.

    The first table of a shape has the same numbers in every scheme, so that schemes differ by their formulas.
    """
    module = build(scheme)
    tables = module.state_dict() | {name: getattr(module, name) for name in random_tables(scheme)}
    made: dict[str, Any] = {}
    met: list[tuple[int, ...]] = []
    for name, table in tables.items():
        shape = tuple(table.shape)
        made[name] = filled(shape, first=3 * met.count(shape)).tolist()
        met.append(shape)
    return made | WEIGHTS.get(scheme.card.id, {})


def random_tables(scheme: Description) -> tuple[str, ...]:
    """Names of fixed tables that were drawn, so that another seed gives others."""
    seed = scheme.untrained_seed
    if seed is None or "seed" not in scheme.parameters():
        return ()
    given = {name: getattr(scheme, name) for name in scheme.parameters()} | {"seed": seed ^ 1}
    one, other = (dict(build(each).named_buffers()) for each in (scheme, type(scheme)(**given)))
    return tuple(name for name, table in one.items() if not torch.equal(table, other[name]))


def loaded(module: Encoding, weights: Any, fixed: tuple[str, ...]) -> Encoding:
    """The module in float64 with these weights: all that it has, and no others."""
    module = module.double().eval()
    have = module.state_dict() | {name: getattr(module, name) for name in fixed}
    if not isinstance(weights, dict):
        raise ClockhandsError("weights must be an object: names and arrays", "weights 必须是对象：名称和数组")
    for name in [*weights, *have]:
        if name not in have:
            hint = nearest(str(name), list(have)) if have else Text("leave them out", "请去掉")
            raise ClockhandsError(
                f"{module.id} has no weights '{name}': {hint.en}", f"{module.id} 没有权重“{name}”：{hint.zh}"
            )
        if name not in weights:
            raise ClockhandsError(
                f"the weights '{name}' of {module.id} are missing: give {tuple(have[name].shape)} numbers",
                f"缺少 {module.id} 的权重“{name}”：请给出形状为 {tuple(have[name].shape)} 的数组",
            )
        shape = np.shape(weights[name])
        if shape != tuple(have[name].shape):
            raise ClockhandsError(
                f"the weights '{name}' of {module.id} have shape {shape}, but must have "
                f"{tuple(have[name].shape)}: give as many",
                f"{module.id} 的权重“{name}”形状为 {shape}，应为 {tuple(have[name].shape)}：请改成一致",
            )
    for name in fixed:
        module.fix(name, np.asarray(weights[name], dtype=np.float64))
    module.load_state_dict({name: _numbers(weights[name])[0] for name in weights if name not in fixed})
    return module


def _numbers(values: Any) -> Tensor:
    """float64, with an axis for the batch in front."""
    return torch.tensor(values, dtype=torch.float64)[None]


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ClockhandsError("causal must be true or false", "causal 必须是 true 或 false")
    return value
