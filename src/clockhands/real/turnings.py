"""How each layer of a loaded model turns queries and keys: as its configuration says, at its own speeds."""

from __future__ import annotations

import json
import sys
from typing import Any, Literal

import numpy as np
from torch import Tensor, nn

from clockhands.analysis.attention_parts import Turning, turning
from clockhands.check.form import LayerForm
from clockhands.check.read.config import read_config
from clockhands.errors import ClockhandsError


def turnings_of(model: Any) -> dict[tuple[str, int], Turning]:
    """By stack and layer; layers that turn nothing, and those of which it isn't known, are missing.

    Speeds are those of the model's own rotation where it has one for all layers: a file may divide them by
    numbers that its configuration can't say.
    """
    try:
        subject = read_config(json.loads(model.config.to_json_string(use_diff=False)))
    except ClockhandsError:
        return {}
    forms = [form for form in subject.declared if form.family == "rope" and form.inv_freq and form.head_dim]
    own = _own_speeds(model, forms)
    found: dict[tuple[str, int], Turning] = {}
    for form in forms:
        if form.layout is None or form.mrope_section is not None:
            continue
        assert form.inv_freq is not None
        assert form.head_dim is not None
        speeds = np.asarray(form.inv_freq if own is None else own)
        layout = _handed_over(model, form.layout)
        made = turning(speeds, form.head_dim, layout, at_end=form.rotary_dims == "suffix")
        found |= {(form.stack or "", layer): made for layer in form.layers}
    return found


def _handed_over(model: nn.Module, layout: Literal["half", "interleaved"]) -> Literal["half", "interleaved"]:
    """How pairs lie in the queries and keys that come to attention.

    DeepSeek-V3's class, and those made after it, put neighbours that turn together into two halves while they
    turn them. Source: ``apply_rotary_pos_emb_interleave`` of ``modeling_deepseek_v3.py`` in transformers.
    """
    homes = {type(module).__module__ for module in model.modules()}
    moves = any(hasattr(sys.modules.get(home), "apply_rotary_pos_emb_interleave") for home in homes)
    return "half" if moves else layout


def _own_speeds(model: nn.Module, forms: list[LayerForm]) -> Any:
    """Of the one rotation that a model has; None where it has several, or none of that size."""
    buffers = [getattr(each, "inv_freq", None) for each in model.modules()]
    buffers = [each for each in buffers if isinstance(each, Tensor)]
    if len(buffers) != 1 or len(forms) != 1 or forms[0].inv_freq is None:
        return None
    speeds = buffers[0].detach().double().cpu().numpy()
    return speeds if speeds.shape == (len(forms[0].inv_freq),) else None
