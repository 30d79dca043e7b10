"""Descriptions of schemes with a vector for each distance: sizes, horizons, rows, bad values."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.catalogue import Description, describe
from clockhands.catalogue.deberta import DeBERTa
from clockhands.catalogue.deberta_v3 import DeBERTaV3
from clockhands.catalogue.shaw import Shaw
from clockhands.catalogue.transformer_xl import TransformerXL
from clockhands.catalogue.tupe import TUPE
from clockhands.catalogue.wavelet import Wavelet
from clockhands.errors import ClockhandsError

TRAINED = [Shaw, TransformerXL, DeBERTa, DeBERTaV3, TUPE]


def arrays(description: Description) -> list[np.ndarray]:
    tables = description.tables()  # pyright: ignore[reportAttributeAccessIssue] (all of TRAINED have it)
    return list(tables.values() if isinstance(tables, dict) else tables)


@pytest.mark.parametrize("kind", TRAINED, ids=lambda kind: kind.card.id)
def test_parameters_start_small_seeded_and_distinct(kind: type[Description]) -> None:
    first, again, other = (arrays(kind.with_parameters(seed=seed)) for seed in (3, 3, 4))
    for one, same, another in zip(first, again, other, strict=True):
        np.testing.assert_array_equal(one, same)
        assert not np.allclose(one, another)
    assert np.concatenate([table.ravel() for table in first]).std() == pytest.approx(0.02, rel=0.1)
    assert kind.with_parameters(seed=3).untrained_seed == 3
    assert kind.card.traits.learned


@pytest.mark.parametrize("kind", [*TRAINED, Wavelet], ids=lambda kind: kind.card.id)
def test_the_card_says_the_traits_of_the_defaults(kind: type[Description]) -> None:
    assert kind().traits == kind.card.traits


def test_horizons() -> None:
    assert Shaw(clip=5).traits.horizon == 5
    assert DeBERTa(max_relative_positions=64).traits.horizon == 63  # rows 0 ... 127 for -64 ... 63
    assert DeBERTaV3().traits.horizon == 506
    rows = DeBERTaV3().rows()
    assert rows[512 + 505] < rows[512 + 506] == rows[-1] == 511
    assert TransformerXL().traits.horizon is None
    assert TUPE(max_positions=7).traits.max_position == 7


def test_rows_of_deberta() -> None:
    assert DeBERTa(max_relative_positions=3).rows().tolist() == [0, 1, 2, 3, 4, 5, 5]
    rows = DeBERTaV3(position_buckets=4, max_relative_positions=9).rows()
    assert rows.tolist() == [0] + [1] * 6 + [2, 3, 4, 5, 6] + [7] * 7  # of distances -9, -8 ... -3, -2, ...


def test_waves_of_the_paper() -> None:
    """Oka et al. 2025, section 5.1: for d = 128, 8 widths 1 ... 128 and 16 shifts 0 ... 15."""
    waves = {tuple(wave) for wave in Wavelet(head_dim=128).waves().T.tolist()}
    assert waves == {(2.0**power, float(shift)) for power in range(8) for shift in range(16)}
    vectors = Wavelet(head_dim=128).vectors(np.arange(-5000, 5001))
    assert vectors.max() == 1.0
    assert abs(vectors[[0, -1]]).max() < 1e-100


def test_waves_are_gone_past_the_horizon() -> None:
    wavelet = Wavelet(head_dim=32, num_scales=4)
    horizon = wavelet.traits.horizon
    assert horizon is not None
    assert abs(wavelet.vectors(np.arange(horizon, 9 * horizon))).max() < 2.0**-24
    assert abs(wavelet.vectors(np.asarray([horizon - 2]))).max() > 2.0**-25
    beyond = np.asarray([-wavelet.reach, wavelet.reach])
    assert abs(wavelet.vectors(beyond)).max() < 1e-28


def test_one_shift_cannot_tell_sides() -> None:
    alike = Wavelet(head_dim=8)
    assert not alike.traits.bidirectional
    np.testing.assert_array_equal(alike.vectors(np.arange(9)), alike.vectors(-np.arange(9)))
    assert Wavelet(head_dim=8, num_scales=4).traits.bidirectional
    assert [Wavelet(head_dim=width).scales for width in (1, 7, 12, 64, 11)] == [1, 7, 6, 8, 1]


def test_optional_parts_of_tupe() -> None:
    whole = TUPE(d_model=8, num_heads=2, relative=True, untie_cls=True).tables()
    assert {name: table.shape for name, table in whole.items() if name in ("buckets", "cls")} == {
        "buckets": (32, 2),
        "cls": (2, 2),
    }


@pytest.mark.parametrize(
    ("id", "parameters", "message"),
    [
        ("shaw", {"clip": 0}, "clip is 0.*use 1 or more"),
        ("shaw", {"clip": 70000}, "clip is 70000.*use 65,536 or less"),
        ("shaw", {"head_dim": 0}, "head_dim is 0"),
        ("shaw", {"on_values": 1}, "on_values is 1"),
        ("shaw", {"seed": -1}, "seed is -1"),
        ("transformer-xl", {"d_model": 31}, "d_model is 31.*use 30 or 32"),
        ("transformer-xl", {"d_model": 32, "heads": 3}, "heads is 3 and d_model 32: .* e.g. d_model 33"),
        ("transformer-xl", {"base": 0.5}, "base is 0.5"),
        ("transformer-xl", {"seed": 0.5}, "seed is 0.5"),
        ("deberta", {"max_relative_positions": 1}, "max_relative_positions is 1.*use 2 or more"),
        ("deberta", {"heads": 5}, "heads is 5 and d_model 32"),
        ("deberta", {"dim": 0}, "dim is 0"),
        ("deberta", {"seed": -1}, "seed is -1"),
        ("deberta-v3", {"position_buckets": 7}, "position_buckets is 7.*use 6 or 8"),
        ("deberta-v3", {"position_buckets": 2}, "position_buckets is 2.*use 4 or more"),
        ("deberta-v3", {"max_relative_positions": 129}, "max_relative_positions is 129.*use 130 or more"),
        ("deberta-v3", {"heads": 0}, "heads is 0"),
        ("deberta-v3", {"dim": 0}, "dim is 0"),
        ("deberta-v3", {"seed": -1}, "seed is -1"),
        ("tupe", {"max_positions": 0}, "max_positions is 0"),
        ("tupe", {"relative": "yes"}, "relative is 'yes'"),
        ("tupe", {"untie_cls": 0}, "untie_cls is 0"),
        ("tupe", {"heads": 7}, "heads is 7 and d_model 32"),
        ("tupe", {"dim": -1}, "dim is -1"),
        ("tupe", {"num_buckets": 5}, "num_buckets is 5"),
        ("tupe", {"max_distance": 8}, "max_distance is 8.*use 9 or more"),
        ("tupe", {"seed": -1}, "seed is -1"),
        ("wavelet", {"head_dim": 0}, "head_dim is 0"),
        ("wavelet", {"num_scales": 3}, "num_scales is 3, but it must divide head_dim 32"),
        ("wavelet", {"num_scales": 16}, "num_scales is 16.*use 12 or less"),
        ("wavelet", {"head_dim": 4, "num_scales": 8}, "num_scales is 8.*use 4 or less"),
    ],
)
def test_bad_values_are_refused(id: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe(id, **parameters)
