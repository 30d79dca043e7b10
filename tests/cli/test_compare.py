"""``clockhands compare``: begun, interrupted, gone on with, read, and every mistake in one sentence."""

import json
from contextlib import closing

import pytest

QUICKLY = ("--tasks", "copy", "--steps", "3", "--length", "2", "--seeds", "2", "-o", "run")


@pytest.fixture
def finished(run):
    said = run("compare", "--schemes", "nope,rope(rope_theta=500)", *QUICKLY)
    assert said.code == 0, said.err
    return said


def test_a_comparison_ends_with_what_it_cannot_conclude(run, finished, tmp_path):
    out = " ".join(finished.out.split())
    assert "4 of 4 cells finished" in out
    assert "too few seeds: with 2 the exact sign-flip test can't give a p below 0.5" in out
    assert "copy: not learnt at the training length by nope, rope(rope_theta=500)" in out
    assert "copy: no difference is supported, so there is no ranking" in out
    assert out.count("rope(rope_theta=500) ") >= 3  # a line a seed, and the summary
    assert (tmp_path / "run" / "copy.png").read_bytes().startswith(b"\x89PNG")
    assert "wrote run/copy.png" in finished.err.replace("\\", "/")


def test_it_is_read_again_in_other_forms_and_in_chinese(run, finished, tmp_path):
    again = run("compare", "report", "run")
    assert (again.out, again.err) == (finished.out, "")
    record = json.loads(run("compare", "report", "run", "--format", "json").out)
    assert record["power"] == {"seeds": 2, "tests": 1, "smallest_p": 0.5, "seeds_needed": 6, "enough": False}
    assert [len(one["seeds"]) for one in record["standings"]] == [2, 2]
    assert record["pairs"][0]["detectable"] is None
    said = run("compare", "report", "run", "--lang", "zh", "--format", "md", "-o", "zh").out
    assert "## 复制（copy）：各长度答对题目的比例；训练长度不超过 2" in said
    assert "| nope |" in said
    assert "种子太少：只有 2 个时" in said
    assert (tmp_path / "zh" / "copy.png").exists()


def test_a_finished_one_is_gone_on_with_without_work(run, finished, tmp_path):
    import sqlite3

    def cells():
        with closing(sqlite3.connect(tmp_path / "run" / "cells.sqlite")) as connection, connection:
            return connection.execute("SELECT id, scheme, seed FROM cells").fetchall()

    before = cells()
    with closing(sqlite3.connect(tmp_path / "run" / "cells.sqlite")) as connection, connection:
        connection.execute("DELETE FROM cells WHERE id = ?", before[0][:1])
    assert "3 of 4 cells finished" in run("compare", "report", "run").out
    again = run("compare", "--resume", "-o", "run")
    assert again.code == 0
    assert cells() == before


def test_ctrl_c_says_how_to_go_on(run, monkeypatch):
    from clockhands.experiments import run as running

    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "perform", pressed)
    said = run("compare", "--schemes", "nope,rope", *QUICKLY)
    assert said.code == 130
    assert "0 of 4 cells finished, which are kept: go on with --resume" in said.err
    assert "(clockhands compare --resume -o run)" in said.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--tasks", "copy"), "--schemes is missing"),
        (("--schemes", "rope,nope"), "--tasks is missing"),
        (("--schemes", "rope", "--tasks", "copy"), "--schemes has 1 of the 2"),
        (("--schemes", "rope,nopee", "--tasks", "copy"), "did you mean 'nope'"),
        (("--schemes", "rope(rope_theta=5,nope", "--tasks", "copy"), "no closing parenthesis"),
        (("--schemes", "rope,nope", "--tasks", "copi"), "did you mean 'copy'"),
        (("--schemes", "rope,nope", "--tasks", "characters"), "needs a text"),
        (("--schemes", "rope,nope", "--tasks", "copy", "--seeds", "0"), "--seeds is 0"),
        (("--schemes", "rope,nope", "--tasks", "copy", "--lr", "fast"), "--lr can't be 'fast'"),
        (("report",), "write 'clockhands compare report FOLDER'"),
        (("report", "nowhere"), "nowhere holds no comparison"),
        (("report", "run", "--seeds", "3"), "'report' reads what is there"),
        (("--resume", "-o", "nowhere"), "nowhere holds no comparison"),
        (("--resume", "-o", "nowhere", "--seeds", "3"), "leave the other options out"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(run, arguments, says, tmp_path):
    said = run("compare", *arguments)
    assert said.code == 2
    assert says in said.err
    assert said.err.count("\n") == 1
    assert [*tmp_path.iterdir()] == []
