"""``clockhands attend --model``: a model on disk, a sentence, and everything that is written of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from clockhands.analysis import export
from clockhands.cli.attend_real_files import slug
from clockhands.web.attention_file import load_attention

sys.path.insert(0, str(Path(__file__).parents[1] / "real"))

SENTENCE = "武松打虎。"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    from families import bytes_tokenizer, tiny

    place = tmp_path_factory.mktemp("models") / "tiny-llama"
    tiny("llama").save_pretrained(place)
    bytes_tokenizer().save_pretrained(place)
    return str(place)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_sentence_gives_maps_a_sheet_a_ranking_and_the_file_for_the_page(
    run, folder: str, tmp_path: Path, lang: str
) -> None:
    said = run("attend", "--model", folder, SENTENCE, "-o", "out", "--lang", lang)
    assert said.code == 0
    assert ("15 tokens, 12 heads" if lang == "en" else "15 个词元，12 个头") in said.out
    assert ("parameters" if lang == "en" else "个参数") in said.err
    out = tmp_path / "out"
    names = {
        "sentence1.png", "sentence1.npz", "parts1.png", "parts1.npz", "heads1.png", "ranking1.csv",
        "ranking1.json", "profiles1.png", "hands1.png", "hands1.csv", "attention.safetensors",
    }  # fmt: skip
    assert {path.name.removeprefix("tiny-llama_") for path in out.iterdir()} == names
    maps = export.load(out / "tiny-llama_sentence1.npz")[0]
    assert list(maps.axes[-1].values) == list(SENTENCE)
    assert maps.values.sum(-1) == pytest.approx(np.ones(maps.values.shape[:-1]), abs=1e-5)
    ranking = json.loads((out / "tiny-llama_ranking1.json").read_text(encoding="utf-8"))
    assert [each["rank"] for each in ranking["heads"]] == list(range(1, 13))
    assert {(each["layer"], each["head"]) for each in ranking["heads"]} == {
        (n, h) for n in range(3) for h in range(4)
    }
    sentence = load_attention(out / "tiny-llama_attention.safetensors").sentences[0]
    assert sentence.text == SENTENCE
    assert (sentence.layers, sentence.heads, len(sentence.tokens)) == (3, 4, 15)
    assert "tiny-llama_sentence1.png" in said.err


def test_heads_windows_groups_and_tiles_are_chosen(run, folder: str, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("武松打虎，下山去了。", encoding="utf-8")
    chosen = ("--layer=-1", "--head", "0,2:4", "--group", "words", "--merge", "max", "--tokens", "1:4")
    more = ("--hide", "first,special", "--tiles", "-o", "out")
    said = run("attend", "--model", folder, "--text", str(text), *chosen, *more)
    assert said.code == 0
    maps = export.load(tmp_path / "out" / "tiny-llama_sentence1.npz")[0]
    assert maps.values.shape == (1, 3, 3, 3)
    assert list(maps.axes[-1].values) == ["，", "下山", "去"]
    assert (tmp_path / "out" / "tiny-llama_tiles1_L2H3" / "index.html").exists()
    assert "tokens that are hidden here" in said.out


def test_a_decoder_and_what_it_reads_of_the_encoder_are_drawn(run, tmp_path: Path) -> None:
    from families import bytes_tokenizer, tiny

    tiny("t5").save_pretrained(tmp_path / "t5")
    bytes_tokenizer().save_pretrained(tmp_path / "t5")
    assert run("attend", "--model", "t5", "武松", "--target", "Wu Song", "-o", "out").code == 0
    cross = export.load(tmp_path / "out" / "t5_decoder_cross1.npz")[0]
    assert cross.values.shape == (3, 4, 8, 2)  # whole characters of what is read; ASCII of what was written
    assert list(cross.axes[-1].values) == ["武", "松"]
    assert cross.values.sum(-1) == pytest.approx(np.ones((3, 4, 8)), abs=1e-5)
    assert (tmp_path / "out" / "t5_decoder_self1.png").exists()
    assert (tmp_path / "out" / "t5_parts1.png").exists()
    assert not (tmp_path / "out" / "t5_hands1.png").exists()  # nothing turns in a T5


def test_a_learned_table_is_drawn_without_any_text(run, tmp_path: Path) -> None:
    from families import tiny

    tiny("bert").save_pretrained(tmp_path / "bert")
    assert run("attend", "--model", "bert", "-o", "out").code == 0
    table = export.load(tmp_path / "out" / "bert_positions.npz")[0]
    assert table.values.shape == (128, 32)
    said = run("show", "--table", "out/bert_positions.npz#learned", "--view", "similarity", "-o", "s.png")
    assert said.code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--layer", "0"], "--layer belongs to --model"),
        (["--model", "FOLDER", "--scheme", "rope", "a"], "--scheme belongs to training"),
        (["--model", "FOLDER"], "has no table of positions to draw, and no text was given"),
        (["--model", "FOLDER", "--layer", "3", "ab"], "--layer is 3, and the model has 3"),
        (["--model", "FOLDER", "--hide", "sink", "ab"], "nothing called 'sink' to hide"),
        (["--model", "FOLDER", "--tokens", "9:12", "ab"], "leaves nothing of 2 tokens"),
        (["--model", "FOLDER", "--layer", "x", "ab"], "--layer can't be 'x'"),
        (["--model", "nothing/here/at-all", "ab"], "no folder or file here"),
    ],
)
def test_mistakes_are_one_sentence(run, folder: str, arguments: list[str], words: str) -> None:
    said = run("attend", *(folder if each == "FOLDER" else each for each in arguments), "-o", "out")
    assert said.code == 2
    assert words in " ".join(said.err.split())
    assert "Traceback" not in said.err


def test_names_of_models_become_names_of_files() -> None:
    assert slug("../owner/模型 7B?") == "owner-模型-7B"
    assert slug("///") == "model"
