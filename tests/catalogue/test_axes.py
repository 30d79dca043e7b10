"""Descriptions whose positions have axes: sizes, defaults, what they refuse, and what views make of them."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.catalogue import describe
from clockhands.catalogue.axial_2d import Axial2D
from clockhands.catalogue.axial_3d import Axial3D
from clockhands.catalogue.comrope import ComRoPE
from clockhands.catalogue.liere import LieRE
from clockhands.catalogue.mrope import MRoPE
from clockhands.catalogue.mrope_interleaved import MRoPEInterleaved
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.rope_mixed import RoPEMixed
from clockhands.errors import ClockhandsError
from clockhands.views import data

WITH_AXES = ("axial-2d", "axial-3d", "rope-mixed", "mrope", "mrope-interleaved", "liere", "comrope")


def test_sections_of_the_published_models_are_the_default() -> None:
    assert MRoPE().mrope_section == (16, 24, 24)
    assert MRoPEInterleaved().mrope_section == (24, 20, 20)
    assert MRoPE(head_dim=64).mrope_section == (8, 12, 12)  # GLM-4V turns 64
    assert MRoPEInterleaved(head_dim=64).mrope_section == (12, 10, 10)  # Hy-4-VL
    quarter = {"head_dim": 256, "partial_rotary_factor": 0.25, "rope_theta": 1e7}
    assert MRoPEInterleaved(mrope_section=(11, 11, 10), **quarter).pair_axes[-2:] == (0, 1)  # Qwen3.5
    assert describe("mrope", mrope_section="8, 28, 28").mrope_section == (8, 28, 28)


@pytest.mark.parametrize("scheme", [MRoPE, MRoPEInterleaved])
def test_mrope_has_the_hands_of_rope(scheme: type) -> None:
    same = {"head_dim": 32, "rope_theta": 1e4}
    np.testing.assert_array_equal(scheme(**same).inv_freq(), RoPE(**same).inv_freq())


def test_widths_of_wan_and_of_cogvideox() -> None:
    assert Axial3D(head_dim=128).widths == (44, 42, 42)
    cog = Axial3D(head_dim=64, widths=(16, 24, 24))
    assert cog.pair_axes == (0,) * 8 + (1,) * 12 + (2,) * 12
    assert cog.inv_freq()[[0, 8, 20]].tolist() == [1, 1, 1]
    assert cog.inv_freq()[7] == pytest.approx(1e4 ** (-14 / 16))


def test_narrow_heads_leave_axes_out() -> None:
    assert MRoPE(head_dim=4).mrope_section == (1, 1, 0)
    assert MRoPEInterleaved(head_dim=4).mrope_section == (2, 0, 0)
    assert MRoPEInterleaved(head_dim=6).mrope_section == (1, 1, 1)
    assert Axial3D(head_dim=4).widths == (4, 0, 0)
    assert len(Axial3D(head_dim=4).inv_freq()) == 2


def test_axes_have_names_and_every_hand_has_one() -> None:
    for id in WITH_AXES:
        scheme = describe(id)
        assert [axis.en for axis in scheme.axes] == ["time", "row", "column"][-len(scheme.axes) :]
        if scheme.pair_axes is not None:
            assert len(scheme.pair_axes) == len(scheme.inv_freq())
            assert set(scheme.pair_axes) == set(range(len(scheme.axes)))
    assert RoPE().axes == ()
    assert RoPE().pair_axes is None


def test_hands_of_all_heads_when_axes_move_together() -> None:
    speeds = np.random.default_rng(0).normal(size=(2, 3, 4))
    mixed = RoPEMixed.of(speeds)
    assert (mixed.num_heads, mixed.head_dim) == (3, 8)
    assert mixed.untrained_seed is None
    np.testing.assert_allclose(mixed.inv_freq(), [*(speeds[0] + speeds[1]).ravel()])
    assert RoPEMixed(num_heads=3, head_dim=8).inv_freq().shape == (12,)
    assert LieRE(num_heads=3, head_dim=8).inv_freq().shape == (12,)
    assert ComRoPE(num_heads=3, head_dim=8).inv_freq().shape == (12,)


def test_blocks_of_two_are_rope_mixed() -> None:
    """One number for each axis, head and pair; and then axes commute."""
    liere = LieRE(num_heads=2, head_dim=8, block_dim=2, extent=1.0)
    assert liere.traits.relative
    upper = liere.generators()[..., 0, 1]
    np.testing.assert_allclose(np.abs(upper.sum(0)).ravel(), liere.inv_freq(), atol=1e-12)
    assert not LieRE(block_dim=4).traits.relative
    assert LieRE(block_dim=4, num_axes=1).traits.relative
    assert ComRoPE(block_dim=4).traits.relative


def test_starting_points_follow_the_authors() -> None:
    """LieRE draws U(0, 2 pi) for each number above the diagonal, ComRoPE N(0, 1) for all."""
    raw = LieRE(num_heads=8, head_dim=64, block_dim=64).weights()
    assert (raw.min() >= 0, raw.max() <= 2 * np.pi) == (True, True)
    assert raw.mean() == pytest.approx(np.pi, abs=0.02)
    blocks, factors = ComRoPE(num_heads=8, head_dim=64, block_dim=8).weights()
    assert blocks.std() == pytest.approx(1, abs=0.05)
    assert factors.shape == (2, 8)
    per_unit = LieRE(extent=1.0).generators()
    np.testing.assert_allclose(LieRE(extent=4.0).generators(), per_unit / 4)


@pytest.mark.parametrize("id", WITH_AXES)
def test_seeds_change_what_is_learned(id: str) -> None:
    scheme = describe(id)
    assert (scheme.untrained_seed == 0) == scheme.traits.learned
    if scheme.traits.learned:
        assert not np.allclose(describe(id, seed=1).inv_freq(), scheme.inv_freq())


@pytest.mark.parametrize(
    ("id", "parameters", "message"),
    [
        ("mrope", {"mrope_section": (16, 24, 23)}, r"16 \+ 24 \+ 23 = 63, but it must add up to 64"),
        ("mrope", {"mrope_section": (32, 48, 48)}, "must add up to 64, half of the dimensions that turn"),
        ("mrope", {"mrope_section": (32, 32)}, r"must have 3 whole numbers \(time, row, column\)"),
        ("mrope", {"mrope_section": "a,b,c"}, "a number in mrope_section is 'a'"),
        ("mrope", {"mrope_section": (66, -1, -1)}, "a number in mrope_section is -1"),
        ("mrope", {"mrope_section": 64}, "mrope_section is 64"),
        ("mrope-interleaved", {"mrope_section": (20, 22, 22)}, "axis 1 22 of 64 hands.*give it fewer"),
        ("mrope-interleaved", {"head_dim": 65}, "head_dim is 65"),
        ("axial-2d", {"head_dim": 30}, "multiple of 4: use 28 or 32"),
        ("axial-2d", {"spacing": "eech"}, "did you mean 'each'"),
        ("axial-3d", {"widths": (11, 11, 10)}, "a number in widths is 11"),
        ("axial-3d", {"widths": (10, 10, 10)}, "must add up to 32, head_dim"),
        ("axial-3d", {"head_dim": 5}, "head_dim is 5.*use 4 or 6"),
        ("rope-mixed", {"head_dim": 6}, "multiple of 4: use 4 or 8"),
        ("rope-mixed", {"numbers": np.ones((2, 3, 4))}, r"shape \(2, 3, 4\), but the sizes say \(2, 4, 16\)"),
        ("rope-mixed", {"numbers": [1.0]}, "needs 3 dimension"),
        ("liere", {"block_dim": 3}, "block_dim is 3.*use 2 or 4"),
        ("liere", {"block_dim": 12}, "multiple of 12: use 24 or 36"),
        ("liere", {"num_axes": 4}, "num_axes is 4"),
        ("liere", {"extent": 0.0}, "extent is 0.0"),
        ("comrope", {"variant": "ap", "head_dim": 4}, "head_dim is 4.*use 8 or more"),
        ("comrope", {"variant": "pa"}, "variant is 'pa'"),
    ],
)
def test_what_does_not_fit_is_refused(id: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe(id, **parameters)


def test_pictures_are_about_all_axes_moving_together() -> None:
    """So M-RoPE looks like RoPE, and axial RoPE like two sets of the same hands."""
    same = {"head_dim": 16, "rope_theta": 1e4}
    for view in ("kernel", "similarity", "spectrum", "heatmap"):
        plain = data(view, RoPE(**same), positions=20)
        on_axes = data(view, MRoPE(**same), positions=20)
        for one, other in zip(on_axes, plain, strict=False):  # it also says which axis each hand reads
            np.testing.assert_array_equal(one.values, other.values)
        assert len(on_axes) - len(plain) == (view == "spectrum")
    axial, half = Axial2D(head_dim=16, rope_theta=1e4), RoPE(head_dim=8)
    (twice,), (once,) = data("kernel", axial, positions=20), data("kernel", half, positions=20)
    np.testing.assert_allclose(twice.values, once.values)
