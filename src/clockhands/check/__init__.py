"""What a model does with position, whatever it says: read, measured, compared, and what is wrong with it.

>>> from clockhands.check import examine
>>> report = examine({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 1e4})
>>> report.layers[0].rotary_dim
16
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import clockhands.check.probe  # noqa: F401  now, or its first import would take the place of the function below
from clockhands.check.examine import examine
from clockhands.check.form import Context, LayerForm
from clockhands.check.report import Report, report_of
from clockhands.errors import ClockhandsError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

__all__ = ["Context", "LayerForm", "Report", "examine", "measure", "probe"]


def measure(model: PreTrainedModel) -> Report:
    """What a live transformers model does with position: its behaviour, never its configuration."""
    from clockhands.check.examine import is_model

    if not is_model(model):
        raise ClockhandsError(
            f"a {type(model).__name__} can't be measured: give a live transformers model, or use examine",
            f"无法实测 {type(model).__name__}：请给出正在运行的 transformers 模型，或改用 examine",
        )
    return examine(model)


def probe(fn: Any, *, head_dim: int, signature: str = "q, k, position_ids", **asked: Any) -> Report:
    """What a function does with position; ``signature`` names what it takes.

    asked  whatever else is to be told of it: ``layout_of_heads="t h d"``, ``num_heads``, ``dtype``,
           ``expect`` and others, see ``clockhands.check.probe.function.probe``
    """
    from clockhands.check.probe.function import probe as probed
    from clockhands.check.rules import findings

    subject = probed(fn, head_dim=head_dim, signature=signature, **asked)
    return report_of(subject, findings(subject))
