"""Encodings that obey the laws pass them: at every rung, and in every scheme of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from healthy import HEALTHY

from clockhands import conformance
from clockhands.catalogue import CATALOGUE, Description
from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.alibi_hard import HardALiBi
from clockhands.catalogue.axial_2d import Axial2D
from clockhands.catalogue.carope import CARoPE
from clockhands.catalogue.comrope import ComRoPE
from clockhands.catalogue.dape_v2 import DAPEV2
from clockhands.catalogue.dual_chunk import DualChunk
from clockhands.catalogue.fire import FIRE
from clockhands.catalogue.grape import GRAPE
from clockhands.catalogue.inkling import Inkling
from clockhands.catalogue.learned import Learned
from clockhands.catalogue.liere import LieRE
from clockhands.catalogue.lm_infinite import LMInfinite
from clockhands.catalogue.mixed import Mixed
from clockhands.catalogue.mrope import MRoPE
from clockhands.catalogue.mrope_interleaved import MRoPEInterleaved
from clockhands.catalogue.own import OwnBias, OwnFrequencies, OwnTable
from clockhands.catalogue.path import PaTH
from clockhands.catalogue.path_fox import PaTHFoX
from clockhands.catalogue.randomised import Randomised
from clockhands.catalogue.rerope import ReRoPE
from clockhands.catalogue.retnet_decay import RetNetDecay
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.selective_rope import SelectiveRoPE
from clockhands.catalogue.self_extend import SelfExtend
from clockhands.catalogue.shaw import Shaw
from clockhands.catalogue.sinusoidal import Sinusoidal
from clockhands.catalogue.stick_breaking import StickBreaking
from clockhands.catalogue.streaming import Streaming
from clockhands.catalogue.string_shift import StringShift
from clockhands.catalogue.swin_cpb import SwinCPB
from clockhands.catalogue.swin_table import SwinTable
from clockhands.catalogue.t5 import T5
from clockhands.catalogue.tagged import Tagged
from clockhands.catalogue.tupe import TUPE
from clockhands.catalogue.wavelet import Wavelet
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
    "alibi-hard-all": HardALiBi(num_heads=4, num_masked_heads=4),
    "retnet-decay-symmetric": RetNetDecay(num_heads=4, symmetric=True),
    "fire-past-its-threshold": FIRE(num_heads=4, width=8, threshold=4.0),
    "swin-table-grid": SwinTable(num_heads=4, window_size=40, num_axes=2),
    "swin-cpb-grid": SwinCPB(num_heads=4, window_size=7, num_axes=2, width=16),
    "inkling-short": Inkling(d_model=32, num_heads=4, rel_extent=6),
    "t5-bidirectional": T5(num_heads=4, bidirectional=True),
    "shaw-on-keys": Shaw(head_dim=8, clip=3, on_values=False),
    "tupe-r": TUPE(num_heads=4, max_positions=64, relative=True, untie_cls=True),
    "wavelet-two-sided": Wavelet(head_dim=8, num_scales=4),
    "mixed-bands": Mixed(d_model=32, style="bands"),
    "tagged-learned": Tagged(head_dim=8, tags=("n", "v"), sensitivity={"v": 0.5}, learned=True),
    "axial-2d-alternate": Axial2D(head_dim=8, spacing="alternate", layout="interleaved"),
    "mrope-partial": MRoPE(head_dim=8, rotary_dim=6, mrope_section=(1, 1, 1)),
    "mrope-interleaved-last": MRoPEInterleaved(head_dim=8, rotary_dim=6, rotary_part="last"),
    "liere-pairs": LieRE(num_heads=4, head_dim=8, block_dim=2),
    "liere-whole-head": LieRE(num_heads=4, head_dim=8, block_dim=8, num_axes=3),
    "comrope-ap": ComRoPE(num_heads=4, head_dim=8, variant="ap"),
    "learned-offset": Learned(d_model=32, max_positions=64, offset=2),
    "randomised-at-test": Randomised(d_model=32, max_length=64, at_test="random"),
    "rerope-small": ReRoPE(head_dim=8, window=4),
    "rerope-leaky": ReRoPE(head_dim=8, window=4, factor=3),
    "self-extend-small": SelfExtend(head_dim=8, window=4, group_size=3),
    "dual-chunk-small": DualChunk(head_dim=8, original_max_position_embeddings=8, chunk_size=5),
    "streaming-small": Streaming(head_dim=8, sinks=2, window=6),
    "string-shift-small": StringShift(head_dim=8, shift=6, local=2),
    "lm-infinite-small": LMInfinite(head_dim=8, global_branch=2, window=6),
    "carope-interleaved": CARoPE(d_model=32, num_heads=4, layout="interleaved"),
    "selective-rope-bias-gate": SelectiveRoPE(d_model=32, num_heads=4, use_bias=True, use_gate=True),
    "path-shared": PaTH(d_model=32, num_heads=4, num_kv_heads=2, rank=None, conv_size=1),
    "path-fox-shared": PaTHFoX(d_model=32, num_heads=4, num_kv_heads=2),
    "dape-v2-wide": DAPEV2(num_heads=4, kernel_size=5),
    "stick-breaking-current": StickBreaking(attend_current=True),
    "grape-planes": GRAPE(head_dim=8, num_planes=2),
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
