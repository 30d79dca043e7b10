"""What a model does with position, whatever it says: read, measured, compared, and what is wrong with it.

>>> from clockhands.check import examine
>>> report = examine({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 1e4})
>>> report.layers[0].rotary_dim
16
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clockhands.check.examine import examine
from clockhands.check.form import Context, LayerForm
from clockhands.check.report import Report

if TYPE_CHECKING:
    from transformers import PreTrainedModel

__all__ = ["Context", "LayerForm", "Report", "examine", "measure", "probe"]


def measure(model: PreTrainedModel) -> Report:
    """What a live transformers model does with position: its behaviour, never its configuration."""
    return examine(model)


def probe(fn: Any, *, head_dim: int, signature: str = "q, k, position_ids") -> Report:
    """What a function does with position; ``signature`` names what it takes."""
    return examine(fn, head_dim=head_dim, signature=signature)
