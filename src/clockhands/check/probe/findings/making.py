"""How a rule of the probe is written: its texts, while the probe itself finds what there is to find."""

from __future__ import annotations

from collections.abc import Iterable

from clockhands.check.finding import Finding, Rule
from clockhands.check.subject import Subject
from clockhands.language import Text


def found_by_the_probe(subject: Subject) -> Iterable[Finding]:
    """Nothing more: faults show only while a function runs, and ``subject.found`` holds them already."""
    return ()


def rule(code: str, title: Text, story: Text, reference: str = "") -> Rule:
    """A rule whose findings the probe makes.

    >>> rule("CH199", Text("title", "标题"), Text("story", "故事")).code
    'CH199'
    """
    return Rule(code=code, title=title, story=story, check=found_by_the_probe, reference=reference)
