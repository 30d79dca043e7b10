"""The recipe of a small model past its length: carried out small, gone on with; verdicts of made-up seeds."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clockhands import extend
from clockhands.errors import ClockhandsError
from clockhands.training.loop import Stopped
from recipes import extending, writing_extending

TEXT = "话说大宋仁宗天子在位，嘉祐三年三月三日五更三点，天子驾坐紫宸殿，受百官朝贺。" * 220


@pytest.fixture(params=extending.PLANS.values(), ids=list(extending.PLANS))
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> extending.Plan:
    """One seed, two lengths, three steps and two more."""
    for name, value in {
        "SEEDS": 1, "STEPS": 3, "BATCH": 2, "LONG_BATCH": 1, "STRETCHES": 1, "SLIDES": 1,
        "TO": 256, "MULTIPLES": (1, 2),
    }.items():  # fmt: skip
        monkeypatch.setattr(extending, name, value)
        if hasattr(writing_extending, name):
            monkeypatch.setattr(writing_extending, name, value)
    near = tuple(
        replace(one, first=_near(one.first), second=_near(one.second)) for one in request.param.hypotheses
    )
    return replace(request.param, more_steps=2, hypotheses=near)


def _near(side: tuple[str, int]) -> tuple[str, int]:
    return (side[0], min(2, side[1]))


def test_it_is_carried_out_gone_on_with_and_written(
    small: extending.Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, docs, first = tmp_path / "results", tmp_path / "docs", f"seed-{small.first_seed}"
    writing_extending.write(folder, docs, small)
    assert "Nothing has been run yet." in (docs / f"{small.name}.md").read_text(encoding="utf-8")
    with pytest.raises(Stopped):
        extending.carry_out(TEXT, folder, small, minutes=0)
    assert (folder / "running" / first / "base").is_dir()
    promised = json.loads((folder / "preregistration.json").read_bytes())
    assert [one["id"] for one in promised["design"]["hypotheses"]] == [one.id for one in small.hypotheses]
    extending.carry_out(TEXT, folder, small)
    assert not (folder / "running" / first).exists()
    seed = json.loads((folder / f"{first}.json").read_bytes())
    who = (*small.methods, extending.TUNED, extending.CONTROL)
    assert set(seed["losses"]) == set(who)
    assert all(set(seed["losses"][each]) == {"128", "256"} for each in who)
    assert seed["losses"][extending.TUNED] != seed["losses"]["linear"]
    if "dynamic" in small.methods:
        assert seed["losses"]["dynamic"]["128"] == seed["losses"]["as-given"]["128"]
    pages = writing_extending.write(folder, docs, small)
    english, chinese = (path.read_text(encoding="utf-8") for path in pages)
    for page in (english, chinese):
        for method in small.methods[1:]:
            assert f"| `{method}` | {seed['losses'][method]['128'][0]:.3f} (" in page
    assert "1 of 1 seeds finished" in english
    assert "then 2 more of as many characters" in english
    monkeypatch.setattr(extending, "_seed", None)  # nothing is left to do
    extending.carry_out(TEXT, folder, small)
    with pytest.raises(ClockhandsError, match="results of another design or text"):
        extending.carry_out(TEXT + "完", folder, small)


def test_the_first_plan_tries_every_method() -> None:
    assert extending.FIRST.methods == ("as-given", *extend.IDS)


def test_the_tuned_model_starts_from_the_base_with_slower_hands(small: extending.Plan) -> None:
    task = extending.Characters(128, TEXT, (1, 2))
    base = extending._model(task, 0)
    keys = extending._linear(base)
    assert keys["rope_parameters"]["factor"] == extending.TO / 128
    tuned = extending._model(task, 0, keys)
    slower = base.model.rotary_emb.inv_freq / tuned.model.rotary_emb.inv_freq
    assert slower.tolist() == pytest.approx([2.0] * 8)


def seeds(tmp_path: Path, losses: dict[tuple[str, int], float], count: int = 8) -> str:
    """Files of made-up seeds, each a little off; the page that is written of them."""
    every = (*extending.ZERO_SHOT, extending.TUNED, extending.CONTROL)
    shutil.rmtree(tmp_path / "results", ignore_errors=True)
    (tmp_path / "results").mkdir()
    lengths = {str(128 * times): times for times in (1, 2, 4, 8)}
    for seed in range(count):
        off = 0.001 * (seed % 3)
        told: dict[str, Any] = {
            "seed": seed, "seconds": 60.0, "parameters": 1, "versions": {"torch": "0"},
            "losses": {
                who: {
                    length: [losses.get((who, times), 4.0) + off * times, 4.0]
                    for length, times in lengths.items()
                }
                for who in every
            },
        }  # fmt: skip
        (tmp_path / "results" / f"seed-{seed}.json").write_text(json.dumps(told))
    about = {"written": "2026-01-01T00:00:00", "design": extending.design()}
    (tmp_path / "results" / "preregistration.json").write_text(json.dumps(about))
    page, _ = writing_extending.write(tmp_path / "results", tmp_path / "docs")
    return page.read_text(encoding="utf-8")


def outcomes(page: str) -> list[str]:
    rows = [
        line
        for line in page.split("## Hypotheses")[1].split("## The same")[0].splitlines()
        if line[:2] == "| "
    ]
    return [row.split(" | ")[-1].removesuffix(" |") for row in rows[2:]]


def test_outcomes_follow_the_seeds(tmp_path: Path) -> None:
    as_published = {
        ("as-given", 8): 6.0, ("linear", 8): 5.0, ("ntk", 8): 4.5, ("yarn", 8): 4.4,
        (extending.TUNED, 8): 3.9, (extending.CONTROL, 1): 3.9,
    }  # fmt: skip
    page = seeds(tmp_path, as_published)
    assert outcomes(page) == ["supported"] * 5
    assert "| +2.006 [" in page  # 7 times a mean of 0.000875
    assert outcomes(seeds(tmp_path, as_published, count=7)) == ["not finished"] * 5
    otherwise = {**as_published, ("as-given", 8): 4.1, ("linear", 8): 4.0, (extending.TUNED, 8): 4.39}
    # Linear better than both; the tuned one far off the control, and no better than YaRN by much.
    assert outcomes(seeds(tmp_path, otherwise)) == ["contradicted"] * 4 + ["supported"]
    alike = dict.fromkeys(as_published, 4.0)
    assert outcomes(seeds(tmp_path, alike))[1:3] == ["open", "open"]
