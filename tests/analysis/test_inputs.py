"""What an analysis accepts, and what it says of the rest."""

import numpy as np
import pytest

from clockhands.analysis import axes, inputs
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text

NAME = Text("the number", "这个数")


@pytest.mark.parametrize("given", [[1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.float16), [True, False]])
def test_anything_of_real_numbers_becomes_float64(given):
    assert inputs.numbers(given, NAME).dtype == np.float64


def test_what_is_given_is_never_changed():
    given = np.array([1.0, 2.0])
    inputs.numbers(given, NAME)[0] = 5
    assert given.tolist() == [1, 2]


@pytest.mark.parametrize("given", [["a"], [1j], [None], [[1], [1, 2]], {"a": 1}])
def test_anything_else_is_refused_by_name(given):
    with pytest.raises(ClockhandsError, match=r"^the number can't be read") as caught:
        inputs.numbers(given, NAME)
    assert caught.value.text.zh.startswith("这个数无法读成")


@pytest.mark.parametrize("given", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers(given):
    assert inputs.count(given, NAME) == 3
    assert inputs.count(given, NAME, least=3, most=3) == 3


@pytest.mark.parametrize("given", [0, 5, 2.0, "3", None])
def test_what_is_no_whole_number_within_bounds(given):
    with pytest.raises(ClockhandsError, match=f"the number is {given}: use a whole number from 1 to 4"):
        inputs.count(given, NAME, most=4)


def test_positions_reach_to_two_to_the_52():
    assert inputs.places([2**52, -(2**52)]).tolist() == [2**52, -(2**52)]
    assert inputs.places([]).shape == (0,)
    with pytest.raises(ClockhandsError, match=r"position -9.*out of reach"):
        inputs.places([1, -(2**53)])
    with pytest.raises(ClockhandsError, match="positions at index 1 is inf"):
        inputs.places([1, np.inf])


def test_speeds_are_a_list_of_one_or_more():
    assert inputs.speeds([2.0]).tolist() == [2.0]
    for given in ([], 3.0, [[1.0]], np.zeros((0, 2))):
        with pytest.raises(ClockhandsError, match="one angular speed per hand"):
            inputs.speeds(given)


def test_tables_have_rows_and_columns():
    assert inputs.matrix([[2.0]]).shape == (1, 1)
    for given in ([], [1.0], [[]], [[[1.0]]]):
        with pytest.raises(ClockhandsError, match="one row per position"):
            inputs.matrix(given)


def test_a_table_s_bad_cell_is_named():
    with pytest.raises(ClockhandsError, match=r"the table at index \(1, 0\) is nan"):
        inputs.rows([[1.0, 2.0], [np.nan, 4.0]])
    assert np.isnan(inputs.matrix([[np.nan]])).all()


def test_choices_suggest_the_nearest():
    assert inputs.choice("sin", ("sin", "cos"), NAME) == "sin"
    with pytest.raises(ClockhandsError, match="the number 'sine' is not known: did you mean 'sin'"):
        inputs.choice("sine", ("sin", "cos"), NAME)


def test_axes_have_names():
    assert axes.position_axis(np.arange(2)).name.en == "position"
    assert axes.position_axis(np.arange(2), NAME).name == NAME


def test_axes_must_fit_the_array():
    axis = Axis(Text("x", "x"), np.arange(3))
    with pytest.raises(ClockhandsError, match=r"shape \(2,\), but its axes have \(3,\) entries"):
        Labelled("a", NAME, np.zeros(2), (axis,))
