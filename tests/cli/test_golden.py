"""``clockhands golden`` writes vectors and judges another implementation's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from clockhands.golden import document, vectors


def test_what_is_written_is_agreed_with(run) -> None:
    wrote = run("golden", "-o", "golden.json")
    assert (wrote.code, wrote.err) == (0, "wrote golden.json\n")
    said = run("golden", "--check", "golden.json")
    count = len(json.loads(Path("golden.json").read_text())["vectors"])
    assert (said.code, said.out) == (0, f"{count} of {count} vectors agree, the worst of them to 0.0e+00\n")
    printed = run("golden")
    assert json.loads(printed.out) == json.loads(Path("golden.json").read_text())


def test_a_wrong_slope_is_named(run) -> None:
    """Off by one: 2 ** (-8 h / H), h from 0, as one public port had it."""
    run("golden", "-o", "golden.json")
    written = json.loads(Path("golden.json").read_text())
    vector = next(each for each in written["vectors"] if each["name"] == "alibi/bias/1")
    distances = vector["inputs"]["distance"]
    vector["output"] = [[-(2 ** (-8 * h / 4)) * k for k in distances] for h in range(4)]
    Path("mine.json").write_text(json.dumps(written | {"vectors": [vector]}))
    said = run("golden", "--check", "mine.json")
    assert said.code == 1
    assert said.out.splitlines()[0] == "alibi/bias/1: at [0, 7] it is -1000, and ours is -250"
    chinese = run("golden", "--check", "mine.json", "--lang", "zh")
    assert "alibi/bias/1：在 [0, 7] 处是 -1000，我们的是 -250" in chinese.out
    assert run("golden", "--check", "mine.json", "--tolerance", "10").code == 0


def test_one_wrong_number_has_no_place(run) -> None:
    run("golden", "-o", "golden.json")
    written = json.loads(Path("golden.json").read_text())
    vector = next(each for each in written["vectors"] if each["name"] == "rope/attention_factor/1")
    Path("mine.json").write_text(json.dumps(written | {"vectors": [vector | {"output": 2.0}]}))
    said = run("golden", "--check", "mine.json").out.splitlines()
    assert said[0] == "rope/attention_factor/1: it is 2, and ours is 1"


def test_a_row_of_numbers_has_one_line(run) -> None:
    printed = run("golden").out.splitlines()
    assert not [line for line in printed if re.fullmatch(r"\s*(-?[\d.e+-]+|null),?", line)]
    assert '    "position": [0, 1, 2, 17, 300]' in printed


@pytest.mark.parametrize(
    ("lang", "sentence"),
    [
        ("en", "embedded and attended are left out, since they need the extra 'torch'"),
        ("zh", "需要扩展包“torch”"),
    ],
)
def test_without_torch_the_rest_is_written_and_checked(
    run, monkeypatch: pytest.MonkeyPatch, lang: str, sentence: str
) -> None:
    whole = document()
    monkeypatch.setattr(vectors, "find_spec", lambda name: None)
    wrote = run("golden", "--lang", lang, "-o", "golden.json")
    assert wrote.code == 0
    assert sentence in wrote.err
    left = {each["quantity"] for each in json.loads(Path("golden.json").read_text())["vectors"]}
    assert left == {"inv_freq", "attention_factor", "table", "bias", "rotated", "distance_map", "places"}
    Path("whole.json").write_text(json.dumps(whole | {"vectors": whole["vectors"][-1:]}))
    said = run("golden", "--lang", lang, "--check", "whole.json")
    assert said.code == 2
    assert 'pip install "clockhands[torch]"' in said.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--check", "none.json"), "none.json"),
        (("--check", "bad.json"), "holds no golden vectors: it is not JSON"),
        (("--check", "bad.json", "--tolerance", "-1"), "golden vectors"),
        (("--tolerance", "much"), "much"),
        (("-o", "folder"), "folder"),
    ],
)
def test_bad_input_is_said_in_one_sentence(run, arguments: tuple[str, ...], said: str) -> None:
    Path("bad.json").write_text("{")
    Path("folder").mkdir()
    result = run("golden", *arguments)
    assert result.code == 2
    assert said in result.err
    assert len(result.err.splitlines()) == 1
