"""``clockhands extend``: the table, the advice, the settings; formats, files; one sentence for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clockhands.cli.extend import FRAMEWORKS, METHODS
from clockhands.cli.wrapping import columns
from clockhands.extend import IDS
from clockhands.extend.settings import FRAMEWORKS as KNOWN

FILES = Path(__file__).parent.parent / "check" / "fixtures" / "alarms"
LLAMA, GEMMA = str(FILES / "llama-2-7b"), str(FILES / "gemma-3-12b")


def test_the_command_knows_the_methods_and_frameworks() -> None:
    assert METHODS == IDS
    assert FRAMEWORKS == KNOWN


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("file", [LLAMA, GEMMA])
def test_the_plan_fits_eighty_columns(run, file: str, lang: str) -> None:
    said = run("extend", file, "--to", "600000", "--lang", lang)
    assert (said.code, said.err) == (0, "")
    told = said.out.split("{")[0].splitlines()
    assert len(told) > 25
    assert max(map(columns, told)) <= 80
    rows = [line.split()[0] for line in told if line.startswith("  ") and line.split()[0] in IDS]
    assert len(rows) == 8  # and one with a star
    (star,) = [line for line in told if line.startswith("* ") and line.split()[1] in IDS]
    assert star.split()[1] == ("yarn" if file == LLAMA else "linear")


def test_the_table_says_what_the_methods_do(run) -> None:
    """Llama 2 to four times its 4,096: as it is 18 of 64 hands show new angles; linear 0, much less sharp."""
    said = run("extend", LLAMA, "--to", "16384").out
    lines = {line.split()[0]: line.split() for line in said.splitlines() if line}
    assert lines["linear"] == ["linear", "0", "/", "64", "-", "26%", "1", "as", "before", "T", "V", "S", "L"]
    assert lines["as"][3:7] == ["18", "/", "64", "72.5%"]
    assert lines["dynamic"][-2:] == ["moves", "T"]
    assert lines["rerope"] == ["rerope", "0", "/", "64", "-", "100%", "<2,048", "1", "unturned", "-"]


def test_settings_of_one_server_alone(run) -> None:
    said = run("extend", LLAMA, "--to", "16384", "--settings", "llama.cpp").out
    assert "--rope-scaling yarn --rope-scale 4 --yarn-orig-ctx 4096" in said
    assert "vllm serve" not in said
    assert "config.json, version" not in said
    none = run("extend", LLAMA, "--to", "16384", "--settings", "vllm", "--method", "dynamic").out
    assert "vLLM: its 'dynamic' hangs on no length" in none.replace("\n", " ")
    assert "SGLang: its" not in none


def test_what_is_pasted_is_json_that_a_shell_hands_on(run) -> None:
    import shlex

    said = run("extend", LLAMA, "--to", "16384", "--method", "longrope").out
    (line,) = [line for line in said.splitlines() if line.startswith("vllm serve")]
    words = shlex.split(line)
    keys = json.loads(words[words.index("--hf-overrides") + 1])
    assert len(keys["rope_parameters"]["long_factor"]) == 64
    assert max(len(line) for line in said.split("transformers, config.json")[1].splitlines()) < 1200


def test_json_holds_the_same(run) -> None:
    said = run("extend", LLAMA, "--to", "16384", "--format", "json", "--settings", "sglang", "--lang", "zh")
    record = json.loads(said.out)
    assert (record["trained"], record["to"], record["factor"], record["begin"]) == (4096, 16384, 4.0, "yarn")
    found = {each["id"]: [one["framework"] for one in each["settings"]] for each in record["methods"]}
    assert found["yarn"] == ["sglang"]
    assert found["dynamic"] == []
    assert record["methods"][2]["missing"].keys() == {"sglang"}
    assert record["reasons"][0] == "没有指针转到训练没见过的角度"


def test_a_file_with_pictures(run) -> None:
    said = run("extend", LLAMA, "--to", "16384", "-o", "plan.html", "--method", "yarn")
    assert said.err.strip() == "wrote plan.html"
    assert "<img" in Path("plan.html").read_text(encoding="utf-8")
    nothing = run("extend", LLAMA, "--to", "4096", "-o", "none.png", "--lang", "zh")
    assert (nothing.code, nothing.err.strip()) == (0, "没有写 none.png：没有可画的")
    assert "什么都不用改" in nothing.out
    assert not Path("none.png").exists()


def test_a_method_that_the_model_has_no_room_for_says_so(run) -> None:
    said = run("extend", str(FILES / "gemma-4-26b-a4b"), "--to", "600000", "--method", "yarn")
    assert said.code == 0
    assert "left out: yarn: the model turns a part of each head's ladder" in said.out.replace("\n", " ")
    both = run("extend", str(FILES / "gemma-4-26b-a4b"), "--to", "600000").out.replace("\n", " ")
    assert "left out: dynamic, yarn, llama3, longrope: the model turns a part" in both


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "TARGET"),
        ([LLAMA], "--to is missing"),
        ([LLAMA, "--to", "ten"], "give a whole number"),
        ([LLAMA, "--to", "0"], "--to is 0, but it must be a number of tokens: use 2 to 134,217,728"),
        ([LLAMA, "--to", "9999", "--trained", "-1"], "--trained is -1"),
        ([LLAMA, "--to", "9999", "--method", "yarm"], "did you mean 'yarn'"),
        ([LLAMA, "--to", "9999", "--settings", "vlm"], "did you mean 'vllm'"),
        ([LLAMA, "--to", "9999", "--dtype", "bf61"], "--dtype is 'bf61'"),
        ([LLAMA, "--to", "9999", "-o", "plan.doc"], "ends in none of .html, .png, .svg and .pdf"),
        (["nowhere.json", "--to", "9999"], "no such file"),
        (["org/model", "--to", "9999"], "nothing is downloaded"),
        ([str(FILES / "bloom-560m"), "--to", "9999"], "there are no hands to slow"),
        ([str(FILES / "mistral-7b-v0.1"), "--to", "99999"], "sees a window of at most 4,096 tokens"),
    ],
)
def test_bad_input_gets_one_sentence(run, arguments: list[str], said: str) -> None:
    told = run("extend", *arguments)
    assert (told.code, told.out) == (2, "")
    assert said in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert "Traceback" not in told.err
