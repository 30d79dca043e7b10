"""``clockhands extend --try``: a model folder and a text to a table, files, and a way to go on."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_models import llama

from clockhands.cli.wrapping import columns
from clockhands.extend.trials import run as trials
from clockhands.extend.trials.design import USUAL, lengths_for

TEXT = "On the whole, the quick brown fox jumps over the lazy dog 17 times. " * 12


def save_model(folder: Path, **fields: Any) -> str:
    """A tiny Llama, trained on 32 tokens as it says, with a tokenizer of letters."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {"<unk>": 0} | {
        each: index for index, each in enumerate(sorted(set(TEXT + "?\n023456789Wpk")), 1)
    }
    letters = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    letters.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    llama(max_position_embeddings=32, **fields).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=letters, unk_token="<unk>").save_pretrained(folder)
    return str(folder)


@pytest.fixture
def target(tmp_path: Path) -> str:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    return save_model(tmp_path / "tiny")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_text_is_read_and_told(run, target: str, lang: str) -> None:
    said = run("extend", target, "--to", "64", "--try", "text.txt", "-o", "out", "--lang", lang)
    assert said.code == 0, said.err
    assert max(map(columns, said.out.splitlines())) <= 80
    rows = [line.removeprefix("*").split()[0] for line in said.out.splitlines() if len(line.split()) > 2]
    assert [row for row in rows if row in USUAL] == [*USUAL, *USUAL]  # perplexities, and the same tokens
    news = said.err.splitlines()
    assert ("12 windows are left" if lang == "en" else "还要读 12 个窗口") in said.err
    assert news[-1].endswith("out/report.html") or news[-1].endswith("out\\report.html")
    names = {path.name for path in Path("out").iterdir()} - {".lock"}
    assert names == {"trial.json", "windows.jsonl", "report.html", "results.csv", "results.json"}
    again = run("extend", target, "--to", "64", "--try", "text.txt", "-o", "out", "--format", "json")
    assert "windows are left" not in again.err
    record = json.loads(again.out)
    assert record == json.loads(Path("out/results.json").read_text(encoding="utf-8"))
    assert record["design"]["model"] == "tiny"
    assert tuple(record["design"]["lengths"]) == lengths_for(32, 64, full=False)


def test_what_ctrl_c_leaves_is_gone_on_with(run, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = trials.Trial.read

    def interrupted(self: Any, cell: Any) -> Any:
        if cell.length == 64:
            raise KeyboardInterrupt
        return reading(self, cell)

    words = ("extend", target, "--to", "64", "--try", "text.txt", "--method", "yarn")
    monkeypatch.setattr(trials.Trial, "read", interrupted)
    monkeypatch.setattr(trials, "TOLD", -1.0)  # no bar here, and nothing is short
    said = run(*words, "--trained", "32", "--dtype", "fp32")
    assert said.code == 130
    assert "1 of 4 windows are read (as-given, 32 tokens)" in said.err
    assert "stopped after 2 of 4 windows, which are kept" in said.err
    told = re.search(r"\((clockhands extend .*)\)", said.err)
    assert told is not None
    monkeypatch.setattr(trials.Trial, "read", reading)
    said = run(*shlex.split(told[1])[1:])
    assert said.code == 0, said.err
    assert "2 are read already; 2 windows are left" in said.err
    assert "dash" not in said.out


def test_a_full_run_asks_for_passkeys(run, target: str) -> None:
    Path("text.txt").write_text(TEXT[:270], encoding="utf-8")
    said = run("extend", target, "--to", "256", "--try", "text.txt", "--full", "--method", "ntk")
    assert said.code == 0, said.err
    assert "Passkeys said right, of as many depths" in said.out
    assert "0/5" in said.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "64", "--full"], "--full belongs to --try"),
        (["--to", "64", "--try", "text.txt", "--settings", "vllm"], "--settings belongs to a plan"),
        (["--to", "64", "--try", "none.txt"], "none.txt does not exist"),
        (
            ["--to", "4096", "--try", "text.txt", "--full"],
            "the longest window needs 4,097: give a longer text",
        ),
        (["--to", "32", "--try", "text.txt"], "32 tokens are within the 32 that the model knows"),
        (["--to", "64", "--try", "text.txt", "--dtype", "bf61"], "--dtype is 'bf61'"),
        (["--to", "64", "--try", "text.txt", "-o", "text.txt"], "text.txt can't be written"),
        (["--to", "64", "--try", "text.txt", "-o", "a.html"], "a trial is kept in a folder"),
    ],
)
def test_bad_input_gets_one_sentence(run, target: str, arguments: list[str], said: str) -> None:
    told = run("extend", target, *arguments)
    assert (told.code, told.out) == (2, "")
    assert said in told.err
    assert "Traceback" not in told.err


def test_a_tokenizer_of_another_model_is_said(run, target: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    other = save_model(tmp_path / "small", vocab_size=20)
    said = run("extend", other, "--to", "64", "--try", "text.txt")
    assert said.code == 2
    assert "the tokenizer has" in said.err
