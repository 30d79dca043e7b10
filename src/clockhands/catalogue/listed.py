"""All schemes in one explicit, ordered tuple. Whoever wants one of them alone imports its own file."""

from __future__ import annotations

from collections.abc import Mapping

from clockhands.catalogue.abacus import Abacus
from clockhands.catalogue.abf import ABF
from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.alibi_hard import HardALiBi
from clockhands.catalogue.axial_2d import Axial2D
from clockhands.catalogue.axial_3d import Axial3D
from clockhands.catalogue.binary import Binary
from clockhands.catalogue.cable import CABLE
from clockhands.catalogue.cape import CAPE
from clockhands.catalogue.carope import CARoPE
from clockhands.catalogue.comrope import ComRoPE
from clockhands.catalogue.cope_clipped import ClippedRoPE
from clockhands.catalogue.cope_contextual import CoPE
from clockhands.catalogue.dape import DAPE
from clockhands.catalogue.dape_v2 import DAPEV2
from clockhands.catalogue.deberta import DeBERTa
from clockhands.catalogue.deberta_v3 import DeBERTaV3
from clockhands.catalogue.description import Description
from clockhands.catalogue.dual_chunk import DualChunk
from clockhands.catalogue.dynamic_ntk import DynamicNTK
from clockhands.catalogue.fire import FIRE
from clockhands.catalogue.fope import FoPE
from clockhands.catalogue.fourier import Fourier
from clockhands.catalogue.fox import FoX
from clockhands.catalogue.grape import GRAPE
from clockhands.catalogue.gray import Gray
from clockhands.catalogue.hope_highfreq import HighFrequencyRoPE
from clockhands.catalogue.inkling import Inkling
from clockhands.catalogue.kerple_log import KerpleLog
from clockhands.catalogue.kerple_power import KerplePower
from clockhands.catalogue.layered import Layered
from clockhands.catalogue.learned import Learned
from clockhands.catalogue.lerope import LeRoPE
from clockhands.catalogue.liere import LieRE
from clockhands.catalogue.llama3 import Llama3
from clockhands.catalogue.lm_infinite import LMInfinite
from clockhands.catalogue.longrope import LongRoPE
from clockhands.catalogue.mixed import Mixed
from clockhands.catalogue.mrope import MRoPE
from clockhands.catalogue.mrope_interleaved import MRoPEInterleaved
from clockhands.catalogue.nope import NoPE
from clockhands.catalogue.ntk import NTK
from clockhands.catalogue.ntk_by_parts import NTKByParts
from clockhands.catalogue.one_hot import OneHot
from clockhands.catalogue.path import PaTH
from clockhands.catalogue.path_fox import PaTHFoX
from clockhands.catalogue.plugins import Schemes
from clockhands.catalogue.pope_polar import PoPE
from clockhands.catalogue.position_coupling import PositionCoupling
from clockhands.catalogue.proportional import ProportionalRoPE
from clockhands.catalogue.randomised import Randomised
from clockhands.catalogue.rerope import ReRoPE
from clockhands.catalogue.resonance import ResonanceRoPE
from clockhands.catalogue.retnet_decay import RetNetDecay
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.rope_linear import LinearRoPE
from clockhands.catalogue.rope_mixed import RoPEMixed
from clockhands.catalogue.rope_values import ValueRoPE
from clockhands.catalogue.sandwich import Sandwich
from clockhands.catalogue.selective_rope import SelectiveRoPE
from clockhands.catalogue.self_extend import SelfExtend
from clockhands.catalogue.shape import Shape
from clockhands.catalogue.shaw import Shaw
from clockhands.catalogue.sinusoidal import Sinusoidal
from clockhands.catalogue.stick_breaking import StickBreaking
from clockhands.catalogue.streaming import Streaming
from clockhands.catalogue.string_shift import StringShift
from clockhands.catalogue.swin_cpb import SwinCPB
from clockhands.catalogue.swin_table import SwinTable
from clockhands.catalogue.t5 import T5
from clockhands.catalogue.tagged import Tagged
from clockhands.catalogue.temperature_nope import NoPETemperature
from clockhands.catalogue.temperature_rope import RoPETemperature
from clockhands.catalogue.transformer_xl import TransformerXL
from clockhands.catalogue.tupe import TUPE
from clockhands.catalogue.wavelet import Wavelet
from clockhands.catalogue.xpos import XPos
from clockhands.catalogue.yarn import YaRN

CATALOGUE: tuple[type[Description], ...] = (
    NoPE,
    Sinusoidal,
    Learned,
    RoPE,
    LinearRoPE,
    NTK,
    DynamicNTK,
    NTKByParts,
    YaRN,
    LongRoPE,
    Llama3,
    ABF,
    ProportionalRoPE,
    HighFrequencyRoPE,
    ClippedRoPE,
    ResonanceRoPE,
    LeRoPE,
    FoPE,
    XPos,
    ValueRoPE,
    RoPETemperature,
    NoPETemperature,
    ALiBi,
    T5,
    HardALiBi,
    RetNetDecay,
    Sandwich,
    KerpleLog,
    KerplePower,
    FIRE,
    SwinTable,
    SwinCPB,
    Inkling,
    FoX,
    CABLE,
    Shaw,
    TransformerXL,
    DeBERTa,
    DeBERTaV3,
    TUPE,
    Wavelet,
    Mixed,
    Layered,
    Tagged,
    Axial2D,
    Axial3D,
    RoPEMixed,
    MRoPE,
    MRoPEInterleaved,
    LieRE,
    ComRoPE,
    OneHot,
    Binary,
    Gray,
    Shape,
    Randomised,
    CAPE,
    Fourier,
    Abacus,
    PositionCoupling,
    ReRoPE,
    SelfExtend,
    DualChunk,
    Streaming,
    StringShift,
    LMInfinite,
    CoPE,
    CARoPE,
    SelectiveRoPE,
    PaTH,
    PaTHFoX,
    DAPE,
    DAPEV2,
    StickBreaking,
    PoPE,
    GRAPE,
)
"""All schemes, in the order in which they are listed and taught."""

SCHEMES: Mapping[str, type[Description]] = Schemes(CATALOGUE)
"""The same by id, then those that installed packages announce; see ``clockhands.catalogue.plugins``."""
