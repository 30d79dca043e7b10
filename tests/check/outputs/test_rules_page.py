"""The page of rules is up to date, and what it says of severities is what rules find."""

from __future__ import annotations

import pytest

from clockhands.check.read.config import read_config
from clockhands.check.rules import EVERY, explain, findings
from clockhands.language import LANGUAGES, Language
from docs.rules import FILES, page, severities
from tests.check.rules.test_bugs_config import BUGS


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_is_up_to_date(lang: Language) -> None:
    """``python -m docs.rules`` writes it anew."""
    assert FILES[lang].read_text(encoding="utf-8") == page(lang)


def test_every_rule_is_on_the_page_once() -> None:
    headings = [line for line in page("en").splitlines() if line.startswith("### ")]
    assert [line.split()[1] for line in headings] == [rule.code for rule in EVERY]


def test_findings_are_as_grave_as_the_page_says() -> None:
    seen = 0
    for path in sorted(BUGS.glob("*.json")):
        for finding in findings(read_config(path)):
            said = severities(explain(finding.code))
            assert not said or finding.severity in said, f"{path.name}: {finding}"
            seen += bool(said)
    assert seen > 20
