"""Each scheme computes what its paper says, and refuses what it can't do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clockhands import formulas, schemes
from clockhands.catalogue import as_description, describe
from clockhands.catalogue.layered import Layered
from clockhands.catalogue.learned import Learned
from clockhands.catalogue.mixed import Mixed
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.sinusoidal import Sinusoidal
from clockhands.catalogue.t5 import T5
from clockhands.catalogue.tagged import Tagged
from clockhands.errors import ClockhandsError

# finding one ---------------------------------------------------------------------------------


def test_short_names_and_sizes_of_a_model() -> None:
    assert describe("rope", dim=64, base=5e5) == RoPE(head_dim=64, rope_theta=5e5)
    assert describe("SINUSOIDAL", dim=8) == Sinusoidal(d_model=8)
    assert describe("t5", heads=3).bias(np.arange(2)).shape == (3, 2)
    sizes = {"d_model": 48, "head_dim": 12, "num_heads": 4, "num_layers": 3, "max_positions": 99}
    assert RoPE.fitted(sizes, base=100.0) == RoPE(head_dim=12, rope_theta=100.0)
    assert Learned.fitted(sizes, dim=24) == Learned(d_model=24, max_positions=99)


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(ClockhandsError, match="no scheme 'ropee': did you mean 'rope'") as caught:
        describe("ropee")
    assert caught.value.text.zh == "没有“ropee”这种方案：是不是想写“rope”？"
    with pytest.raises(ClockhandsError, match="rope has no parameter 'bas': did you mean 'base'"):
        describe("rope", bas=3)


def test_whatever_names_a_scheme() -> None:
    rope = RoPE(head_dim=8)
    assert as_description("rope", dim=8) == rope
    assert as_description(RoPE, dim=8) == rope
    assert as_description(rope) is rope
    with pytest.raises(ClockhandsError, match="dim can't be changed on a ready description"):
        as_description(rope, dim=16)
    for stranger in (3, None, int):
        with pytest.raises(ClockhandsError, match="not a scheme"):
            as_description(stranger)


# sinusoidal --------------------------------------------------------------------------------------


def test_sinusoidal_conventions_reach_the_table() -> None:
    row = Sinusoidal(d_model=4, base=100.0).table(np.asarray([2]))[0]
    np.testing.assert_allclose(row, [math.sin(2), math.cos(2), math.sin(0.2), math.cos(0.2)])
    row = Sinusoidal(d_model=4, base=100.0, exponent="i/(d/2-1)").table(np.asarray([2]))[0]
    np.testing.assert_allclose(row, [math.sin(2), math.cos(2), math.sin(0.02), math.cos(0.02)])
    row = Sinusoidal(d_model=4, base=100.0, arrangement="concatenated", first="cos").table(np.asarray([2]))[0]
    np.testing.assert_allclose(row, [math.cos(2), math.cos(0.2), math.sin(2), math.sin(0.2)])
    assert Sinusoidal(d_model=7).table(np.arange(3)).shape == (3, 7)


def test_concatenation_has_a_table_of_its_own_width() -> None:
    assert Sinusoidal(d_model=32, combine="concatenate").width == 16
    split = Sinusoidal(d_model=32, combine="concatenate", position_width=6)
    np.testing.assert_array_equal(split.table(np.arange(5)), Sinusoidal(d_model=6).table(np.arange(5)))
    assert len(split.inv_freq()) == 3
    for width in (0, 32, 6.0):
        with pytest.raises(ClockhandsError, match="position_width is"):
            Sinusoidal(d_model=32, combine="concatenate", position_width=width)
    with pytest.raises(ClockhandsError, match="as wide as the model"):
        Sinusoidal(position_width=6)
    with pytest.raises(ClockhandsError, match="d_model is 1"):
        Sinusoidal(d_model=1, combine="concatenate")


def test_sinusoidal_takes_augmented_and_negative_positions() -> None:
    table = Sinusoidal(d_model=2).table(np.asarray([-1.5, 0.25]))
    np.testing.assert_allclose(table, [[math.sin(-1.5), math.cos(1.5)], [math.sin(0.25), math.cos(0.25)]])


# learned -------------------------------------------------------------------------------------------


def test_untrained_rows_are_small_seeded_and_distinct() -> None:
    table = Learned(d_model=64, max_positions=400, seed=3).weights()
    assert table.std() == pytest.approx(0.02, rel=0.02)
    assert abs(table.mean()) < 5e-4
    np.testing.assert_array_equal(table, Learned(d_model=64, max_positions=400, seed=3).weights())
    assert not np.allclose(table, Learned(d_model=64, max_positions=400, seed=4).weights())
    np.testing.assert_array_equal(
        Learned(d_model=64, max_positions=400, seed=3).table(np.asarray([9])), table[[9]]
    )


@pytest.mark.parametrize("position", [-1, 4, 513])
def test_a_position_outside_a_learned_table(position: int) -> None:
    with pytest.raises(ClockhandsError, match=f"position {position} is outside") as caught:
        Learned(max_positions=4).table(np.asarray([0, position]))
    assert "第 0 到 3 行" in caught.value.text.zh


def test_the_last_row_is_there() -> None:
    assert Learned(max_positions=4, d_model=3).table(np.asarray([[3]])).shape == (1, 1, 3)


@pytest.mark.parametrize("positions", [[0.0, 1.0], [True], ["a"], [1j], [math.nan]])
def test_a_learned_table_counts_whole_tokens(positions: list[object]) -> None:
    with pytest.raises(ClockhandsError, match="positions"):
        Learned().table(np.asarray(positions))


def test_given_rows_are_used_and_not_random() -> None:
    rows = np.arange(6.0).reshape(3, 2)
    learned = Learned.of(rows)
    assert learned.untrained_seed is None
    assert learned == Learned.of(rows.tolist())
    assert learned != Learned.of(rows + 1)
    assert learned.table(np.asarray([2])).tolist() == [[4, 5]]
    rows[2] = 0  # a private copy
    assert learned.table(np.asarray([2])).tolist() == [[4, 5]]
    with pytest.raises(ClockhandsError, match=r"numbers has shape \(3, 2\), but the sizes say \(4, 2\)"):
        Learned(d_model=2, max_positions=4, numbers=learned.numbers)
    with pytest.raises(ClockhandsError, match="one row for each position"):
        Learned.of([1.0, 2.0])


# RoPE ---------------------------------------------------------------------------------------------


def test_partial_rotation_by_share_or_by_width() -> None:
    quarter = RoPE(head_dim=256, rope_theta=1e4, partial_rotary_factor=0.25)
    assert quarter.turned == 64
    np.testing.assert_array_equal(quarter.inv_freq(), RoPE(head_dim=64).inv_freq())
    np.testing.assert_array_equal(quarter.inv_freq(), RoPE(head_dim=256, rotary_dim=64).inv_freq())
    assert RoPE(head_dim=8, rotary_dim=4, partial_rotary_factor=0.5).turned == 4
    assert RoPE(head_dim=65, rotary_dim=32).turned == 32  # only the rotated part must be even


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"head_dim": 65}, "head_dim is 65.*use 64 or 66"),
        ({"head_dim": 4, "partial_rotary_factor": 0.75}, "partial_rotary_factor\\) is 3"),  # GPT-NeoX
        ({"head_dim": 8, "rotary_dim": 10}, "rotary_dim is 10.*use 8 or less"),
        ({"head_dim": 8, "rotary_dim": "4"}, "rotary_dim is '4'"),
        ({"partial_rotary_factor": 1.5}, "partial_rotary_factor is 1.5.*1 or less"),
        ({"partial_rotary_factor": 0}, "is 0.*use 2 or more"),
        ({"head_dim": 8, "rotary_dim": 4, "partial_rotary_factor": 0.75}, "disagree"),
        ({"rope_theta": 0}, "rope_theta is 0.*10000"),
        ({"layout": "haf"}, "did you mean 'half'"),
    ],
)
def test_rope_refuses(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe("rope", **parameters)


# biases ------------------------------------------------------------------------------------------------


def test_alibi_bias_and_its_symmetric_form() -> None:
    distance = np.asarray([-1, 0, 2])
    np.testing.assert_array_equal(describe("alibi", heads=8).bias(distance)[0], [0.5, 0, -1])
    np.testing.assert_array_equal(describe("alibi", heads=8, symmetric=True).bias(distance)[0], [-0.5, 0, -1])
    with pytest.raises(ClockhandsError, match="symmetric is 1"):
        describe("alibi", symmetric=1)
    with pytest.raises(ClockhandsError, match="distances have the type float64"):
        describe("alibi").bias(np.asarray([0.5]))


def test_t5_looks_its_buckets_up() -> None:
    t5 = T5.of(np.arange(64.0).reshape(32, 2))
    assert t5.bias(np.asarray([0, 1, 16, 200])).tolist() == [[0, 2, 32, 62], [1, 3, 33, 63]]
    both = T5.of(np.arange(32.0)[:, None], bidirectional=True)
    assert both.bias(np.asarray([[-1, 1]])).tolist() == [[[17, 1]]]
    assert t5.untrained_seed is None
    untrained = T5(num_heads=50, seed=1).weights()
    assert untrained.std() == pytest.approx(0.02, rel=0.05)
    assert not np.allclose(untrained, T5(num_heads=50, seed=2).weights())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_buckets": 1}, "num_buckets is 1"),
        ({"num_buckets": 2000}, "use 1,024 or less"),
        ({"num_buckets": 31, "bidirectional": True}, "use 30 or 32"),
        ({"num_buckets": 2, "bidirectional": True}, "use 4 or more"),
        ({"max_distance": 16}, "max_distance is 16.*use 17 or more"),
        ({"max_distance": 8, "bidirectional": True}, "max_distance is 8.*use 9 or more"),
        ({"bidirectional": None}, "bidirectional is None"),
        ({"heads": 0}, "^heads is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_t5_refuses(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe("t5", **parameters)


# the experiments -------------------------------------------------------------------------------------------


def test_mixed_average_and_bands() -> None:
    average, bands = Mixed(), Mixed(style="bands")
    assert 2 * math.pi / average.inv_freq().min() == pytest.approx(1234.68, abs=0.005)
    assert bands.inv_freq().min() == pytest.approx(RoPE(head_dim=32).inv_freq().min())
    third = Mixed(d_model=12, style="bands", linear_weight=1, log_weight=2).inv_freq()
    assert len(third) == 6
    assert min(abs(third - 0.01)) < 1e-15  # two of six hands are linear: 1 and 0.01,
    assert min(abs(third - 0.505)) > 0.01  # and not three: 1, 0.505 and 0.01
    np.testing.assert_allclose(Mixed(linear_weight=0, log_weight=1).inv_freq(), RoPE(head_dim=32).inv_freq())
    row = average.table(np.asarray([3]))[0]
    np.testing.assert_allclose(
        row[2:4], [np.sin(3 * average.inv_freq()[1]), np.cos(3 * average.inv_freq()[1])]
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dim": 7}, "^dim is 7"),
        ({"linear_weight": -0.1}, "linear_weight is -0.1, .* 0 or more"),
        ({"log_weight": math.inf}, "log_weight is inf"),
        ({"linear_weight": 0, "log_weight": 0}, "both 0"),
        ({"style": "band"}, "did you mean 'bands'"),
        ({"base": 0.5}, "base is 0.5"),
    ],
)
def test_mixed_refuses(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe("mixed", **parameters)


def test_layers_have_their_own_base() -> None:
    first, last = (Layered(head_dim=8).at_layer(layer, 6) for layer in (0, 5))
    np.testing.assert_allclose(first.inv_freq(), RoPE(head_dim=8, rope_theta=1e3).inv_freq())
    np.testing.assert_allclose(last.inv_freq(), RoPE(head_dim=8, rope_theta=1e6).inv_freq())
    reverse = Layered(first_theta=1e6, last_theta=1e3, num_layers=6)
    assert reverse.at_layer(1, 6).rope_theta == pytest.approx(Layered().at_layer(4, 6).rope_theta)
    assert Layered().at_layer(0, 1).rope_theta == pytest.approx(1e3)
    with pytest.raises(ClockhandsError, match=r"layer is 6.*use 5 or less"):
        Layered().at_layer(6, 6)
    with pytest.raises(ClockhandsError, match="last_theta is nan"):
        Layered(last_theta=math.nan)


def test_tags_pace_the_positions() -> None:
    tagged = Tagged(sensitivity={"v": 2.0, "u": 0.25})
    assert tagged.places(["v", "n", "vn", "uj", "w", "nr"]).tolist() == [0, 1, 3, 3.25, 4.25, 5.25]
    assert Tagged().places(["n", "v", "zzz"]).tolist() == [0, 1, 2]
    np.testing.assert_array_equal(Tagged().inv_freq(), RoPE().inv_freq())
    assert Tagged(tags=("n", "nr", "x")).kind_of("nrt") == 1  # the longest beginning counts
    assert Tagged(sensitivity=(1.0,) * 11) == Tagged()
    assert Tagged(sensitivity="v = 2,u=0.25,") == tagged


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sensitivity": {"noun": 2.0}}, "the tag 'noun', which is not among"),
        ({"sensitivity": "n=2,v"}, "has 'v', which isn't of the form tag=number"),
        ({"sensitivity": "k=2"}, "the tag 'k', which is not among"),
        ({"sensitivity": (1.0,)}, "1 numbers for 11 tags"),
        ({"sensitivity": {"n": -1.0}}, "sensitivity of n is -1.0"),
        ({"sensitivity": {"n": math.nan}}, "sensitivity of n is nan"),
        ({"tags": ("n", "n")}, "different tags"),
        ({"tags": ()}, "tags is empty"),
        ({"head_dim": 3}, "head_dim is 3"),
        ({"learned": "yes"}, "learned is 'yes'"),
    ],
)
def test_tagged_refuses(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        describe("tagged", **parameters)


def test_whole_sensitivities_are_real_numbers() -> None:
    whole = describe("tagged", tags=("n", "x"), sensitivity=(1, 2))
    assert [type(step) for step in whole.steps] == [float, float]
    assert whole == describe("tagged", tags=("n", "x"), sensitivity=(1.0, 2.0))
    with pytest.raises(ClockhandsError, match="each tag needs a number"):
        describe("tagged", tags=("n", "x"), sensitivity=3)


def test_unsigned_distances_do_not_wrap() -> None:
    assert formulas.alibi_bias(np.asarray([1, 2], np.uint8), np.asarray([0.5])).tolist() == [[-0.5, -1.0]]


@pytest.mark.parametrize("name", ["id", "cls", "self", "sizes", "scheme"])
def test_no_parameter_is_mistaken_for_an_argument(name: str) -> None:
    for make in (describe, as_description, schemes.make):
        with pytest.raises(ClockhandsError, match=f"rope has no parameter '{name}'"):
            make("rope", **{name: 1})
    with pytest.raises(ClockhandsError, match=f"rope has no parameter '{name}'"):
        type(describe("rope")).fitted({"head_dim": 8}, **{name: 1})


def test_a_scheme_without_parameters_lists_none() -> None:
    with pytest.raises(ClockhandsError) as caught:
        describe("nope", dim=7)
    assert str(caught.value) == "nope has no parameter 'dim': it has none, so leave 'dim' out"
    assert "不带参数" in caught.value.text.zh


def test_one_parameter_under_two_names_is_refused() -> None:
    with pytest.raises(ClockhandsError, match="head_dim is given twice, as 8 and as 16"):
        describe("rope", dim=8, head_dim=16)


@pytest.mark.parametrize("id", [[], None, 5, {}, ("rope",)])
def test_what_is_no_name_is_no_scheme(id: object) -> None:
    with pytest.raises(ClockhandsError, match="there is no scheme"):
        describe(id)


@pytest.mark.parametrize("tags", [5, [1, 2], None, ["n", ""], {"n": 1}, "n,,x", [["n"]]])
def test_tags_are_words(tags: object) -> None:
    with pytest.raises(ClockhandsError, match=r"tags is .* each tag must be a word"):
        describe("tagged", tags=tags)


def test_tags_may_be_one_text() -> None:
    assert describe("tagged", tags="n, v, x") == describe("tagged", tags=("n", "v", "x"))
    with pytest.raises(ClockhandsError, match="tags is empty"):
        describe("tagged", tags=" ")
    with pytest.raises(ClockhandsError, match="names the tag '1', which is not"):
        describe("tagged", sensitivity={1: 2})


def test_numbers_given_as_a_parameter_are_read_like_any() -> None:
    rows = [[1.0, 2.0], [3.0, 4.0]]
    learned = describe("learned", d_model=2, max_positions=2, numbers=rows)
    assert learned == Learned.of(rows)
    assert describe("t5", heads=2, num_buckets=2, numbers=rows) == T5.of(rows)
    for id in ("learned", "t5"):
        with pytest.raises(ClockhandsError, match=r"numbers has shape .* needs 2 dimension"):
            describe(id, numbers=[1])
        with pytest.raises(ClockhandsError, match=r"numbers has shape .* but the sizes say"):
            describe(id, numbers=[[1]])
        with pytest.raises(ClockhandsError, match="not real numbers"):
            describe(id, numbers=[["a"]])
