"""The module turns exactly as the distance map says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from clockhands import formulas
from clockhands.catalogue import describe
from clockhands.catalogue.card import Card
from clockhands.catalogue.description import Description
from clockhands.catalogue.remapped import Remapped
from clockhands.core.attend import attend, enter
from clockhands.core.cache import LayerCache
from clockhands.errors import ClockhandsError
from clockhands.formulas.remaps import Leg
from clockhands.schemes import build, make

SMALL = {
    "rerope": {"window": 4},
    "rerope-leaky": {"window": 4, "factor": 3},
    "self-extend": {"window": 4, "group_size": 3},
    "dual-chunk": {"original_max_position_embeddings": 8, "chunk_size": 5},
    "streaming": {"sinks": 2, "window": 5},
    "string-shift": {"shift": 6, "local": 2},
    "lm-infinite": {"global_branch": 2, "window": 5},
}
every_remap = pytest.mark.parametrize("name", SMALL)


def small(name: str, **more: object) -> Description:
    return describe(name.removesuffix("-leaky"), head_dim=6, **SMALL[name], **more)


def pair_by_pair(description: Description, q: np.ndarray, k: np.ndarray, layout: str) -> np.ndarray:
    """Weights ``(tq, tk)`` of one head, each score from its own angle, by complex numbers."""
    t, width = q.shape
    half = width // 2
    order = np.arange(width) if layout == "half" else np.r_[np.arange(0, width, 2), np.arange(1, width, 2)]
    speeds = 10000.0 ** (-2 * np.arange(half) / width)
    distance = description.distance_map(np.arange(t), np.arange(t))
    weights = np.zeros((t, t))
    for m in range(t):
        for n in range(m + 1):
            if np.isnan(distance[m, n]):
                continue
            score = 0.0
            for i in range(half):
                u = complex(q[m, order[i]], q[m, order[half + i]])
                v = complex(k[n, order[i]], k[n, order[half + i]])
                turned = u * complex(
                    math.cos(distance[m, n] * speeds[i]), math.sin(distance[m, n] * speeds[i])
                )
                score += (turned * v.conjugate()).real
            weights[m, n] = math.exp(score / math.sqrt(width))
    return weights / weights.sum(1, keepdims=True)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@every_remap
def test_weights_are_those_of_each_pair(name: str, layout: str) -> None:
    description = small(name, layout=layout)
    drawn = np.random.default_rng(3)
    q, k = drawn.normal(size=(2, 20, 6))
    tensors = [torch.tensor(part)[None, None] for part in (q, k, k)]
    _, (placed,) = enter([build(description)], torch.zeros(1, 20, 6, dtype=torch.float64))
    got = attend(placed, *tensors, want_weights=True).weights
    np.testing.assert_allclose(got[0, 0].numpy(), pair_by_pair(description, q, k, layout), atol=1e-12)


@every_remap
def test_long_texts_decode_as_they_are_read(name: str) -> None:
    """Past windows, chunks and sinks alike: a cache keeps keys unturned."""
    encoding, length = build(small(name)), 23
    x = torch.zeros(2, length, 6, dtype=torch.float64)
    q, k, v = torch.randn(3, 2, 4, length, 6, dtype=torch.float64, generator=torch.manual_seed(0))
    _, (placed,) = enter([encoding], x)
    whole = attend(placed, q, k, v).output
    cache, parts = LayerCache(), []
    for start, stop in ((0, 9), (9, 10), (10, 11), (11, 17), (17, 23)):
        part = slice(start, stop)
        _, (placed,) = enter([encoding], x[:, part], torch.arange(start, stop)[None])
        parts.append(attend(placed, q[:, :, part], k[:, :, part], v[:, :, part], cache=cache).output)
    torch.testing.assert_close(torch.cat(parts, 2), whole)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@every_remap
def test_narrow_numbers_far_out(name: str, dtype: torch.dtype) -> None:
    """Angles come from whole positions: at position 10^6 the output is as near as its inputs allow."""
    encoding = build(small(name))
    q, k, v = (part.to(dtype) for part in torch.randn(3, 1, 2, 12, 6, generator=torch.manual_seed(1)))
    positions = torch.arange(10**6, 10**6 + 12)[None]
    _, (placed,) = enter([encoding], torch.zeros(1, 12, 12, dtype=dtype), positions)
    got = attend(placed, q, k, v).output
    exact = attend(placed, q.double(), k.double(), v.double()).output
    assert got.dtype == dtype
    torch.testing.assert_close(got.double(), exact, atol=4 * torch.finfo(dtype).eps, rtol=1e-2)


def test_within_the_window_it_is_rope() -> None:
    q, k, v = torch.randn(3, 1, 2, 12, 8, dtype=torch.float64, generator=torch.manual_seed(2))
    x = torch.zeros(1, 12, 8, dtype=torch.float64)
    outputs = []
    for id in ("rope", "rerope", "self-extend", "dual-chunk", "streaming", "string-shift", "lm-infinite"):
        _, (placed,) = enter([make(id, head_dim=8)], x)
        outputs.append(attend(placed, q, k, v).output)
    for output in outputs[1:]:
        torch.testing.assert_close(output, outputs[0])


def test_nothing_of_a_dropped_token_is_left() -> None:
    encoding = build(small("streaming"))
    q, k, v = torch.randn(3, 1, 1, 20, 6, dtype=torch.float64, generator=torch.manual_seed(4))
    _, (placed,) = enter([encoding], torch.zeros(1, 20, 6, dtype=torch.float64))
    weights = attend(placed, q, k, v, want_weights=True).weights[0, 0]
    assert (weights[19, 2:15] == 0).all()
    assert (weights[19, [0, 1, *range(15, 20)]] > 0).all()


@pytest.mark.parametrize(
    ("id", "parameters", "message"),
    [
        ("rerope", {"window": 0}, "window is 0"),
        ("rerope", {"factor": 1}, "factor is 1"),
        ("rerope", {"factor": 2.5}, "factor is 2.5"),
        ("self-extend", {"group_size": 0}, "group_size is 0"),
        ("dual-chunk", {"chunk_size": 48}, "chunk_size is 48, but it must be less than original"),
        ("streaming", {"sinks": -1}, "sinks is -1"),
        (
            "string-shift",
            {"local": 2000},
            "local is 2000, but it must be less than shift",
        ),
        ("lm-infinite", {"local_branch": 0}, "local_branch is 0"),
        ("rerope", {"head_dim": 7}, "head_dim is 7"),
    ],
)
def test_bad_parameters(id: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe(id, **parameters)


def test_what_the_papers_say_of_lengths() -> None:
    assert describe("self-extend", window=512, group_size=4).longest(2048) == 6656  # (2048 - 512) * 4 + 512
    chunks = describe(
        "dual-chunk", original_max_position_embeddings=4096
    )  # Llama 2: s = 3072, so 1024 tokens across a border stay exact
    assert chunks.chunk == 3072
    assert describe("string-shift", original_max_position_embeddings=131072).shifted == 43690
    assert describe("streaming", sinks=4, window=1020).traits.horizon == 1019
    assert describe("rerope", window=9).traits.horizon == 9
    assert describe("rerope", window=9, factor=2).traits.horizon is None


def test_only_what_hangs_on_the_difference_calls_itself_relative() -> None:
    for name in SMALL:
        description = small(name)
        moved = [description.distance_map(np.arange(s, s + 20), np.arange(s, s + 20)) for s in range(12)]
        seen = np.tri(20, dtype=bool)
        same = all(np.array_equal(one[seen], moved[0][seen], equal_nan=True) for one in moved)
        assert same == description.traits.relative, name
    assert describe("streaming", sinks=0).traits.relative
    assert describe("lm-infinite", global_branch=0).traits.relative


def test_positions_are_whole() -> None:
    with pytest.raises(ClockhandsError, match="positions have the type float64"):
        describe("rerope").distance_map(np.array([0.5]), np.array([0]))


def test_two_remaps_are_never_the_same() -> None:
    maps = [small(name).distance_map(np.arange(20), np.arange(20)) for name in SMALL]
    for one in range(len(maps)):
        for other in range(one):
            assert not np.array_equal(maps[one], maps[other], equal_nan=True)


def test_the_formula_is_the_one_place() -> None:
    """What is drawn is what the module is given."""
    positions = np.arange(9)
    legs = formulas.rerope(positions, positions, 4)
    np.testing.assert_array_equal(
        small("rerope").distance_map(positions, positions), formulas.remaps.effective_distance(legs)
    )


def test_a_strangers_remap_is_built_from_its_legs() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Halved(Remapped):
        card: ClassVar[Card] = describe("rerope").card

        def legs(self, queries: Any, keys: Any) -> tuple[Leg, ...]:
            everywhere = queries[..., :, None] == queries[..., :, None]
            return (Leg(queries, keys, everywhere & (keys == keys)[..., None, :], 0.5),)

    halved, plain = build(Halved(head_dim=6)), make("rope", head_dim=6, rope_theta=10000.0)
    q, k, v = torch.randn(3, 1, 2, 9, 6, dtype=torch.float64, generator=torch.manual_seed(5))
    x = torch.zeros(1, 9, 6, dtype=torch.float64)
    _, (here,) = enter([halved], x, 2 * torch.arange(9)[None])
    _, (there,) = enter([plain], x)
    torch.testing.assert_close(attend(here, q, k, v).output, attend(there, q, k, v).output)
