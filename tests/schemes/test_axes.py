"""Rotations on several axes: text reads as RoPE does, axes shift one by one, blocks turn as exponentials."""

from __future__ import annotations

import cmath
from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor

from clockhands.catalogue.axial_2d import Axial2D
from clockhands.catalogue.axial_3d import Axial3D
from clockhands.catalogue.comrope import ComRoPE
from clockhands.catalogue.description import Description
from clockhands.catalogue.frozen import FrozenArray
from clockhands.catalogue.liere import LieRE
from clockhands.catalogue.mrope import MRoPE
from clockhands.catalogue.mrope_interleaved import MRoPEInterleaved
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.rope_mixed import RoPEMixed
from clockhands.conformance import check
from clockhands.core.attend import enter
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.models import Attention
from clockhands.positions import from_grid
from clockhands.schemes import build

SMALL = {"num_heads": 3, "head_dim": 8}
RELATIVE = (
    Axial2D(head_dim=8), Axial2D(head_dim=8, spacing="alternate", layout="interleaved"), Axial3D(head_dim=8),
    MRoPE(head_dim=16), MRoPEInterleaved(head_dim=16), MRoPE(head_dim=16, rotary_dim=8), RoPEMixed(**SMALL),
    LieRE(**SMALL, block_dim=2), ComRoPE(**SMALL), ComRoPE(**SMALL, variant="ap"),
    ComRoPE(num_heads=3, head_dim=12, block_dim=4, num_axes=3, variant="ap"),
)  # fmt: skip


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rotated(encoding: Encoding, x: Tensor, positions: Tensor) -> Tensor:
    return encoding.queries(x, encoding.table(positions))


def logit(encoding: Encoding, m: list[int], n: list[int]) -> Tensor:
    """Scores of three heads between one query at m and one key at n."""
    width = encoding.description.head_dim
    q, k = numbers(1, 3, 1, width, seed=1), numbers(1, 3, 1, width, seed=2)
    at, to = torch.tensor([[m]]), torch.tensor([[n]])
    return (rotated(encoding, q, at) * rotated(encoding, k, to)).sum((0, 2, 3)).detach()


# text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [MRoPE, MRoPEInterleaved])
@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("turned", [16, 8])
def test_on_text_mrope_is_rope_to_the_last_bit(kind: type, layout: str, turned: int) -> None:
    same = {"head_dim": 16, "rope_theta": 1e4, "layout": layout, "rotary_dim": turned}
    many, plain = build(kind(**same)), build(RoPE(**same))
    x, line = numbers(2, 3, 5, 16).float(), torch.tensor([[0, 1, 5, 700, 131072]])
    on_axes = line[..., None].expand(1, 5, 3)
    assert torch.equal(rotated(many, x, on_axes), rotated(plain, x, line))


def test_a_layer_reads_plain_positions_as_text() -> None:
    same = {"head_dim": 8, "rope_theta": 1e4}
    many, plain = (Attention(16, 2, encoding=kind(**same), seed=0) for kind in (MRoPE, RoPE))
    x = numbers(2, 5, 16).float()
    assert torch.equal(many(x), plain(x))
    valid = torch.tensor([[True] * 5, [False, False, True, True, True]])
    assert torch.equal(many(x, valid=valid), plain(x, valid=valid))


# axes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("description", RELATIVE, ids=lambda one: one.card.id)
def test_each_axis_can_be_shifted_by_itself(description: Description) -> None:
    encoding = build(description).double()
    axes = len(description.axes)
    m, n = [3, 9, 4][:axes], [7, 2, 5][:axes]
    here = logit(encoding, m, n)
    for axis in range(axes):
        moved = [[p + 1000 * (a == axis) for a, p in enumerate(place)] for place in (m, n)]
        torch.testing.assert_close(logit(encoding, *moved), here)
        assert (logit(encoding, moved[0], n) - here).abs().max() > 1e-3


@pytest.mark.parametrize("description", RELATIVE[:3], ids=lambda one: one.card.id)
def test_swapping_axes_permutes_pairs(description: Description) -> None:
    """Rows and columns exchanged turn the same pairs by each other's angles: not square, so it shows."""
    grid = from_grid(*[2, 3, 5][-len(description.axes) :])
    one = build(description).table(torch.tensor(grid)[None])[0]
    swap = [*range(len(description.axes) - 2), -1, -2]
    other = build(description).table(torch.tensor(grid[:, swap])[None])[0]
    assert not torch.allclose(one, other)
    if isinstance(description, Axial2D) and description.spacing == "alternate":
        return  # there rows and columns have hands of their own
    pairs = np.asarray(description.pair_axes)
    last = len(description.axes) - 1
    order = [*np.flatnonzero(pairs < last - 1), *np.flatnonzero(pairs == last)]
    order += [*np.flatnonzero(pairs == last - 1)]
    torch.testing.assert_close(one[..., order], other)


def test_rows_and_columns_one_hand_at_a_time() -> None:
    """Complex numbers on a grid of 3 x 5; transformers and rope-vit order hands rows first, columns first."""
    encoding = build(Axial2D(head_dim=8, layout="interleaved"))
    x = numbers(1, 1, 15, 8)
    got = rotated(encoding, x, torch.tensor(from_grid(3, 5))[None])
    for token, (row, column) in enumerate(product(range(3), range(5))):
        angles = [row, row * 0.1, column, column * 0.1]
        for pair, angle in enumerate(angles):
            hand = complex(*x[0, 0, token, 2 * pair : 2 * pair + 2]) * cmath.exp(1j * angle)
            assert complex(*got[0, 0, token, 2 * pair : 2 * pair + 2]) == pytest.approx(hand)


def test_mixed_hands_one_at_a_time() -> None:
    speeds = np.random.default_rng(0).normal(size=(2, 2, 4))
    encoding = build(RoPEMixed.of(speeds)).double()
    with torch.no_grad():
        encoding.speeds.copy_(torch.tensor(speeds))
    x = numbers(1, 2, 3, 8)
    got = rotated(encoding, x, torch.tensor([[[0, 0], [4, -7], [100, 3]]])).detach()
    for head, token, pair in np.ndindex(2, 3, 4):
        row, column = ((0, 0), (4, -7), (100, 3))[token]
        angle = row * speeds[0, head, pair] + column * speeds[1, head, pair]
        at = (0, head, token, slice(2 * pair, 2 * pair + 2))
        assert complex(*got[at]) == pytest.approx(complex(*x[at]) * cmath.exp(1j * angle))


def test_axial_is_a_mixed_rope_with_a_speed_of_zero() -> None:
    axial = Axial2D(head_dim=8, layout="interleaved")
    speeds = np.zeros((2, 1, 4))
    speeds[axial.pair_axes, 0, range(4)] = axial.inv_freq()
    mixed = build(RoPEMixed.of(speeds))
    x, grid = numbers(1, 3, 15, 8), torch.tensor(from_grid(3, 5))[None]
    torch.testing.assert_close(rotated(mixed, x, grid), rotated(build(axial), x, grid), rtol=1e-5, atol=1e-5)


# blocks ------------------------------------------------------------------------------------------


def exponential(matrix: np.ndarray) -> np.ndarray:
    """``exp`` of a skew matrix from the eigenvectors of a Hermitian one; torch squares a Pade fraction."""
    values, vectors = np.linalg.eigh(1j * matrix)
    return ((vectors * np.exp(-1j * values)) @ vectors.conj().T).real


@pytest.mark.parametrize(
    "description", [LieRE(**SMALL, block_dim=4), ComRoPE(**SMALL), ComRoPE(**SMALL, variant="ap")]
)
def test_blocks_turn_by_the_exponential_of_their_generators(description: LieRE | ComRoPE) -> None:
    encoding = build(description).double()
    generators, x = description.generators(), numbers(1, 3, 2, 8)
    positions = [(3, -8), (200, 41)]
    got = rotated(encoding, x, torch.tensor([positions])).detach().numpy()
    for head, token, block in np.ndindex(3, 2, 2):
        row, column = positions[token]
        turning = exponential(row * generators[0, head, block] + column * generators[1, head, block])
        at = (0, head, token, slice(4 * block, 4 * block + 4))
        np.testing.assert_allclose(got[at], turning @ x.numpy()[at], atol=1e-4)  # float32 parameters
    assert encoding.inv_freq.detach().numpy() == pytest.approx(description.inv_freq(), abs=1e-6)


def difference_from_relative(encoding: Encoding) -> float:
    """The largest number in ``R(x)^T R(y) - R(y - x)``, x and y in different directions."""
    x, y = torch.tensor([[3, 8]]), torch.tensor([[7, 2]])
    of_x, of_y, between = (encoding.table(place[None])[0, 0] for place in (x, y, y - x))
    return float((of_x.mT @ of_y - between).detach().abs().max())


def test_comrope_obeys_the_rope_equation_and_liere_does_not() -> None:
    for description in (ComRoPE(**SMALL), ComRoPE(**SMALL, variant="ap"), LieRE(**SMALL, block_dim=2)):
        assert difference_from_relative(build(description).double()) < 1e-12
    assert difference_from_relative(build(LieRE(**SMALL, block_dim=4)).double()) > 0.1


def test_along_a_line_from_the_origin_liere_is_relative_all_the_same() -> None:
    encoding = build(LieRE(**SMALL, block_dim=8)).double()
    torch.testing.assert_close(logit(encoding, [6, 15], [2, 5]), logit(encoding, [10, 25], [6, 15]))
    assert (logit(encoding, [6, 15], [2, 5]) - logit(encoding, [7, 15], [3, 5])).abs().max() > 1e-3


def test_trained_numbers_of_liere_are_used() -> None:
    raw = np.random.default_rng(5).normal(size=(2, 3, 2, 4, 4))
    encoding = build(LieRE(**SMALL, block_dim=4, numbers=FrozenArray(raw), extent=1.0))
    one = encoding.generators()[1, 2, 1].detach().numpy()
    np.testing.assert_allclose(one, np.triu(raw[1, 2, 1], 1) - np.triu(raw[1, 2, 1], 1).T, rtol=1e-6)


# heads ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("description", [RoPEMixed(**SMALL), LieRE(**SMALL), ComRoPE(**SMALL)])
def test_heads_with_rotations_of_their_own_cannot_share_keys(description: Description) -> None:
    encoding = build(description)
    table = encoding.table(torch.tensor([[[1, 2]]]))
    with pytest.raises(ClockhandsError, match="3 heads have rotations of their own, which 2 heads"):
        encoding.keys(numbers(1, 2, 1, 8), table)


def test_one_set_for_each_group_of_heads_is_fine() -> None:
    check(lambda: build(RoPEMixed(num_heads=2, head_dim=8)))
    layer = Attention(32, 4, kv_heads=2, encoding=RoPEMixed(num_heads=2, head_dim=8), seed=0)
    assert layer(numbers(1, 6, 32).float(), torch.tensor(from_grid(2, 3))[None]).shape == (1, 6, 32)


def test_what_is_learned_and_what_is_saved() -> None:
    shapes = {name: tuple(p.shape) for name, p in build(LieRE(**SMALL, block_dim=4)).state_dict().items()}
    assert shapes == {"upper": (2, 3, 2, 6)}
    assert list(build(ComRoPE(**SMALL)).state_dict()) == ["raw", "factors"]
    assert list(build(ComRoPE(**SMALL, variant="ap")).state_dict()) == ["raw"]
    assert list(build(RoPEMixed(**SMALL)).state_dict()) == ["speeds"]
    assert list(build(MRoPE()).state_dict()) == []


def test_positions_of_another_number_of_axes_are_refused() -> None:
    with pytest.raises(ClockhandsError, match=r"mrope needs \(1, 3, 3\)"):
        enter([build(MRoPE())], torch.zeros(1, 3, 8), torch.zeros(1, 3, 2, dtype=torch.int64))


def test_hands_on_axes_must_say_which_they_read() -> None:
    class Silent(type(RoPE())):
        axes = Axial2D.axes

    with pytest.raises(ClockhandsError, match="does not say which axis each hand reads"):
        build(Silent(head_dim=8))
