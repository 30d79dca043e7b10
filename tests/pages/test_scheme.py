"""The page of every scheme has every part of its card, in both languages, and nothing of the wrong one."""

from __future__ import annotations

import dataclasses
import re
import shlex
from dataclasses import dataclass
from typing import ClassVar

import click
import pytest

from clockhands.catalogue import CATALOGUE, Description
from clockhands.catalogue.card import Card, Traits
from clockhands.catalogue.meanings import meaning
from clockhands.cli.entry import group
from clockhands.language import LANGUAGES, Language, Text
from clockhands.pages import drawings, overview_page, scheme_page
from clockhands.pages.docstring import docstring
from clockhands.pages.markdown import escaped, link
from clockhands.views import VIEWS, available

every_scheme = pytest.mark.parametrize("scheme", CATALOGUE, ids=lambda scheme: scheme.card.id)
both_languages = pytest.mark.parametrize("lang", LANGUAGES)
ENGLISH = re.compile(r"(?:[A-Za-z]+,? ){4,}[a-z]+")
IDS = {scheme.card.id for scheme in CATALOGUE}


def english_sentences(page: str) -> list[str]:
    """Five English words in a row, outside code and outside the names of papers and their authors."""
    page = re.sub(r"(?ms)^```.*?^```$", "", page)
    page = re.sub(r"`[^`]*`|\]\([^)]*\)", "", page)
    page = re.sub(r"(?m)^- .*（\d{4}）：.*$", "", page)
    return ENGLISH.findall(page)


@every_scheme
@both_languages
def test_every_part_of_the_card_is_on_the_page(scheme: type[Description], lang: Language) -> None:
    card = scheme.card
    page = scheme_page(scheme, lang, others=CATALOGUE)
    assert page.startswith(f"# {escaped(card.name)}\n")
    assert f"```math\n{card.formula}\n```" in page
    for said in (card.title, card.idea, *([card.differs] if card.differs else [])):
        assert escaped(said.said_in(lang)) in page
    for user in card.users(lang):
        assert f"- {escaped(user)}\n" in page
    for source in card.sources:
        assert escaped(source.title) in page
        assert link(source.where) in page
    for field in dataclasses.fields(scheme):
        row = re.search(rf"(?m)^\| `{field.name}` \| `[^\n]+` \| (.+) \|$", page)
        assert row, field.name
        assert row[1].strip(), field.name
    assert page.count("\n## ") >= 5


@every_scheme
@both_languages
def test_its_pictures_begin_with_its_first_view(scheme: type[Description], lang: Language) -> None:
    shown = drawings(scheme, lang)
    views = available(scheme())
    assert shown[0].view == views[0]
    assert 1 <= len({drawing.view for drawing in shown}) == len(shown) <= 3
    page = scheme_page(scheme, lang)
    for drawing in shown:
        assert f"](pictures/{drawing.file})" in page
        assert VIEWS[drawing.view].title.said_in(lang) in page
    assert drawings(scheme, lang, 1) == shown[:1]


@every_scheme
def test_a_chinese_page_has_no_english_sentence(scheme: type[Description]) -> None:
    assert english_sentences(scheme_page(scheme, "zh", others=CATALOGUE)) == []


def test_an_english_sentence_would_be_seen() -> None:
    assert english_sentences("这是 RoPE。\n\nHands turn and never come back.")
    assert english_sentences(scheme_page(CATALOGUE[3], "en"))


@every_scheme
def test_its_commands_parse_and_its_links_lead_to_pages(scheme: type[Description]) -> None:
    page = scheme_page(scheme, "en", others=CATALOGUE)
    block = re.search(r"(?ms)^```bash\n(.*?)^```$", page)
    assert block
    for line in block[1].splitlines():
        _, name, *arguments = shlex.split(line)
        command = group.get_command(click.Context(group), name)
        assert command is not None
        command.make_context(name, arguments, obj="en")
    links = set(re.findall(r"\]\(([\w-]+)\.md\)", page))
    assert links <= IDS - {scheme.card.id}
    assert links, "every scheme has neighbours"


@every_scheme
def test_every_parameter_has_a_meaning_in_both_languages(scheme: type[Description]) -> None:
    for name in scheme.parameters():
        said = meaning(scheme, name)
        assert said, name
        assert said.en
        assert re.search("[\u4e00-\u9fff]", said.zh)


@every_scheme
def test_nothing_of_a_docstring_is_lost(scheme: type[Description]) -> None:
    """Its prose and its example are on the English page, and what looks like a parameter is one."""
    said = docstring(scheme)
    page = scheme_page(scheme, "en")
    for paragraph in said.prose:
        assert escaped(paragraph) in page
        assert not re.match(r"[a-z_]+ {2,}", paragraph)
        assert not re.search(r"arameters are those of ``\w+``(\.|, and)", paragraph)
    assert said.example in page
    assert set(said.meanings) <= set(scheme.parameters())


@both_languages
def test_the_overview_lists_every_scheme_once(lang: Language) -> None:
    page = overview_page(CATALOGUE, lang)
    assert re.findall(r"(?m)^\| \[[^|]*\]\(([\w-]+)\.md\)", page) == [scheme.card.id for scheme in CATALOGUE]
    assert lang == "en" or english_sentences(page) == []
    assert str(len(CATALOGUE)) in page


@dataclass(frozen=True, kw_only=True)
class Own(Description):
    """A scheme of another package.

    steepness  how fast far keys fade
    """

    steepness: float = 1.0
    meanings: ClassVar[dict[str, Text]] = {"steepness": Text("how steep", "有多陡")}
    exceptions: ClassVar[dict[str, str]] = {"gap": "it counts slots"}
    card: ClassVar[Card] = Card(
        id="own-scheme",
        name="Own_scheme",
        title=Text("Own scheme", "自己的方案"),
        idea=Text("Like ALiBi, but *mine* | or so.", "像 ALiBi，但是我的。"),
        formula="b = -k",
        sources=(),
        used_by=(),
        traits=Traits(relative=True),
    )

    def bias(self, distance):
        return -self.steepness * abs(distance)[None]


def test_anybodys_scheme_has_a_page() -> None:
    page = scheme_page(Own, "en", others=CATALOGUE)
    assert page.startswith("# Own\\_scheme\n\n**Own scheme** (`own-scheme`)")
    assert f'ch.show("{Own.__module__}:Own", view="bias"' in page
    assert "| `steepness` | `1.0` | how fast far keys fade |" in page
    assert r"Like ALiBi, but \*mine\* \| or so." in page
    assert "- Named here: [ALiBi](alibi.md)" in page
    assert "excepted from the law `gap`: it counts slots." in page
    chinese = scheme_page(Own, "zh", folder="img")
    assert "| `steepness` | `1.0` | 有多陡 |" in chinese
    assert "有意不遵守定律 `gap`" in chinese
    assert "](img/own-scheme-bias.png)" in chinese


def test_a_picture_is_drawn_under_its_name(tmp_path) -> None:
    still, *_ = drawings(Own, "zh")
    assert still.save(tmp_path).read_bytes().startswith(b"\x89PNG")
    moving = next(one for one in drawings(CATALOGUE[3], "en") if one.view == "clock")
    assert "<svg" in moving.save(tmp_path).read_text(encoding="utf-8")[:200]
    assert {path.name for path in tmp_path.iterdir()} == {still.file, moving.file}
