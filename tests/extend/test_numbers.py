"""The numbers of a plan, derived again: angles counted, distances by the catalogue, factors by papers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from clockhands.catalogue import describe
from clockhands.extend import METHODS, Plan, plan
from clockhands.extend.look import unseen_arcs

BINS = 100_000


def model(**changed: Any) -> dict[str, Any]:
    file = {"model_type": "llama", "hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2,
            "rope_theta": 1e4, "max_position_embeddings": 64}  # fmt: skip
    return {**file, **changed}


def covered(speed: float, distances: int) -> np.ndarray:
    """Bins of a turn between the angles of neighbouring distances, from 0 on, one step after the other."""
    turn = np.zeros(BINS, dtype=bool)
    for distance in range(distances):
        first, last = (round(speed * each / (2 * math.pi) * BINS) for each in (distance, distance + 1))
        turn[np.arange(first, last) % BINS] = True
    return turn


@pytest.mark.parametrize("method", [each.id for each in METHODS])
@pytest.mark.parametrize("to", [65, 128, 257])
def test_new_angles_are_those_that_no_trained_distance_showed(method: str, to: int) -> None:
    """Each hand's turn is filled distance by distance; the plan has the same parts of it, in closed form."""
    made = plan(model(), to, methods=[method])
    (step,), before = made.steps, made.as_it_is.inv_freq
    arcs = [
        float((covered(now, step.look.longest) & ~covered(then, 64)).mean())
        for then, now in zip(before, step.look.inv_freq, strict=True)
    ]
    found = unseen_arcs(before, 64, step.look.inv_freq, step.look.longest)
    np.testing.assert_allclose(found, arcs, atol=2e-5)
    assert step.look.arc == found.max()
    assert step.look.unseen == sum(arc > 2e-5 for arc in arcs)


def test_the_model_as_it_is_shows_what_lies_past_the_trained_length() -> None:
    """Of 8 hands with base 1e4 the last five are slower than 2 pi / 64 rad / token; hand 3 goes farthest."""
    look = plan(model(), 256).as_it_is
    speeds = 1e4 ** (-np.arange(8) / 8)
    whole = 2 * math.pi
    assert look.unseen == int((speeds < whole / 64).sum()) == 5
    assert look.arc == pytest.approx(1 - speeds[3] * 64 / whole - max(0, 1 - speeds[3] * 255 / whole))
    assert (look.neighbours, look.slowed, look.untouched) == (1, 0, 8)


@pytest.mark.parametrize("to", [100, 128, 250, 1000])
def test_remaps_reach_what_the_catalogue_says(to: int) -> None:
    """Longest distance and exact distances over every query, with the plan's own windows and groups."""
    made = plan(model(), to)
    for id in ("self-extend", "rerope", "dual-chunk"):
        step = made.step(id)
        assert step.method.remap is not None
        remap = step.method.remap(made.source, to / 64)
        places = np.arange(to)
        distances = np.where(places[:, None] >= places, remap.distance_map(places, places), -1)
        true = places[:, None] - places
        wrong = (distances != true) & (true >= 0)
        shared = [np.min(true[wrong[:, :]], initial=to)]
        assert step.look.longest == distances.max() <= 63, id
        assert step.look.exact is not None
        assert step.look.exact <= shared[0] <= step.look.exact + 1, id
        assert step.look.unseen == 0
        assert step.look.neighbours == 1


def test_self_extend_has_the_smallest_group_that_reaches() -> None:
    """(L - w) G + w tokens (Jin et al. 2024), with w a multiple of G: one group smaller falls short."""
    for to in (65, 128, 250, 1000, 5000):
        made = plan(model(), to, methods=["self-extend"])
        remap = made.steps[0].method.remap(made.source, to / 64)  # type: ignore[misc]
        group, window = remap.group_size, remap.window
        assert remap.longest(64) >= to
        if window % group == 0:
            assert remap.longest(64) == (64 - window) * group + window
        fewer = describe("self-extend", window=16, group_size=group - 1, head_dim=16) if group > 1 else None
        assert fewer is None or fewer.longest(64) < to


def test_self_extends_longest_text_by_counting() -> None:
    for window, group in ((16, 4), (16, 5), (7, 3), (3, 8)):
        remap = describe("self-extend", window=window, group_size=group, head_dim=16)
        longest = remap.longest(64)
        places = np.arange(longest + 1)
        farthest = remap.distance_map(places, places[:1])[:, 0]
        assert farthest[longest - 1] <= 63 < farthest[longest]


def test_ntk_slows_the_slowest_hand_by_the_factor_and_leaves_the_fastest() -> None:
    """Base times 4 ** (d / (d - 2)) with d = 16: 4 ** (16 / 14)."""
    step = plan(model(), 256).step("ntk")
    speeds = 1e4 ** (-np.arange(8) / 8)
    (setting, *_) = step.settings
    assert setting.keys["rope_theta"] == pytest.approx(1e4 * 4 ** (16 / 14), rel=1e-6)
    assert step.look.inv_freq[0] == 1
    assert step.look.inv_freq[-1] == pytest.approx(speeds[-1] / 4)
    assert step.look.neighbours == pytest.approx(apart(step.look.inv_freq) / apart(speeds))


def apart(speeds: np.ndarray) -> float:
    """Distance of the codes of positions 0 and 1: hands as points on unit circles."""
    return float(np.linalg.norm(np.exp(1j * speeds) - 1))


def test_linear_brings_neighbours_as_much_nearer() -> None:
    step = plan(model(), 256).step("linear")
    speeds = 1e4 ** (-np.arange(8) / 8)
    np.testing.assert_allclose(step.look.inv_freq, speeds / 4)
    assert step.look.neighbours == pytest.approx(apart(speeds / 4) / apart(speeds))
    assert (step.look.slowed, step.look.untouched) == (8, 0)


def test_attention_factors_are_those_of_the_papers() -> None:
    """YaRN: 0.1 ln s + 1. LongRoPE: sqrt(1 + ln s / ln L). The others have none."""
    made = plan(model(), 256)
    found = {step.method.id: step.look.attention_factor for step in made.steps}
    assert found.pop("yarn") == pytest.approx(0.1 * math.log(4) + 1)
    assert found.pop("longrope") == pytest.approx(math.sqrt(1 + math.log(4) / math.log(64)))
    assert set(found.values()) == {1.0}


def test_dynamic_is_ntk_for_the_very_length() -> None:
    """And it promises the trained length still, which is what it counts from."""
    step = plan(model(), 256).step("dynamic")
    np.testing.assert_allclose(step.look.inv_freq, plan(model(), 256).step("ntk").look.inv_freq)
    assert {setting.keys["max_position_embeddings"] for setting in step.settings} == {64}


@pytest.mark.parametrize("kind", ["linear", "yarn", "llama3", "longrope", "dynamic"])
def test_a_scaling_that_is_there_goes_on(kind: str) -> None:
    """Trained to 256 with factor 4 over 64, wanted 1024: the same method has factor 16 over 64."""
    own: dict[str, Any] = {"rope_type": kind, "factor": 4.0, "original_max_position_embeddings": 64}
    if kind == "llama3":
        own |= {"low_freq_factor": 2.0, "high_freq_factor": 5.0}
    if kind == "longrope":
        own |= {"short_factor": [1.0] * 8, "long_factor": [1.0 + i for i in range(8)]}
    if kind == "yarn":
        own |= {"beta_fast": 20.0, "truncate": False}
    made = plan(model(rope_scaling=own, max_position_embeddings=256), 1024)
    if kind == "dynamic":  # which needs no training: the model saw 256
        assert (made.source.trained, made.source.before, made.begin) == (256, 1.0, "yarn")
        assert made.as_it_is.inv_freq[-1] < made.source.turning(256)[0][-1]
        return
    assert (made.source.trained, made.source.original, made.source.before) == (256, 64, 4.0)
    assert made.begin == kind
    new = made.step(kind).settings[0].keys["rope_parameters"]
    assert new["factor"] == 16
    tuned = own.keys() & {"low_freq_factor", "high_freq_factor", "beta_fast", "truncate"}
    assert {key: new[key] for key in tuned} == {key: own[key] for key in tuned}
    if kind == "longrope":
        np.testing.assert_allclose(new["long_factor"], [(1 + i) * 4 ** (i / 7) for i in range(8)], rtol=1e-6)
        assert new["short_factor"] == [1.0] * 8
        np.testing.assert_allclose(made.as_it_is.inv_freq, 1e4 ** (-np.arange(8) / 8) / np.arange(1, 9))
    linear = made.step("linear")
    np.testing.assert_allclose(linear.look.inv_freq, 1e4 ** (-np.arange(8) / 8) / 16)


def test_another_method_counts_from_where_the_slow_hands_stood() -> None:
    """Llama 3.1: 131072 tokens with slow hands 8 times slower are 16384 of plain ones; to 524288 it is 32."""
    own = {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192,
           "low_freq_factor": 1.0, "high_freq_factor": 4.0}  # fmt: skip
    made = plan(model(rope_scaling=own, rope_theta=5e5, max_position_embeddings=131072), 524288)
    yarn = made.step("yarn").settings[0].keys["rope_parameters"]
    assert (yarn["factor"], yarn["original_max_position_embeddings"]) == (32, 16384)
    again = made.step("llama3").settings[0].keys["rope_parameters"]
    assert (again["factor"], again["original_max_position_embeddings"]) == (32, 8192)
    assert made.step("yarn").look.unseen == 0


def test_p_rope_slows_the_hands_that_turn() -> None:
    """Of 16 hands a quarter turns: NTK makes the slowest of these four times slower, and still ones stay."""
    layers = {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
    }
    file = model(
        model_type="gemma4_text", hidden_size=64, head_dim=32, global_head_dim=32, sliding_window=16,
        layer_types=[*layers], rope_parameters=layers,
    )  # fmt: skip
    file.pop("rope_theta")
    made = plan(file, 256)
    assert [step.method.id for step in made.steps] == ["linear", "ntk", "self-extend", "rerope", "dual-chunk"]
    assert [method.id for method, _ in made.left_out] == ["dynamic", "yarn", "llama3", "longrope"]
    before = made.as_it_is.inv_freq
    assert (before > 0).tolist() == [True] * 4 + [False] * 12
    ntk, linear = made.step("ntk").look.inv_freq, made.step("linear").look.inv_freq
    np.testing.assert_allclose(linear, before / 4)
    assert ntk[0] == 1
    assert ntk[3] == pytest.approx(before[3] / 4)
    assert (ntk[4:] == 0).all()


def test_angles_in_few_bits_are_further_off() -> None:
    def worst(dtype: str | None) -> float:
        return plan(model(), 4096, methods=["yarn"], dtype=dtype).steps[0].look.angle_error

    assert worst(None) == worst("float32") < 1e-3
    assert worst("bfloat16") > worst("float16") > 0.5


def test_a_window_ends_distances() -> None:
    """Layers that see 128 of 256 tokens have distances to 127."""
    made = plan(model(model_type="mistral", sliding_window=128), 256)
    assert made.as_it_is.longest == 127
    assert made.step("rerope").look.longest == 32
    assert made.step("linear").look.longest == 127
    assert isinstance(made, Plan)
