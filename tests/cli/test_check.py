"""``clockhands check``: exit codes, formats, two targets, stories; one sentence for bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LLAMA = Path(__file__).parent.parent / "check" / "fixtures" / "alarms" / "llama-3.1-8b" / "config.json"


def config(**changed: Any) -> str:
    """A Llama 3.1 with some of its keys changed, or left out where they are None; the file's name."""
    written = {**json.loads(LLAMA.read_text()), **changed}
    Path("config.json").write_text(json.dumps({k: v for k, v in written.items() if v is not None}))
    return "config.json"


def scaling(**changed: Any) -> dict[str, Any]:
    given = {**json.loads(LLAMA.read_text())["rope_scaling"], **changed}
    return {key: value for key, value in given.items() if value is not None}


def test_the_published_file_is_sound(run) -> None:
    said = run("check", str(LLAMA))
    assert said.code == 0
    assert "29 untouched, 6 blended, 29 divided by 8" in said.out
    assert said.out.endswith("no findings\n")
    chinese = run("check", str(LLAMA), "--lang", "zh")
    assert "29 根不变，6 根过渡，29 根除以 8" in chinese.out
    assert chinese.out.endswith("没有发现问题\n")


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"rope_theta": None}, "rope_theta"),
        ({"rope_scaling": scaling(factor=80.0)}, "rope_scaling.factor"),
        (
            {"rope_scaling": scaling(original_max_position_embeddings=None)},
            "rope_scaling.original_max_position_embeddings",
        ),
    ],
)
def test_what_is_wrong_is_named_and_fails(run, changed: dict[str, Any], key: str) -> None:
    said = run("check", config(**changed), "--format", "json")
    assert said.code == 1
    errors = [each for each in json.loads(said.out)["findings"] if each["severity"] == "error"]
    assert [key in each["keys"] for each in errors] == [True]


def test_strict_fails_on_warnings(run) -> None:
    name = config()
    warned = ("check", name, "--served-length", "262144")
    assert run(*warned).code == 0
    assert run(*warned, "--strict").code == 1


def test_formats_agree(run) -> None:
    name = config(rope_scaling=scaling(factor=80.0))
    record = json.loads(run("check", name, "--format", "json").out)
    log = json.loads(run("check", name, "--format", "sarif").out)
    lines = run("check", name, "--format", "github").out.splitlines()
    codes = [each["code"] for each in record["findings"]]
    assert [each["ruleId"] for each in log["runs"][0]["results"]] == codes
    assert [line.split("title=")[1][:5] for line in lines] == codes
    assert record["target"] == name


def test_two_targets_are_compared(run) -> None:
    name = config()
    Path("port.json").write_text(json.dumps({**json.loads(LLAMA.read_text()), "rope_theta": 10000.0}))
    same = run("check", name, str(LLAMA))
    assert (same.code, same.out.splitlines()[-1]) == (0, "equal: both do the same with position")
    other = run("check", name, "port.json")
    assert other.code == 1
    assert "500,000 against 10,000" in other.out
    record = json.loads(run("check", name, "port.json", "--format", "json").out)
    assert (record["equal"], [each["field"] for each in record["differences"]]) == (False, ["rope_theta"])
    changed = run("check", name, name, "--override", '{"rope_theta": 1e6}')
    assert "500,000 against 1,000,000" in changed.out
    assert run("check", name, name, "--override", '{"hidden_act": "relu"}').code == 0


def test_each_is_checked_by_itself(run) -> None:
    name = config(rope_theta=None)
    said = run("check", "--each", "--format", "json", str(LLAMA), name)
    assert said.code == 1
    assert [len(each["findings"]) > 0 for each in json.loads(said.out)] == [False, True]


def test_what_can_be_used_is_told_beside_what_can_not(run) -> None:
    name = config()
    Path("broken.json").write_text("{")
    said = run("check", "--each", "broken.json", name, "absent.json", "--format", "json")
    assert said.code == 2
    assert [each["target"] for each in json.loads(said.out)] == [name]
    assert [line.split(": ")[0] for line in said.err.splitlines()] == ["clockhands"] * 2
    assert ("broken.json" in said.err, "absent.json" in said.err) == (True, True)
    nothing = run("check", "--each", "broken.json", name, "--served-length", "0")
    assert (nothing.code, nothing.out, len(nothing.err.splitlines())) == (2, "", 1)
    whole = run("check", "--each", name, name, "--override", "[]")
    assert (whole.code, len(whole.err.splitlines())) == (2, 1)


def test_a_story_that_can_not_be_drawn_is_not_begun(run) -> None:
    said = run("check", "--explain", "CH001", "-o", "x.exe")
    assert (said.code, said.out) == (2, "")


def test_files(run) -> None:
    name = config()
    said = run("check", name, "-o", "r.html", "--lang", "zh")
    assert (said.code, said.err) == (0, "已写入 r.html\n")
    assert "29 根不变" in Path("r.html").read_text(encoding="utf-8")
    assert run("check", name, "-o", "r.png").code == 0


def test_stories(run) -> None:
    said = run("check", "--explain", "ch005")
    assert said.code == 0
    assert said.out.startswith("CH005: a scaling that lacks a number\n")
    codes = [line[:5] for line in run("check", "--explain", "all").out.splitlines() if line.startswith("CH")]
    assert codes == sorted(set(codes))
    assert len(codes) > 90


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to check"),
        (("none.json",), "none.json"),
        (("a", "b", "c"), "3 targets are too many to compare"),
        (("config.json", "--override", "[1]"), "--override"),
        (("config.json", "--override", '{"a": 1, "a": 2}'), "'a' twice"),
        (("config.json", "--llama-cpp", "4"), "options of llama.cpp"),
        (("config.json", "--dtype", "int8"), "known: float32, bfloat16, float16"),
        (("config.json", "--probe"), "names none"),
        (("config.json", "-o", "r.txt"), "none of .html, .png, .svg and .pdf"),
        (("--explain", "CH999"), "no rule 'CH999'"),
        (("no.such.module:fn",), "no.such.module"),
        (("--each", "config.json", "config.json", "-o", "r.html"), "one report"),
        (("config.json", "config.json", "-o", "r.html"), "two are compared"),
        (("config.json", "config.json", "--format", "sarif"), "two targets are compared"),
        (("config.json", "--head-dim", "64"), "--head-dim tells how a function is called"),
        (("math:sin", "--override", "{}"), "cannot be probed"),
        (("json:loads", "--head-dim", "1000000000"), "--head-dim is 1,000,000,000"),
        (("config.json", "--served-length", "0"), "--served-length is 0"),
        (("config.json", "--served-length", "99999999999999999999"), "2**52"),
        (("https://example.org/a/model",), "nothing is downloaded"),
        (("someone/Llama-3.1-8B",), "nothing is downloaded"),
        (("",), "has no name"),
        (("notes.txt",), "neither JSON nor YAML"),
        (("tokenizer.json",), "says nothing of a model"),
        (("--explain", "all", "-o", "r.png"), "name one rule"),
    ],
)
def test_bad_input_is_said_in_one_sentence(run, arguments: tuple[str, ...], said: str) -> None:
    config()
    Path("notes.txt").write_text("see --help for more", encoding="utf-8")
    Path("tokenizer.json").write_text('{"do_lower_case": true}', encoding="utf-8")
    result = run("check", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert len(result.err.splitlines()) == 1
