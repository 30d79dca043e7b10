"""Encodings that obey the laws pass them: at every rung, and in every scheme of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from healthy import HEALTHY

from clockhands import conformance
from clockhands.catalogue import CATALOGUE, Description
from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.mixed import Mixed
from clockhands.catalogue.own import OwnBias, OwnFrequencies, OwnTable
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.sinusoidal import Sinusoidal
from clockhands.catalogue.t5 import T5
from clockhands.catalogue.tagged import Tagged
from clockhands.schemes import build

SIZES = {"d_model": 32, "num_heads": 4, "head_dim": 8, "max_positions": 64}


def waves(positions: np.ndarray) -> np.ndarray:
    return np.sin(positions[..., None] * np.linspace(0.001, 1, 32))


def slopes(distance: np.ndarray) -> np.ndarray:
    return np.stack([-0.01 * slope * np.abs(distance) for slope in range(1, 5)])


VARIANTS: dict[str, Description] = {
    "rope-interleaved": RoPE(head_dim=8, layout="interleaved"),
    "rope-partial": RoPE(head_dim=8, rotary_dim=4),
    "sinusoidal-beside": Sinusoidal(d_model=32, combine="concatenate", position_width=12),
    "alibi-symmetric": ALiBi(num_heads=4, symmetric=True),
    "t5-bidirectional": T5(num_heads=4, bidirectional=True),
    "mixed-bands": Mixed(d_model=32, style="bands"),
    "tagged-learned": Tagged(head_dim=8, tags=("n", "v"), sensitivity={"v": 0.5}, learned=True),
    "own-frequencies": OwnFrequencies([1.0, 0.3, 0.2], head_dim=8),
    "own-table": OwnTable(np.random.default_rng(0).normal(size=(64, 32))),
    "own-table-function": OwnTable(waves),
    "own-bias": OwnBias(np.random.default_rng(0).normal(size=(4, 5000))),
    "own-bias-function": OwnBias(slopes),
    "own-bias-two-ways": OwnBias(np.random.default_rng(0).normal(size=(4, 5000)), first_distance=-2000),
    "own-bias-mirrored": OwnBias(slopes(np.arange(-2000, 2001)), first_distance=-2000),
    "own-bias-function-two-ways": OwnBias(slopes, first_distance=-2000),
}


def catalogue() -> dict[str, Callable[[], object]]:
    described = {kind.card.id: kind.fitted(SIZES) for kind in CATALOGUE} | VARIANTS
    return {name: partial(build, description) for name, description in described.items()}


@conformance.parametrize({kind.__name__: kind for kind in HEALTHY})
def test_the_laws_hold_at_every_rung(law: conformance.Cell) -> None:
    law()


@conformance.parametrize(catalogue())
def test_the_laws_hold_for_every_scheme(law: conformance.Cell) -> None:
    law()
