"""``clockhands show``: a file or one sentence for each view, and bad input harms nothing."""

from __future__ import annotations

import contextlib
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from clockhands.analysis import export
from clockhands.catalogue import SCHEMES, describe
from clockhands.cli import console
from clockhands.cli.kinds import SETTING
from clockhands.cli.show import described
from clockhands.errors import ClockhandsError
from clockhands.views import VIEWS, available, data
from clockhands.views import verdict as verdict_view

HAVE = {(scheme, view): view in available(describe(scheme)) for view in VIEWS for scheme in SCHEMES}
CELLS = [
    next(cell for cell, has in HAVE.items() if has is wanted and cell[1] == view)
    for view in VIEWS
    for wanted in (True, False)
    if wanted in {has for cell, has in HAVE.items() if cell[1] == view}
]
"""For each view the first scheme that has it, and the first that has not; tests/views has all cells."""


@pytest.mark.parametrize(("scheme", "view"), CELLS)
def test_a_cell_is_a_picture_or_a_reason(run, tmp_path: Path, scheme: str, view: str) -> None:
    said = run("show", scheme, "--view", view, "--positions", "8", "-o", "x.png")
    if HAVE[scheme, view]:
        assert (said.code, said.err) == (0, "wrote x.png\n")
        assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    else:
        assert said.code == 2
        assert said.err.count("\n") == 1
        assert f"'{view}'" in said.err
        assert not (tmp_path / "x.png").exists()


def test_options_reach_the_scheme(run, tmp_path: Path) -> None:
    options = ("--dim", "8", "--base", "500", "--positions", "40:60", "--data", "d.npz")
    assert run("show", "sinusoidal", "--view", "heatmap", *options).code == 0
    (table,) = export.load(tmp_path / "d.npz")
    wanted = describe("sinusoidal", dim=8, base=500).table(np.arange(40, 60))
    np.testing.assert_array_equal(table.values, wanted)


def test_heads_layout_and_set_reach_the_scheme(run) -> None:
    assert run("show", "alibi", "--heads", "3", "--view", "bias").code == 0
    assert "--heads is 0" in run("show", "alibi", "--heads", "0").err
    assert run("show", "rope", "--layout", "interleaved", "--set", "partial_rotary_factor=0.5").code == 0
    assert "partial_rotary_factor" in run("show", "rope", "--set", "partial_rotary_factor=2").err
    assert "did you mean 'exponent'" in run("show", "sinusoidal", "--set", "exponnt=2i/d").err


def test_without_a_view_the_first_that_makes_sense_is_drawn(run, tmp_path: Path) -> None:
    assert run("show", "rope").err == "wrote rope-heatmap.png\n"
    assert run("show", "alibi").err == "wrote alibi-bias.png\n"
    assert (tmp_path / "alibi-bias.png").exists()


def test_a_clock_moves_by_default(run, tmp_path: Path) -> None:
    assert run("show", "rope", "--view", "clock", "--positions", "3").err == "wrote rope-clock.gif\n"
    assert (tmp_path / "rope-clock.gif").read_bytes()[:3] == b"GIF"


def test_the_data_are_exactly_what_is_drawn(run, tmp_path: Path) -> None:
    said = run("show", "rope", "--view", "spectrum", "-o", "s.svg", "--data", "s.csv")
    assert said.err == "wrote s.csv\nwrote s.svg\n"
    loaded = export.load(tmp_path / "s.csv")
    for one, other in zip(loaded, data("spectrum", describe("rope")), strict=True):
        np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.parametrize(
    ("option", "values", "view"),
    [
        ("--inv-freq", np.asarray([1.0, 0.1]), "spectrum"),
        ("--table", np.random.default_rng(0).normal(size=(20, 4)), "similarity"),
        ("--bias", -np.arange(20.0)[None], "bias"),
    ],
)
def test_one_s_own_numbers_are_shown(run, tmp_path: Path, option: str, values: np.ndarray, view: str) -> None:
    np.save(tmp_path / "own.npy", values)
    assert run("show", option, "own.npy", "--view", view, "--positions", "20", "-o", "x.png").code == 0


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_help_names_every_view(run, lang: str) -> None:
    words = re.findall(r"[a-z-]+", run("show", "--help", "--lang", lang).out.replace("-\n", "-"))
    assert set(VIEWS) <= set(words)


def test_how_far_it_is_is_shown_on_a_terminal(run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Drawing" not in run("show", "rope", "--view", "verdict").err
    monkeypatch.setattr(console, "on_terminal", lambda: True)
    assert "Drawing" in run("show", "rope", "--view", "verdict").err
    assert "/10 [" in run("show", "rope", "--view", "clock", "--positions", "10").err  # frames, not steps


def test_a_table_is_examined_once(run, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []
    kept = verdict_view.examine
    monkeypatch.setattr(
        verdict_view, "examine", lambda table, start, **how: starts.append(start) or kept(table, start, **how)
    )
    assert "no fault found" in run("show", "rope", "--view", "verdict", "--positions", "5:25").out
    assert starts == [5]


def test_a_verdict_is_printed_too(run, tmp_path: Path) -> None:
    table = describe("sinusoidal").table(np.arange(20))
    table[7] = table[3]
    np.save(tmp_path / "t.npy", table)
    out = run("show", "--table", "t.npy", "--view", "verdict", "--positions", "20").out
    assert re.search(r"\b7\b.*\b3\b", out)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ((), "give one thing to show"),
        (("rope", "--table", "t.npy"), "give one thing to show"),
        (("ropp",), "did you mean 'rope'"),
        (("rope", "--view", "heatmpa"), "did you mean 'heatmap'"),
        (("rope", "--dim", "31"), "--dim is 31"),
        (("rope", "--dim", "0"), "--dim is 0"),
        (("rope", "--dim", "-2"), "--dim is -2"),
        (("rope", "--dim", "x"), "--dim can't be 'x': give a whole number"),
        (("rope", "--set", "dim=31"), " dim is 31"),
        (("rope", "--base", "nan"), "--base is nan"),
        (("rope", "--base", "0"), "--base is 0"),
        (("rope", "--positions", "5:2"), "positions"),
        (("rope", "--positions", "many"), "--positions can't be 'many'"),
        (("learned", "--positions", "513"), "position 512"),
        (("rope", "--inv-freq", "none.npy"), "give one thing"),
        (("--inv-freq", "none.npy"), "no file none.npy"),
        (("rope", "-o", "x.bmp"), "x.bmp"),
        (("rope", "-o", "nowhere/x.png"), "no such file or folder"),
        (("rope", "--data", "x.png"), "x.png"),
        (("rope", "--set", "layout"), "write name=value"),
        (("sinusoidal", "--positions", "99999999999"), "too large to draw"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    run, tmp_path: Path, arguments, answer: str
) -> None:
    said = run("show", *arguments)
    assert said.code == 2
    assert answer in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_or_a_file_in_the_way_is_said(run, tmp_path: Path) -> None:
    (tmp_path / "taken.png").mkdir()
    assert run("show", "rope", "-o", "taken.png").code == 2
    (tmp_path / "file").write_text("")
    assert "not a folder" in run("show", "rope", "-o", "file/x.png").err


def test_what_was_there_stays_if_drawing_fails(run, tmp_path: Path) -> None:
    (tmp_path / "x.png").write_text("mine")
    assert run("show", "alibi", "--view", "clock", "-o", "x.png").code == 2
    assert (tmp_path / "x.png").read_text() == "mine"


STRANGE = ["{[]:1}", "(" * 5000, "-" * 5000 + "1", "1or 2", "'\\d'", "[1,2]", "{}", "5", "None", "b'x'", "1j"]


@pytest.mark.parametrize(
    ("written", "value"), [("true", True), ("False", False), ("null", None), ("truly", "truly")]
)
def test_true_and_false_may_be_written_as_in_json(written, value):
    assert SETTING.convert(f"learned={written}", None, None) == ("learned", value)


NAMES = ["id", "cls", "self", "x", "tags", "numbers", "sensitivity", "layout", "dim"]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_set_becomes_a_scheme_or_a_sentence(name: str) -> None:
    for value, scheme in itertools.product(STRANGE, ("tagged", "learned", "rope")):
        setting = SETTING.convert(f"{name}={value}", None, None)
        with contextlib.suppress(ClockhandsError):
            described(scheme, {}, dict([setting]))


def test_a_file_is_not_set_again(run) -> None:
    np.save("w.npy", [1.0, 0.5])
    said = run("show", "--inv-freq", "w.npy", "--set", "inv_freq=3")
    assert "inv_freq is the file w.npy: leave --set inv_freq out" in said.err


def test_a_scheme_without_parameters_lists_none(run) -> None:
    assert run("show", "nope", "--dim", "7").err.endswith("it has none, so leave 'dim' out\n")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("--view", "heatmap", "-o", "x.gif"), "x.gif"),
        (("--view", "clock", "-o", "x.pdf"), "x.pdf"),
        (("-o", "nowhere/x.png"), "no such file or folder"),
        (("-o", "taken.png"), "it is a folder"),
        (("-o", "file/x.png"), "not a folder"),
        (("-o", ""), "--out can't be ''"),
        (("--data", "x.png"), "does not end in .npz or .csv"),
        (("--data", "nowhere/x.csv"), "no such file or folder"),
        (("--data", "x.csv", "-o", "./x.csv"), "--data and -o are both x.csv"),
    ],
)
def test_a_place_that_cannot_be_is_refused_before_drawing(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], answer: str
) -> None:
    def drawn(*_: object, **__: object) -> None:
        raise AssertionError("drawn for nothing")

    monkeypatch.setattr("clockhands.views.draw", drawn)
    (tmp_path / "taken.png").mkdir()
    (tmp_path / "file").write_text("")
    said = run("show", "rope", *arguments)
    assert said.code == 2
    assert answer in said.err
    assert said.err.count("\n") == 1


def test_numbers_may_be_all_that_is_written(run, tmp_path: Path) -> None:
    assert run("show", "rope", "--view", "clock", "--positions", "3", "-o", "x.csv").err == "wrote x.csv\n"
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--dim", "8", "--set", "dim=16"), "--dim is 8 and --set dim is 16: leave one out"),
        (("--dim", "8", "--set", "head_dim=16"), "head_dim is given twice, as 8 and as 16"),
        (
            ("--set", "layout=half", "--set", "layout=half"),
            "--set layout is 'half' and --set layout is 'half'",
        ),
        (("--lang", "zh", "--base", "3", "--set", "base=4"), "--base 为 3.0，--set base 又是 4：请去掉一个"),
    ],
)
def test_what_is_said_twice_is_refused(run, arguments: tuple[str, ...], said: str) -> None:
    result = run("show", "rope", *arguments)
    assert result.code == 2
    assert said in result.err


@pytest.mark.parametrize(
    ("scheme", "said"),
    [
        ("learned", "the untrained table of 512 x 1,000,000 numbers is too large to draw"),
        ("abacus", "the untrained table of 128 x 1,000,000 numbers is too large to draw"),
        ("liere", "--dim is 1000000, but it must be a whole number from 2 to 65,536"),
        ("comrope", "--dim is 1000000, but it must be a whole number from 2 to 65,536"),
    ],
)
def test_widths_that_would_take_minutes_are_refused(run, scheme: str, said: str) -> None:
    result = run("show", scheme, "--dim", "1000000")
    assert result.code == 2
    assert said in result.err
