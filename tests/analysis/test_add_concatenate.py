"""Adding and concatenating: four terms, one identity, honest counts."""

import numpy as np
import pytest

from clockhands.analysis.add_concatenate import concatenation_gap, four_terms, overlap, parameter_counts
from clockhands.analysis.diagonals import projected_scores
from clockhands.errors import ClockhandsError

RNG = np.random.default_rng(0)
X, P = RNG.normal(size=(2, 30, 16))


def test_the_four_terms_add_up_to_the_score():
    found = four_terms(X, P, seed=2)
    np.testing.assert_allclose(
        found.terms.values.sum(axis=0), projected_scores(X + P, seed=2).values, atol=1e-12
    )
    np.testing.assert_allclose(found.spread.values, found.terms.values.std(axis=(1, 2)))
    assert found.terms.axes[0].values.tolist() == ["xx", "xp", "px", "pp"]


def test_each_term_is_who_it_says():
    terms = four_terms(X, P).terms.values
    nothing = np.zeros_like(X)
    np.testing.assert_allclose(
        four_terms(X, nothing).terms.values, [terms[0], *np.zeros((3, 30, 30))], atol=1e-12
    )
    np.testing.assert_allclose(
        four_terms(nothing, P).terms.values, [*np.zeros((3, 30, 30)), terms[3]], atol=1e-12
    )
    # the query's content decides rows of xp, the key's content columns of px
    other = X.copy()
    other[4] += 1
    changed = np.abs(four_terms(other, P).terms.values - terms) > 1e-9
    assert changed[1].any(axis=1).nonzero()[0].tolist() == [4]
    assert changed[2].any(axis=0).nonzero()[0].tolist() == [4]


def test_concatenating_is_adding_with_a_block_each():
    assert 0 <= concatenation_gap(X, P[:, :5], width_out=7, seed=1) < 1e-13


def test_counts_of_an_example_done_by_hand():
    added, kept, grown = parameter_counts(vocab_size=1000, d_model=64, position_width=16)
    assert (added.embedding, added.projections) == (1000 * 64, 3 * 64 * 64)
    assert (kept.embedding, kept.projections) == (1000 * 48, 3 * 64 * 64)
    assert (grown.embedding, grown.projections) == (1000 * 64, 3 * 80 * 64)
    assert added.total == 76_288
    assert [c.token_width for c in (added, kept, grown)] == [64, 48, 64]
    assert [c.model_input for c in (added, kept, grown)] == [64, 64, 80]
    assert kept.total < added.total < grown.total


def test_the_widest_code_leaves_one_dimension_to_the_tokens():
    assert parameter_counts(10, 64, 63)[1].token_width == 1


def test_seed_zero_is_the_default():
    np.testing.assert_array_equal(four_terms(X, P).terms.values, four_terms(X, P, seed=0).terms.values)
    assert concatenation_gap(X, P, 7) == concatenation_gap(X, P, 7, seed=0)


def test_random_directions_are_nearly_orthogonal():
    found = overlap(RNG.normal(size=(500, 256)), RNG.normal(size=(100, 256)))
    assert found.by_chance == 1 / 16
    assert found.cosine == pytest.approx(1 / 16, rel=0.02)


def test_the_sinusoid_uses_few_directions():
    angle = np.arange(100)[:, None] * 1e4 ** (-np.arange(0, 512, 2) / 512)
    table = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    found = overlap(RNG.normal(size=(10, 512)), table)
    assert found.width == 512
    singular = np.linalg.svd(table - table.mean(axis=0), compute_uv=False) ** 2
    assert (
        singular[: found.directions].sum() >= 0.99 * singular.sum() > singular[: found.directions - 1].sum()
    )
    assert found.directions < 40


def test_directions_by_construction():
    flat = np.zeros((50, 8))
    flat[:, :3] = RNG.normal(size=(50, 3)) + 5  # the mean does not count
    assert overlap(X[:, :8], flat).directions == 3
    assert overlap(X[:, :8], np.ones((4, 8))).directions == 0


def test_parallel_and_zero_rows():
    found = overlap([[2.0, 0.0], [0.0, 0.0]], [[-3.0, 0.0]])
    assert found.cosine == 1.0
    assert overlap([[0.0, 0.0]], [[1.0, 0.0]]).cosine == 0.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: four_terms(X, P[:, :8]), "same shape"),
        (lambda: concatenation_gap(X, P[:5], 3), "30 rows and the table 5"),
        (lambda: overlap(X, P[:, :8]), "16 wide and the table 8"),
        (lambda: parameter_counts(0, 64, 16), "vocabulary"),
        (lambda: parameter_counts(10, 64, 64), "width of the positions is 64"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ClockhandsError, match=words):
        call()
