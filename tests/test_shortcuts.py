"""The two things most people come for, and the names on the front door."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import clockhands as ch
from clockhands.errors import ClockhandsError

# x = [1, 2, 3, 4], head_dim 4, base 1e4: derived from 2x2 rotation matrices in float64.
TURNED_BY_FIVE = {
    "interleaved": [2.20151073, -0.3915999, 2.7963341, 4.14493855],
    "half": [3.16043501, 1.79758384, -0.10793772, 4.09495938],
}


def test_position_encoding_is_the_papers_table():
    table = ch.position_encoding(3, 8)
    assert table.shape == (3, 8)
    assert table.dtype == np.float64
    expected = [0.90929743, -0.41614684, 0.19866933, 0.98006658, 0.01999867, 0.9998, 0.002, 0.999998]
    np.testing.assert_allclose(table[2], expected, atol=5e-7)


@pytest.mark.parametrize("layout", TURNED_BY_FIVE)
@pytest.mark.parametrize("as_array", [np.asarray, torch.as_tensor])
def test_rotate_reproduces_the_golden_turn(layout, as_array):
    x = as_array(np.array([[[1.0, 2.0, 3.0, 4.0]]]))
    turned = ch.rotate(x, positions=as_array(np.array([5])), layout=layout)
    np.testing.assert_allclose(np.asarray(turned)[0, 0], TURNED_BY_FIVE[layout], atol=1e-8)


def test_heads_turn_like_single_vectors():
    x = np.random.default_rng(0).normal(size=(2, 7, 3, 8))
    turned = ch.rotate(x)
    for head in range(3):
        np.testing.assert_array_equal(turned[:, :, head], ch.rotate(x[:, :, head]))


def test_each_row_may_have_positions_of_its_own():
    x = np.random.default_rng(0).normal(size=(2, 3, 8))
    positions = np.array([[0, 1, 2], [5, 9, 40]])
    turned = ch.rotate(x, positions)
    for row in range(2):
        np.testing.assert_array_equal(turned[row], ch.rotate(x[row : row + 1], positions[row])[0])


def test_half_precision_keeps_its_dtype_and_far_positions():
    x = torch.ones(1, 2, 8, dtype=torch.bfloat16)
    turned = ch.rotate(x, torch.tensor([256, 257]))
    assert turned.dtype == torch.bfloat16
    exact = ch.rotate(x.double(), torch.tensor([256, 257]))
    torch.testing.assert_close(turned.double(), exact, atol=0.01, rtol=0)
    assert not torch.equal(turned[0, 0], turned[0, 1])  # in bf16, 256 and 257 are one number


def test_rotate_leaves_its_input_alone_and_is_differentiable():
    x = torch.randn(1, 4, 8, dtype=torch.float64, requires_grad=True)
    before = x.detach().clone()
    ch.rotate(x).pow(2).sum().backward()
    assert torch.equal(x.detach(), before)
    torch.testing.assert_close(x.grad, 2 * before)  # a rotation keeps norms


@pytest.mark.parametrize(
    ("shape", "positions", "said"),
    [
        ((4, 8), None, "(b, t, d)"),
        ((1, 4, 7), None, "even"),
        ((1, 4, 8), np.arange(3), "(4,)"),
        ((2, 4, 8), np.zeros((3, 4), int), "(2, 4)"),
        ((1, 4, 8), np.arange(4.0), "integers"),
    ],
)
def test_rotate_refuses_what_does_not_fit(shape, positions, said):
    with pytest.raises(ClockhandsError) as caught:
        ch.rotate(np.zeros(shape), positions)
    assert said in str(caught.value)
    assert caught.value.text.zh


@pytest.mark.parametrize("bad", [0, -3, 2.5, True])
def test_position_encoding_refuses_lengths_that_are_none(bad):
    with pytest.raises(ClockhandsError, match="max_len"):
        ch.position_encoding(bad, 8)


def test_every_public_name_is_there():
    for name in ch.__all__:
        assert getattr(ch, name) is not None
    assert set(ch.__all__) <= set(dir(ch))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ch.no_such_name


def test_the_front_door_is_light():
    code = "import clockhands as ch; ch.position_encoding(2, 4); import sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_rotate_keeps_float32_and_takes_lists():
    x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype(np.float32)
    turned = ch.rotate(x)
    assert turned.dtype == np.float32
    np.testing.assert_allclose(turned, ch.rotate(x.astype(np.float64)), atol=1e-6)
    assert ch.rotate([[[1.0, 2.0]]]).tolist() == [[[1.0, 2.0]]]


def test_rotate_refuses_integers():
    with pytest.raises(ClockhandsError, match="give real numbers"):
        ch.rotate(np.arange(8).reshape(1, 2, 4))
