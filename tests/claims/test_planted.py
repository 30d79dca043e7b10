"""A claim computed on a broken formula changes its verdict: none of them is written down beforehand."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from clockhands import formulas
from clockhands.analysis.precision import distinct_positions
from clockhands.claims import CLAIMS, named
from clockhands.claims.buckets import published
from clockhands.claims.order import attend
from clockhands.formulas import remaps


def crawling(width: int, *_: Any) -> np.ndarray:
    """Hands so slow that nothing ever comes back."""
    return 1e-5 * formulas.default_inv_freq(width)


def sines_alone(positions: np.ndarray, speeds: np.ndarray, *_: Any) -> np.ndarray:
    return np.repeat(np.sin(positions[:, None] * speeds), 2, axis=1)


def eighths_of_a_turn(width: int, *_: Any) -> np.ndarray:
    return np.full(width // 2, np.pi / 4)


def in_halves_wrongly(positions, speeds, arrangement="interleaved", first="sin"):
    """The concatenated table with its cosines in the wrong order."""
    table = formulas.sinusoid(positions, speeds, arrangement, first)
    return (
        table if arrangement == "interleaved" else np.concatenate([table[:, :16], table[:, 16:] ** 2], axis=1)
    )


def by_distance_alone(table, seed=0, content=None):
    return SimpleNamespace(values=table @ table.T)


def with_places(x: np.ndarray, causal: bool, seed: int = 0) -> np.ndarray:
    return attend(x + np.arange(len(x))[:, None], causal, seed)


def stretched(positions: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    return positions[:, None] ** 1.01 * speeds


def one_edge(speed: np.ndarray, length: int) -> float:
    width = 2 * len(speed)
    base = speed[-1] ** (-width / (width - 2))
    return np.inf if base > 2e4 else 7.0


def as_printed(rotary_dim, rope_theta, *, beta_fast, beta_slow, truncate, **sizes):
    return formulas.by_parts_inv_freq(rotary_dim, rope_theta, fast=beta_fast, slow=beta_slow, **sizes)


def relative_fire(position, distance, c, threshold):
    return np.log1p(c * distance) / np.log1p(c * threshold)


PLANTED: tuple[tuple[str, dict[str, Callable[..., Any]], str], ...] = (
    ("similarity-decays", {"claims.similarity.default_inv_freq": crawling}, "true"),
    ("dot-product-roughly", {"claims.similarity.sinusoid": sines_alone}, "true"),
    ("neighbour-distance-varies", {"claims.similarity.sinusoid": sines_alone}, "true"),
    ("one-hand-repeats", {"claims.returning.default_inv_freq": eighths_of_a_turn}, "true"),
    ("far-looks-far", {"claims.returning.default_inv_freq": crawling}, "true"),
    ("far-looks-far", {"claims.returning.default_inv_freq": eighths_of_a_turn}, "false"),
    ("cos-sin-clock", {"claims.hands._clockwise_degrees": lambda x, y: np.degrees(np.arctan2(y, x))}, "true"),
    (
        "longest-wavelength",
        {
            "claims.hands.default_inv_freq": lambda width: formulas.sinusoid_inv_freq(
                width, exponent="i/(d/2-1)"
            )
        },
        "true",
    ),
    (
        "longest-wavelength",
        {"claims.hands.sinusoid_inv_freq": lambda width, exponent: crawling(width)},
        "false",
    ),
    (
        "all-hands-matter",
        {"claims.hands.default_inv_freq": lambda width: formulas.default_inv_freq(width, 10.0)},
        "true",
    ),
    ("sin-cos-order", {"claims.hands.sinusoid": in_halves_wrongly}, "true"),
    ("attention-by-distance", {"claims.projections.projected_scores": by_distance_alone}, "true"),
    ("concatenation-is-cleaner", {"claims.projections.concatenation_gap": lambda *_: 0.5}, "true"),
    (
        "learned-knows-neighbours",
        {
            "claims.designs.untrained": lambda: formulas.sinusoid(
                np.arange(512), formulas.default_inv_freq(64)
            )
        },
        "true",
    ),
    ("mixed-is-best-of-both", {"claims.designs.mixed_inv_freq": crawling}, "true"),
    (
        "order-needs-positions",
        {"claims.order.weights": lambda q, k, causal: np.full((24, 24), 1 / 24)},
        "true",
    ),
    ("order-needs-positions", {"claims.order.attend": with_places}, "false"),
    ("nope-finds-positions", {"claims.order.attend": with_places}, "true"),
    ("nope-finds-positions", {"claims.order.weights": lambda q, k, causal: np.eye(24)}, "false"),
    ("rope-relative", {"claims.rope.angles": stretched}, "false"),
    ("rope-relative-bf16", {"claims.rope.rounded": lambda values, _: values}, "true"),
    (
        "rope-decays",
        {
            "claims.rope.by_distance": lambda q, k, distances: -0.1 * distances,
            "claims.rope.decay_bound": lambda _, distances: SimpleNamespace(values=-distances),
        },
        "true",
    ),
    ("layouts-equal", {"claims.layouts.relayout": lambda x, *_, **__: x}, "false"),
    (
        "layouts-equal",
        {"claims.layouts.rotate": lambda x, cos, sin, _: formulas.rotate(x, cos, sin, "half")},
        "true",
    ),
    (
        "extrapolates-by-itself",
        {"claims.longer.default_inv_freq": lambda width, base=0.0: formulas.default_inv_freq(width, 10.0)},
        "true",
    ),
    ("larger-base-longer-context", {"analysis.base_bound._first_below": one_edge}, "true"),
    (
        "interpolation-scales-positions",
        {
            "claims.scalings.linear_inv_freq": lambda width, factor: (
                formulas.default_inv_freq(width) / (factor + 1)
            )
        },
        "false",
    ),
    (
        "ntk-ends",
        {
            "claims.scalings.ntk_inv_freq": lambda width, factor: formulas.default_inv_freq(
                width, 1e4 * factor
            )
        },
        "false",
    ),
    ("yarn-code-is-paper", {"analysis.ramp.yarn_inv_freq": as_printed}, "true"),
    (
        "partial-is-proportional",
        {"claims.scalings.proportional_inv_freq": lambda *_, **__: formulas.default_inv_freq(128, 1e6)},
        "true",
    ),
    (
        "self-extend-relative",
        {
            "claims.nearly_relative.remaps": SimpleNamespace(
                effective_distance=remaps.effective_distance,
                self_extend=lambda q, k, group, window: remaps.rerope(q, k, window),
            )
        },
        "true",
    ),
    ("fire-relative", {"claims.nearly_relative.fire_input": relative_fire}, "true"),
    (
        "fire-relative",
        {"claims.nearly_relative.fire_input": lambda p, d, c, t: d / (p + 1)},
        "false",
    ),
    ("alibi-window", {"claims.alibi.alibi_bias": lambda d, s: -(s[:, None] ** 2) * d}, "false"),
    ("alibi-window", {"claims.alibi.SCORE_RANGE": 0.0}, "true"),
    (
        "alibi-slopes",
        {"claims.alibi.alibi_slopes": lambda heads: 2.0 ** (-8 * np.arange(1, heads + 1) / heads)},
        "true",
    ),
    (
        "alibi-slopes",
        {"claims.alibi.alibi_slopes": lambda heads: 2.0 ** (-8 * np.arange(heads) / heads)},
        "false",
    ),
    (
        "alibi-keys-alone",
        {"claims.alibi.alibi_bias": lambda d, s: -s[:, None, None] * np.sqrt(np.abs(d))},
        "false",
    ),
    ("t5-any-form", {"claims.buckets.rewritten": published}, "true"),
    ("t5-any-form", {"claims.buckets.t5_bucket": lambda d, *_: d // 3}, "false"),
    (
        "bf16-is-fine",
        {"claims.sixteen_bits.distinct_positions": lambda n, _: distinct_positions(n, "fp32")},
        "true",
    ),
    ("weight-is-importance", {"claims.importance.values": lambda: np.eye(35)}, "true"),
)


@pytest.mark.parametrize(("id", "defects", "outcome"), PLANTED, ids=[f"{id}-{new}" for id, _, new in PLANTED])
def test_a_broken_formula_changes_the_verdict(
    id: str, defects: dict[str, Any], outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (claim,) = named([id])
    assert claim.check().outcome != outcome
    for place, broken in defects.items():
        monkeypatch.setattr(f"clockhands.{place}", broken)
    assert claim.check().outcome == outcome


def test_every_claim_has_a_planted_defect() -> None:
    assert {id for id, _, _ in PLANTED} == {claim.id for claim in CLAIMS}
