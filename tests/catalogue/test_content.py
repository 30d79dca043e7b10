"""Descriptions of schemes that read the tokens: sizes that fit, and one sentence where they don't."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.catalogue import describe
from clockhands.catalogue.carope import CARoPE
from clockhands.catalogue.grape import GRAPE
from clockhands.catalogue.layerwise import seed_of_layer
from clockhands.catalogue.path import PaTH
from clockhands.catalogue.pope_polar import PoPE
from clockhands.catalogue.selective_rope import SelectiveRoPE
from clockhands.errors import ClockhandsError


@pytest.mark.parametrize(
    ("id", "parameters", "message"),
    [
        ("cope-contextual", {"npos_max": 1}, "npos_max is 1.*use 2 or more"),
        ("cope-contextual", {"dim": 0}, "dim is 0"),
        ("cope-contextual", {"seed": -1}, "seed is -1"),
        ("carope", {"d_model": 30, "heads": 4}, "d_model is 30, which 4 heads can't share"),
        ("carope", {"d_model": 12, "heads": 4}, r"head_dim \(d_model / num_heads\) is 3"),
        ("carope", {"base": 1}, "base is 1,"),
        ("carope", {"layout": "haf"}, "did you mean 'half'"),
        ("selective-rope", {"d_conv": 0}, "d_conv is 0"),
        ("selective-rope", {"d_conv": 65}, "d_conv is 65"),
        ("selective-rope", {"phi_proj_rank": 0.5}, "phi_proj_rank is 0.5"),
        ("selective-rope", {"use_gate": 1}, "use_gate is 1"),
        ("selective-rope", {"use_bias": None}, "use_bias is None"),
        ("selective-rope", {"base": 0.5}, "base is 0.5"),
        ("path", {"num_kv_heads": 3}, "num_kv_heads is 3, which doesn't divide num_heads 8"),
        ("path", {"num_kv_heads": 16}, "num_kv_heads is 16.*use 8 or less"),
        ("path", {"rank": 0}, "rank is 0"),
        ("path-fox", {"conv_size": 0}, "conv_size is 0"),
        ("path-fox", {"d_model": 4}, "d_model is 4, which 8 heads can.t share"),
        ("dape", {"mlp_width": 0}, "mlp_width is 0"),
        ("dape", {"heads": True}, "heads is True"),
        ("dape-v2", {"kernel_size": 4}, "kernel_size is 4.*an odd number such as 5"),
        ("dape-v2", {"kernel_size": 65}, "kernel_size is 65"),
        ("stick-breaking", {"attend_current": "yes"}, "attend_current is 'yes'"),
        ("pope-polar", {"heads": 0}, "heads is 0"),
        ("pope-polar", {"base": 0}, "base is 0"),
        ("grape", {"omega": 0}, "omega is 0"),
        ("grape", {"dim": 1}, "dim is 1"),
        ("grape", {"num_planes": 0}, "num_planes is 0"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(id: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe(id, **parameters)


def test_sizes_that_are_derived() -> None:
    assert CARoPE(d_model=64, num_heads=4).head_dim == SelectiveRoPE(d_model=64, num_heads=4).head_dim == 16
    assert PaTH(d_model=24, num_heads=8).head_dim == 3  # mirrors need no pairs
    assert PaTH(num_heads=8).groups == 8
    assert PaTH(num_heads=8, num_kv_heads=2).groups == 2
    assert CARoPE(d_model=64, num_heads=4, rope_theta=1e4).first_frequency == pytest.approx(1e4 ** (-2 / 16))
    temperature = SelectiveRoPE(d_model=64, num_heads=4).temperature()
    np.testing.assert_allclose(temperature, 5e5 ** (-2 * np.arange(8) / 16))


def test_polar_hands_are_one_for_each_dimension() -> None:
    speeds = PoPE(head_dim=6, rope_theta=100.0).inv_freq()
    np.testing.assert_allclose(speeds, 100.0 ** (-np.arange(6) / 6))


def test_a_plane_starts_as_two_unit_vectors_at_right_angles() -> None:
    planes = GRAPE(head_dim=5, num_planes=3, seed=2).planes()
    assert planes.shape == (2, 3, 5)
    for a, b in planes.transpose(1, 0, 2):
        np.testing.assert_allclose([a @ a, b @ b, a @ b], [1, 1, 0], atol=1e-15)
    assert not np.allclose(planes, GRAPE(head_dim=5, num_planes=3, seed=3).planes())
    assert GRAPE(num_planes=2, omega=0.5).inv_freq().tolist() == [0.5, 0.5]


def test_each_layer_starts_from_a_seed_of_its_own() -> None:
    seeds = {seed_of_layer(seed, layer) for seed in range(4) for layer in range(12)}
    assert len(seeds) == 48
    assert seed_of_layer(9, 0) == 9
    assert PaTH(seed=9).at_layer(0, 2).seed == 9
    assert PaTH(seed=9).at_layer(1, 2) == PaTH(seed=seed_of_layer(9, 1))
