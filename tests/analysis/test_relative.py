"""RoPE's relative property, what projections do to it, and what is true of its decay."""

import numpy as np
import pytest

from clockhands.analysis.decay import decay_bound, random_scores
from clockhands.analysis.diagonals import diagonal_spread, projected_scores
from clockhands.analysis.relative import relative_hands, rotated_scores
from clockhands.errors import ClockhandsError


def geometric(d, base=1e4):
    return base ** (-np.arange(0, d, 2) / d)


def sinusoid(n, d):
    angle = np.arange(n)[:, None] * geometric(d)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


def test_hands_turn_together_and_what_is_between_them_stands_still():
    shifts = [0, 1, 17, 1000, 10**9]
    found = relative_hands(geometric(64), query=12, key=3, shifts=shifts)
    for name, start in (("query", 12), ("key", 3)):
        angle = getattr(found, name).values
        assert ((angle >= 0) & (angle < 2 * np.pi)).all()
        np.testing.assert_allclose(
            np.sin(angle[:4]), np.sin((start + np.array(shifts[:4]))[:, None] * geometric(64)), atol=1e-12
        )
    between = found.between.values
    assert np.ptp(between, axis=0).max() < 1e-14
    np.testing.assert_allclose(np.exp(1j * between[0]), np.exp(9j * geometric(64)), atol=1e-14)
    assert (np.abs(between) <= np.pi).all()
    assert np.ptp(found.query.values, axis=0).min() > 0


def complex_scores(w, q, k, n):
    """The same logits with complex numbers: dimension i and i + pairs are one of them."""
    pairs = len(w)
    q, k = q[:pairs] + 1j * q[pairs:], k[:pairs] + 1j * k[pairs:]
    distance = np.arange(n)[:, None] - np.arange(n)
    return (q * k.conj() * np.exp(1j * distance[..., None] * w)).sum(axis=-1).real


def test_rope_puts_the_distance_into_the_score():
    w, (q, k) = geometric(32), np.random.default_rng(1).normal(size=(2, 32))
    found = rotated_scores(w, q, k, 40, start=5)
    np.testing.assert_allclose(found.values, complex_scores(w, q, k, 40), atol=1e-12)
    assert diagonal_spread(found.values).worst < 1e-12
    assert diagonal_spread(found.values).share < 1e-12
    assert found.axes[1].values.tolist() == list(range(5, 45))
    assert rotated_scores([1.0], [1, 0], [0, 1], 2).axes[0].values.tolist() == [0, 1]
    assert not np.allclose(found.values, found.values.T)  # left and right differ


def test_the_raw_table_depends_on_the_distance_alone():
    table = sinusoid(128, 64)
    found = diagonal_spread(table @ table.T)
    assert found.worst < 1e-12
    assert found.share < 1e-13


@pytest.mark.parametrize("d", [32, 128])
def test_projections_take_the_distance_away(d):
    """The '94 %' of the reference, whose set-up it does not say: well above 80 % for every draw."""
    shares = [diagonal_spread(projected_scores(sinusoid(256, d), seed).values).share for seed in range(5)]
    assert min(shares) > 0.8
    assert np.mean(shares) == pytest.approx(0.94, abs=0.05)


def test_adding_content_leaves_no_stripes_either():
    content = np.random.default_rng(7).normal(size=(128, 64))
    with_content = projected_scores(sinusoid(128, 64), content=content)
    assert diagonal_spread(with_content.values).share > 0.9
    np.testing.assert_allclose(
        with_content.values, projected_scores(sinusoid(128, 64) + content).values, atol=1e-12
    )


def test_projections_are_the_seed_s():
    table = sinusoid(20, 8)
    same, again, other = projected_scores(table, 3), projected_scores(table, 3), projected_scores(table, 4)
    np.testing.assert_array_equal(same.values, again.values)
    assert not np.allclose(same.values, other.values)
    assert same.note.en == "random projections, seed 3"
    assert projected_scores(table).note.en == "random projections, seed 0"


def test_scores_scale_like_attention_does():
    # entries of x W are N(0, 1), so a dot product of 256 of them spreads by 16 = sqrt(256)
    rng = np.random.default_rng(0)
    spreads = [projected_scores(rng.normal(size=(64, 256)), seed).values.std() for seed in range(3)]
    assert np.mean(spreads) == pytest.approx(1, rel=0.1)


def test_spread_of_known_matrices():
    n = 7
    distance = np.arange(n)[:, None] - np.arange(n)
    assert diagonal_spread(distance).share == 0
    assert diagonal_spread(np.ones((n, n))).share == 0
    alternating = np.where((np.arange(n)[:, None] + np.arange(n)) % 4 == 0, 1.0, -1.0) * (distance == 0)
    found = diagonal_spread(alternating)
    assert found.worst == 2
    noise = np.random.default_rng(0).normal(size=(60, 60))
    found = diagonal_spread(noise)
    # independent cells: of n^2 degrees of freedom the 2n - 1 means take theirs
    assert found.share == pytest.approx((1 - 119 / 3600) ** 0.5, abs=0.01)
    assert found.total == pytest.approx(noise.std())


def test_random_vectors_show_no_decay():
    distances = np.arange(501)
    found = random_scores(geometric(128), distances, samples=4000)
    assert np.abs(found.mean.values).max() < 5 * 128**0.5 / 4000**0.5
    np.testing.assert_allclose(found.spread.values, 128**0.5, rtol=0.06)
    assert 0.4 < (np.diff(found.mean.values) > 0).mean() < 0.6
    assert found.mean.note.zh == "4000 对随机向量，种子 0"
    assert random_scores([1.0], [0]).mean.note.en == "1000 random pairs, seed 0"


def test_random_scores_are_rotated_dot_products():
    w, distances = geometric(8), np.array([0.0, 3.0, 50.0])
    q, k = np.random.default_rng(5).normal(size=(2, 2, 4, 2))
    expected = []
    for distance in distances:
        cos, sin = np.cos(w * distance), np.sin(w * distance)
        turned = np.stack([q[..., 0] * cos - q[..., 1] * sin, q[..., 0] * sin + q[..., 1] * cos], axis=-1)
        expected.append((turned * k).sum(axis=(1, 2)))
    found = random_scores(w, distances, samples=2, seed=5)
    np.testing.assert_allclose(found.mean.values, np.mean(expected, axis=1), atol=1e-12)
    np.testing.assert_allclose(found.spread.values, np.std(expected, axis=1), atol=1e-12)


def test_the_bound_of_the_paper():
    golden = [32.5, 31.5382, 17.9541, 12.6295, 10.2273, 6.5431, 4.4708, 5.0381]  # reference 2.3
    found = decay_bound(geometric(128), [0, 1, 10, 50, 100, 256, 1000, 4000])
    np.testing.assert_allclose(found.values, golden, atol=6e-5)
    rising = np.diff(decay_bound(geometric(128), range(51)).values) > 0
    assert rising.mean() == pytest.approx(0.26)  # it rises in 26 % of the first 50 steps


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: diagonal_spread([[1.0, 2.0]]), "as many rows as columns"),
        (lambda: projected_scores([[1.0, 2.0]], content=[[1.0]]), "same shape"),
        (lambda: rotated_scores([1.0], [1.0], [1.0, 2.0], 4), r"\(2,\)"),
        (lambda: rotated_scores([1.0], [1.0, 0.0], [1.0, 2.0], 0), "number of positions"),
        (lambda: rotated_scores([1.0], [1.0, 0.0], [1.0, 2.0], 10**7), "free"),
        (lambda: random_scores([1.0], [1], samples=1), "samples"),
        (lambda: random_scores([1.0], [1], samples=10**10), "free"),
        (lambda: relative_hands([1.0], 1, 0, [[1]]), "1-D"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ClockhandsError, match=words):
        call()
