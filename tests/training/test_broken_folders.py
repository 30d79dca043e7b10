"""A run folder that something else has written to: one sentence that names the file, whatever is in it."""

import json

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save

from clockhands.errors import ClockhandsError
from clockhands.training import attend_with, resume_attend, run_attend
from clockhands.training.checkpoint import _checksum
from clockhands.training.run_folder import RunFolder
from clockhands.writing import written_aside

ODD = (
    None, True, -1, 0, 5, 0.5, 1e300, 10**40, "", "x", [], ["x"], [5], [[1, 2, 3]], [["", 1, "n"]], {},
    {"id": 5}, {"id": "rope", "head_dim": "x"}, {"id": "own-bias"},
)  # fmt: skip
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture
def finished(tiny, tmp_path):
    run_attend(tiny(epochs=1), tmp_path, quiet=True, save_every=3600)  # one state, at the end
    return RunFolder(tmp_path)


def uses(folder):
    """Both ways to use a finished run."""
    return (lambda: resume_attend(folder.path, quiet=True), lambda: attend_with(folder.path, ("史进打鲁达",)))


def refused(folder, file):
    """Both ways end in one sentence that names the file; attending new sentences needs no state."""
    for use in uses(folder)[: 1 if file.name.startswith(("state", "sentences")) else 2]:
        with pytest.raises(ClockhandsError, match="damaged") as caught:
            use()
        for sentence in caught.value.text:
            assert file.name in sentence
            assert "\n" not in sentence


def rewritten(file, change, about=None):
    """A safetensors file with other tensors, its checksum right."""
    with safe_open(str(file), framework="pt") as opened:
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 (not a mapping)
        metadata = dict(opened.metadata() or {})
    change(tensors)
    if "checksum" in metadata:
        metadata["checksum"] = str(_checksum(tensors))
    file.write_bytes(save(tensors, metadata=metadata | (about or {})))


def complaint(use):
    """The sentence in which ``use`` ends, None if it ends well."""
    try:
        use()
    except ClockhandsError as error:
        return error.text.en
    return None


def test_every_setting_may_hold_anything(finished):
    """Whatever stands in ``config.json``: the run goes on, or one sentence says what is wrong."""
    whole = json.loads(finished.config.read_text())
    said = []
    for name in whole["settings"]:
        for value in ODD:
            finished.config.write_text(json.dumps(whole | {"settings": whole["settings"] | {name: value}}))
            said.append(complaint(finished.settings))
    assert {f"{finished.config} is missing or damaged: train again in a new folder"} == set(said) - {None}
    assert len(said) - said.count(None) > 15 * len(whole["settings"])


@pytest.mark.parametrize(
    ("name", "value"),
    [("tokens", 5), ("chars", 7), ("lang", 5), ("dictionary", [[1, 2, 3]]), ("sentences", "ab"), ("dim", 7)],
)
def test_a_setting_of_the_wrong_type_is_said(finished, name, value):
    about = json.loads(finished.config.read_text())
    about["settings"][name] = value
    finished.config.write_text(json.dumps(about))
    refused(finished, finished.config)


@pytest.mark.parametrize("name", ["config", "vocabulary", "sentences"])
@pytest.mark.parametrize(
    "content", [DEEP, "", "[", "{}", "[]", "null", "5", '"x"', "9" * 5000, "é", '[{"a": 1}]']
)
def test_a_file_that_is_no_such_json_is_said(finished, name, content):
    file = getattr(finished, name)
    file.write_text(content, encoding="utf-8")
    refused(finished, file)


@pytest.mark.parametrize(
    "sentence",
    [
        {"text": "ab", "tokens": []},
        {"text": "ab", "tokens": [["a", 0, 1, "", ""]]},
        {"text": "ab", "tokens": [[5, 0, 1, "", ""], ["b", 1, 2, "", ""]]},
        {"text": "ab", "tokens": [["a", 0, 1, "", ""], ["b", 1, 2, "", 7]]},
        {"text": "ab", "tokens": [["a", 0, 1, "", ""], ["b", 1, 3, "", ""]]},
        {"text": "ab", "tokens": [["a", 0, 1, "", ""], ["b", 1]]},
        {"text": "ab", "tokens": ["ab", "cd"]},
        {"text": 5, "tokens": [["a", 0, 1, "", ""], ["b", 1, 2, "", ""]]},
        {"text": "ab" * 600, "tokens": [["a", 0, 1, "", ""]] * 600},
        ["text", "tokens"],
    ],
)
def test_a_sentence_that_can_not_be_drawn_is_said(finished, sentence):
    finished.sentences.write_text(json.dumps([sentence]))
    refused(finished, finished.sentences)


def put(name, value):
    return lambda tensors: tensors.update({name: torch.as_tensor(value)})


@pytest.mark.parametrize(
    "change",
    [
        lambda tensors: tensors["ids"].__setitem__(0, 10**6),
        lambda tensors: tensors["ids"].__setitem__(0, -1),
        lambda tensors: tensors.update(ids=tensors["ids"].double()),
        lambda tensors: tensors.update(ids=tensors["ids"][None]),
        lambda tensors: tensors.update(kinds=torch.zeros_like(tensors["ids"])),
        lambda tensors: tensors.pop("kinds"),
        lambda tensors: tensors["lengths"].__setitem__(0, 10**18),
        lambda tensors: tensors["lengths"].__setitem__(0, 0),
        lambda tensors: tensors["lengths"].__setitem__(0, -3),
        put("lengths", np.array([], dtype=np.int64)),
        put("train", [2, 2]),
        put("train", 2.0),
        put("train", 0),
        put("train", 99),
    ],
)
def test_a_corpus_that_does_not_hang_together_is_said(finished, change):
    rewritten(finished.corpus, change)
    refused(finished, finished.corpus)


def test_kinds_of_words_past_the_last_are_said(tiny, tmp_path):
    text = "鲁提辖在渭州打死了郑屠。史进看见了。"
    run_attend(tiny(scheme="tagged", tokenizer="words", texts=(text,), epochs=1), tmp_path, quiet=True)
    folder = RunFolder(tmp_path)
    for change in (lambda t: t["kinds"].__setitem__(0, 99), put("kinds", np.zeros(0, dtype=np.int64))):
        rewritten(folder.corpus, change)
        refused(folder, folder.corpus)


@pytest.mark.parametrize(
    ("change", "about"),
    [
        (lambda tensors: None, {"step": "abc"}),
        (lambda tensors: None, {"step": "9" * 5000}),
        (lambda tensors: None, {"step": "٣"}),
        (lambda tensors: None, {"step": "9999"}),
        (lambda tensors: None, {"step": "1"}),
        (put("other/x", 1.0), {}),
        (put("optimizer/x/y", 1.0), {}),
        (put("optimizer/99/step", 1.0), {}),
        (put("optimizer/0/other", 1.0), {}),
        (put("optimizer/0/exp_avg", 1.0), {}),
        (put("optimizer/0/step", float("nan")), {}),
        (lambda tensors: tensors.pop("optimizer/0/exp_avg"), {}),
        (put("history/loss", [1.0, 2.0]), {}),
        (put("history/loss", [[1.0, 2.0, 3.0]]), {}),
        (put("history/other", [[1.0, 2.0]]), {}),
        (put("history/held_out", [[99.0, 2.0]]), {}),
        (lambda tensors: tensors.pop("history/loss"), {}),
        (lambda tensors: tensors.update({"history/loss": tensors["history/loss"].flip(0)}), {}),
    ],
)
def test_a_state_that_is_none_is_said(finished, change, about):
    for file in finished.path.glob("state-*"):
        rewritten(file, change, about)
        refused(finished, file)
        file.unlink()
    resume_attend(finished.path, quiet=True)  # without a state it begins anew


def test_of_two_states_the_one_that_hangs_together_counts(tiny, tmp_path):
    whole = run_attend(tiny(), tmp_path, quiet=True, save_every=0)
    newest = max(tmp_path.glob("state-*"), key=lambda file: file.stat().st_mtime_ns)
    rewritten(newest, put("optimizer/x/y", 1.0))
    again = resume_attend(tmp_path, quiet=True)
    assert again.curves[0].values.tolist() == whole.curves[0].values.tolist()
    assert (again.attention[0].values == whole.attention[0].values).all()


def test_weights_of_another_type_or_no_numbers_are_said(finished):
    for change in (
        lambda tensors: tensors["norm.bias"].fill_(float("nan")),
        lambda tensors: tensors.update({"norm.bias": torch.zeros(8, dtype=torch.int64)}),
        lambda tensors: tensors.pop("norm.bias"),
    ):
        rewritten(finished.weights, change)
        with pytest.raises(ClockhandsError, match=r"weights\.safetensors is missing, damaged or of another"):
            attend_with(finished.path, ("史进打鲁达",))


@pytest.mark.parametrize(
    "name",
    [
        *("config.json", "vocabulary.json", "corpus.safetensors", "sentences.json"),
        *("weights.safetensors", "metrics.jsonl", "state-0.safetensors", "state-1.safetensors"),
    ],
)
@pytest.mark.parametrize("content", ['{"model_type": "llama"}', "[", ""])
def test_files_that_are_no_runs_are_never_replaced(tiny, tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(ClockhandsError, match=r"belongs to no run: give another folder|damaged") as caught:
        run_attend(tiny(), tmp_path, quiet=True)
    assert name in caught.value.text.zh
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == content


def test_states_without_their_run_are_not_gone_on_with(tiny, finished):
    finished.config.unlink()
    before = {path: path.read_bytes() for path in finished.path.iterdir()}
    with pytest.raises(ClockhandsError, match="belongs to no run"):
        run_attend(tiny(epochs=1, seed=5), finished.path, quiet=True)
    assert {path: path.read_bytes() for path in finished.path.iterdir()} == before


class Killed(BaseException):
    """What nothing catches."""


def killing_after(files):
    """Stands for ``written_aside``: after so many files nothing more is written."""
    left = iter(range(files))

    def write(path, **how):
        if next(left, None) is None:
            raise Killed
        return written_aside(path, **how)

    return write


@pytest.mark.parametrize("files", [1, 2, 3, 4])
def test_a_run_killed_as_it_begins_never_mixes_with_the_one_before(tiny, tmp_path, monkeypatch, files):
    """Neither run had a state yet; ``--resume`` takes neither, and the second can be asked for again."""

    def run(settings, files):
        writing = killing_after(files)
        with monkeypatch.context() as patch:
            for module in ("training.run_folder", "training.checkpoint", "text.vocabulary"):
                patch.setattr(f"clockhands.{module}.written_aside", writing)
            with pytest.raises(Killed):
                run_attend(settings, tmp_path / "killed", quiet=True)

    second = tiny(texts=("甲乙丙丁戊己庚辛" * 5,), seed=5)
    run(tiny(), 5)
    assert RunFolder(tmp_path / "killed").settings().seed == 0
    run(second, files)
    with pytest.raises(ClockhandsError, match="stopped before it began"):
        resume_attend(tmp_path / "killed", quiet=True)
    for folder in ("killed", "whole"):
        run_attend(second, tmp_path / folder, quiet=True)
    weights = [(tmp_path / folder / "weights.safetensors").read_bytes() for folder in ("killed", "whole")]
    assert weights[0] == weights[1]


def test_what_killed_writes_left_is_swept_away(tiny, finished):
    for file in (finished.weights, finished.vocabulary, finished.path / "state-0.safetensors"):
        (finished.path / f".{file.stem}-abcdefgh{file.suffix}").write_bytes(b"half")
    (finished.path / "state-of-mind.txt").write_text("not ours")
    resume_attend(finished.path, quiet=True)
    assert {path.name for path in finished.path.iterdir() if path.name.startswith(".")} == {".lock"}
    assert (finished.path / "state-of-mind.txt").exists()
