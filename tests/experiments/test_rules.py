"""What a design may not be: two names for one scheme, what no file can say, probes of nothing."""

import cmath

import pytest

from clockhands.errors import ClockhandsError
from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

SMALL = Design(
    schemes=("nope", "rope"), tasks=("copy",), seeds=1, steps=2, batch=4, items=6, length=3,
    model=ModelSize(dim=16, heads=2, layers=1),
)  # fmt: skip
ABOUT = "small", Text("Small", "小"), Text("Does it?", "行吗？")


@pytest.mark.parametrize(
    "again",
    [
        Contender("ROPE"), Contender("rope", {"rope_theta": 10_000}), Contender("rope", {"base": 10_000.0}),
        Contender("rope", {"layout": "half", "rope_theta": 10_000.0}),
    ],
)  # fmt: skip
def test_one_scheme_under_two_names_is_refused(again):
    with pytest.raises(ClockhandsError, match="schemes names one scheme twice, as 'rope' and as"):
        SMALL.with_(schemes=("rope", again))


def test_what_differs_in_the_least_is_another_scheme():
    three = (Contender("rope"), Contender("rope", {"rope_theta": 10_001}), Contender("rope", {}, 64))
    assert len(SMALL.with_(schemes=three).schemes) == 3


DEEP = [0]
for _ in range(40):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "value", [float("inf"), float("nan"), 1j, {1}, b"x", DEEP, [1, cmath.inf], {1: 2}, object()]
)
def test_a_parameter_that_no_file_can_say_is_refused(value):
    with pytest.raises(ClockhandsError, match=r"rope_theta \(rope\) is .* keeps its design in a file"):
        Contender("rope", {"rope_theta": value})


@pytest.mark.parametrize("parameters", [[1], "rope_theta", None, 7])
def test_parameters_are_names_with_values(parameters):
    with pytest.raises(ClockhandsError, match="the parameters of rope are"):
        Contender("rope", parameters)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"schemes": ("rope", "")}, "schemes has a name that is empty"),
        ({"tasks": ("copy", "")}, "tasks has a name that is empty"),
        ({"probes": ("sliding",)}, "probes names sliding, .* no task has one"),
        ({"tasks": ("copy", "count"), "probes": ("position", "shuffle")}, "probes names shuffle"),
        ({"costs": {"rope": {"copy": 0.0}}}, "costs is 0"),
        ({"costs": {"rope": {"copy": "dear"}}}, "costs is 'dear'"),
        ({"costs": {"rope": 2.0}}, "costs is .*: give numbers by scheme and task"),
        ({"costs": [1]}, "costs is"),
    ],
)
def test_what_means_nothing_is_refused(changes, says):
    with pytest.raises(ClockhandsError, match=says):
        SMALL.with_(**changes)


def test_a_probe_of_texts_is_left_out_of_other_tasks_beside_a_text():
    text = "we read on and on. " * 400
    design = SMALL.with_(tasks=("copy", "characters"), probes=("sliding",), text=text, context=8)
    assert design.probes == ("sliding",)


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "a\\b", ".hidden", "x.", "a\n", " a", 7])
def test_a_part_is_a_folder_of_that_name_and_nowhere_else(name):
    with pytest.raises(ClockhandsError, match="results go into a folder"):
        Recipe(*ABOUT, {name: SMALL}, ())


@pytest.mark.parametrize("name", ["copy", "copy-short", "a.b", "复制", "long words"])
def test_a_part_may_be_called_what_a_folder_may(name):
    assert [*Recipe(*ABOUT, {name: SMALL}, ()).parts] == [name]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({}, "has no parts"),
        ({"copy": SMALL, "Copy": SMALL}, "are called copy but for capitals"),
        ({"copy": "copy"}, "the part copy of the recipe 'small' is 'copy': give a Design"),
    ],
)
def test_parts_that_are_none_are_refused(parts, says):
    with pytest.raises(ClockhandsError, match=says):
        Recipe(*ABOUT, parts, ())


def test_a_hypothesis_about_a_task_of_two_parts_is_refused():
    """Whichever came last would decide it."""
    one = Hypothesis("h", Text("so", "是"), "copy", "past", "rope", 1, ("nope",))
    other = SMALL.with_(tasks=("copy", "reverse"))
    with pytest.raises(ClockhandsError, match="which the parts short and long both have"):
        Recipe(*ABOUT, {"short": SMALL, "long": other}, (one,)).require_decidable()
    Recipe(*ABOUT, {"short": SMALL, "long": other.with_(tasks=("reverse",))}, (one,)).require_decidable()
