"""A run from text to maps, kept in a folder, gone on with, and used again."""

import json
import os
import signal
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import pytest
import torch

from clockhands.analysis import export
from clockhands.catalogue import SCHEMES, OwnFrequencies
from clockhands.catalogue.description import Description
from clockhands.catalogue.rope import RoPE
from clockhands.errors import ClockhandsError
from clockhands.schemes import build
from clockhands.training import Stopped, attend, attend_with, resume_attend, run_attend
from clockhands.training.device import device_of
from clockhands.training.loop import train
from clockhands.training.run_folder import RunFolder

TEXT = "史进看见鲁达，鲁达看见史进，史进打郑屠，郑屠打不过鲁达。"


def ran(settings, out=None):
    return run_attend(settings, out, quiet=True)


@pytest.mark.parametrize("task", ["next-token", "masked", "reconstruct"])
@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if scheme != "tagged"])
def test_every_task_with_every_scheme(tiny, task, scheme):
    sizes = {"dim": 16, "epochs": 2}  # one-hot has a position for each dimension
    settings = tiny(task=task, scheme=scheme, sentences=("史进打鲁达", "王进"), **sizes)
    result = ran(settings)
    assert [one.values.shape for one in result.attention] == (
        [(1, 2, 6, 6), (1, 2, 3, 3)] if task == "next-token" else [(1, 2, 5, 5), (1, 2, 2, 2)]
    )
    for one in result.attention:
        total = one.values.sum(-1)
        if not build(scheme).overrides("weigh"):  # no softmax, no promise
            np.testing.assert_allclose(total, 1, rtol=1e-5)
        assert total.max() <= 1 + 1e-5
    first = result.attention[0]
    labels = ["<bos>", *"史进打鲁达"] if task == "next-token" else list("史进打鲁达")
    assert first.axes[2].values.tolist() == first.axes[3].values.tolist() == labels
    assert (result.held_out is None) == (task == "reconstruct")
    assert [curve.id for curve in result.curves] == (
        ["loss"] if task == "reconstruct" else ["loss", "held_out"]
    )
    assert (result.lesson is None) == (task != "reconstruct")


def test_a_decoder_looks_back_only_and_an_encoder_everywhere(tiny):
    causal = ran(tiny(task="next-token")).attention[0].values
    assert (np.triu(causal[0, 0], 1) == 0).all()
    assert (np.triu(ran(tiny(task="masked")).attention[0].values[0, 0], 1)[:-1].sum(-1) > 0).all()


SPEECH = {"tokenizer": "words", "texts": ("鲁提辖在渭州打死了郑屠。史进看见了。",), "epochs": 1}


def test_parts_of_speech_pace_the_positions(tiny):
    paced, even = (
        ran(tiny(scheme="tagged", parameters={"sensitivity": {"v": step}}, **SPEECH)).attention[0].values
        for step in (3.0, 1.0)
    )
    assert np.abs(paced - even).max() > 1e-6


@final
@dataclass(frozen=True, kw_only=True)
class NounClock(Description):
    """A scheme of a third party: hands that move at nouns only."""

    head_dim: int = 4
    card = replace(RoPE.card, id="noun-clock")

    def inv_freq(self):
        return np.array([1.0, 0.1])

    @property
    def kinds(self):
        return ("n", "other")

    def positions_of(self, kinds):
        return np.cumsum(kinds == 0, axis=-1)


@pytest.mark.parametrize("task", ["next-token", "masked", "reconstruct"])
def test_a_content_scheme_of_a_third_party_is_trained(tiny, task, monkeypatch):
    kinds = []
    positions_of = NounClock.positions_of
    monkeypatch.setattr(NounClock, "positions_of", lambda self, k: kinds.append(k) or positions_of(self, k))
    speech = SPEECH | {"sentences": ("鲁提辖打死郑屠",)}
    attention = ran(tiny(task=task, scheme=NounClock(), **speech)).attention[0]
    np.testing.assert_allclose(attention.values.sum(-1), 1, rtol=1e-5)
    assert {0, 1} <= {int(kind) for batch in kinds for kind in batch.flat} <= {-1, 0, 1}
    plain = ran(tiny(task=task, scheme=OwnFrequencies([1.0, 0.1]), **speech)).attention[0]
    assert np.abs(attention.values - plain.values).max() > 1e-6


def test_a_run_of_a_third_party_is_gone_on_with_by_those_who_have_its_scheme(tiny, tmp_path):
    settings = tiny(scheme=NounClock(), **SPEECH)
    first, again = ran(settings, tmp_path), ran(settings, tmp_path)
    assert (first.attention[0].values == again.attention[0].values).all()
    with pytest.raises(
        ClockhandsError, match="'noun-clock', is not in the catalogue: ask run_attend for the"
    ):
        resume_attend(tmp_path, quiet=True)


@pytest.mark.parametrize("task", ["next-token", "reconstruct"])
def test_parts_of_speech_in_the_other_tasks(tiny, task):
    attention = ran(tiny(task=task, scheme="tagged", **SPEECH)).attention[0]
    np.testing.assert_allclose(attention.values.sum(-1), 1, rtol=1e-5)


def test_maps_go_to_files_and_back(tiny, tmp_path):
    first = ran(tiny()).attention[0]
    for ending in ("npz", "csv"):
        (back,) = export.load(export.save(tmp_path / f"a.{ending}", first))
        assert back.values.tolist() == first.values.tolist()
        assert back.axes[3].values.tolist() == first.axes[3].values.tolist()


def test_the_result_names_all_sizes(tiny):
    settings = ran(tiny(task="masked", dim=None, layers=None, epochs=2)).settings
    assert (settings.dim, settings.layers, settings.learning_rate, settings.epochs) == (64, 2, 3e-3, 2)


def test_the_share_of_unknown_words_is_said(tiny):
    notes = ran(tiny(texts=("一二三四五六七八甲乙",), held_out=0.4, epochs=1)).notes
    assert [note.en for note in notes] == [
        "4 tokens are held out; 100% of them are unknown words, left out of the loss"
    ]


def test_a_run_that_diverges_is_said(tiny):
    (note,) = ran(tiny(task="reconstruct", learning_rate=10.0, epochs=20)).notes
    assert note.en.startswith("nothing was learned: the loss rose from")
    assert "请降低学习率" in note.zh
    assert ran(tiny(task="reconstruct", learning_rate=0.01, epochs=20)).notes == ()


def test_quiet_is_quiet(tiny, capsys):
    ran(tiny(task="reconstruct", epochs=1))
    assert capsys.readouterr() == ("", "")


def test_files_of_a_run(tiny, tmp_path):
    out = tmp_path / "deep" / "run"
    result = ran(tiny(), out)
    assert result.folder == out
    names = {path.name for path in out.iterdir()}
    assert names >= {"config.json", "vocabulary.json", "weights.safetensors", "metrics.jsonl"}
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert lines[0].keys() == {"step", "held_out"}
    assert [line["loss"] for line in lines if "loss" in line] == result.curves[0].values.tolist()


def test_a_finished_run_resumed_says_the_same(tiny, tmp_path):
    first = ran(tiny(task="next-token", scheme="learned"), tmp_path)
    again = resume_attend(tmp_path, quiet=True)
    for one, other in zip(first.attention, again.attention, strict=True):
        assert (one.values == other.values).all()
        assert one.axes[2].values.tolist() == other.axes[2].values.tolist()
    assert again.curves[0].values.tolist() == first.curves[0].values.tolist()
    assert again.settings.description() == first.settings.description()


def test_a_run_without_a_state_begins_anew(tiny, tmp_path):
    first = ran(tiny(), tmp_path)
    for file in tmp_path.glob("*.safetensors"):
        if file.name != "corpus.safetensors":
            file.unlink()
    assert (resume_attend(tmp_path, quiet=True).attention[0].values == first.attention[0].values).all()


def test_a_run_in_tags_is_resumed_with_its_tags(tiny, tmp_path):
    settings = tiny(
        scheme="tagged", tokenizer="words", texts=("鲁提辖在渭州打死了郑屠。史进看见了。",), epochs=2
    )
    first = ran(settings, tmp_path)
    for file in tmp_path.glob("state-*"):
        file.unlink()
    assert (resume_attend(tmp_path, quiet=True).attention[0].values == first.attention[0].values).all()


def test_another_run_in_one_folder_is_refused(tiny, tmp_path):
    ran(tiny(epochs=1), tmp_path)
    before = (tmp_path / "weights.safetensors").read_bytes()
    for other in (tiny(epochs=2), tiny(epochs=1, scheme="alibi"), tiny(epochs=1, texts=("一二三四",))):
        with pytest.raises(ClockhandsError, match="holds a run with other settings"):
            ran(other, tmp_path)
    assert (tmp_path / "weights.safetensors").read_bytes() == before


def test_the_same_run_asked_for_again_is_gone_on_with(tiny, tmp_path):
    first, again = ran(tiny(), tmp_path), ran(tiny(), tmp_path)
    assert (first.attention[0].values == again.attention[0].values).all()
    assert "holds a run with the same settings" in again.notes[0].en


def test_a_folder_where_nothing_was_trained_is_free(tiny, tmp_path):
    """The first step fails here: the learned table has too few rows."""
    with pytest.raises(ClockhandsError, match="outside the table of rows 0 to 3"):
        ran(tiny(scheme="learned", parameters={"max_positions": 4}), tmp_path)
    assert ran(tiny(), tmp_path).attention


def test_changed_settings_are_named(tiny, tmp_path):
    settings = tiny(epochs=1)
    ran(settings, tmp_path)
    same = {"epochs": 1, "seed": 0, "texts": settings.texts, "scheme": "rope", "tokenizer": "chars"}
    resume_attend(tmp_path, same, quiet=True)
    changes = {"epochs": 2, "seed": 5, "texts": ("一二三",), "parameters": {"rope_theta": 9.0}}
    with pytest.raises(
        ClockhandsError, match="other settings of epochs, seed, texts, scheme: leave them out"
    ):
        resume_attend(tmp_path, same | changes, quiet=True)
    with pytest.raises(ClockhandsError, match="other settings of scheme"):
        resume_attend(tmp_path, {"scheme": "alibi"}, quiet=True)


def test_new_sentences_with_a_finished_run(tiny, tmp_path):
    result = ran(tiny(task="next-token", sentences=("鲁达打郑屠",)), tmp_path)
    drawing = attend_with(tmp_path, ("鲁达打郑屠", "李逵打史进"))
    assert (drawing.attention[0].values == result.attention[0].values).all()
    assert drawing.attention[1].axes[3].values.tolist() == ["<bos>", *"李逵打史进"]
    assert [note.en for note in drawing.notes] == ["the run does not know 李, 逵: read as <unk>"]
    assert attend_with(tmp_path, ("李逵打史进",), tokens="2:5").notes == ()
    (note,) = attend_with(tmp_path, ("一二三四五六七八九十",)).notes
    assert note.en == "the run does not know 一, 二, 三, 四, 五, 六, 七, 八, 九, 十: read as <unk>"
    (note,) = attend_with(tmp_path, ("一二三四五六七八九十百\u202e",)).notes
    assert note.en == "the run does not know 一, 二, 三, 四, 五, 六, 七, 八, 九, 十 and 2 more: read as <unk>"


def test_unknown_words_look_alike(tiny, tmp_path):
    ran(tiny(), tmp_path)
    one, other = (attend_with(tmp_path, (text,)).attention[0].values for text in ("甲打史进", "乙打史进"))
    assert (one == other).all()


def test_as_printed_a_new_sentence_is_padded_as_in_training(tiny, tmp_path):
    settings = tiny(task="reconstruct", as_printed=True, texts=(), sentences=("史进看见鲁达打郑屠", "史进打"))
    result = ran(settings, tmp_path)
    drawing = attend_with(tmp_path, ("史进打",))
    np.testing.assert_allclose(drawing.attention[0].values, result.attention[1].values, rtol=1e-5)
    assert drawing.attention[0].values.sum(-1).max() < 1


def test_only_a_finished_run_can_be_used(tiny, tmp_path):
    ran(tiny(), tmp_path)
    (tmp_path / "weights.safetensors").unlink()
    with pytest.raises(ClockhandsError, match="go on with --resume"):
        attend_with(tmp_path, ("史进打",))
    with pytest.raises(ClockhandsError, match="holds no run"):
        attend_with(tmp_path / "nowhere", ("史进打",))


def edited(change):
    def edit(folder):
        about = json.loads(folder.config.read_text())
        folder.config.write_text(json.dumps(change(about)))

    return edit


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda folder: folder.config.unlink(), "holds no run"),
        (lambda folder: folder.config.write_text("{"), r"config\.json is missing or damaged"),
        (edited(lambda about: [about]), r"config\.json is missing or damaged"),
        (edited(lambda about: about | {"format": "x"}), r"config\.json is missing or damaged"),
        (edited(lambda about: about | {"version": 9}), "version 9, and this program reads 1"),
        (
            edited(lambda about: about | {"settings": {"task": "masked"}}),
            r"config\.json is missing or damaged",
        ),
        (edited(lambda about: about | {"settings": about["settings"] | {"dim": -1}}), "damaged"),
        (lambda folder: folder.vocabulary.unlink(), "vocabulary"),
        (lambda folder: folder.corpus.write_bytes(b"no"), r"corpus\.safetensors is missing or damaged"),
        (
            lambda folder: folder.sentences.write_text('[{"text": 1}]'),
            r"sentences\.json is missing or damaged",
        ),
    ],
)
def test_a_broken_folder_is_said(tiny, tmp_path, harm, message):
    ran(tiny(epochs=1), tmp_path)
    harm(RunFolder(tmp_path))
    with pytest.raises(ClockhandsError, match=message):
        resume_attend(tmp_path, quiet=True)


def test_a_place_that_can_not_be_written_is_said_before_training(tiny, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for place in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(ClockhandsError, match="can't be written"):
            ran(tiny(), place)
    assert (tmp_path / "file").read_text() == "in the way"


def test_devices_that_are_not_here():
    with pytest.raises(ClockhandsError, match="one of cpu, cuda, mps: choose one"):
        device_of("gpu")
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    for name in (name for name, is_there in there.items() if not is_there):
        with pytest.raises(ClockhandsError, match="use --device cpu"):
            device_of(name)


def test_a_stopped_run_goes_on(tiny, tmp_path, monkeypatch):
    whole = ran(tiny(), tmp_path / "whole")

    def press(done):
        if done == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(attend, "train", lambda *args, **options: train(*args, **options, after_step=press))
        with pytest.raises(Stopped):
            ran(tiny(), tmp_path / "stopped")
    assert not (tmp_path / "stopped" / "weights.safetensors").exists()
    again = resume_attend(tmp_path / "stopped", quiet=True)
    assert (again.attention[0].values == whole.attention[0].values).all()
