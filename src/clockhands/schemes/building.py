"""From a description to the module that does what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clockhands.catalogue import as_description, describe
from clockhands.catalogue.abacus import Abacus
from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.alibi_hard import HardALiBi
from clockhands.catalogue.axial_2d import Axial2D
from clockhands.catalogue.axial_3d import Axial3D
from clockhands.catalogue.binary import Binary
from clockhands.catalogue.cable import CABLE
from clockhands.catalogue.cape import CAPE
from clockhands.catalogue.carope import CARoPE
from clockhands.catalogue.comrope import ComRoPE
from clockhands.catalogue.cope_contextual import CoPE
from clockhands.catalogue.dape import DAPE
from clockhands.catalogue.dape_v2 import DAPEV2
from clockhands.catalogue.deberta import DeBERTa
from clockhands.catalogue.deberta_v3 import DeBERTaV3
from clockhands.catalogue.description import Description
from clockhands.catalogue.dual_chunk import DualChunk
from clockhands.catalogue.fire import FIRE
from clockhands.catalogue.fope import FoPE
from clockhands.catalogue.fourier import Fourier
from clockhands.catalogue.fox import FoX
from clockhands.catalogue.grape import GRAPE
from clockhands.catalogue.gray import Gray
from clockhands.catalogue.inkling import Inkling
from clockhands.catalogue.kerple_log import KerpleLog
from clockhands.catalogue.kerple_power import KerplePower
from clockhands.catalogue.layered import Layered
from clockhands.catalogue.learned import Learned
from clockhands.catalogue.lerope import LeRoPE
from clockhands.catalogue.liere import LieRE
from clockhands.catalogue.lm_infinite import LMInfinite
from clockhands.catalogue.mixed import Mixed
from clockhands.catalogue.mrope import MRoPE
from clockhands.catalogue.mrope_interleaved import MRoPEInterleaved
from clockhands.catalogue.nope import NoPE
from clockhands.catalogue.one_hot import OneHot
from clockhands.catalogue.own import OwnBias, OwnFrequencies, OwnTable
from clockhands.catalogue.path import PaTH
from clockhands.catalogue.path_fox import PaTHFoX
from clockhands.catalogue.pope_polar import PoPE
from clockhands.catalogue.position_coupling import PositionCoupling
from clockhands.catalogue.randomised import Randomised
from clockhands.catalogue.rerope import ReRoPE
from clockhands.catalogue.retnet_decay import RetNetDecay
from clockhands.catalogue.rope import RoPE
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
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.schemes.added_table import AddedTable, FixedRows, HandsTable
from clockhands.schemes.alibi import LinearBias
from clockhands.schemes.alibi_hard import HeadWindows
from clockhands.schemes.carope import ContextRotation
from clockhands.schemes.codes import CodeTable
from clockhands.schemes.comrope import CommutingRotation
from clockhands.schemes.cope_contextual import ContextualPositions
from clockhands.schemes.dape import AdaptedBias
from clockhands.schemes.deberta import Disentangled
from clockhands.schemes.distance_bias import DistanceBias, TabulatedBias
from clockhands.schemes.drawn_places import AugmentedPlaces, SampledPlaces, ShiftedPlaces
from clockhands.schemes.fire import ShareCurve
from clockhands.schemes.fope import FourierRotation
from clockhands.schemes.forgetting import SummedSteps
from clockhands.schemes.fourier import FourierTable
from clockhands.schemes.grape import PlaneRotation
from clockhands.schemes.inkling import MixedCurves
from clockhands.schemes.kerple import KernelBias
from clockhands.schemes.learned import LearnedTable
from clockhands.schemes.lerope import LearnedRotation
from clockhands.schemes.liere import LieRotation
from clockhands.schemes.nope import Nothing
from clockhands.schemes.offset_rows import OffsetRows
from clockhands.schemes.path import ForgettingMirrors, PathMirrors
from clockhands.schemes.pope_polar import PolarHands
from clockhands.schemes.remapped import RemappedRotation
from clockhands.schemes.rope_mixed import MixedRotation
from clockhands.schemes.rope_values import ValueRotation
from clockhands.schemes.rotation import Rotation
from clockhands.schemes.sandwich import SinusoidKernel
from clockhands.schemes.selective_rope import SelectiveRotation
from clockhands.schemes.shaw import RelativeVectors
from clockhands.schemes.sinusoidal import SinusoidalTable
from clockhands.schemes.stick_breaking import StickBreakingWeights
from clockhands.schemes.swin_cpb import OffsetCurve
from clockhands.schemes.swin_table import OffsetTable
from clockhands.schemes.t5 import BucketBias
from clockhands.schemes.tagged import TaggedRotation
from clockhands.schemes.temperature import TemperedNothing, TemperedRotation
from clockhands.schemes.transformer_xl import RelativeSinusoid
from clockhands.schemes.tupe import UntiedPositions
from clockhands.schemes.wavelet import WaveletVectors
from clockhands.schemes.xpos import FadingRotation


def _own_table(description: OwnTable) -> Encoding:
    return AddedTable(description) if description.numbers is None else FixedRows(description)


def _own_bias(description: OwnBias) -> Encoding:
    return DistanceBias(description) if description.numbers is None else TabulatedBias(description)


MODULES: dict[type[Description], Callable[[Any], Encoding]] = {
    NoPE: Nothing,
    Sinusoidal: SinusoidalTable,
    Learned: LearnedTable,
    RoPE: Rotation,
    FoPE: FourierRotation,
    LeRoPE: LearnedRotation,
    ValueRoPE: ValueRotation,
    XPos: FadingRotation,
    NoPETemperature: TemperedNothing,
    RoPETemperature: TemperedRotation,
    ALiBi: LinearBias,
    T5: BucketBias,
    HardALiBi: HeadWindows,
    RetNetDecay: LinearBias,
    Sandwich: SinusoidKernel,
    KerpleLog: KernelBias,
    KerplePower: KernelBias,
    FIRE: ShareCurve,
    SwinTable: OffsetTable,
    SwinCPB: OffsetCurve,
    Inkling: MixedCurves,
    FoX: SummedSteps,
    CABLE: SummedSteps,
    Shaw: RelativeVectors,
    TransformerXL: RelativeSinusoid,
    DeBERTa: Disentangled,
    DeBERTaV3: Disentangled,
    TUPE: UntiedPositions,
    Wavelet: WaveletVectors,
    Mixed: HandsTable,
    Layered: Rotation,
    Tagged: TaggedRotation,
    Axial2D: Rotation,
    Axial3D: Rotation,
    RoPEMixed: MixedRotation,
    MRoPE: Rotation,
    MRoPEInterleaved: Rotation,
    LieRE: LieRotation,
    ComRoPE: CommutingRotation,
    OneHot: CodeTable,
    Binary: CodeTable,
    Gray: CodeTable,
    Shape: ShiftedPlaces,
    Randomised: SampledPlaces,
    CAPE: AugmentedPlaces,
    Fourier: FourierTable,
    Abacus: OffsetRows,
    PositionCoupling: OffsetRows,
    ReRoPE: RemappedRotation,
    SelfExtend: RemappedRotation,
    DualChunk: RemappedRotation,
    Streaming: RemappedRotation,
    StringShift: RemappedRotation,
    LMInfinite: RemappedRotation,
    CoPE: ContextualPositions,
    CARoPE: ContextRotation,
    SelectiveRoPE: SelectiveRotation,
    PaTH: PathMirrors,
    PaTHFoX: ForgettingMirrors,
    DAPE: AdaptedBias,
    DAPEV2: AdaptedBias,
    StickBreaking: StickBreakingWeights,
    PoPE: PolarHands,
    GRAPE: PlaneRotation,
    OwnFrequencies: Rotation,
    OwnTable: _own_table,
    OwnBias: _own_bias,
}
"""What builds the module of each kind of description."""

_GENERIC: dict[str, Callable[[Description], Encoding]] = {
    "table": AddedTable,
    "bias": DistanceBias,
    "inv_freq": Rotation,
}


def build(scheme: str | Description | type[Description], /) -> Encoding:
    """The encoding that a description describes, or the scheme of that id with its usual parameters.

    A description that has no module of its own gets a generic one, chosen by what it can compute: a table is
    added, a bias goes to the logits, bare frequencies turn queries and keys. Raises ClockhandsError if it
    computes nothing.

    >>> from clockhands.catalogue.rope import RoPE
    >>> build(RoPE(head_dim=4)).touches()
    ('table', 'queries', 'keys')
    """
    description = as_description(scheme)
    maker = MODULES.get(type(description))
    if maker is None:
        has = description.touches()
        maker = next((generic for hook, generic in _GENERIC.items() if hook in has), None)
    if maker is None:
        name = description.card.id
        raise ClockhandsError(
            f"{name} describes no frequencies, table or bias: give it one, or write an Encoding",
            f"{name} 没有给出频率、位置表或偏置：请至少给出一种，或者直接写一个 Encoding",
        )
    return maker(description)


def make(id: str, /, **parameters: Any) -> Encoding:
    """The encoding of that id with these parameters; see ``clockhands.describe``.

    >>> make("rope", head_dim=64, rope_theta=1e6).inv_freq.shape
    torch.Size([32])
    """
    return build(describe(id, **parameters))
