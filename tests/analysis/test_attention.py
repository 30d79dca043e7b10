"""Statistics of weights, against loops and against heads whose behaviour is known."""

import numpy as np
import pytest

from clockhands.analysis.attention import attention_statistics
from clockhands.errors import ClockhandsError


def softmaxed(shape, seed=0, allowed=None):
    weights = np.random.default_rng(seed).random(shape)
    if allowed is not None:
        weights = weights * allowed
    return weights / weights.sum(axis=-1, keepdims=True)


def causal(q, k):
    return np.arange(k - q, k)[:, None] >= np.arange(k)


def by_loops(weights, valid):
    """Each statistic as its sentence says it."""
    b, h, q, k = weights.shape
    seen = {
        "entropy": np.full((b, h, q), np.nan),
        "mean_distance": np.full((b, h, q), np.nan),
        "profile": np.full((b, h, k + q - 1), np.nan),
    }
    for i in range(b):
        first = list(valid[i]).index(True)
        for j in range(h):
            by_distance = {}
            own, previous, sink = [], [], []
            for m in range(q):
                at = k - q + m
                if not valid[i, at]:
                    continue
                row = {n: weights[i, j, m, n] for n in range(k) if valid[i, n]}
                seen["entropy"][i, j, m] = sum(-a * np.log(a) for a in row.values() if a > 0)
                seen["mean_distance"][i, j, m] = sum(a * abs(at - n) for n, a in row.items())
                for n, a in row.items():
                    by_distance.setdefault(at - n, []).append(a)
                own.append(row[at])
                if at - 1 in row:
                    previous.append(row[at - 1])
                if at > first:
                    sink.append(row[first])
            for distance, values in by_distance.items():
                seen["profile"][i, j, distance + q - 1] = np.mean(values)
            for name, values in (("on_self", own), ("on_previous", previous), ("on_first", sink)):
                seen.setdefault(name, np.full((b, h), np.nan))[i, j] = np.mean(values) if values else np.nan
    return seen


@pytest.mark.parametrize(("q", "k"), [(5, 5), (3, 6), (1, 4)])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_against_loops(q, k, padded, masked):
    valid = np.ones((2, k), dtype=bool)
    if padded:
        valid[0, :2] = False  # left
        if q < k:
            valid[0, :1] = False
        valid[1, -1:] = q == 1  # right, if a query is left
    allowed = valid[:, None, None, :] & (causal(q, k) if masked else True) | np.eye(q, k, k - q, dtype=bool)
    weights = softmaxed((2, 3, q, k), allowed=allowed)
    found = attention_statistics(weights, valid)
    for name, expected in by_loops(weights, valid).items():
        np.testing.assert_allclose(getattr(found, name).values, expected, atol=1e-12, err_msg=name)
    assert found.profile.axes[2].values.tolist() == list(range(1 - q, k))


def test_without_a_mask_all_tokens_count():
    weights = softmaxed((1, 2, 4, 4))
    plain, spelled = attention_statistics(weights), attention_statistics(weights, np.ones((1, 4), dtype=bool))
    np.testing.assert_array_equal(plain.entropy.values, spelled.entropy.values)


def test_heads_that_everyone_knows():
    n = 6
    own = np.eye(n)
    previous = np.eye(n, k=-1)
    previous[0, 0] = 1
    sink = np.zeros((n, n))
    sink[:, 0] = 1
    even = causal(n, n) / np.arange(1, n + 1)[:, None]
    found = attention_statistics(np.stack([own, previous, sink, even])[None])
    np.testing.assert_allclose(found.on_self.values[0], [1, 1 / n, 1 / n, np.mean(1 / np.arange(1, n + 1))])
    np.testing.assert_allclose(found.on_previous.values[0, :2], [0, 1])
    np.testing.assert_allclose(found.on_first.values[0, :3], [0, 1 / (n - 1), 1])
    np.testing.assert_allclose(found.entropy.values[0, 0], 0)
    np.testing.assert_allclose(found.entropy.values[0, 3], np.log(np.arange(1, n + 1)))
    np.testing.assert_allclose(found.mean_distance.values[0, 2], np.arange(n))
    assert found.entropy.unit.en == "nats"


def good():
    return softmaxed((1, 1, 3, 3))


def bent(change):
    weights = good()
    change(weights)
    return weights


@pytest.mark.parametrize(
    ("weights", "valid", "words"),
    [
        (
            bent(lambda w: w.__setitem__((0, 0, 1), [0.5, 0.3, 0.1])),
            None,
            r"query 1 \(batch 0, head 0\).*0.9",
        ),
        (bent(lambda w: w.__setitem__((0, 0, 2), [1.5, -0.5, 0.0])), None, "query 2"),
        (bent(lambda w: w.__setitem__((0, 0, 0, 0), np.nan)), None, "query 0"),
        (good() / 0.9, None, "dropout"),
        (good(), np.array([[True, True, False]]), "padding masked"),
        (good()[0], None, "batch, heads, queries, keys"),
        (np.zeros((1, 1, 0, 3)), None, "batch, heads, queries, keys"),
        (softmaxed((1, 1, 4, 3)), None, "no more queries than keys"),
        (good(), np.ones((1, 2), dtype=bool), "one True or False a token"),
        (good(), np.ones((1, 3)), "one True or False a token"),
    ],
)
def test_what_is_no_attention_is_refused(weights, valid, words):
    with pytest.raises(ClockhandsError, match=words) as caught:
        attention_statistics(weights, valid)
    assert caught.value.text.zh


def test_rounding_to_sixteen_bits_is_no_reason_to_refuse():
    attention_statistics(softmaxed((1, 2, 64, 64)).astype(np.float16))


def test_padding_rows_may_hold_anything():
    weights = good()
    weights[0, 0, 0] = [np.nan, 7, -1]
    weights[0, 0, 1:, 0] = 0
    weights[0, 0, 1:] /= weights[0, 0, 1:].sum(axis=-1, keepdims=True)
    found = attention_statistics(weights, np.array([[False, True, True]]))
    assert np.isnan(found.entropy.values[0, 0]).tolist() == [True, False, False]
    assert np.isfinite(found.on_self.values).all()
