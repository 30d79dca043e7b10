"""Mistakes in the arguments are answered with one sentence in the reader's language, and exit code 2."""

from __future__ import annotations

import re

import pytest

HAN = re.compile("[\u4e00-\u9fff]")

MISTAKES = [
    (("lst",), "no command 'lst': did you mean 'list'"),
    (("qqqq",), "demo, list, show, attend"),
    (("list", "--formt", "md"), "no option --formt: did you mean '--format'"),
    (("list", "--format", "mdd"), "--format can't be 'mdd': did you mean 'md'"),
    (("list", "--format"), "--format needs a value"),
    (("list", "--lang", "fr"), "--lang can't be 'fr'"),
    (("list", "extra"), "'extra' is not expected here"),
    (("list", "--help=1"), "--help takes no value"),
]


@pytest.mark.parametrize(("arguments", "answer"), MISTAKES, ids=[" ".join(a) for a, _ in MISTAKES])
def test_a_mistake_is_answered_in_one_sentence(run, arguments: tuple[str, ...], answer: str) -> None:
    said = run(*arguments)
    assert said.code == 2
    assert said.out == ""
    assert answer in said.err
    assert said.err.startswith("clockhands: ")
    assert said.err.count("\n") == 1
    assert not HAN.search(said.err)


@pytest.mark.parametrize("arguments", [a for a, _ in MISTAKES if "--lang" not in a], ids=" ".join)
def test_the_same_in_chinese(run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    monkeypatch.setenv("CLOCKHANDS_LANG", "zh")
    said = run(*arguments)
    assert said.code == 2
    assert said.err.startswith("clockhands：")
    assert said.err.count("\n") == 1
    assert HAN.search(said.err)
    for word in ("no such", "there is", "can't", "needs"):
        assert word not in said.err.lower()


def test_the_language_asked_for_is_used_even_before_the_mistake(run) -> None:
    assert HAN.search(run("list", "--formt", "--lang", "zh").err)
    assert HAN.search(run("--lang=zh", "list", "--formt").err)
    assert not HAN.search(run("list", "--formt", "--lang", "en").err)
