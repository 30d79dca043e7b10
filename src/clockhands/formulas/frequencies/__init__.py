"""How fast each hand turns: frequency functions, all returning ``inv_freq`` in rad / token, fastest first.

Those that also sharpen the softmax have a function for their attention factor beside it. Where a published
library reads them from a dictionary, ``from_rope_parameters`` returns both.
"""

from clockhands.formulas.frequencies.blended import banded_inv_freq, mixed_inv_freq
from clockhands.formulas.frequencies.geometric import (
    Exponent,
    default_inv_freq,
    layer_theta,
    sinusoid_inv_freq,
)
from clockhands.formulas.frequencies.longrope import longrope_attention_factor, longrope_inv_freq
from clockhands.formulas.frequencies.rope_parameters import from_rope_parameters
from clockhands.formulas.frequencies.scaled import (
    by_parts_inv_freq,
    dynamic_ntk_inv_freq,
    linear_inv_freq,
    ntk_inv_freq,
    ntk_theta,
)
from clockhands.formulas.frequencies.selected import (
    clipped_inv_freq,
    high_frequency_inv_freq,
    proportional_inv_freq,
    resonance_inv_freq,
)
from clockhands.formulas.frequencies.yarn import (
    yarn_attention_factor,
    yarn_inv_freq,
    yarn_magnitude,
    yarn_ramp,
)

__all__ = [
    "Exponent",
    "banded_inv_freq",
    "by_parts_inv_freq",
    "clipped_inv_freq",
    "default_inv_freq",
    "dynamic_ntk_inv_freq",
    "from_rope_parameters",
    "high_frequency_inv_freq",
    "layer_theta",
    "linear_inv_freq",
    "longrope_attention_factor",
    "longrope_inv_freq",
    "mixed_inv_freq",
    "ntk_inv_freq",
    "ntk_theta",
    "proportional_inv_freq",
    "resonance_inv_freq",
    "sinusoid_inv_freq",
    "yarn_attention_factor",
    "yarn_inv_freq",
    "yarn_magnitude",
    "yarn_ramp",
]
