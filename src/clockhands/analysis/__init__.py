"""Arrays in, labelled results out: numpy alone, so that every number can be had without torch.

labelled, export            results with axes and units, and their exact file twins
hands, spectrum             what the hands say, and how far each travels
kernel, kernel_map          similarity by distance, and any window of its matrix however large
similarity, neighbours      the matrix itself, and the step from one position to the next
horizon, uniqueness         where similarity stops falling and comes back; up to where positions stay apart
critical, base_bound, ramp  which hands turn in training, which bases a context needs, what YaRN slows
precision, precision_by_length  what 16 and 32 bits leave of positions and angles
relative, diagonals, decay  RoPE's relative property, what projections do to it, what is true of its decay
add_concatenate             adding positions to tokens or putting them side by side
bias, effective_context     distance biases and the windows they leave open
attention                   where attention weights look
distance_map, shift_residual  which distance a remap gives each query and key; what a shift changes
verdict                     what is wrong with a table of positions, in words and numbers

Modules are loaded when first used:

>>> import clockhands as ch
>>> ch.analysis.kernel.kernel([1.0, 0.1], [0]).values.tolist()
[1.0]
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clockhands.analysis import (
        add_concatenate,
        attention,
        base_bound,
        bias,
        critical,
        decay,
        diagonals,
        distance_map,
        effective_context,
        export,
        hands,
        horizon,
        kernel,
        kernel_map,
        labelled,
        neighbours,
        precision,
        precision_by_length,
        ramp,
        relative,
        shift_residual,
        similarity,
        spectrum,
        uniqueness,
        verdict,
    )

__all__ = [
    "add_concatenate",
    "attention",
    "base_bound",
    "bias",
    "critical",
    "decay",
    "diagonals",
    "distance_map",
    "effective_context",
    "export",
    "hands",
    "horizon",
    "kernel",
    "kernel_map",
    "labelled",
    "neighbours",
    "precision",
    "precision_by_length",
    "ramp",
    "relative",
    "shift_residual",
    "similarity",
    "spectrum",
    "uniqueness",
    "verdict",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"clockhands.analysis.{name}")
    raise AttributeError(f"module 'clockhands.analysis' has no attribute {name!r}")
