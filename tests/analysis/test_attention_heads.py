"""Scores of heads on maps whose every weight is known, groups, and maps taken apart."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.attention_call import Call, Plain
from clockhands.analysis.attention_heads import LIMITS, head_scores, ranked, repeated
from clockhands.analysis.attention_parts import pair_shares, parts, turning, unturned
from clockhands.errors import ClockhandsError
from clockhands.text.groups import Groups, grouped, groups_of


def given(*maps: np.ndarray, causal: bool = True) -> Call:
    """A call whose weights are these ``(t, t)``."""
    weights = np.stack(maps).astype(np.float32)
    count = weights.shape[1]
    return Call(layer=0, stack="", kind="self", heads=tuple(range(len(maps))), of=len(maps), count=count,
                queries=np.arange(count), q=np.zeros((len(maps), count, 0)), k=np.zeros((1, count, 0)),
                shared=(0,) * len(maps), lse=np.zeros((len(maps), count)), scale=1.0,
                sees=Plain(count, causal=causal), given=weights)  # fmt: skip


def computed(q: np.ndarray, k: np.ndarray, **fields: object) -> Call:
    """A call of one head from queries and keys ``(t, hd)``, causal."""
    count = len(q)
    made = Call(layer=0, stack="", kind="self", heads=(0,), of=1, count=count, queries=np.arange(count),
                q=q[None], k=k[None], shared=(0,), lse=np.zeros((1, count)), scale=0.5, sees=Plain(count),
                **fields)  # type: ignore[arg-type]  # fmt: skip
    lse = np.log(np.exp(made.logits(0)).sum(1))[None]
    return Call(**{**vars(made), "lse": lse})


def looking(count: int, back: int) -> np.ndarray:
    """Every query looks at one key so far back, or at the first."""
    made = np.zeros((count, count))
    made[np.arange(count), np.maximum(np.arange(count) - back, 0)] = 1.0
    return made


def even(count: int) -> np.ndarray:
    made = np.tri(count)
    return made / made.sum(1, keepdims=True)


def test_heads_are_named_for_where_they_look() -> None:
    maps = [
        looking(24, 1),
        looking(24, 0),
        looking(24, 30),
        even(24),
        0.5 * (looking(24, 2) + looking(24, 3)),
        looking(24, 9),
    ]
    scores = head_scores(given(*maps))
    assert [one.kind for one in scores] == ["previous", "itself", "first", "even", "local", "content"]
    assert scores[0].previous == 1.0
    assert scores[0].first == pytest.approx(1 / 23)  # the second query's previous token is the first
    assert scores[3].evenness == pytest.approx(1.0)
    assert scores[2].entropy == 0.0
    assert scores[1].distance == 0.0
    assert scores[5].profile[9] == pytest.approx(1.0)
    # Position 0's own weight isn't counted: it sees nothing else.
    assert scores[2].itself == 0.0
    order = [one.head for one in ranked(scores)]
    assert order == [0, 1, 2, 4, 3, 5]
    assert set(LIMITS) | {"content"} == {*(one.kind for one in scores), "next", "induction"}


def test_a_head_that_reads_both_ways_may_look_ahead() -> None:
    ahead = np.zeros((12, 12))
    ahead[np.arange(12), np.minimum(np.arange(12) + 1, 11)] = 1.0
    assert head_scores(given(ahead, causal=False))[0].kind == "next"


def test_padding_counts_neither_as_query_nor_as_key() -> None:
    valid = np.arange(24) >= 6
    made = looking(24, 30)
    made[:, 0], made[:, 6] = 0.0, np.arange(24) >= 6
    one = head_scores(given(made), valid)[0]
    assert one.first == 1.0
    assert one.kind == "first"


def test_beside_the_sink_a_head_is_named_for_the_rest() -> None:
    sink = np.zeros((24, 24))
    sink[:, 0] = 1.0
    mixed = 0.9 * sink + 0.1 * looking(24, 1)
    assert head_scores(given(mixed))[0].kind == "first"
    beside = head_scores(given(mixed), skip_first=True)[0]
    assert beside.kind == "previous"
    assert beside.previous == pytest.approx(1.0)


def test_induction_is_the_weight_on_what_came_after_the_same_token() -> None:
    assert repeated(given(looking(16, 7), looking(16, 8)), 8) == pytest.approx([1.0, 0.0])


def test_only_some_queries_of_a_long_text_are_looked_at() -> None:
    scores = head_scores(given(looking(500, 1)))
    assert scores[0].previous == 1.0
    assert np.isnan(scores[0].profile).sum() == 0


def test_bytes_of_a_character_are_put_together_and_repeats_stay_apart() -> None:
    spans = [(0, 0), (0, 1), (0, 1), (1, 2), (2, 3), (2, 3), (3, 6)]
    units, labels = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 6)], ["<s>", *"虎虎打虎虎", "abc"]
    groups = groups_of(spans, units, "虎打虎abc", labels, [1, 0, 0, 0, 0, 0, 0])
    assert groups.labels == ("<s>", "虎", "打", "虎", "abc")
    assert groups.starts.tolist() == [0, 1, 3, 4, 6]
    assert groups.marks == (1, 0, 0, 0, 0)


def test_words_that_share_a_token_become_one_group() -> None:
    groups = groups_of(
        [(0, 2), (2, 5), (5, 6)], [(0, 3), (3, 5), (5, 6)], "abcdef", ["ab", "cde", "f"], [0, 0, 0]
    )
    assert groups.labels == ("abcde", "f")


def test_grouping_keeps_the_sum_of_rows_or_says_how_it_does_not() -> None:
    weights = even(4)
    groups = Groups(np.array([0, 1]), ("a", "bcd"), (0, 0), 4)
    summed = grouped(weights, groups, groups, "sum")
    assert summed.sum(1) == pytest.approx([1, 1])
    assert summed[1, 0] == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert grouped(weights, groups, groups, "max")[1].tolist() == [0.5, 0.5]
    assert grouped(weights, None, groups, "mean")[3].tolist() == [0.25, 0.25]
    with pytest.raises(ClockhandsError, match="no way 'mena'"):
        grouped(weights, groups, groups, "mena")  # type: ignore[arg-type]


def turned(x: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """Pairs ``i, i + hd/2`` turned by their position, in complex numbers."""
    half = x.shape[1] // 2
    z = (x[:, :half] + 1j * x[:, half:]) * np.exp(1j * np.arange(len(x))[:, None] * speeds)
    return np.concatenate((z.real, z.imag), 1)


RNG = np.random.default_rng(5)
SPEEDS = np.array([1.0, 0.1, 0.01])
Q, K = RNG.normal(size=(2, 14, 6))


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_turning_back_undoes_the_turning(layout: str) -> None:
    how = turning(SPEEDS, 6, layout)  # type: ignore[arg-type]
    shuffled = np.empty_like(Q)
    a, b = how.pairs.T
    shuffled[:, a], shuffled[:, b] = np.split(turned(Q, SPEEDS), 2, axis=1)
    back = unturned(shuffled, np.arange(14), how)
    assert np.abs(np.concatenate((back[:, a], back[:, b]), 1) - Q).max() < 1e-12


def test_constant_content_is_all_position_and_without_turning_all_is_content() -> None:
    same = np.tile(Q[0], (14, 1)), np.tile(K[0], (14, 1))
    found = parts(computed(turned(same[0], SPEEDS), turned(same[1], SPEEDS)), 0, turning(SPEEDS, 6))
    assert np.abs(found.position - found.whole).max() < 1e-9
    assert np.abs(found.rest).max() < 1e-9
    assert found.by_position == pytest.approx(1.0)
    assert found.by_content == 0.0
    still = parts(computed(Q, K), 0, turning(np.zeros(3), 6))
    assert np.abs(still.content - still.whole).max() < 1e-9
    assert still.by_content == pytest.approx(1.0)
    assert still.by_position == 0.0


def test_where_position_came_with_the_embeddings_the_mean_by_distance_stands_for_it() -> None:
    found = parts(computed(Q, K), 0, None)
    assert found.estimated
    assert np.abs(found.rest).max() < 1e-9  # what is no mean by distance is content here, by its definition
    assert 0 < found.by_position < 1


def test_rows_of_every_part_sum_to_one_and_the_rest_to_nothing() -> None:
    found = parts(computed(turned(Q, SPEEDS), turned(K, SPEEDS)), 0, turning(SPEEDS, 6))
    for each in (found.whole, found.position, found.content):
        assert each.sum(1) == pytest.approx(np.ones(14))
    assert found.rest.sum(1) == pytest.approx(np.zeros(14), abs=1e-12)
    assert np.abs(found.rest).max() > 0.05


def test_shares_of_hands_are_those_of_maps_made_one_by_one() -> None:
    call = computed(turned(Q, SPEEDS), turned(K, SPEEDS))
    seen = np.tri(14, dtype=bool)

    def centred(x: np.ndarray) -> np.ndarray:
        kept = np.where(seen, x, 0.0)
        return np.where(seen, kept - kept.sum(1, keepdims=True) / seen.sum(1, keepdims=True), 0.0)

    each = [
        np.outer(call.q[0][:, i], call.k[0][:, i]) + np.outer(call.q[0][:, i + 3], call.k[0][:, i + 3])
        for i in range(3)
    ]
    total = centred(sum(each))
    expected = [float((centred(one) * total).sum() / (total * total).sum()) for one in each]
    assert pair_shares(call, 0, turning(SPEEDS, 6)) == pytest.approx([*expected, 0.0], abs=1e-9)
    part = pair_shares(call, 0, turning(SPEEDS[:2], 6))
    assert part.sum() == pytest.approx(1.0)
    assert abs(part[-1]) > 1e-3
