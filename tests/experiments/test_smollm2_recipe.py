"""The recipe of SmolLM2 past its length: carried out with a tiny model instead; verdicts of made-up runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.real import Loaded
from clockhands.training.loop import Stopped
from recipes import smollm2, writing_smollm2

sys.path.insert(0, str(Path(__file__).parents[1] / "real"))

TEXT = "话说大宋仁宗天子在位，嘉祐三年三月三日五更三点。" * 20


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of 128 tokens, read to 256."""
    from families import bytes_tokenizer, tiny

    def load(name: str, **_: Any) -> Loaded:
        assert name == "smollm2"
        return Loaded(tiny("llama").eval(), bytes_tokenizer(), "tiny", "gguf", 1)

    monkeypatch.setattr(smollm2, "load", load)
    for module in (smollm2, writing_smollm2):
        monkeypatch.setattr(module, "TRAINED", 128)
        monkeypatch.setattr(module, "TO", 256)
    near = {smollm2.TRAINED: 128, 8192: 128, 16384: 256}
    monkeypatch.setattr(smollm2, "HYPOTHESES", tuple(
        smollm2.Expected(one.id, one.says, (one.first[0], near[one.first[1]]),
                         (one.second[0], near[one.second[1]]), one.bound)
        for one in smollm2.HYPOTHESES
    ))  # fmt: skip


def test_it_is_carried_out_gone_on_with_and_written(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, docs = tmp_path / "results", tmp_path / "docs"
    writing_smollm2.write(folder, docs)
    assert "Nothing has been run yet." in (docs / "smollm2.md").read_text(encoding="utf-8")
    with pytest.raises(Stopped):
        smollm2.carry_out(TEXT, folder, minutes=0)
    promised = json.loads((folder / "preregistration.json").read_bytes())
    assert [one["id"] for one in promised["design"]["hypotheses"]] == [
        "given-collapses", "linear-worse-than-ntk", "linear-worse-than-dynamic", "linear-worse-than-yarn",
    ]  # fmt: skip
    said: list[str] = []
    smollm2.carry_out(TEXT, folder, say=lambda text: said.append(text.en))
    assert sum("12 windows are left" in each for each in said) == 2
    assert sorted(path.name for path in folder.glob("*.json")) == [
        "chinese.json", "english.json", "preregistration.json",
    ]  # fmt: skip
    assert not list((folder / "running").iterdir())
    told = json.loads((folder / "chinese.json").read_bytes())
    assert tuple(told["losses"]) == smollm2.METHODS
    same = {name: np.array(each["256"]["same"]) for name, each in told["losses"].items()}
    assert all(each.shape == (16,) for each in same.values())
    assert told["losses"]["dynamic"]["128"] == told["losses"]["as-given"]["128"]
    pages = [path.read_text(encoding="utf-8") for path in writing_smollm2.write(folder, docs)]
    rise = (same["yarn"] - np.array(told["losses"]["as-given"]["128"]["same"])).mean()
    for page in pages:
        assert "| `yarn` | " in page
        assert f" | {rise:+.3f} ±" in page
    assert "2 of 2 texts read" in pages[0]
    monkeypatch.setattr(smollm2, "_read", None)  # nothing is left to do
    smollm2.carry_out(TEXT, folder)
    with pytest.raises(ClockhandsError, match="another design or text"):
        smollm2.carry_out(TEXT + "完", folder)


@pytest.mark.parametrize(
    ("gap", "p", "said"),
    [(0.2, 0.001, "supported"), (-0.2, 0.001, "contradicted"), (0.2, 0.2, "open"), (0.0, 0.001, "open")],
)
def test_outcomes(gap: float, p: float, said: str) -> None:
    runs = gap + np.tile([0.05, -0.05], 8)
    assert writing_smollm2.outcome(runs, p).en == said
    assert writing_smollm2.outcome(None, p).en == "open"


def test_the_bound_is_taken_off_and_missing_methods_are_said() -> None:
    losses = {"as-given": {"8192": {"same": [2.0, 2.5]}, "16384": {"same": [3.5, 3.0]}}}
    first = smollm2.design()["hypotheses"][0]
    assert writing_smollm2._gap({"losses": losses}, first).tolist() == [0.5, -0.5]
    assert writing_smollm2._gap({"losses": losses}, smollm2.design()["hypotheses"][1]) is None


def test_the_english_text_is_long_enough_and_english() -> None:
    text = smollm2.english()
    assert len(text) == smollm2.LETTERS
    assert sum(not each.isascii() for each in text) < 0.01 * len(text)
