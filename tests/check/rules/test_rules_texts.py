"""Rules as such: their codes, both languages, keys as they stand in the file, explanations."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clockhands.check.finding import Rule
from clockhands.check.read.config import read_config
from clockhands.check.rules import EVERY, RULES, explain, findings
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError

HAN = re.compile("[\u4e00-\u9fff]")
FIXTURES = Path(__file__).parent.parent / "fixtures"
RULE_FILES = Path(__file__).parents[3] / "src" / "clockhands" / "check" / "rules"


def test_codes_are_unique_and_in_order() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"CH\d{3}", code) for code in codes)


def test_every_rule_of_the_folder_is_listed() -> None:
    files = {
        path.stem for path in RULE_FILES.glob("*.py") if "\nRULE = Rule(" in path.read_text(encoding="utf-8")
    }
    listed = {rule.check.__module__.rsplit(".", 1)[1] for rule in RULES}
    assert listed - files == {"finding"}  # where measuring itself fails
    assert files <= listed


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_tells_its_story_in_both_languages(rule: Rule) -> None:
    for text in (rule.title, rule.story):
        assert text.en
        assert not HAN.search(text.en)
        assert HAN.search(text.zh)
    assert len(rule.story.en) > 150
    for report in filter(None, rule.reference.split("; ")):
        assert re.fullmatch(r"[\w.-]+/[\w.-]+( #\d+,?)+", report)


def test_findings_name_keys_that_stand_in_both_sentences() -> None:
    for path in sorted((FIXTURES / "bugs").glob("*.json")):
        for framework in ("transformers", "vllm", "llama.cpp"):
            for finding in findings(_served(path, framework)):
                assert finding.keys, finding.code
                assert any(key in finding.message.en for key in finding.keys), finding
                assert any(key in finding.message.zh for key in finding.keys), finding
                assert HAN.search(finding.message.zh), finding
                assert HAN.search(finding.remedy.zh), finding
                assert finding.remedy.en


UNGROUPED = re.compile(r"(?<![\w.#/,'\"“-])\d{5,}(?!\w|\.\d)")
"""Five digits or more without a comma among them."""


def test_findings_group_their_numbers_and_keep_to_the_marks_of_their_language() -> None:
    for path in sorted((FIXTURES / "bugs").glob("*.json")):
        for framework in ("transformers", "vllm", "llama.cpp"):
            for finding in findings(_served(path, framework)):
                if finding.code != "CH040":  # which says what to write
                    assert not UNGROUPED.search(finding.message.en), finding
                    assert not UNGROUPED.search(finding.message.zh), finding
                assert "'" not in finding.message.zh, finding
                assert not finding.message.en.endswith(")"), finding
                assert not finding.remedy.en.endswith(")"), finding


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.code)
def test_stories_group_their_numbers(rule: Rule) -> None:
    for told in rule.story:
        assert not UNGROUPED.search(re.sub(r"getattr\(.*?\)", "", told))


def _served(path: Path, framework: Any) -> Subject:
    return replace(read_config(path), framework=framework).served(20000)


def test_findings_stand_in_order_of_their_gravity_and_once() -> None:
    scaling = {"type": "dynamic", "factor": 2, "odd": 1}
    said = findings(read_config({"model_type": "llama", "rope_theta": -1, "rope_scaling": scaling}))
    assert [finding.severity for finding in said] == ["error", "note", "note"]
    assert len(set(said)) == len(said)


def test_explanations_are_found_by_code() -> None:
    assert explain(" ch012 ") is next(rule for rule in RULES if rule.code == "CH012")
    assert explain("CH090").title.en == "a key that stands twice"
    with pytest.raises(ClockhandsError, match="no rule 'XY': codes go from CH001 to CH307"):
        explain("XY")
