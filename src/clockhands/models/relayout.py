"""Whole checkpoints moved from one rotary layout to the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from clockhands import formulas
from clockhands.catalogue.rules import require_choice, require_count
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout

TURNED = ("query", "key", "q_proj", "k_proj", "wq", "wk", "q_norm", "k_norm")
"""Modules whose outputs turn: those of this package, of transformers, of Meta's Llama; and norms of heads."""


def relayout_weights(
    weights: Mapping[str, Any],
    source: Layout,
    target: Layout,
    *,
    head_dim: int,
    rotary_dim: int | None = None,
    rotary_start: int = 0,
    modules: Sequence[str] = TURNED,
) -> dict[str, Any]:
    """A checkpoint whose queries and keys are turned in another layout: the same logits, dimensions moved.

    weights       tensors or arrays by name, such as a ``state_dict``; only ``MODULE.weight`` and
                  ``MODULE.bias`` of ``modules`` are moved, all else comes back as it is
    head_dim      width of one head. Rows are moved head by head, as many as a tensor has, so grouped-query
                  attention needs no mention
    rotary_dim    how many dimensions of each head turn; all from ``rotary_start`` on by default
    rotary_start  the first that turns
    modules       names of the modules whose outputs are queries or keys, or act on them dimension by
                  dimension (norms). Where one makes more than that (fused q, k and v, or queries with a
                  gate), split it first, or use ``clockhands.formulas.relayout``

    Raises ClockhandsError where nothing is moved, for rows that are not whole heads, and for what hangs on
    such a module but is neither weight nor bias (an adapter, a quantised block): moved halfway, a model
    breaks in silence.

    >>> import numpy as np
    >>> moved = relayout_weights({"q_proj.bias": np.arange(4)}, "interleaved", "half", head_dim=4)
    >>> moved["q_proj.bias"].tolist()
    [0, 2, 1, 3]
    """
    for layout, name in ((source, "source"), (target, "target")):
        require_choice(layout, name, get_args(Layout))
    require_count(head_dim, "head_dim")
    require_count(rotary_start, "rotary_start", least=0, most=head_dim - 1)
    turned = head_dim - rotary_start if rotary_dim is None else rotary_dim
    require_count(turned, "rotary_dim", least=2, most=head_dim - rotary_start, even=True)
    moving = [name for name in weights if _turned(name, modules)]
    if not moving:
        known = ", ".join(modules)
        raise ClockhandsError(
            f"no weight belongs to a module called {known}: give the names of yours as modules",
            f"没有哪个权重属于名为 {known} 的模块：请用 modules 给出你的模块名",
        )
    moved = dict(weights)
    for name in moving:
        rows = weights[name].shape[0]
        if rows % head_dim:
            raise ClockhandsError(
                f"{name} has {rows} rows, which are no whole heads of {head_dim}: give its head_dim",
                f"{name} 有 {rows} 行，不是宽 {head_dim} 的注意力头的整数倍：请给出它的 head_dim",
            )
        moved[name] = formulas.relayout(
            weights[name], source, target,
            num_heads=rows // head_dim, rotary_dim=turned, rotary_start=rotary_start,
        )  # fmt: skip
    return moved


def _turned(name: str, modules: Sequence[str]) -> bool:
    """Whether a tensor of this name is to be moved; one that can't be is refused."""
    *path, leaf = name.split(".")
    if not set(path) & set(modules):
        return False
    if path[-1] in modules and leaf in ("weight", "bias"):
        return True
    raise ClockhandsError(
        f"{name} belongs to a query or key projection but is no plain weight or bias: merge adapters and "
        "dequantise first",
        f"{name} 属于查询或键的投影，但不是普通的 weight 或 bias：请先合并适配器并反量化",
    )
