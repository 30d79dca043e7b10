"""Rules that readers of files keep have what ``--explain`` tells."""

from __future__ import annotations

from clockhands.check.read.file_rules import FILE_RULES
from clockhands.check.subject import Subject


def test_each_has_a_code_of_its_own_and_a_story_in_both_languages() -> None:
    codes = [rule.code for rule in FILE_RULES]
    assert len(set(codes)) == len(codes)
    assert all("CH201" <= code <= "CH299" for code in codes)
    for rule in FILE_RULES:
        assert min(len(text) for text in (*rule.title, *rule.story)) > 4
        assert len(rule.story.en) > 150
        assert list(rule.check(Subject(target="x", kind="gguf"))) == []
