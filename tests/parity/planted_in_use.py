"""Public bugs around padding, caches, packing, images, biases, tables and graphs, planted.

Not planted: the bias of BLOOM and Falcon that counts padding (transformers #17866), because in one row
distances between slots and between positions are the same, so that no cheap defect shows it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import planted_rotations as planted
import torch
import use_checks as checks
from torch import Tensor

from clockhands import formulas, positions
from clockhands.catalogue import describe
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table
from clockhands.models.drop_in import Attention
from clockhands.schemes.building import make


class Counting:
    """A decoder that counts the slots of each call, with a cache from ``start``, whatever the marks say."""

    def __init__(self, encoding: str, start: int = 0):
        self.model, self.start = checks.decoder(encoding), start

    def __call__(self, tokens: Tensor, **marks: Any) -> Tensor:
        begun = 0 if marks.get("cache") is None else self.start
        counted = torch.arange(tokens.shape[1])[None] + begun
        return self.model(tokens, positions=counted, **marks).logits


class DroppedOnceCached(Encoding):
    """The bias is made for square scores only, and left out in decoding."""

    def __init__(self, width: int):
        super().__init__()
        self.slope = 1 / width

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        distance = (ctx.q_places[b, i] - ctx.k_places[b, j]).to(ctx.dtype)
        return -self.slope * distance * (ctx.q_places.shape[1] == ctx.k_places.shape[1])


class KeysAlone(Encoding):
    """``+ slope * key position``: the same as ALiBi under a causal mask, and only there."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return torch.tensor([0.0625, 0.00390625])[h] * ctx.k_places[b, j]


class Clamped(Encoding):
    """The last row stands for all positions past it."""

    def __init__(self, rows: int):
        super().__init__()
        self.rows = torch.randn(rows, 8)

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        return x + self.rows[places.clamp(max=len(self.rows) - 1)]


class Writing(planted.Buffered):
    """Frequencies are kept in the buffer once more in each forward."""

    def table(self, places: Tensor) -> Table:
        self.inv_freq.mul_(1.0)
        return super().table(places)


class ByLength(planted.Buffered):
    """A table for each length, found by a number that a graph must fix."""

    def table(self, places: Tensor) -> Table:
        cos, sin = super().table(places)  # type: ignore[misc]
        factor = {7: 1.0, 12: 1.0, 33: 1.0}[int(places.shape[1])]
        return cos * factor, sin * factor


AXIAL = make("axial-2d", head_dim=8, layout="interleaved")


def one_too_far(line: Tensor, length: int) -> Tensor:
    return positions.following(line, length) + 1


def as_many_as_tokens(made: Any, length: int) -> Any:
    """After an image the number of tokens, two of text included, and not the largest position."""
    return np.full((length, 3), len(made) + 2)


def kept_rows(line: Any, kept: Any) -> list[int]:
    """The length of the cache."""
    return [len(kept)]


def columns_first(height: int, width: int) -> Any:
    return positions.from_grid(height, width)[:, ::-1].copy()


def jumping_time(parts: list[Any], start: int = 0) -> Any:
    """Seconds are counted from the start of the text, not from the image: video at 60."""
    made = np.array(positions.from_parts(parts, start=start))
    made[:, 0] = np.where((made[:, 1] != made[:, 0]) | (made[:, 2] != made[:, 0]), 60, made[:, 0])
    return made


def plain_series(heads: int) -> Any:
    return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)


def series_from_zero(heads: int) -> Any:
    return 2.0 ** (-8 * np.arange(heads) / heads)


def unclamped(distance: Any, bidirectional: bool) -> Any:
    """A logarithm that goes on past the last bucket."""
    found = formulas.t5_bucket(distance, bidirectional=bidirectional)
    return found + (np.abs(distance) >= 128)


def other_sign(distance: Any, bidirectional: bool) -> Any:
    return formulas.t5_bucket(-distance, bidirectional=bidirectional)


def of_positions(x: Tensor, **_: Any) -> None:
    """Tokens and positions are paired as far as both go."""


def shard(length: int, rank: int, ranks: int) -> Any:
    """Each rank counts from 0."""
    return np.arange(length // ranks)


def packed_shard(lengths: list[int], rank: int, ranks: int) -> Any:
    return np.arange(sum(lengths) // ranks)


def dropping_layer() -> Attention:
    return Attention(24, 6, DroppedOnceCached(24), causal=True, seed=0)


def one_early(length: int) -> Any:
    sizes = {"original_max_position_embeddings": 4096, "long_factor": (1.0, 2.0, 4.0, 8.0), "factor": 32.0}
    return describe("longrope", head_dim=8, **sizes).inv_freq_at(length + 1)


PLANTED: tuple[tuple[Any, tuple[Any, ...], str], ...] = (
    (checks.mask_makes_positions, (lambda valid: torch.arange(valid.shape[1]).expand(valid.shape),), "slots"),
    (checks.left_padding_changes_nothing, (Counting("learned"),), "one vector for all rows"),
    (
        checks.scores_shift_by_their_rounding,
        (planted.NarrowPositions(), torch.float32),
        "positions in bfloat16",
    ),
    (
        checks.positions_go_on_after_the_prompt,
        (one_too_far,),
        "one too far",
    ),
    (checks.positions_go_on_after_the_prompt, (lambda line, n: torch.arange(n)[None],), "from 0"),
    (checks.decoding_equals_the_whole, (Counting("rope"),), "each call from 0"),
    (checks.decoding_equals_the_whole, (Counting("learned", start=1),), "each call from 1"),
    (checks.evicted_tokens_still_count, (kept_rows,), "as many as are kept"),
    (
        checks.keys_turn_with_the_length,
        (partial(planted.Grown, 8, 4.0, 2048), 2048),
        "keys under the old base",
    ),
    (
        checks.long_factors_begin_with_the_token_after,
        (one_early,),
        "one early",
    ),
    (checks.decoded_bias_is_the_last_row, (dropping_layer(),), "no bias once there is a cache"),
    (checks.lengths_make_positions, (lambda lengths: np.arange(sum(lengths)),), "counting on"),
    (checks.packed_documents_start_anew, (Counting("learned"),), "counting on"),
    (checks.positions_are_as_many_as_tokens, (of_positions, 1024, 1288), "taken"),
    (checks.ranks_hold_slices, (shard, positions.packed_shard_slots), "each rank from 0"),
    (checks.ranks_hold_slices, (positions.shard_slots, packed_shard), "rows of the first sequence"),
    (checks.time_starts_where_the_text_ends, (jumping_time,), "time at 60"),
    (
        checks.next_text_follows_the_largest,
        (as_many_as_tokens,),
        "tokens counted",
    ),
    (
        checks.rows_come_before_columns,
        (columns_first, AXIAL),
        "swapped",
    ),
    (checks.slopes_of_six_heads, (plain_series,), "one plain series"),
    (checks.first_slope_is_no_one, (series_from_zero,), "exponents from 0"),
    (checks.encoders_look_both_ways, (KeysAlone(),), "keys alone"),
    (checks.bucket_is, (unclamped, -128, True, 15), "not clamped, two ways"),
    (checks.bucket_is, (unclamped, -128, False, 31), "not clamped, one way"),
    (checks.bucket_is, (other_sign, 1, True, 17), "the sign turned"),
    (checks.past_the_last_row_is_an_error, (Clamped(512), 512, 512), "the last row again"),
    (checks.forward_writes_nothing, (Writing(8),), "a buffer written"),
    (checks.lengths_share_a_graph, (ByLength(8),), "a graph for each length"),
    (checks.checkpoints_hold_no_frequencies, (planted.Buffered(32),), "a saved buffer"),
    (checks.every_fourth_layer_has_no_position, (["nope", "nope", "nope", "rope"] * 9,), "1 read as without"),
)
"""A check, what it is given, and the bug in a few words."""
