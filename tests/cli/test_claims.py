"""``clockhands claims`` in three forms, two languages, and pictures."""

from __future__ import annotations

import json
from pathlib import Path

from clockhands.claims import CLAIMS

SOME = ("similarity-decays", "alibi-window", "ntk-ends")


def test_every_claim_is_printed_with_its_verdict(run) -> None:
    said = run("claims")
    assert said.code == 0
    heads = [line for line in said.out.splitlines() if line and not line.startswith(" ")]
    assert [head.split(":")[0] for head in heads[:-1]] == [claim.id for claim in CLAIMS]
    assert heads[-1].startswith(f"claims: {len(CLAIMS)}; 4 true, ")
    assert "First rise at distance 4 / 11 / 43" in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_claims_by_name_in_chinese(run) -> None:
    said = run("claims", *SOME, "--lang", "zh").out
    assert "similarity-decays：不成立" in said
    assert "alibi-window：仅在内容几乎不改变得分时成立" in said
    assert "共 3 条说法：1 条成立，1 条不成立，1 条仅在一定条件下成立" in said


def test_json_holds_verdicts_numbers_and_both_languages(run) -> None:
    records = json.loads(run("claims", "--format", "json", *SOME).out)
    assert [(record["id"], record["verdict"]) for record in records] == list(
        zip(SOME, ("false", "conditional", "true"), strict=True)
    )
    assert records[0]["numbers"][0] == {
        "name": {"en": "first rise, width 32", "zh": "第一次回升，宽度 32"},
        "value": 4,
        "unit": {"en": "tokens", "zh": "词元"},
    }
    assert records[1]["condition"]["en"] == "where content hardly changes the scores"
    assert records[0]["condition"] is None


def test_markdown_is_a_table(run) -> None:
    lines = run("claims", "--format", "md").out.splitlines()
    assert len(lines) == len(CLAIMS) + 2
    assert {line.count("|") for line in lines} == {5}


def test_pictures_go_into_a_folder(run, tmp_path: Path) -> None:
    said = run("claims", *SOME[:2], "-o", "new/pictures")
    assert said.code == 0
    written = sorted(path.name for path in (tmp_path / "new" / "pictures").iterdir())
    assert written == ["alibi-window.png", "similarity-decays.png"]
    assert all((tmp_path / "new" / "pictures" / name).stat().st_size > 10_000 for name in written)


def test_a_misspelt_name_is_refused_with_the_nearest(run) -> None:
    said = run("claims", "rope-decay")
    assert (said.code, said.out) == (2, "")
    assert said.err == "clockhands: there is no claim 'rope-decay': did you mean 'rope-decays'?\n"
    assert "没有说法“bf61”" in run("claims", "bf61", "--lang", "zh").err


def test_a_file_in_the_way_of_the_folder_is_said(run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    said = run("claims", SOME[0], "-o", "taken")
    assert said.code == 2
    assert "taken" in said.err
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "mine"
