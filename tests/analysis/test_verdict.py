"""Each rule catches the bad table planted for it and is silent on healthy ones."""

from itertools import product

import numpy as np
import pytest

from clockhands.analysis.detect_sinusoid import recognise
from clockhands.analysis.mispairing import find_mispairing
from clockhands.analysis.verdict import examine
from clockhands.analysis.verdict_rules import RULES
from clockhands.errors import ClockhandsError

ARRANGEMENTS, ORDERS = ("interleaved", "concatenated"), ("sin", "cos")


def sinusoid(n, d, arrangement="interleaved", first="sin", exponent="2i/d", start=0, base=1e4):
    """Written from the conventions' descriptions: odd widths have one sine more than cosines."""
    pairs = (d + 1) // 2
    steps = d / 2 if exponent == "2i/d" else max(pairs - 1, 1)
    angle = np.arange(start, start + n)[:, None] * base ** (-np.arange(pairs) / steps)
    waves = {"sin": np.sin(angle), "cos": np.cos(angle)[:, : d // 2]}
    if arrangement == "concatenated":
        return np.concatenate([waves[first], waves["cos" if first == "sin" else "sin"]], axis=1)
    table = np.empty((n, d))
    whole = 2 * (d // 2)
    table[:, (0 if first == "sin" else 1) : whole : 2] = waves["sin"][:, : d // 2]
    table[:, (1 if first == "sin" else 0) : whole : 2] = waves["cos"]
    if d % 2:
        table[:, -1] = waves["sin"][:, -1]
    return table


def learned(n, d, seed=0):
    return np.random.default_rng(seed).normal(0, 0.02, size=(n, d))


def ids(verdict, *severities):
    return [f.id for f in verdict.findings if not severities or f.severity in severities]


def only(verdict, id):
    (found,) = (finding for finding in verdict.findings if finding.id == id)
    return found


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("exponent", ["2i/d", "i/(d/2-1)"])
@pytest.mark.parametrize(("arrangement", "first"), list(product(ARRANGEMENTS, ORDERS)))
def test_every_convention_of_the_sinusoid_is_healthy_and_named(arrangement, first, exponent, dtype):
    for n, d, start in product((8, 100, 600), (8, 33, 64), (0, 2)):
        table = sinusoid(n, d, arrangement, first, exponent, start).astype(dtype)
        for told in {0, start}:  # the start may be unknown
            found = examine(table, start=told, expected=arrangement)
            assert found.healthy, found
            assert (found.sinusoid.arrangement, found.sinusoid.first) == (arrangement, first)
            assert ids(found) == ["sinusoid"]
            assert found.sentence.en == f"{n} positions x {d} dimensions: no fault found"


def test_recognised_speeds_are_the_speeds():
    speeds = 1e4 ** (-np.arange(0, 64, 2) / 64)
    np.testing.assert_allclose(recognise(sinusoid(100, 64)).inv_freq, speeds, rtol=1e-9)
    np.testing.assert_allclose(
        recognise(3.5 * sinusoid(100, 64)).inv_freq, speeds, rtol=1e-9
    )  # scaled tables too
    note = only(examine(sinusoid(100, 32)), "sinusoid")
    assert note.value == 16
    assert note.sentence.en.endswith("hands: 16, interleaved, sin first, wavelengths 6.28 to 35,333 tokens")
    assert "16 根指针，交错排列，sin 在前，波长 6.28 到 35,333 词元" in note.sentence.zh


def turned(speeds, start, n=40):
    angle = np.arange(start, start + n)[:, None] * np.array(speeds)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1).reshape(n, -1)


def test_a_start_far_out_tells_cos_first_where_hands_turn_both_ways():
    table = turned([5.0, 0.3, 0.01], start=1000)  # integers see 5 rad as 5 - 2 pi: backward
    found = recognise(table, start=1000)
    assert (found.arrangement, found.first) == ("interleaved", "cos")
    np.testing.assert_allclose(found.inv_freq, [5 - 2 * np.pi, 0.3, 0.01], atol=1e-12)
    assert recognise(table, start=3) is None  # neither the phases nor the direction fit


def test_first_rows_alone_make_no_sinusoid_and_none_is_lost_by_them():
    table = sinusoid(3000, 32)
    assert recognise(table) is not None
    table[2500:] *= 1.5
    assert recognise(table) is None
    shaken = sinusoid(3000, 32) + np.random.default_rng(0).uniform(-0.003, 0.003, (3000, 32))
    assert recognise(shaken) is not None  # as much as bf16 rounds


def test_progress_goes_to_the_end_one_step_at_a_time():
    told = []
    examine(sinusoid(20, 4), progress=lambda done, total: told.append((done, total)))
    assert told == [(done, len(told)) for done in range(1, len(told) + 1)]
    assert len(told) == len(RULES) + 1


def test_an_unknown_start_is_no_obstacle_where_hands_turn_forward_or_stand():
    found = recognise(turned([1.0, 0.3, 0.0], start=1000), start=0)
    assert (found.first, found.inv_freq[2]) == ("cos", 0)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("n", "d"), [(1, 8), (2, 16), (7, 8), (8, 8), (1000, 8), (512, 64), (200, 768)])
def test_learned_tables_are_healthy(n, d, dtype):
    for seed in range(5):
        found = examine(learned(n, d, seed).astype(dtype))
        assert found.findings == ()
        assert found.healthy
        assert found.sinusoid is None


def test_short_tables_are_not_judged_by_their_shape():
    for n in range(1, 8):
        assert examine(sinusoid(n, 16)).findings == ()


def test_nan_and_infinity_are_found_first_and_alone():
    table = sinusoid(20, 8)
    table[5, 3], table[6, 0], table[9] = np.nan, np.inf, table[2]
    found = examine(table, start=100)
    assert ids(found) == ["not-finite"]
    assert (found.findings[0].severity, found.findings[0].value) == ("error", 2)
    assert "position 105, dimension 3" in found.findings[0].sentence.en
    assert found.findings[0].rows == (105, 106)
    assert not found.healthy


@pytest.mark.parametrize("make", [lambda: sinusoid(50, 16), lambda: learned(50, 16)])
def test_repeated_rows(make):
    table = make()
    table[40], table[45] = table[3], table[3]
    found = only(examine(table, start=10), "repeated-rows")
    assert (found.severity, found.value) == ("error", 2)
    assert "2, the first is 50, equal to 13" in found.sentence.en


def test_hands_that_all_return_repeat_rows():
    angle = np.arange(50)[:, None] * (2 * np.pi / np.array([8, 12]))  # whole wavelengths: back after 24
    table = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    found = only(examine(table), "repeated-rows")
    assert found.value == 50 - 24
    assert "first is 24, equal to 0" in found.sentence.en


def test_near_is_not_equal():
    table = learned(50, 16)
    table[40] = table[3] + 1e-3 * table[4]
    assert "repeated-rows" not in ids(examine(table))


def test_dead_columns():
    for table in (sinusoid(60, 16), learned(60, 16)):
        table[:, 6] = 0
        table[:, 11] = 0.7
        found = only(examine(table), "dead-columns")
        assert (found.severity, found.value) == ("warning", 2)
        assert "2 of 16, the first is 6;" in found.sentence.en
        assert "wrong-pairing" not in ids(examine(table))


def test_rounding_is_judged_by_the_type_it_came_in():
    table = learned(60, 16).astype(np.float32)
    largest = np.abs(table).max()
    table[:, 3] = largest / 2
    table[::2, 3] += largest * np.finfo(np.float32).eps
    assert only(examine(table), "dead-columns").value == 1
    assert examine(table.astype(np.float64)).healthy  # in float64 such a step is a number
    assert examine(np.eye(10, dtype=int)).healthy


def test_a_hand_that_stands_still_is_dead_and_a_slow_one_is_not():
    angle = np.arange(60)[:, None] * np.array([0.7, 0.1, 0.0])
    table = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(60, 6)
    assert only(examine(table), "dead-columns").value == 2
    assert examine(sinusoid(10, 64, base=1e8).astype(np.float32)).healthy


def test_aliased_pairs():
    table = sinusoid(100, 32)
    table[:, 4:6] = table[:, 2:4]
    found = only(examine(table), "aliased-columns")
    assert (found.severity, found.value) == ("warning", 2)
    assert "2, the first is 4, like 2;" in found.sentence.en
    table = learned(100, 32)
    table[:, 20] = -table[:, 1]
    assert "1, the first is 20, like 1;" in only(examine(table), "aliased-columns").sentence.en


def test_speeds_past_half_a_turn_alias():
    angle = np.arange(50)[:, None] * np.array([1.2, 2 * np.pi - 1.2, 0.01])
    table = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(50, 6)
    assert only(examine(table), "aliased-columns").value == 2


def test_columns_of_one_shape_and_two_sizes_are_two():
    table = learned(100, 16)
    table[:, 3] = 1.01 * table[:, 2]
    assert examine(table).healthy


def test_uneven_neighbours():
    table = learned(100, 16)
    table[40] *= 12
    found = only(examine(table, start=5), "uneven-neighbours")
    assert found.severity == "warning"
    assert found.value > 3
    assert (
        "2; the worst, from position 44 to 45" in found.sentence.en
        or "from position 45 to 46" in found.sentence.en
    )
    stalled = learned(100, 16)
    stalled[41] = stalled[40] + 0.01 * (stalled[41] - stalled[40])
    found = only(examine(stalled), "uneven-neighbours")
    assert found.value == pytest.approx(0.01, rel=0.5)
    assert examine(stalled).sentence.en.endswith(": 1 warning")
    assert "from position 40 to 41" in found.sentence.en


def by_dimension(n, d, start=0):
    """The classic slip: every dimension has a frequency of its own."""
    i = np.arange(d)
    angle = np.arange(start, start + n)[:, None] * 1e4 ** (-2 * i / d)
    return np.where(i % 2 == 0, np.sin(angle), np.cos(angle))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("n", "d"), [(8, 16), (30, 32), (100, 64), (600, 64), (600, 256)])
def test_frequencies_counted_by_dimension_are_wrongly_paired(n, d, dtype):
    table = by_dimension(n, d).astype(dtype)
    found = examine(table)
    finding = only(found, "wrong-pairing")
    assert ids(found, "error") == ["wrong-pairing"]
    assert "dimension 0 turns at 1 rad / token, its partner 1 at 0." in finding.sentence.en
    assert find_mispairing(table.astype(float)).speeds == pytest.approx((1, 1e4 ** (-2 / d)), rel=1e-3)
    # wrong are the pairs that come apart by more than a tenth of a radian within the (first 512) rows
    speeds = 1e4 ** (-2 * np.arange(d) / d)
    apart = (speeds[0::2] - speeds[1::2]) * min(n, 512)
    assert finding.value == (apart > 0.1).sum()


def test_a_sine_with_another_frequency_is_wrongly_paired():
    table = sinusoid(200, 32)
    table[:, [0, 2]] = table[:, [2, 0]]
    slow = 1e4 ** (-2 / 32)
    other = sinusoid(200, 32)
    other[:, 1] = np.cos(np.arange(200) * slow * 1.5)
    assert "shuffled-pairs" in ids(examine(table))  # both sines still have their cosines
    finding = only(examine(other), "wrong-pairing")
    assert finding.value == 1
    assert (find_mispairing(other).columns, finding.severity) == ((0, 1), "error")
    assert find_mispairing(other).speeds == pytest.approx((1.0, slow * 1.5))


def test_one_wrong_pair_is_one_wherever_the_table_starts_and_whatever_its_scale():
    table = turned([1.0, 0.3, 0.05], start=1000, n=200)
    table[:, 2] = np.cos(0.5 * np.arange(200))
    for scale in (1, 0.02, 50):
        assert find_mispairing(scale * table).pairs == 1
        assert find_mispairing(scale * table).columns == (2, 3)


def test_two_sines_are_no_hand():
    table = sinusoid(200, 16)
    table[:, 3] = np.sin(np.arange(200) * 1e4 ** (-2 / 16) + 0.3)
    assert only(examine(table), "wrong-pairing").value == 1


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("n", "d"), [(8, 16), (30, 32), (100, 64), (600, 64), (600, 256)])
@pytest.mark.parametrize("start", [0, 40])
def test_shuffled_dimensions_are_a_note(n, d, dtype, start):
    order = np.random.default_rng(0).permutation(d)
    found = examine(sinusoid(n, d, start=start)[:, order].astype(dtype), start=start)
    # in 16 bits the cosines of the slowest hands have not moved yet, which is said too
    assert ids(found, "note", "error") == ["shuffled-pairs"]
    assert found.healthy or dtype != "float64"


def test_a_few_dead_columns_don_t_hide_a_wrong_pair():
    table = sinusoid(100, 32)
    table[:, 1] = np.cos(np.arange(100) * 0.4)
    table[:, 30] = 0
    assert {"dead-columns", "wrong-pairing"} <= set(ids(examine(table)))
    table[:, 2:20] = learned(100, 18)  # mostly no waves: nothing can be said of pairs
    assert "wrong-pairing" not in ids(examine(table))


@pytest.mark.parametrize(("arrangement", "other"), [ARRANGEMENTS, ARRANGEMENTS[::-1]])
def test_swapped_layout(arrangement, other):
    found = only(examine(sinusoid(50, 16, arrangement), expected=other), "swapped-layout")
    assert found.severity == "error"
    assert found.sentence.en.startswith(f"the table is {arrangement}, not {other}")
    assert "swapped-layout" in ids(examine(sinusoid(50, 4, arrangement), expected=other))
    assert examine(sinusoid(50, 2, arrangement), expected=other).sinusoid is not None
    assert "swapped-layout" not in ids(
        examine(sinusoid(50, 2), expected="concatenated")
    )  # one pair: no difference
    assert "swapped-layout" not in ids(examine(learned(50, 16), expected=other))


def test_positions_that_sixteen_bits_make_equal():
    table = sinusoid(1000, 2)  # one hand: 710 steps are nearly 113 turns
    found = examine(table)
    clash = only(found, "bf16-clash")
    assert clash.severity == "warning"
    assert clash.value > only(found, "fp16-clash").value > 0
    coarse = table.astype(np.float16)
    kept = only(found, "fp16-clash").value
    assert kept == 1000 - len({row.tobytes() for row in coarse + np.float16(0)})
    assert "first 1 and 711;" in clash.sentence.en


def test_rows_that_were_equal_before_are_no_clash():
    table = learned(50, 16)
    table[40] = table[3]
    assert ids(examine(table)) == ["repeated-rows"]


def test_too_large_for_sixteen_bits():
    table = learned(20, 8) * 1e7
    found = examine(table)
    assert ids(found) == ["fp16-overflow"]
    assert found.findings[0].value == np.abs(table).max()


def test_errors_come_first_and_are_counted():
    table = sinusoid(100, 32)
    table[:, 4:6] = table[:, 2:4]
    table[40] = table[3]
    found = examine(table)
    assert [finding.severity for finding in found.findings] == sorted(
        (finding.severity for finding in found.findings), key=["error", "warning", "note"].index
    )
    assert found.sentence.en == "100 positions x 32 dimensions: 1 error, 2 warnings"
    assert found.sentence.zh == "100 个位置 × 32 个维度：1 个错误，2 个警告"


def test_a_constant_table_is_all_faults():
    found = examine(np.ones((10, 4)))
    assert set(ids(found)) == {"repeated-rows", "dead-columns"}
    assert set(ids(examine(np.zeros((10, 4))))) == {"repeated-rows", "dead-columns"}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: examine([1.0, 2.0]), "one row per position"),
        (lambda: examine([["a"]]), "real numbers"),
        (lambda: examine(sinusoid(10, 4), expected="interleave"), "did you mean 'interleaved'"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ClockhandsError, match=words):
        call()
