"""Bounds of parameters: the last value that is taken and the first that is refused."""

from __future__ import annotations

import pytest

from clockhands.catalogue import describe
from clockhands.errors import ClockhandsError


@pytest.mark.parametrize(
    ("id", "taken", "refused", "said"),
    [
        ("alibi-hard", {"num_heads": 4, "num_masked_heads": 4}, {"num_masked_heads": 5}, "num_masked_heads"),
        ("comrope", {"head_dim": 8, "block_dim": 4, "variant": "ap"}, {"head_dim": 12}, "head_dim"),
        ("dual-chunk", {"chunk_size": 1, "original_max_position_embeddings": 2},
         {"original_max_position_embeddings": 1}, "original_max_position_embeddings is 1"),
        ("dape-v2", {"kernel_size": 63}, {"kernel_size": 65}, "kernel_size is 65"),
        ("yarn", {"head_dim": 2, "factor": 1.0}, {"factor": 0.999}, "factor is 0.999"),
        ("cope-clipped", {"head_dim": 8, "clipped": 4}, {"clipped": 5}, "clipped is 5"),
        ("proportional", {"moving_share": 1.0}, {"moving_share": 1.001}, "moving_share is 1.001"),
        ("streaming", {"sinks": 0}, {"sinks": -1}, "sinks is -1"),
        ("xpos", {"scale_base": 1.0}, {"scale_base": 0.999}, "scale_base is 0.999"),
        ("fope", {"context": 2}, {"context": 1}, "context is 1"),
        ("t5", {"num_buckets": 2, "max_distance": 2}, {"max_distance": 1}, "max_distance is 1"),
        ("rope-mixed", {"seed": 2**63 - 1}, {"seed": 2**63}, "seed is"),
        ("temperature-nope", {"beta": 100.0}, {"beta": 100.5}, "beta is 100.5"),
        ("layered", {"layer": 3, "num_layers": 4}, {"layer": 4}, "layer is 4"),
    ],
)  # fmt: skip
def test_the_last_taken_and_the_first_refused(id: str, taken: dict, refused: dict, said: str) -> None:
    describe(id, **taken)
    with pytest.raises(ClockhandsError, match=said):
        describe(id, **(taken | refused))
