"""What a report says of runs whose numbers are written by hand."""

import math

import numpy as np
import pytest

from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design
from clockhands.experiments.pictures import by_length
from clockhands.experiments.report import report
from clockhands.experiments.rows import Measured, Row
from clockhands.experiments.statistics import minimum_detectable_effect
from clockhands.experiments.store import Store
from clockhands.language import Text

ITEMS = 20


def written(tmp_path, design, share, failed=()):
    """A finished comparison: ``share(scheme, seed)`` of the items are right past the training length."""
    store = Store(tmp_path / "run")
    store.begin(design)
    for cell in cells(design):
        right = round(share(cell.scheme.id, cell.seed) * ITEMS)
        past = Measured((1.0,) * right + (0.0,) * (ITEMS - right), right / ITEMS)
        within = Measured((1.0,) * ITEMS, 1.0)
        lengths = design.task(cell.task).lengths
        row = Row(
            cell.id, cell.stage, cell.scheme.label, cell.task, cell.seed, 1e-3, parameters=100,
            measured={n: past if n > lengths[0] else within for n in lengths},
        )  # fmt: skip
        if (cell.scheme.id, cell.seed) in failed:
            row = Row(*(cell.id, cell.stage, cell.scheme.label, cell.task, cell.seed, 1e-3), Text("no", "否"))
        store.save(cell, row)
    return report(store)


def three(seeds, tasks=("copy",)):
    return Design(schemes=("rope", "alibi", "nope"), tasks=tasks, seeds=seeds, length=4)


SHARES = {"rope": 0.1, "alibi": 0.9, "nope": 0.5}


def test_three_seeds_support_nothing_however_far_apart(tmp_path):
    found = written(tmp_path, three(3), lambda scheme, seed: SHARES[scheme])
    assert found.power == (3, 3, 0.25, 7)
    assert not found.power.enough
    assert [pair.p for pair in found.pairs] == [0.25] * 3
    assert all(pair.difference.excludes_zero for pair in found.pairs)
    assert [pair.better for pair in found.pairs] == [None] * 3
    assert found.order("copy") is None


def test_a_ranking_comes_with_enough_seeds_and_only_then(tmp_path):
    found = written(tmp_path, three(8), lambda scheme, seed: SHARES[scheme] + 0.05 * (seed % 3 - 1))
    rope, alibi, nope = found.standings
    assert (rope.within.value, alibi.past.value, rope.past.value) == (1.0, 0.9, pytest.approx(0.1))
    assert alibi.successes[:2] == (5, 8)  # 0.85, 0.9, 0.95, 0.85, ...
    assert nope.spread.median == pytest.approx(0.5)
    assert [pair.p for pair in found.pairs] == [2 / 256] * 3
    assert [pair.corrected for pair in found.pairs] == [pytest.approx(6 / 256)] * 3
    assert [pair.better for pair in found.pairs] == ["alibi", "nope", "alibi"]
    assert found.order("copy") == ("alibi", "nope", "rope")


def test_neighbours_that_nothing_tells_apart_are_not_ranked(tmp_path):
    def share(scheme, seed):
        return {"rope": 0.1, "alibi": 0.8, "nope": 0.7 + 0.2 * (seed % 2)}[scheme]

    found = written(tmp_path, three(8), share)
    assert [pair.better for pair in found.pairs] == ["alibi", "nope", None]
    assert found.order("copy") is None


def test_more_tasks_ask_for_more(tmp_path):
    """Six tests with seven seeds: the least p is 1/64, and 6/64 is not enough."""
    found = written(tmp_path, three(7, ("copy", "reverse")), lambda scheme, seed: SHARES[scheme])
    assert found.power.seeds_needed == 8
    assert [pair.corrected for pair in found.pairs] == [pytest.approx(6 / 64)] * 6
    assert not any(pair.supported for pair in found.pairs)


def test_a_failed_seed_is_shown_counts_as_no_success_and_its_pairs_are_not_tested(tmp_path):
    found = written(tmp_path, three(8), lambda scheme, seed: SHARES[scheme] + 0.05, failed={("alibi", 2)})
    alibi = found.standings[1]
    assert (alibi.failed, alibi.successes[:2]) == (1, (7, 8))
    assert np.isnan(alibi.by_length[:, 2]).all()
    assert found.untested == (("copy", "rope", "alibi"), ("copy", "alibi", "nope"))
    assert [(pair.first, pair.second) for pair in found.pairs] == [("rope", "nope")]
    assert found.pairs[0].corrected == pytest.approx(3 * 2 / 256)  # the planned tests count, done or not


def test_of_what_is_detectable_the_planned_tests_count_too(tmp_path):
    shares = lambda scheme, seed: SHARES[scheme] + 0.05 * (seed % 3 - 1) * (scheme == "rope")  # noqa: E731
    all_three = written(tmp_path / "all", three(8), shares).pairs
    (one_left,) = written(tmp_path / "failed", three(8), shares, failed={("alibi", 2)}).pairs
    assert one_left.detectable == all_three[1].detectable < math.inf


def test_the_detectable_difference_is_that_of_the_corrected_test(tmp_path):
    """With eight seeds and three tests the first needs a p of 1/60, with forty-five one that is too small."""
    found = written(tmp_path, three(8), lambda scheme, seed: SHARES[scheme] + 0.05 * (seed % 3 - 1) * (
        scheme == "rope"
    ))  # fmt: skip
    rope, _, _ = found.standings
    spread = np.std([row.measured[8].mean for row in rope.rows], ddof=1)
    needed = minimum_detectable_effect(8, 0.05 / 3, deviation=spread)
    assert [pair.detectable for pair in found.pairs] == [pytest.approx(needed)] * 2 + [math.inf]
    assert needed > 1.1 * minimum_detectable_effect(8, deviation=spread)


def test_time_is_that_of_all_that_ended(tmp_path):
    """What chooses learning rates is trained, too."""
    design = three(2).with_(rates=(1e-3, 2e-3), tuning_seeds=1)
    store = Store(tmp_path / "run")
    store.begin(design)
    for cell in cells(design):
        about = cell.id, cell.stage, cell.scheme.label, cell.task, cell.seed, 1e-3
        store.save(cell, Row(*about, Text("no", "否"), seconds=1.5))
    assert report(store).seconds == 1.5 * (3 * 2 + 3 * 2)


def test_of_a_loss_the_lower_is_better(tmp_path):
    text = "史进看见鲁达，鲁达看见史进。" * 200
    design = Design(schemes=("rope", "alibi"), tasks=("characters",), seeds=8, context=8, text=text)
    found = written(tmp_path, design, lambda scheme, seed: SHARES[scheme])
    assert found.pairs[0].difference.value < 0
    assert found.pairs[0].better == "rope"
    assert found.standings[0].successes is None


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_picture_shows_every_seed_and_the_training_length(tmp_path, lang):
    found = written(tmp_path, three(3), lambda scheme, seed: SHARES[scheme], failed={("rope", 0)})
    picture = by_length(found, "copy", lang)
    (panel,) = (axes for axes in picture.figure.axes if axes.get_label() == "lengths")
    lines = panel.get_lines()
    assert len(lines) == 1 + 3 * (3 + 1)
    assert [line.get_xdata()[0] for line in lines if line.get_label() == "trained"] == [4]
    thick = next(line for line in lines if line.get_label() == "alibi")
    assert np.allclose(thick.get_ydata(), [1.0, 0.9, 0.9, 0.9])
    assert np.array_equal(picture.data[1].values, found.standings[1].by_length)
    words = " ".join(one.get_text() for one in picture.figure.texts)
    assert ("too few for a ranking" if lang == "en" else "不足以排名") in words
