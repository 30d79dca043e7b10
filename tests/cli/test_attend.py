"""``clockhands attend`` trains on what is given, writes the maps by name, and goes on when stopped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clockhands import training, web
from clockhands.cli import attend as attend_command
from clockhands.cli.attend_files import write_for_page
from clockhands.cli.attend_words import summary
from clockhands.plots.picture import Picture
from clockhands.plots.recorder import record
from clockhands.training import AttendSettings

SMALL = (
    "--tokenizer",
    "chars",
    "--dim",
    "16",
    "--heads",
    "2",
    "--sentence",
    "史进打郑屠",
    "--sentence",
    "鲁提辖打镇关西",
)


def test_reconstruct_prints_the_loss_and_the_lesson_and_writes_the_maps(run, tmp_path: Path) -> None:
    said = run("attend", "--scheme", "rope", "--task", "reconstruct", "--epochs", "50", *SMALL, "-o", "out")
    assert said.code == 0
    assert re.findall(r"Epoch (\d+), Loss: \d+\.\d{6}", said.out) == ["50"]
    assert "is the embedding shrinking" in said.out
    assert "this task needs no position" in said.out
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {f"rope_attention_sentence{n}.png" for n in (1, 2)} <= written
    assert {
        "rope_attention_overview.png",
        "rope_attention.npz",
        "rope_attention.safetensors",
        "loss.png",
        "loss.csv",
    } <= written
    assert str(Path("out", "rope_attention_sentence1.png")) in said.err
    assert "it/s" not in said.err  # a bar in a log would leave each of its states


@pytest.mark.parametrize(
    ("tokenizer", "words"), [("chars", ((0, 3), (3, 5), (5, 8))), ("words", ())], ids=["chars", "words"]
)
def test_the_page_is_told_where_words_stand(tokenizer: Any, words: Any, tmp_path: Path) -> None:
    """Lu Da, who is no word of a dictionary but of ours, strikes; characters can be joined to both."""
    text, ones = "鲁提辖拳打镇关西", np.ones((1, 1, 8, 2))
    one = web.sentence(tuple(text), ones, ones, spans=[(n, n + 1) for n in range(8)], text=text)
    write_for_page(tmp_path, AttendSettings(tokenizer=tokenizer), [one])
    assert web.load_attention(tmp_path).sentences[0].words == words


def test_a_terminal_gets_a_bar(run, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    run("attend")
    assert asked["quiet"]
    monkeypatch.setattr(attend_command, "on_terminal", lambda: True)
    run("attend")
    assert not asked["quiet"]


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("next-token", "guessing the next token"),
        ("masked", "guessing masked tokens"),
        ("reconstruct", "giving back one's own embedding, which needs no position"),
    ],
)
def test_every_picture_says_what_was_trained(
    run, monkeypatch: pytest.MonkeyPatch, task: str, words: str
) -> None:
    said: dict[str, str] = {}

    def save(self: Picture, path: Path) -> Path:
        said[path.name] = " ".join(record(self).texts)
        return path

    monkeypatch.setattr(Picture, "save", save)
    assert run("attend", "--task", task, "--epochs", "1", *SMALL).code == 0
    assert {"rope_attention_sentence1.png", "rope_attention_overview.png", "loss.png"} <= set(said)
    assert [name for name, writings in said.items() if words not in writings or "RoPE" not in writings] == []


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What ``run_attend`` was called with; nothing is trained."""
    called: dict[str, Any] = {}

    def stop(settings: training.AttendSettings, out: Path, **given: Any) -> None:
        called.update(settings=settings, out=out, **given)
        raise training.Stopped("stopped after step 7 of 200, which is saved", "已在第 7 步停下，进度已保存")

    monkeypatch.setattr(training, "run_attend", stop)
    return called


def test_options_become_settings(run, asked: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "my.dict").write_text("镇关西", encoding="utf-8")
    options = (
        "--scheme rope --set base=500 --task masked --sentence 史进打郑屠 --tokenizer words --dict my.dict "
        "--no-punctuation --tokens 0:4 --chars 90 --layers 3 --heads 2 --dim 16 --epochs 5 --batch 4 "
        "--context 32 --lr 0.01 --seed 7 --device cpu -o there"
    )
    run("attend", *options.split())
    settings = asked["settings"]
    assert settings.description().rope_theta == 500
    assert (settings.task, settings.sentences, settings.tokenizer) == ("masked", ("史进打郑屠",), "words")
    assert ([entry.word for entry in settings.dictionary], settings.punctuation) == (["镇关西"], False)
    assert (settings.tokens, settings.chars) == ("0:4", "0:90")
    assert (settings.layers, settings.heads, settings.dim, settings.epochs) == (3, 2, 16, 5)
    assert (settings.batch, settings.context, settings.learning_rate, settings.seed) == (4, 32, 0.01, 7)
    assert (asked["out"], asked["device"], asked["lang"]) == (Path("there"), "cpu", "en")


def test_what_is_not_asked_is_left_to_the_settings(run, asked: dict[str, Any]) -> None:
    run("attend")
    assert asked["settings"] == training.AttendSettings()
    assert asked["out"] == Path("out")
    run("attend", "--as-printed")
    assert asked["settings"] == training.AttendSettings(as_printed=True)


def test_ctrl_c_says_how_to_go_on(run, asked: dict[str, Any]) -> None:
    said = run("attend", "-o", "out")
    assert said.code == 130
    assert "step 7" in said.err
    assert "clockhands attend --resume -o out" in said.err
    assert "第 7 步" in run("attend", "-o", "out", "--lang", "zh").err


def test_a_text_is_read_trained_on_and_held_out(run, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(("风雪山神庙。林冲提着枪，一路往草料场去。" * 20).encode("gb18030"))
    options = (
        "--task",
        "masked",
        "--scheme",
        "alibi",
        "--tokenizer",
        "chars",
        "--epochs",
        "1",
        "--layers",
        "1",
    )
    said = run("attend", *options, "--dim", "16", "--text", "t.txt", "-o", "out")
    assert said.code == 0
    assert "t.txt: read as gb18030" in said.err.lower()
    assert re.search(r"Held-out loss: \d+\.\d{4} nats a token", said.out)
    assert (tmp_path / "out" / "alibi_attention_sentence1.png").exists()


def test_several_files_may_follow_text(run, asked: dict[str, Any], tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"the text of {name}", encoding="utf-8")
    run("attend", "--text", "a.txt", "b.txt")
    assert asked["settings"].texts == ("the text of a.txt", "the text of b.txt")


def test_a_run_is_gone_on_with_or_looked_with_but_never_overwritten(run, tmp_path: Path) -> None:
    options = ("attend", "--task", "masked", "--layers", "1", *SMALL, "-o", "out", "--epochs")
    first = run(*options, "2")
    assert first.code == 0
    assert run(*options, "2").out == run("attend", "--resume", "-o", "out").out == first.out
    assert run(*options, "3").code == 2
    assert "epochs" in run("attend", "--resume", "--epochs", "3", "-o", "out").err
    seen = run("attend", "--run", "out", "--sentence", "郑屠打史进")
    assert seen.code == 0
    assert (tmp_path / "out" / "sentences" / "rope_attention_sentence1.png").exists()


def test_looking_with_a_run_takes_no_settings_of_training(run) -> None:
    for options in ((), ("--sentence", "郑屠打史进", "--epochs", "3")):
        said = run("attend", "--run", "out", *options)
        assert said.code == 2
        assert "--sentence" in said.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--heads", "128", "--dim", "256"), "128 maps (layers × heads)"),
        (("--task", "masked", "--layers", "300"), "1,200 maps (layers × heads)"),
        (("--sentence", "史进打郑屠") * 100, "400 maps (sentences × layers × heads)"),
    ],
)
def test_more_maps_than_can_be_drawn_are_refused_before_training(
    run, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    said = run("attend", "-o", "out", *options)
    assert said.code == 2
    assert words in said.err
    assert not any(tmp_path.iterdir())


def test_looking_and_going_on_are_two_things(run) -> None:
    said = run("attend", "--run", "out", "--resume", "--sentence", "郑屠打史进")
    assert said.code == 2
    assert "--resume goes on with training" in said.err


@pytest.mark.parametrize("option", ["-o", "--out", "--run", "--text", "--dict"])
def test_nothing_is_no_name(run, option: str, tmp_path: Path) -> None:
    said = run("attend", option, "", "--epochs", "1")
    assert said.code == 2
    assert "can't be ''" in said.err
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("missing", ["torch", "safetensors"])
@pytest.mark.parametrize(
    ("lang", "sentence"), [("en", "Training needs the extra 'torch'"), ("zh", "训练需要扩展包“torch”")]
)
def test_without_a_package_of_it_the_extra_is_named(
    run, monkeypatch: pytest.MonkeyPatch, lang: str, sentence: str, missing: str
) -> None:
    monkeypatch.setattr(attend_command, "find_spec", lambda name: None if name == missing else name)
    said = run("attend", "--lang", lang, "-o", "out")
    assert said.code == 2
    assert sentence in said.err


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("--scheme", "ropp"), "did you mean 'rope'"),
        (("--task", "recon"), "did you mean 'reconstruct'"),
        (("--layers", "2"), "layers is 2"),
        (("--heads", "0"), "heads is 0"),
        (("--dim", "30", "--heads", "7"), "heads must divide dim"),
        (("--text", "none.txt"), "none.txt"),
        (("--sentence", "   "), "the sentence '' has no token"),
        (("--sentence", ""), "the sentence '' has no token"),
        (("--sentence", "打"), "has 1 token to draw"),
        (("--sentence", "打", "--tokens", "5:9"), "has 0 tokens to draw"),
        (("--dim", "1000000"), "this attention layer of 4,000,000,000,000 numbers needs 16 TB"),
        (("--task", "masked", "--dim", "1000000"), "this model of 24,000"),
        (("--seed", "9223372036854775808"), "seed is 9223372036854775808"),
        (("--tokens", "9:3"), "9:3"),
        (("--tokens", "all"), "--tokens can't be 'all'"),
        (("--dict", "none.dict"), "none.dict"),
        (("--device", "tpu"), "--device can't be 'tpu'"),
        (("--resume",), "out"),
        (("--run", "nowhere", "--sentence", "史进打郑屠"), "nowhere"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    run, tmp_path: Path, arguments, answer: str
) -> None:
    said = run("attend", *arguments, "-o", "out")
    assert said.code == 2
    assert answer in said.err
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_output_folder_that_is_a_file_is_said_before_training(run, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    said = run("attend", "-o", "out")
    assert said.code == 2
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (2.0, "Held-out loss: 2.0000 nats a token (perplexity 7.4)"),
        (2838.2376, "Held-out loss: 2838.2376 nats a token"),
    ],
)
def test_a_loss_too_large_for_a_perplexity_is_said_in_nats(loss: float, said: str) -> None:
    result = training.Result(training.AttendSettings(), (), (), (), (), loss, None, (), None)
    assert [line.en for line in summary(result)] == [said]
