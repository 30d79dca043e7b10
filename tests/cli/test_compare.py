"""``clockhands compare``: begun, interrupted, gone on with, read, and every mistake in one sentence."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from clockhands.cli.compare_asked import between_commas

ROOT = Path(__file__).parents[2]

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
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "too few seeds: with 2" in page
    assert "wrote run/report.html" in finished.err.replace("\\", "/")


def test_it_is_read_again_in_other_forms_and_in_chinese(run, finished, tmp_path):
    again = run("compare", "report", "run")
    assert (again.out, again.err) == (finished.out, "")
    record = json.loads(run("compare", "report", "run", "--format", "json").out)
    assert record["power"] == {"seeds": 2, "tests": 1, "smallest_p": 0.5, "seeds_needed": 6, "enough": False}
    assert [len(one["seeds"]) for one in record["standings"]] == [2, 2]
    assert record["pairs"][0]["detectable"] is None
    said = run("compare", "report", "run", "--lang", "zh", "--format", "md", "-o", "zh").out
    assert "## 复制（copy）：答对题目的比例；训练长度不超过 2" in said
    assert "| nope |" in said
    assert "种子太少：只有 2 个时" in said
    drawn = sorted(file.name for file in (tmp_path / "zh").iterdir())
    assert drawn == ["copy-learning.png", "copy-map.png", "copy-pairs.png", "copy.png"]
    for file, holds in (  # of the kind that the ending says
        ("r.md", "| nope | 0 |"), ("r.tex", "\\begin{tabular}"), ("r.csv", "task,scheme,seed,length,score"),
        ("r.json", '"power"'),
    ):  # fmt: skip
        said = run("compare", "report", "run", "-o", file)
        assert said.err == f"wrote {file}\n"
        written = (tmp_path / file).read_text(encoding="utf-8")
        assert holds in written
        form = file.partition(".")[2]
        assert run("compare", "report", "run", "--format", form).out == written


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
    same = (
        "--schemes",
        "nope,rope(rope_theta=500)",
        "--preset",
        "quick",
        "--multiples",
        "1,1.5,2,4",
        *QUICKLY,
    )
    assert run("compare", "--resume", *same).code == 0


@pytest.mark.parametrize(
    ("given", "option"),
    [
        (("--seeds", "3"), "--seeds"),
        (("--lr", "0.5"), "--lr"),
        (("--schemes", "rope,nope"), "--schemes"),
        (("--preset", "standard"), "--preset"),
        (("--tasks", "words"), "--tasks"),
        (("--multiples", "1,2"), "--multiples"),
        (("--text", "some.txt"), "--text"),
    ],
)
def test_another_comparison_is_not_gone_on_with(run, finished, given, option, tmp_path):
    (tmp_path / "some.txt").write_text("史进看见鲁达。" * 60, encoding="utf-8")
    refused = run("compare", "--resume", "-o", "run", *given)
    assert refused.code == 2
    assert f"{option} asks for something else" in refused.err


RECIPE = """
from clockhands.experiments.design import Design
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

def design():
    return Design(schemes=("nope", "rope"), tasks=("copy",), seeds=2, steps=2, batch=2, items=4, length=2)

def longer():
    return design().with_(steps=3)

def reading(text):
    return design().with_(tasks=("characters",), context=4, text=text)

def recipe(steps=3):
    says = Text("RoPE copies more", "RoPE 抄得更多")
    parts = {"one": design(), "other": design().with_(steps=steps, tasks=("reverse",))}
    claim = Hypothesis("h", says, "reverse", "past", "rope", 1, ("nope",))
    return Recipe("r", Text("r", "r"), Text("?", "？"), parts, (claim,))

def raises():
    raise KeyError("what")

def leaves():
    raise SystemExit(0)

class Unspeakable(Exception):
    def __repr__(self):
        raise RuntimeError

    __str__ = __repr__

def unspeakable():
    return Unspeakable()

def said(text=""):
    return reading(text or "史进看见鲁达，鲁达看见史进。" * 30)

def two(text, more):
    return design()

def named(*, text):
    return design()

def optional(text="", *more, **others):
    return design()

nothing = 3
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "compared_by_me.py").write_text(RECIPE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def test_a_design_or_a_recipe_of_ones_own_is_followed(run, mine, tmp_path):
    said = run("compare", "--recipe", "compared_by_me:recipe", "-o", "r")
    assert said.code == 0, said.err
    assert (tmp_path / "r" / "one" / "report.html").exists()
    assert (tmp_path / "r" / "other" / "report.html").exists()
    last = " ".join(said.out.split("Hypotheses fixed beforehand")[1].split())
    assert "RoPE copies more open: the seeds decide neither way" in last
    again = run("compare", "--recipe", "compared_by_me:recipe", "-o", "r")
    assert again.out == said.out
    (tmp_path / "some.txt").write_text("史进看见鲁达，鲁达看见史进。" * 60, encoding="utf-8")
    said = run("compare", "--recipe", "compared_by_me:reading", "--text", "some.txt", "-o", "t")
    assert "4 of 4 cells finished" in said.out
    for arguments, says in (
        (("compared_by_me:reading",), "reads a text (text): give --text FILE"),
        (("compared_by_me:nothing",), "is no function"),
        (("compared_by_me:other",), "other"),
        (("os:getcwd",), "must return a Design or a Recipe"),
        (("compared_by_me:raises",), "raised an error (KeyError: 'what'): mend it"),
        (("compared_by_me:leaves",), "raised an error (SystemExit: 0): mend it"),
        (("compared_by_me:two", "--text", "some.txt"), "asks for text, more: a recipe takes no argument, or"),
        (("compared_by_me:named", "--text", "some.txt"), "asks for text: a recipe takes no argument, or one"),
        (("compared_by_me:design", "--seeds", "3"), "leave --seeds out"),
        (("compared_by_me:design", "--lr", "3"), "leave --lr out"),
        (("compared_by_me:design", "--text", "some.txt"), "takes no argument, so it reads no text"),
        (("compared_by_me:unspeakable",), "returned some Unspeakable: it must return"),
    ):
        said = run("compare", "--recipe", *arguments, "-o", "none")
        last = said.err.replace("some.txt: read as UTF-8\n", "")
        assert (said.code, says in last, last.count("\n")) == (2, True, 1), said.err
    assert not (tmp_path / "none").exists()
    said = run("compare", "--recipe", "compared_by_me:said", "--text", "some.txt", "-o", "s")
    assert said.code == 0
    assert (tmp_path / "s" / "text.txt").read_bytes() == (tmp_path / "some.txt").read_bytes()
    assert run("compare", "--recipe", "compared_by_me:optional", "-o", "d").code == 0
    assert run("compare", "--recipe", "compared_by_me:design", "--resume", "-o", "d").code == 0
    said = run("compare", "--recipe", "compared_by_me:longer", "--resume", "-o", "d")
    assert (said.code, "holds results of another design" in said.err) == (2, True)


def test_a_scheme_of_ones_own_is_compared_by_naming_it(run, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "examples" / "clockhands-sqrt" / "src")
    said = run("compare", "--schemes", "nope,clockhands_sqrt:SqrtBias(slope=0.5)", *QUICKLY)
    assert said.code == 0, said.err
    record = json.loads(run("compare", "report", "run", "--format", "json").out)
    assert record["design"]["schemes"][1]["parameters"] == {"slope": 0.5}
    scores = [one["seeds"][0]["scores"] for one in record["standings"]]
    assert [sorted(map(int, one)) for one in scores] == [[2, 3, 4, 8]] * 2
    assert "clockhands_sqrt:SqrtBias(slope=0.5)" in said.out


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("nope", ["nope"]),
        ("nope, rope ,alibi", ["nope", "rope", "alibi"]),
        ("a(x=1,y=2),b", ["a(x=1,y=2)", "b"]),
        ("a(x=[1,2],y=(3,4)),b", ["a(x=[1,2],y=(3,4))", "b"]),
        ("a(x={'k': 1, 'l': ')'}),b", ["a(x={'k': 1, 'l': ')'})", "b"]),
        ("a(x='1,2'),b", ["a(x='1,2')", "b"]),
        ("a(x=1),b)", ["a(x=1)", "b)"]),
        ("a(x='it\\'s, it',y=2),b", ["a(x='it\\'s, it',y=2)", "b"]),
        ("b),c(x=1,y=2)", ["b)", "c(x=1,y=2)"]),
        ("a,,b", ["a", "", "b"]),
        ("", [""]),
    ],
)
def test_commas_within_a_value_part_nothing(words, parts):
    assert between_commas(words) == parts


def test_a_list_is_given_to_a_scheme_as_python_writes_it(run, tmp_path):
    long, short = [1.0] * 4 + [2.0] * 4, [1] * 8
    spec = f"longrope(long_factor={long},short_factor={short},original_max_position_embeddings=8)"
    said = run("compare", "--schemes", f"nope,{spec}", *QUICKLY)
    assert said.code == 0, said.err
    record = json.loads(run("compare", "report", "run", "--format", "json").out)
    assert record["design"]["schemes"][1]["parameters"]["long_factor"] == long


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
        (("--schemes", ",", "--tasks", "copy"), "--schemes has a name that is empty"),
        (("--schemes", "rope,ROPE", "--tasks", "copy"), "--schemes names one scheme twice, as 'rope' and as"),
        (("--schemes", "nope,rope(rope_theta=5,rope_theta=6)", "--tasks", "copy"), "gives rope_theta twice"),
        (
            ("--schemes", "nope,rope(rope_theta=)", "--tasks", "copy"),
            "'rope_theta=' where name=value belongs",
        ),
        (("--schemes", "nope,rope(rope_theta=1e400)", "--tasks", "copy"), "rope_theta (rope) is inf"),
        (("--schemes", "rope,nope", "--tasks", "copy", "--probes", "sliding"), "--probes names sliding"),
        (("--schemes", "rope,nope", "--tasks", "copy", "--lr", "nan,1"), "--lr is nan"),
        (("--schemes", "rope,nope", "--tasks", "copy", "--lr", "1,1"), "--lr names '1' twice"),
        (("report", "run", "-o", "some.xlsx"), "run holds no comparison"),
        (("report", ""), "write 'clockhands compare report FOLDER'"),
        (("report",), "write 'clockhands compare report FOLDER'"),
        (("report", "nowhere"), "nowhere holds no comparison"),
        (("report", "run", "--seeds", "3"), "'report' reads what is there"),
        (("--resume", "-o", "nowhere"), "nowhere holds no comparison"),
        (("--schemes", "rope,nope", "--tasks", "copy", "--ray", "there"), "--ray is 'there': give local"),
        (("--schemes", "rope,nope", "--tasks", "copy", "--gpus-per-cell", "1"), "give --ray, too"),
        (
            ("--schemes", "rope,nope", "--tasks", "copy", "--data-parallel", "2"),
            "--ray local for this machine",
        ),
    ],
)
def test_mistakes_are_answered_in_a_sentence(run, arguments, says, tmp_path):
    said = run("compare", *arguments)
    assert said.code == 2
    assert says in said.err
    assert said.err.count("\n") == 1
    assert [*tmp_path.iterdir()] == []
