"""What a design may not be: two names for one scheme, what no file can say, probes of nothing."""

import cmath

import numpy as np
import pytest
from test_refused_or_survived import SMALL

from clockhands.errors import ClockhandsError
from clockhands.experiments import recipes, rules
from clockhands.experiments.design import Contender
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe, carry_out
from clockhands.experiments.report import report
from clockhands.experiments.run import run
from clockhands.language import Text

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


def test_what_a_model_would_fill_in_is_another_scheme_where_it_is_given():
    """Training fills in other rows than 64, and an encoder other directions than a decoder."""
    assert SMALL.with_(schemes=("learned", Contender("learned", {"max_positions": 64})))
    one_way = Contender("t5", {"bidirectional": False})
    assert SMALL.with_(schemes=("t5", one_way), tasks=("copy", "reverse-at-once"))
    assert SMALL.with_(schemes=("t5", one_way), tasks=("reverse-at-once",))
    with pytest.raises(ClockhandsError, match="names one scheme twice"):
        SMALL.with_(schemes=("t5", one_way))  # a decoder looks back alone


def test_two_classes_with_the_same_values_are_two_schemes():
    assert len(SMALL.with_(schemes=("alibi", "nope", "sandwich", "kerple-log")).schemes) == 4
    found = rules._same((1, (int, 2)), (1, (float, 2)))
    assert not found


class Raises:
    """A value of anybody's class."""

    def __eq__(self, other):
        raise RuntimeError("no comparing")

    __hash__ = None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (np.arange(3), np.arange(3), True),
        (np.arange(3), np.arange(4), False),
        (np.zeros(3), 0.0, False),
        (Raises(), Raises(), False),
        ((1, (2.0, "a")), (1, (2, "a")), True),
        ((1,), (1, 1), False),
    ],
)
def test_values_of_any_kind_are_compared(one, other, same):
    assert rules._same(one, other) is same


def test_a_list_of_a_scheme_is_the_same_when_it_comes_back(tmp_path):
    """Labels name rows and costs: a list that came back as a tuple would have lost both."""
    factors = {"long_factor": [1.0, 2.0, 2.0, 2.0], "short_factor": [1] * 4}
    listed = Contender("longrope", factors | {"original_max_position_embeddings": 8})
    deep = Contender("nope", {"a": [[1, 2], {"b": [3]}]})
    assert deep.parameters == {"a": ((1, 2), {"b": (3,)})}
    store = run(SMALL.with_(schemes=("nope", listed), matching="flops"), tmp_path / "run")
    design = store.design()
    assert design.schemes[1] == listed
    assert set(design.costs) == {"nope", listed.label}
    assert [len(one.rows) for one in report(store).standings] == [1, 1]


def test_what_differs_in_the_least_is_another_scheme():
    three = (Contender("rope"), Contender("rope", {"rope_theta": 10_001}), Contender("rope", {}, 64))
    assert len(SMALL.with_(schemes=three).schemes) == 3


DEEP = [0]
for _ in range(40):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "value",
    [
        float("inf"),
        float("nan"),
        10**31,
        pytest.param(-(10**5000), id="huge"),
        1j,
        {1},
        b"x",
        DEEP,
        [1, cmath.inf],
        {1: 2},
        object(),
    ],
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
        ({"COPY": SMALL, "Copy": SMALL}, "are called COPY but for capitals"),
        ({"a" * 61: SMALL}, "use up to 60 letters"),
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


def claim(**changes):
    about = {"id": "h", "says": Text("so", "是"), "task": "copy", "measure": "past", "scheme": "rope"}
    return Hypothesis(**(about | {"sign": 1, "than": ("nope",)} | changes))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": None}, "the id of a hypothesis is None"),
        ({"id": ""}, "the id of a hypothesis is ''"),
        ({"says": "so"}, "says of the hypothesis 'h' is 'so': give Text"),
        ({"says": None}, "says of the hypothesis 'h' is None"),
        ({"task": 7}, "task of the hypothesis 'h' is 7"),
        ({"sign": 2}, "sign of the hypothesis 'h' is 2"),
        ({"sign": "more"}, "sign of the hypothesis 'h' is 'more'"),
        ({"sign": float("nan")}, "sign of the hypothesis 'h' is nan"),
        ({"sign": True}, "sign of the hypothesis 'h' is True"),
        ({"bound": "x"}, "bound of the hypothesis 'h' is 'x'"),
        ({"bound": float("nan")}, "bound of the hypothesis 'h' is nan"),
        ({"than": "nope"}, "compares rope with 'nope'"),
        ({"than": ["nope"]}, "compares rope with"),
        ({"than": ("rope",)}, "compares rope with"),
        ({"than": ("nope", "nope")}, "compares rope with"),
        ({"than": (7,)}, "than of the hypothesis 'h' is 7"),
        ({"than": (["nope"],)}, "than of the hypothesis 'h' is \\['nope'\\]"),
        ({"undefined": "no"}, "undefined of the hypothesis 'h' is 'no'"),
        ({"measure": "at:1.2.3"}, "is no measure"),
        ({"measure": "at:."}, "is no measure"),
        ({"measure": "at:" + "9" * 400}, "is no measure"),
    ],
)
def test_a_hypothesis_that_says_nothing_is_refused(changes, says):
    with pytest.raises(ClockhandsError, match=says):
        claim(**changes)


TEXT = SMALL.with_(
    tasks=("characters", "copy"), text="we read on and on. " * 400, context=8, probes=("sliding", "position")
)


@pytest.mark.parametrize(
    ("design", "task", "measure", "says"),
    [
        (SMALL, "copy", "at:99", "the hypothesis 'h': at:99 is not measured: copy is tested at 1, 1.33"),
        (SMALL, "copy", "rise:3", "rise:3 is not measured"),
        (SMALL, "copy", "sliding:2", "sliding:2 is measured by the probe sliding, which is not made of copy"),
        (SMALL, "copy", "position:1", "measured by the probe position"),
        (SMALL, "copy", "shuffle", "measured by the probe shuffle"),
        (TEXT, "copy", "sliding-rise:2", "measured by the probe sliding, which is not made of copy"),
        (TEXT, "characters", "sliding:3", "sliding:3 is not measured: characters is tested at"),
        (TEXT, "characters", "position:2", "past the last layer: give position:0 to position:1"),
        (SMALL, "copy", "at:2", None),
        (SMALL, "copy", "rise:4", None),
        (TEXT, "characters", "sliding-rise:2", None),
        (TEXT, "copy", "position:1", None),
    ],
)  # fmt: skip
def test_a_hypothesis_is_about_what_is_measured(design, task, measure, says):
    """One that says that a scheme has no number there would else hold for every scheme."""
    for more in ({}, {"undefined": True, "than": ()}):
        recipe = Recipe(*ABOUT, {"one": design}, (claim(task=task, measure=measure, **more),))
        if says is None:
            recipe.require_decidable()
        else:
            with pytest.raises(ClockhandsError, match=says):
                recipe.require_decidable()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": ""}, "the id of a recipe is ''"),
        ({"title": "Small"}, "the title of the recipe 'small' is 'Small'"),
        ({"question": None}, "the question of the recipe 'small' is None"),
        ({"notes": ("tried",)}, "a note of the recipe 'small' is 'tried'"),
        ({"hypotheses": ("so",)}, "a hypothesis of the recipe 'small' is 'so'"),
    ],
)
def test_a_recipe_says_all_in_both_languages(changes, says):
    about = {"id": "small", "title": ABOUT[1], "question": ABOUT[2], "parts": {"copy": SMALL}}
    with pytest.raises(ClockhandsError, match=says):
        Recipe(**(about | {"hypotheses": ()} | changes))


def test_two_hypotheses_of_one_name_are_refused():
    with pytest.raises(ClockhandsError, match="two hypotheses are called 'h'"):
        Recipe(*ABOUT, {"copy": SMALL}, (claim(), claim(sign=-1))).require_decidable()


def test_all_parts_are_promised_before_the_first_is_trained(tmp_path, monkeypatch):
    """Who has seen one part can't turn round what is expected of the next."""
    begun = []

    def trained(store, design, **how):
        begun.append(sorted(one.parent.name for one in tmp_path.glob("*/preregistration.json")))

    monkeypatch.setattr(recipes, "finish", trained)
    parts = {"copy": SMALL, "other": SMALL.with_(tasks=("reverse",))}
    carry_out(Recipe(*ABOUT, parts, (claim(),)), tmp_path)
    assert begun == [["copy", "other"]] * 2
    carry_out(Recipe(*ABOUT, parts, (claim(),)), tmp_path)
    for changed in ((claim(sign=-1),), (), (claim(), claim(id="i"))):
        with pytest.raises(
            ClockhandsError, match="copy was begun with other hypotheses than the recipe 'small'"
        ):
            carry_out(Recipe(*ABOUT, parts, changed), tmp_path)
    assert len(begun) == 4


def test_all_parts_of_a_recipe_are_tried_before_the_first_is_trained(tmp_path):
    wrong = SMALL.with_(tasks=("reverse",), schemes=("nope", "tagged"))
    with pytest.raises(ClockhandsError, match="tagged: it reads parts of speech"):
        carry_out(Recipe(*ABOUT, {"copy": SMALL, "other": wrong}, ()), tmp_path / "run")
    assert not (tmp_path / "run").exists()
