"""The rotary family: numbers of papers and of models in use, limits, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from clockhands.catalogue import describe
from clockhands.catalogue.abf import ABF
from clockhands.catalogue.cope_clipped import ClippedRoPE
from clockhands.catalogue.dynamic_ntk import DynamicNTK
from clockhands.catalogue.hope_highfreq import HighFrequencyRoPE
from clockhands.catalogue.llama3 import Llama3
from clockhands.catalogue.longrope import LongRoPE
from clockhands.catalogue.ntk import NTK
from clockhands.catalogue.ntk_by_parts import NTKByParts
from clockhands.catalogue.proportional import ProportionalRoPE
from clockhands.catalogue.resonance import ResonanceRoPE
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.rope_linear import LinearRoPE
from clockhands.catalogue.yarn import YaRN
from clockhands.errors import ClockhandsError
from clockhands.schemes import build


def wavelength(scheme: RoPE) -> np.ndarray:
    speeds = scheme.inv_freq()
    return np.divide(2 * np.pi, speeds, out=np.full_like(speeds, np.inf), where=speeds > 0)


# limits: where a scaling scales nothing, it is plain RoPE -----------------------------------------


@pytest.mark.parametrize(
    "scheme",
    [
        LinearRoPE(head_dim=64, factor=1.0),
        NTK(head_dim=64, factor=1.0),
        DynamicNTK(head_dim=64, factor=1.0),
        NTKByParts(head_dim=64, factor=1.0),
        YaRN(head_dim=64, factor=1.0),
        Llama3(head_dim=64, factor=1.0, rope_theta=1e4),
        LongRoPE(head_dim=64, factor=1.0),
        ABF(head_dim=64, rope_theta=1e4),
        ProportionalRoPE(head_dim=64, moving_share=1.0),
        HighFrequencyRoPE(head_dim=64, context=10**6),
        ClippedRoPE(head_dim=64, clipped=0),
    ],
    ids=lambda scheme: scheme.card.id,
)
def test_a_factor_of_one_is_plain_rope(scheme: RoPE) -> None:
    np.testing.assert_allclose(scheme.inv_freq(), RoPE(head_dim=64).inv_freq(), rtol=1e-15)
    assert scheme.magnitude() == scheme.softmax_factor() == 1.0


def test_no_two_ids_are_the_same() -> None:
    ids = (
        "rope", "rope-linear", "ntk", "dynamic-ntk", "ntk-by-parts", "yarn", "longrope", "llama3", "abf",
        "proportional", "hope-highfreq", "cope-clipped", "resonance",
    )  # fmt: skip
    golden = {}
    for id in ids:
        scheme = describe(id, head_dim=64)
        golden[id] = (*scheme.inv_freq().round(12).tolist(), scheme.magnitude())
    # LongRoPE's stand-in for a searched list is NTK-aware scaling: only the attention factor differs.
    assert len(set(golden.values())) == len(ids)


# numbers of papers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "base"), [(2, 20221.26), (4, 40889.94), (8, 82684.62), (16, 167198.74)])
def test_ntk_bases_of_llama(factor: float, base: float) -> None:
    """d = 128: base * factor ** (128 / 126), by hand."""
    scheme = NTK(head_dim=128, factor=factor)
    np.testing.assert_allclose(scheme.inv_freq(), base ** (-np.arange(64) / 64), rtol=1e-6)
    plain = RoPE(head_dim=128).inv_freq()
    assert scheme.inv_freq()[0] == 1
    assert scheme.inv_freq()[-1] == pytest.approx(plain[-1] / factor, rel=1e-12)


def test_dynamic_ntk_of_a_text_twice_as_long() -> None:
    """factor 2, L 4096, T 8192, d 128: base 30527.74."""
    scheme = DynamicNTK(head_dim=128, factor=2.0, max_position_embeddings=4096)
    np.testing.assert_allclose(scheme.inv_freq_at(8192), 30527.74 ** (-np.arange(64) / 64), rtol=1e-6)
    np.testing.assert_array_equal(scheme.inv_freq_at(4096), RoPE(head_dim=128).inv_freq())
    np.testing.assert_array_equal(scheme.inv_freq_at(7), RoPE(head_dim=128).inv_freq())
    lengths = torch.tensor([[4096.0], [8192.0]], dtype=torch.float64)
    rows = scheme.inv_freq_at(lengths).numpy()
    np.testing.assert_allclose(rows, [scheme.inv_freq_at(4096), scheme.inv_freq_at(8192)], rtol=1e-14)


def test_llama_3_1_keeps_blends_and_slows() -> None:
    """Base 5e5, d 128: pairs 0 to 28 kept, 29 to 34 blended, 35 to 63 eight times slower."""
    plain, scaled = ABF(head_dim=128).inv_freq(), Llama3(head_dim=128).inv_freq()
    np.testing.assert_allclose(scaled[:29], plain[:29], rtol=1e-15)
    np.testing.assert_allclose(scaled[35:], plain[35:] / 8, rtol=1e-15)
    golden = [0.00216657, 0.00137189, 0.00085675, 0.00052485, 0.00031269, 0.00017851]
    np.testing.assert_allclose(scaled[29:35], golden, atol=5e-9)


def test_llama_3_2_counts() -> None:
    """1B: d 64, factor 32: pairs 0 to 14 kept, 15 to 17 blended, 18 to 31 slowed."""
    plain, scaled = ABF(head_dim=64).inv_freq(), Llama3(head_dim=64, factor=32.0).inv_freq()
    ratio = plain / scaled
    np.testing.assert_allclose(ratio[:15], 1, rtol=1e-12)
    np.testing.assert_allclose(ratio[18:], 32, rtol=1e-12)
    assert ((ratio[15:18] > 1) & (ratio[15:18] < 32)).all()


def test_ntk_by_parts_in_turns() -> None:
    """The blend by its definition, one hand at a time."""
    scheme = NTKByParts(head_dim=16, factor=4.0, original_max_position_embeddings=512)
    for pair, speed in enumerate(scheme.inv_freq()):
        plain = 10000 ** (-pair / 8)
        turns = 512 * plain / (2 * math.pi)
        kept = min(max((turns - 1) / 31, 0), 1)
        assert speed == pytest.approx((1 - kept) * plain / 4 + kept * plain, rel=1e-14)


@pytest.mark.parametrize(
    ("sizes", "ends", "magnitude"),
    [
        ({"head_dim": 128, "factor": 16.0, "original_max_position_embeddings": 4096}, (20, 46), 1.277259),
        ({"head_dim": 128, "factor": 16.0, "original_max_position_embeddings": 8192}, (25, 50), 1.277259),
        (
            {"head_dim": 128, "rope_theta": 1e6, "factor": 4.0, "original_max_position_embeddings": 32768},
            (23, 40), 1.138629,
        ),
        (
            {"head_dim": 64, "rope_theta": 1.5e5, "factor": 32.0, "truncate": False,
             "original_max_position_embeddings": 4096}, (8.0928, 17.3980), 1.346574,
        ),
        (
            {"head_dim": 64, "factor": 128.0, "original_max_position_embeddings": 8192}, (12, 25), 1.485203,
        ),
    ],
    ids=["Llama 2", "Mistral 0.1", "Qwen 3", "gpt-oss", "Mistral 4"],
)  # fmt: skip
def test_yarn_ramps_of_models(sizes: dict, ends: tuple[float, float], magnitude: float) -> None:
    scheme = YaRN(**sizes)
    plain = RoPE(head_dim=scheme.head_dim, rope_theta=scheme.rope_theta).inv_freq()
    for pair, ratio in enumerate(scheme.inv_freq() / plain):
        along = min(max((pair - ends[0]) / (ends[1] - ends[0]), 0), 1)
        assert ratio == pytest.approx((1 - along) + along / scheme.factor, rel=1e-4)
    assert scheme.magnitude() == pytest.approx(magnitude, abs=5e-7)


def test_the_two_weights_of_deepseek() -> None:
    """V3: factor 40, both 1: queries and keys unscaled, softmax 1.873854 times sharper."""
    scheme = YaRN(
        head_dim=64, factor=40.0, original_max_position_embeddings=4096, mscale=1.0, mscale_all_dim=1.0
    )
    assert scheme.magnitude() == 1.0
    assert scheme.softmax_factor() == pytest.approx(1.873854, abs=5e-7)
    assert build(scheme).score_scale / math.sqrt(192) == pytest.approx(0.1352338, abs=5e-8)
    assert YaRN(attention_factor=1.0).magnitude() == 1.0


def test_longrope_of_phi_3() -> None:
    """128k: L 4096, factor 32: attention factor 1.1902380714; lists by length."""
    scheme = LongRoPE(head_dim=96, factor=32.0, original_max_position_embeddings=4096)
    assert scheme.magnitude() == pytest.approx(1.1902380714, abs=1e-10)
    given = LongRoPE(head_dim=4, short_factor=[1.5, 2.0], long_factor=[3.0, 5.0])
    np.testing.assert_allclose(given.inv_freq_at(2048), [1 / 1.5, 0.005])
    np.testing.assert_allclose(given.inv_freq_at(2049), [1 / 3, 0.002])
    assert hash(given) == hash(LongRoPE(head_dim=4, short_factor=(1.5, 2.0), long_factor=(3.0, 5.0)))


def test_partial_and_proportional_are_not_the_same() -> None:
    """Base 1e6, d 512, a quarter: the longest wavelengths are 5.06e6 and 188.25 tokens."""
    partial = RoPE(head_dim=512, rope_theta=1e6, partial_rotary_factor=0.25)
    share = ProportionalRoPE(head_dim=512, rope_theta=1e6, moving_share=0.25)
    assert wavelength(partial)[-1] == pytest.approx(5.06326e6, rel=1e-5)
    assert wavelength(share)[63] == pytest.approx(188.25, abs=0.005)
    assert (share.inv_freq()[64:] == 0).all()
    lfm = ProportionalRoPE(head_dim=128, rope_theta=1e6, moving_share=0.5)
    assert wavelength(lfm)[31] == pytest.approx(5063.3, abs=0.05)


def test_clipping_tapers_the_last_hands() -> None:
    """arXiv 2602.05258: of 64 hands the last 20 times (1 + cos t) / 2, t from 0 to pi."""
    plain, soft = RoPE(head_dim=128).inv_freq(), ClippedRoPE(head_dim=128).inv_freq()
    taper = [0.5 * (1 + math.cos(math.pi * step / 19)) for step in range(20)]
    np.testing.assert_allclose(soft, plain * np.array([1.0] * 44 + taper), atol=1e-18)
    hard = ClippedRoPE(head_dim=128, soft=False).inv_freq()
    np.testing.assert_array_equal(hard, np.where(np.arange(64) < 44, plain, 0))
    assert ClippedRoPE(head_dim=8, clipped=4).inv_freq()[3] == 0


def test_resonant_hands_repeat_exactly() -> None:
    waves = wavelength(ResonanceRoPE(head_dim=64))
    np.testing.assert_allclose(waves, np.round(waves), rtol=1e-12)
    assert np.abs(waves - wavelength(RoPE(head_dim=64))).max() <= 0.5


def test_high_frequencies_are_those_that_finish_a_turn() -> None:
    plain, kept = RoPE(head_dim=128).inv_freq(), HighFrequencyRoPE(head_dim=128, context=4096).inv_freq()
    assert np.count_nonzero(kept) == 46  # of Llama 2
    np.testing.assert_array_equal(kept[:46], plain[:46])


# what the module does ----------------------------------------------------------------------------------


def test_the_last_dimensions_can_turn() -> None:
    first = build(RoPE(head_dim=8, rotary_dim=4))
    last = build(RoPE(head_dim=8, rotary_dim=4, rotary_part="last"))
    q = torch.randn(1, 2, 3, 8, dtype=torch.float64)
    table = last.table(torch.arange(3)[None])
    got = last.queries(q, table)
    torch.testing.assert_close(got[..., :4], q[..., :4], rtol=0, atol=0)
    torch.testing.assert_close(got.roll(4, -1), first.queries(q.roll(4, -1), table))


@pytest.mark.parametrize("part", [{}, {"rotary_dim": 4}], ids=["whole head", "a part"])
def test_magnitude_scales_what_turns(part: dict) -> None:
    """Logits of turned dimensions grow by its square; the others stay."""
    sharp = build(YaRN(head_dim=8, attention_factor=1.5, factor=1.0, **part))
    plain = build(RoPE(head_dim=8, **part))
    q, k = torch.randn(2, 1, 2, 3, 8, dtype=torch.float64)
    places = torch.arange(3)[None]

    def logits(encoding) -> torch.Tensor:
        table = encoding.table(places)
        return encoding.queries(q, table) @ encoding.keys(k, table).mT * encoding.score_scale

    grown, kept = logits(sharp), logits(plain)
    if not part:
        torch.testing.assert_close(grown, 2.25 * kept)
    else:
        rest = q[..., 4:] @ k[..., 4:].mT
        torch.testing.assert_close(grown - rest, 2.25 * (kept - rest))


def test_rows_turn_by_their_own_length() -> None:
    scheme = DynamicNTK(head_dim=8, factor=4.0, max_position_embeddings=16)
    encoding = build(scheme)
    cos, _ = encoding.table(torch.tensor([[0, 1, 2], [0, 30, 63]]))
    np.testing.assert_allclose(cos[0, 1], np.cos(scheme.inv_freq_at(3)), rtol=1e-12)
    np.testing.assert_allclose(cos[1, 1], np.cos(30 * scheme.inv_freq_at(64)), rtol=1e-9)


# bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("yarn", {"factor": 0.5}, "factor is 0.5"),
        ("yarn", {"beta_fast": 0.5}, "beta_slow is 1.0 and beta_fast 0.5"),
        ("yarn", {"rope_theta": 1.0}, "rope_theta is 1.0"),
        ("yarn", {"truncate": "no"}, "truncate is 'no'"),
        ("yarn", {"mscale": math.nan}, "mscale is nan"),
        ("yarn", {"original_max_position_embeddings": 4096.5}, "original_max_position_embeddings is 4096.5"),
        ("longrope", {"long_factor": (1.0,)}, "long_factor is 1 numbers, but it must be 16 positive"),
        ("longrope", {"short_factor": [0.0] * 16}, "short_factor is .* 16 positive numbers"),
        ("longrope", {"short_factor": "1,2"}, "short_factor is '1,2'"),
        ("llama3", {"high_freq_factor": 1.0}, "high_freq_factor 1.0"),
        ("ntk-by-parts", {"beta": 0.5}, "alpha is 1.0 and beta 0.5"),
        ("dynamic-ntk", {"max_position_embeddings": 0}, "max_position_embeddings is 0"),
        ("proportional", {"moving_share": 1.5}, "moving_share is 1.5"),
        ("cope-clipped", {"clipped": 17}, "clipped is 17"),
        ("hope-highfreq", {"context": -1}, "context is -1"),
        ("rope", {"rotary_part": "middle"}, "rotary_part is 'middle'"),
        ("rope-linear", {"factor": math.inf}, "factor is inf"),
    ],
)
def test_bad_parameters(id: str, given: dict, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said):
        describe(id, **given)
