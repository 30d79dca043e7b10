"""The formulas, each written once against the array API: the same lines run on numpy and on torch tensors.

Nothing here imports torch, keeps state or checks what a user typed: parameters are checked where a
scheme is described (``clockhands.catalogue``). Whatever is made from plain numbers is float64; with
arrays, the widest floating input decides, and never less than float32.
"""

from clockhands.formulas.axes import (
    along_all,
    alternating_inv_freq,
    angles_on_axes,
    axial_inv_freq,
    chunked_axes,
    interleaved_axes,
    mixed_axis_speeds,
)
from clockhands.formulas.buckets import deberta_bucket, deberta_thresholds, t5_bucket, t5_thresholds
from clockhands.formulas.codes import binary, gray, one_hot
from clockhands.formulas.context_frequency import context_frequency, frequency_powers, projected_for
from clockhands.formulas.contextual import contextual_positions, interpolated
from clockhands.formulas.decay import stepped_temperature, xpos_bases
from clockhands.formulas.distance_sinusoid import weigh_distance_sinusoid
from clockhands.formulas.drawn import augmented_places, offset_places, sampled_places, shifted_places
from clockhands.formulas.fire import fire_input
from clockhands.formulas.forgetting import cable_steps, fox_steps
from clockhands.formulas.fourier import fourier_features, fourier_table
from clockhands.formulas.frequencies import (
    banded_inv_freq,
    by_parts_inv_freq,
    clipped_inv_freq,
    default_inv_freq,
    dynamic_ntk_inv_freq,
    from_rope_parameters,
    high_frequency_inv_freq,
    layer_theta,
    linear_inv_freq,
    longrope_attention_factor,
    longrope_inv_freq,
    mixed_inv_freq,
    ntk_inv_freq,
    ntk_theta,
    proportional_inv_freq,
    resonance_inv_freq,
    sinusoid_inv_freq,
    yarn_attention_factor,
    yarn_inv_freq,
    yarn_magnitude,
    yarn_ramp,
)
from clockhands.formulas.generators import (
    generator_speeds,
    partitioned_generators,
    scaled_generators,
    skew_of_upper,
)
from clockhands.formulas.householder import path_logits, path_logits_in_blocks
from clockhands.formulas.interchange import cos_sin_caches, doubled, halved, onnx_rotary, rotary
from clockhands.formulas.kerple import kerple_log_at, kerple_power_at
from clockhands.formulas.layouts import Layout, relayout
from clockhands.formulas.per_head import per_head
from clockhands.formulas.plane import plane_speed, turn_in_plane
from clockhands.formulas.polar import polar
from clockhands.formulas.remaps import (
    dual_chunk,
    lm_infinite,
    rerope,
    self_extend,
    streaming,
    string_shift,
)
from clockhands.formulas.resize import resized_grid
from clockhands.formulas.retention import retention_slopes
from clockhands.formulas.rotation import angles, rotate
from clockhands.formulas.sandwich import sandwich_factors, sandwich_kernel, sandwich_speeds
from clockhands.formulas.series import fourier_coefficients, summed_waves
from clockhands.formulas.sinusoid import Arrangement, First, sinusoid
from clockhands.formulas.slopes import alibi_bias, alibi_bias_at, alibi_slopes
from clockhands.formulas.stick_breaking import stick_breaking
from clockhands.formulas.swin import bounded, log_offsets, offset_row
from clockhands.formulas.tagged import tagged_positions
from clockhands.formulas.units import relu_curves
from clockhands.formulas.wavelets import ricker
from clockhands.formulas.windows import hard_bias_at, hard_windows

__all__ = [
    "Arrangement",
    "First",
    "Layout",
    "alibi_bias",
    "alibi_bias_at",
    "alibi_slopes",
    "along_all",
    "alternating_inv_freq",
    "angles",
    "angles_on_axes",
    "augmented_places",
    "axial_inv_freq",
    "banded_inv_freq",
    "binary",
    "bounded",
    "by_parts_inv_freq",
    "cable_steps",
    "chunked_axes",
    "clipped_inv_freq",
    "context_frequency",
    "contextual_positions",
    "cos_sin_caches",
    "deberta_bucket",
    "deberta_thresholds",
    "default_inv_freq",
    "doubled",
    "dual_chunk",
    "dynamic_ntk_inv_freq",
    "fire_input",
    "fourier_coefficients",
    "fourier_features",
    "fourier_table",
    "fox_steps",
    "frequency_powers",
    "from_rope_parameters",
    "generator_speeds",
    "gray",
    "halved",
    "hard_bias_at",
    "hard_windows",
    "high_frequency_inv_freq",
    "interleaved_axes",
    "interpolated",
    "kerple_log_at",
    "kerple_power_at",
    "layer_theta",
    "linear_inv_freq",
    "lm_infinite",
    "log_offsets",
    "longrope_attention_factor",
    "longrope_inv_freq",
    "mixed_axis_speeds",
    "mixed_inv_freq",
    "ntk_inv_freq",
    "ntk_theta",
    "offset_places",
    "offset_row",
    "one_hot",
    "onnx_rotary",
    "partitioned_generators",
    "path_logits",
    "path_logits_in_blocks",
    "per_head",
    "plane_speed",
    "polar",
    "projected_for",
    "proportional_inv_freq",
    "relayout",
    "relu_curves",
    "rerope",
    "resized_grid",
    "resonance_inv_freq",
    "retention_slopes",
    "ricker",
    "rotary",
    "rotate",
    "sampled_places",
    "sandwich_factors",
    "sandwich_kernel",
    "sandwich_speeds",
    "scaled_generators",
    "self_extend",
    "shifted_places",
    "sinusoid",
    "sinusoid_inv_freq",
    "skew_of_upper",
    "stepped_temperature",
    "stick_breaking",
    "streaming",
    "string_shift",
    "summed_waves",
    "t5_bucket",
    "t5_thresholds",
    "tagged_positions",
    "turn_in_plane",
    "weigh_distance_sinusoid",
    "xpos_bases",
    "yarn_attention_factor",
    "yarn_inv_freq",
    "yarn_magnitude",
    "yarn_ramp",
]
