"""Public bugs around frequencies and rotations, planted: each is caught by the check that ours passes."""

from __future__ import annotations

import math
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import rotation_checks as checks
import torch
from torch import Tensor

from clockhands import formulas
from clockhands.catalogue import describe
from clockhands.core.encoding import Encoding, Table
from clockhands.formulas import default_inv_freq
from clockhands.schemes.building import make
from clockhands.schemes.turning import cos_and_sin, turned


class Rotary(Encoding):
    """RoPE in a few lines; each subclass has one bug."""

    def __init__(self, head_dim: int = 64, **_: Any):
        super().__init__()
        self.head_dim = head_dim

    def speeds(self, places: Tensor) -> Tensor:
        return torch.tensor(default_inv_freq(self.head_dim))

    def table(self, places: Tensor) -> Table:
        return cos_and_sin(places[..., None] * self.speeds(places))

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return turned(q, table, "half")

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return turned(k, table, "half")


class Buffered(Rotary):
    """Frequencies in a buffer follow every cast, and ``to_empty`` leaves what memory holds: here NaN."""

    inv_freq: Tensor

    def __init__(self, head_dim: int = 64, **_: Any):
        super().__init__(head_dim)
        self.register_buffer("inv_freq", torch.tensor(default_inv_freq(head_dim)))

    def speeds(self, places: Tensor) -> Tensor:
        return self.inv_freq

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        super().to_empty(device=device, recurse=recurse)
        self.inv_freq.fill_(float("nan"))
        return self


class NarrowAngles(Buffered):
    """The whole table is built in the dtype of the model."""

    def table(self, places: Tensor) -> Table:
        return cos_and_sin(places[..., None].to(self.inv_freq.dtype) * self.inv_freq)


class NarrowPositions(Rotary):
    """Positions are cast to bfloat16 before they meet the frequencies."""

    def table(self, places: Tensor) -> Table:
        return super().table(places.bfloat16().double())


class NarrowSinusoid(Encoding):
    """Positions are cast to the dtype of the tokens."""

    def __init__(self, d_model: int):
        super().__init__()
        self.d_model = d_model

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        angle = places.to(x.dtype).double()[..., None] * torch.tensor(default_inv_freq(self.d_model))
        return x + torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2).to(x.dtype)


class KeptByShape(NarrowSinusoid):
    """The last output is given again where the shape is the same."""

    last: Tensor | None = None

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        if self.last is None or self.last.shape != x.shape:
            self.last = super().embed(x, places)
        return self.last


class Grown(Rotary):
    """Dynamic NTK for the longest of the batch, and cached keys stay as they were turned."""

    longest = 0

    def __init__(self, head_dim: int, factor: float, max_position_embeddings: int):
        super().__init__(head_dim)
        self.factor, self.trained = factor, max_position_embeddings

    def length(self, places: Tensor) -> int:
        return int(places.max()) + 1

    def speeds(self, places: Tensor) -> Tensor:
        stretch = self.head_dim / (self.head_dim - 2)
        growth = self.factor * max(self.length(places) / self.trained, 1) - (self.factor - 1)
        return torch.tensor(formulas.default_inv_freq(self.head_dim, 1e4 * growth**stretch))


class Remembering(Grown):
    """Frequencies stay as the longest text so far left them."""

    def length(self, places: Tensor) -> int:
        self.longest = max(self.longest, super().length(places))
        return self.longest


class TableOfRows(Rotary):
    """Past the last of 2048 rows nothing turns."""

    def table(self, places: Tensor) -> Table:
        return super().table(places.where(places < 2048, 0))


class CountsTwice(Rotary):
    """The attention factor is on queries and keys, and in the scale as well."""

    score_scale = 1.36889**2

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return 1.36889 * super().queries(q, table)


def always_half(x: Any, cos: Any, sin: Any, layout: Any) -> Any:
    return formulas.rotate(x, cos, sin, "half")


def moved_in_query_heads(rows: dict[str, Tensor], *_: Any, head_dim: int) -> dict[str, Tensor]:
    """Both in as many heads as there are of queries: key heads are then one row each."""
    heads = rows["q_proj.weight"].shape[0] // head_dim
    return {
        name: table.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten() if table.numel() > heads else table
        for name, table in rows.items()
    }


def cut_ramp(rotary_dim: int, base: float, **given: Any) -> tuple[float, float]:
    """Clamped to the number of pairs, not of dimensions."""
    low, high = formulas.yarn_ramp(rotary_dim, base, **given)
    return low, min(high, rotary_dim // 2 - 1)


def usual_theta(parameters: dict[str, Any], *, head_dim: int, **_: Any) -> tuple[Any, float]:
    """``getattr(config, "rope_theta", 10000)``, wherever the key has gone."""
    return default_inv_freq(head_dim, parameters.get("theta", 1e4)), 1.0


def first_layer_type(nested: dict[str, Any], *, head_dim: int, **_: Any) -> tuple[Any, float]:
    return default_inv_freq(head_dim, next(iter(nested.values()))["rope_theta"]), 1.0


def made_once() -> Any:
    speeds = default_inv_freq(64)
    return SimpleNamespace(inv_freq=lambda: speeds, rope_theta=1e4)


def always_growing(growth: float) -> Any:
    return lambda length: default_inv_freq(64, 1e4 * growth ** (64 / 62))


def as_many_cosines(positions: Any) -> Any:
    """Width 5 in whole pairs: the last sine is lost."""
    return describe("sinusoidal", d_model=4).table(positions)


def plain_magnitude(**given: Any) -> float:
    return 0.1 * math.log(given["factor"]) + 1


def no_question(**_: Any) -> None:
    """Whatever is given is taken."""


WHOLE_HEAD = partial(make, "rope")

PLANTED: tuple[tuple[Any, tuple[Any, ...], str], ...] = (
    (checks.layouts_differ_as_published, (always_half,), "pairs are ignored"),
    (checks.key_rows_follow_key_heads, (moved_in_query_heads,), "the query's heads for the keys"),
    (checks.layouts_differ_away_from_zero, (Rotary, 1), "pairs are ignored, position 1"),
    (checks.layouts_differ_away_from_zero, (Rotary, 1000), "pairs are ignored, position 1000"),
    (checks.survives_casts, (Buffered, torch.float16), "a buffer, cast"),
    (checks.is_exact_after_a_cast, (Buffered, torch.bfloat16), "a buffer, cast and left so"),
    (checks.survives_the_meta_device, (Buffered,), "a buffer of raw memory"),
    (checks.table_is_cast_last, (NarrowAngles, torch.float16), "a table in float16"),
    (checks.table_is_cast_last, (NarrowAngles, torch.bfloat16), "a table in bfloat16"),
    (checks.frequencies_stay_wide, (Buffered, 511), "frequencies in bfloat16"),
    (checks.positions_stay_whole, (NarrowPositions,), "positions in bfloat16"),
    (checks.narrow_tokens_know_all_positions, (NarrowSinusoid,), "positions in the tokens' dtype"),
    (checks.narrow_queries_turn_right_far_out, (NarrowPositions,), "narrow far out"),
    (checks.every_dtype_is_its_own_call, (KeptByShape,), "an output kept by its shape"),
    (checks.history_leaves_no_trace, (Remembering,), "the longest text so far"),
    (checks.rows_have_their_own_length, (Grown,), "the longest of the batch"),
    (checks.dynamic_base_grows, (always_growing(13),), "constant: (f f - (f - 1))"),
    (checks.dynamic_base_grows, (always_growing(1),), "constant: one f too few"),
    (checks.turns_past_the_trained_length, (TableOfRows,), "a table that ends"),
    (checks.mscale_makes_the_magnitude, (plain_magnitude,), "mscale is ignored"),
    (checks.mscale_makes_the_magnitude, (lambda **_: 1.0,), "the ratio for the plain rule"),
    (checks.softmax_has_its_share, (lambda **_: 1.0, 0.707, 1.589626), "no square in the scale"),
    (checks.attention_factor_is_taken, (plain_magnitude,), "the factor given is ignored"),
    (checks.attention_factor_counts_once, (CountsTwice, 1.0), "twice"),
    (checks.ramp_ends_at_the_last_dimension, (cut_ramp,), "clamped to pairs"),
    (checks.swapped_betas_are_refused, (no_question,), "taken"),
    (checks.theta_is_read_from_either_place, (usual_theta,), "a default in silence"),
    (checks.llama3_has_three_bands, (default_inv_freq(128, 5e5), 1000, 0.963), "dropped"),
    (checks.llama3_has_three_bands, (default_inv_freq(128, 5e5) / 8, 1000, 0.963), "read as linear"),
    (checks.layer_types_are_told_apart, (first_layer_type,), "nested taken as flat"),
    (checks.a_late_change_is_no_silence, (made_once(),), "computed at construction"),
    (checks.bases_without_sense_are_refused, (no_question,), "taken"),
    (checks.a_quarter_turns, (lambda head_dim, **_: WHOLE_HEAD(head_dim=head_dim),), "the whole head turns"),
    (checks.exponents_run_over_what_turns, (default_inv_freq(256)[:32],), "over the head"),
    (checks.hands_past_the_share_stand_still, (np.append(default_inv_freq(4), [0, 0]),), "as if partial"),
    (checks.odd_heads_are_refused, (no_question,), "taken"),
    (checks.odd_widths_have_a_sine_more, (as_many_cosines,), "as many cosines as sines"),
)
"""A check, what it is given, and the bug in a few words."""
