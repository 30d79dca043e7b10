"""Which language is spoken, and how a sentence is filled in."""

from __future__ import annotations

import ctypes
import sys
from types import SimpleNamespace

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
def test_the_first_variable_that_is_set_decides(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert language_of_environment(environment) == language


@pytest.mark.parametrize(
    ("langid", "language"),
    [(0x0804, "zh"), (0x0404, "zh"), (0x0C04, "zh"), (0x0409, "en"), (0x0411, "en"), (0x0004, "zh")],
    ids=["mainland", "Taiwan", "Hong Kong", "American", "Japanese", "no region"],
)
def test_on_windows_the_language_of_its_menus_decides_where_no_variable_does(
    langid: int, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = SimpleNamespace(GetUserDefaultUILanguage=lambda: langid)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "CDLL", {"kernel32": kernel}.__getitem__)
    assert language_of_environment({}) == language
    assert language_of_environment({"LANG": "de_DE"}) == "en"
    assert language_of_environment({"CLOCKHANDS_LANG": "zh"}) == "zh"
