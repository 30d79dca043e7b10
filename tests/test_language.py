"""Which language is spoken, and how a sentence is filled in."""

from __future__ import annotations

import pytest

from clockhands.language import LANGUAGES, Text, language_of_environment


def test_a_sentence_is_said_in_the_language_asked_for() -> None:
    text = Text("heat map", "热力图")
    assert [text.said_in(lang) for lang in LANGUAGES] == ["heat map", "热力图"]


def test_values_are_filled_into_both() -> None:
    assert Text("{n} heads", "{n} 个注意力头").filled(n=4) == Text("4 heads", "4 个注意力头")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "ZH_TW"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"CLOCKHANDS_LANG": "zh", "LC_ALL": "en_US.UTF-8"}, "zh"),
        ({"CLOCKHANDS_LANG": "en", "LC_ALL": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_the_first_variable_that_is_set_decides(environment: dict[str, str], language: str) -> None:
    assert language_of_environment(environment) == language
