"""Descriptions of the biases: what numpy can say of them, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.catalogue import describe
from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.alibi_hard import HardALiBi
from clockhands.catalogue.fire import FIRE
from clockhands.catalogue.kerple_log import KerpleLog
from clockhands.catalogue.kerple_power import KerplePower
from clockhands.catalogue.retnet_decay import RetNetDecay
from clockhands.catalogue.sandwich import Sandwich
from clockhands.catalogue.swin_cpb import SwinCPB
from clockhands.catalogue.swin_table import SwinTable
from clockhands.errors import ClockhandsError

NEAR = np.arange(6)


def test_hard_alibi_masks_two_thirds_as_in_its_code() -> None:
    """main.py of sjelassi/transformers_ssm_copy @1f32ac6: 12 heads, 8 masked, the rest NoPE."""
    assert HardALiBi().windows().tolist() == [1, 2, 3, 4, 5, 6, 7, 8, *[np.inf] * 4]
    assert HardALiBi(num_heads=1).masked == 1
    assert HardALiBi(num_heads=6, num_masked_heads=2).traits.horizon == 2
    assert np.isneginf(HardALiBi(num_heads=2, num_masked_heads=2).bias(NEAR)).sum(1).tolist() == [5, 4]


def test_retnet_is_alibi_with_other_slopes() -> None:
    bias = RetNetDecay(num_heads=3).bias(np.asarray([-2, 0, 4]))
    np.testing.assert_allclose(np.exp(bias[:, 2]), (1 - 2.0 ** -np.arange(5, 8)) ** 4, rtol=1e-14)
    assert (bias[:, 0] > 0).all()
    assert (RetNetDecay(symmetric=True).bias(np.asarray([-2])) < 0).all()


def test_sandwich_falls_from_its_peak_and_heads_weaken() -> None:
    bias = Sandwich(num_heads=4, sinusoid_dim=16).bias(NEAR)
    assert bias[:, 0].tolist() == pytest.approx([8 * 4 / 8, 8 * 4 / 16, 8 * 4 / 24, 8 * 4 / 32])
    assert (np.diff(bias, axis=1) < 0).all()
    np.testing.assert_array_equal(Sandwich().bias(-NEAR), Sandwich().bias(NEAR))


def test_kerple_is_alibi_where_the_power_is_one() -> None:
    slopes = ALiBi(num_heads=4).slopes()
    power = KerplePower.of(np.stack((np.maximum(slopes, 0.01), np.ones(4))))
    np.testing.assert_allclose(power.bias(NEAR)[:3], ALiBi(num_heads=4).bias(NEAR)[:3], rtol=1e-14)


@pytest.mark.parametrize(("kind", "most"), [(KerpleLog, (2.0, 1.0)), (KerplePower, (1.0, 2.0))])
def test_kerple_draws_its_first_numbers_as_its_code_does(kind: type, most: tuple[float, float]) -> None:
    """p from 0 … 2 and a from 0 … 1, held at 0.01 or more (chijames/KERPLE): -p ln(1 + a k), -a k ** p."""
    rows = kind(num_heads=4000, seed=2).rows()
    np.testing.assert_allclose(rows.mean(1), np.asarray(most) / 2, rtol=0.05)
    np.testing.assert_allclose(rows.max(1), most, rtol=0.01)
    assert rows.min() == 0.01
    assert kind(num_heads=4, seed=1).untrained_seed == 1
    assert kind.of(np.ones((2, 3))).untrained_seed is None
    assert kind.of(np.ones((2, 3))) == kind(num_heads=3, numbers=np.ones((2, 3)))


def test_fire_refuses_what_hangs_on_more_than_the_distance() -> None:
    fire = FIRE(num_heads=2, threshold=50.0)
    assert fire.bias(np.arange(-50, 51)).shape == (2, 101)
    with pytest.raises(ClockhandsError, match=r"distance 51 is outside the bias, which has -50 to 50"):
        fire.bias(np.arange(60)[:52])
    assert FIRE().traits.relative is False
    units = np.asarray([[1.0, 0.0, 2.0], [1.0, -0.5, 4.0]])
    given = FIRE.of(units, threshold=99.0)
    assert (given.width, given.num_heads, given.untrained_seed) == (2, 1, None)
    share = np.log1p(9.0) / (np.log1p(9.9) + 1e-6)
    assert given.bias(np.asarray([90]))[0, 0] == pytest.approx(2 * share + 4 * (share - 0.5))


def test_fire_draws_its_units_as_torch_does() -> None:
    units = FIRE(num_heads=200, width=300).units()
    assert abs(units[:, :2]).max() == pytest.approx(1.0, rel=0.02)
    assert abs(units[:, 2:]).max() == pytest.approx(300**-0.5, rel=0.01)


def test_a_swin_table_is_read_off_a_checkpoint_s_shape() -> None:
    table = np.arange(13.0 * 13 * 3).reshape(169, 3)
    swin = SwinTable.of(table, num_axes=2)
    assert (swin.window_size, swin.num_heads, swin.traits.max_position) == (7, 3, 7)
    assert [axis.en for axis in swin.axes] == ["row", "column"]
    # all axes moving together: down and right by one is row (6 + 1) * 13 + (6 + 1)
    assert swin.bias(np.asarray([0, 1, -1]))[0].tolist() == [84 * 3.0, 98 * 3.0, 70 * 3.0]
    line = SwinTable.of([[1.0], [2.0], [3.0]])
    assert line.bias(np.asarray([-1, 0, 1])).tolist() == [[1.0, 2.0, 3.0]]
    assert line.axes == ()
    for far in (2, -2):
        with pytest.raises(ClockhandsError, match=rf"distance {far} is outside the bias, which has -1 to 1"):
            line.bias(np.asarray([0, far]))
    with pytest.raises(ClockhandsError, match=r"numbers has shape \(168, 3\), but the sizes say \(169, 3\)"):
        SwinTable.of(table[1:], num_axes=2)
    assert SwinTable(num_heads=20, seed=1).weights().std() == pytest.approx(0.02, rel=0.05)


def test_swin_v2_stays_between_0_and_16() -> None:
    units = np.asarray([[100.0, 0.0, 1.0, -1.0], [-1.0, 0.0, 2.0, 0.0]])
    given = SwinCPB.of(units, window_size=8)
    bias = given.bias(np.asarray([-7, 0, 7]))
    edge = np.log2(9) / 3
    np.testing.assert_allclose(bias[:, 1], 8)
    np.testing.assert_allclose(bias[:, 2], [16, 0], atol=1e-12)
    np.testing.assert_allclose(bias[:, 0], [16 / (1 + np.exp(-2 * edge)), 8])
    assert SwinCPB.of(np.ones((5, 6)), num_axes=2).num_heads == 3
    drawn = SwinCPB(seed=3).units()
    assert (drawn[:, 1] == 0).all()
    assert drawn.std() == pytest.approx(0.019, rel=0.1)


@pytest.mark.parametrize(
    "scheme", ["alibi-hard", "sandwich", "kerple-log", "kerple-power", "swin-table", "swin-cpb"]
)
def test_biases_count_whole_tokens(scheme: str) -> None:
    with pytest.raises(ClockhandsError, match="distances have the type float64"):
        describe(scheme).bias(np.asarray([0.5]))


@pytest.mark.parametrize(
    ("scheme", "parameters", "message"),
    [
        ("alibi-hard", {"heads": 4, "num_masked_heads": 5}, "num_masked_heads is 5.*use 4 or less"),
        ("alibi-hard", {"num_masked_heads": 0}, "num_masked_heads is 0"),
        ("retnet-decay", {"heads": 1001}, "use 1,000 or less"),
        ("retnet-decay", {"symmetric": 1}, "symmetric is 1"),
        ("sandwich", {"sinusoid_dim": 3}, "use 2 or 4"),
        ("sandwich", {"base": 0.5}, "base is 0.5"),
        ("kerple-log", {"numbers": [[1.0], [0.0]]}, "num_heads"),
        ("kerple-log", {"heads": 1, "numbers": [[1.0], [0.0]]}, "r2 is 0.0.*0.01 or more"),
        ("kerple-power", {"heads": 1, "numbers": [[1.0], [2.5]]}, "r2 is 2.5.*2 or less"),
        ("kerple-power", {"heads": 1, "numbers": [[0.0], [1.0]]}, "r1 is 0.0"),
        ("kerple-log", {"seed": -1}, "seed is -1"),
        ("fire", {"c": 0}, "c is 0"),
        ("fire", {"threshold": 0.5}, "threshold is 0.5"),
        ("fire", {"width": 0}, "width is 0"),
        ("swin-table", {"window_size": 1}, "window_size is 1"),
        ("swin-table", {"num_axes": 3}, "num_axes is 3.*use 2 or less"),
        ("swin-cpb", {"num_axes": 0}, "num_axes is 0"),
        ("swin-cpb", {"window_size": 1}, "window_size is 1"),
        ("inkling", {"rel_extent": 0}, "rel_extent is 0"),
        ("fox", {"heads": 0}, "heads is 0"),
        ("cable", {"dim": 0}, "dim is 0"),
    ],
)
def test_what_they_refuse(scheme: str, parameters: dict[str, object], message: str) -> None:
    if "numbers" in parameters and "heads" not in parameters:
        message = r"numbers has shape \(2, 1\), but the sizes say \(2, 8\)"
    with pytest.raises(ClockhandsError, match=message):
        describe(scheme, **parameters)


def test_what_reads_the_tokens_says_so() -> None:
    for scheme in ("fox", "cable", "inkling"):
        description = describe(scheme, seed=4)
        assert description.touches() == ()
        assert description.content_hooks == ("bias",)
        assert description.untrained_seed == 4
    assert describe("fox").traits.reads == "content"
    assert describe("inkling").traits.reads == "positions"
    assert describe("inkling", rel_extent=9).traits.horizon == 9


def test_layers_start_with_numbers_of_their_own_where_the_models_do() -> None:
    for scheme in ("fire", "swin-table", "swin-cpb", "inkling", "fox", "cable"):
        description = describe(scheme, seed=3)
        seeds = [description.at_layer(layer, 4).untrained_seed for layer in range(4)]
        assert seeds[0] == 3
        assert len(set(seeds)) == 4
    for scheme in ("kerple-log", "kerple-power"):  # one for all layers, as in chijames/KERPLE @73f1ee2
        assert describe(scheme).at_layer(2, 4) == describe(scheme)
