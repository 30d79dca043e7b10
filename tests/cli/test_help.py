"""Every page of help exists in both languages, shows an example, and fits a terminal."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from clockhands.cli.bilingual import Argument, Command, Option
from clockhands.cli.entry import HOMES, group
from clockhands.cli.page import placeholder
from clockhands.cli.wrapping import columns

PAGES = [(), *((name,) for name in HOMES)]


def command(name: str) -> Command:
    found = group.get_command(click.Context(group), name)
    assert isinstance(found, Command)
    return found


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("page", PAGES, ids=" ".join)
def test_a_page_is_all_in_one_language(run, page: tuple[str, ...], lang: str) -> None:
    said = run(*page, "--help", "--lang", lang)
    assert said.code == 0
    assert said.err == ""
    usage = {"en": "Usage: clockhands", "zh": "用法：clockhands"}[lang]
    assert said.out.startswith(usage)
    words, _, examples = said.out.rpartition({"en": "Examples:", "zh": "示例："}[lang])
    assert words
    assert "clockhands " in examples
    assert bool(re.search("[\u4e00-\u9fff]", words)) == (lang == "zh")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("page", PAGES, ids=" ".join)
def test_a_page_fits_the_terminal(run, page: tuple[str, ...], lang: str) -> None:
    words = run(*page, "--help", "--lang", lang).out.rpartition("Examples:" if lang == "en" else "示例：")[0]
    assert max(columns(line) for line in words.splitlines()) <= 80


@pytest.mark.parametrize("name", HOMES)
def test_examples_can_be_parsed(name: str) -> None:
    for example in command(name).examples:
        program, called, *arguments = shlex.split(example)
        assert (program, called) == ("clockhands", name)
        command(name).make_context(name, arguments, obj="en")


@pytest.mark.parametrize("name", HOMES)
def test_what_stands_for_a_value_is_said_in_chinese_too(name: str) -> None:
    context = click.Context(command(name))
    for parameter in command(name).get_params(context):
        if isinstance(parameter, Option) and parameter.is_flag:
            continue
        said = placeholder(parameter.make_metavar(context), "zh")
        assert not re.search("[A-Z]{2,}", said), said


@pytest.mark.parametrize("name", HOMES)
def test_every_option_is_bilingual_and_a_sentence(name: str) -> None:
    for parameter in command(name).params:
        assert isinstance(parameter, Option | Argument)
        assert parameter.says.en.endswith(".")
        assert parameter.says.zh.endswith("。")


def test_without_a_command_the_page_is_shown(run) -> None:
    assert run().out == run("--help").out
    assert run().code == 0


def test_the_version_is_printed(run) -> None:
    from clockhands import __version__

    assert run("--version").out == f"clockhands {__version__}\n"
