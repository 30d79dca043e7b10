from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from clockhands.demo.chapter import Belief, Chapter, Figure, Story, Table
from clockhands.demo.page import Front, document
from clockhands.demo.speech import number, said
from clockhands.language import LANGUAGES, Language, Text

HOSTILE = '</script><img src=x onerror=alert(1)>" \u202emirrored'
STORY = Story(
    title=Text("Hands", "指针"),
    paragraphs=(Text("{n} hands, {word}", "{n} 根针，{word}"),),
    surprise=Text("They *turn*", "它们会*转*"),
    beliefs=(Belief(Text("They stand", "它们不动"), Text("{n} turn", "{n} 根在转")),),
    question=Text("How many?", "几根？"),
    answer=Text("{n}", "{n}"),
)
FIGURE = Figure(
    file="pictures/clock.gif",
    width=640,
    height=640,
    alt=Text('A "clock"', "“钟”"),
    caption=Text("A clock", "钟"),
    data="data/clock.npz",
    still="pictures/clock.png",
)
TABLE = Table(
    header=(Text("code", "编码"), Text("step", "步长")),
    rows=((Text("binary", "二进制"), number(2.65)),),
    caption=Text("Steps", "步长"),
    data="data/steps.csv",
)
CHAPTER = STORY.told({"n": 16}, [FIGURE, TABLE], word=HOSTILE)
FRONT = Front(title=Text("Clock & hands", "时钟与指针"), lead=(Text("Look", "看"),), figure=None, foot=())


class Reader(HTMLParser):
    """Collects elements, their attributes and the text inside each kind of element."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: dict[str, list[str]] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "img", "source", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        for tag in self.open[-1:]:
            self.words.setdefault(tag, []).append(data)

    def attributes(self, tag: str, name: str) -> list[str]:
        return [value for element, attrs in self.elements if element == tag and (value := attrs.get(name))]


@pytest.fixture(params=LANGUAGES)
def lang(request: pytest.FixtureRequest) -> Language:
    return request.param


def page(lang: Language, *chapters: Chapter) -> str:
    return document(FRONT, [(f"chapter{i}", chapter) for i, chapter in enumerate(chapters)], lang)


def test_the_page_says_its_language_and_forbids_every_request(lang: Language) -> None:
    reader = Reader(page(lang, CHAPTER))
    assert reader.open == []
    assert reader.attributes("html", "lang") == [{"en": "en", "zh": "zh-CN"}[lang]]
    policy = reader.attributes("meta", "content")[0]
    assert policy.startswith("default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'")
    assert "script" not in {tag for tag, _ in reader.elements}
    assert not re.search(r"https?:|//[a-z]", page(lang, CHAPTER))


def test_a_chapter_is_all_there(lang: Language) -> None:
    text = page(lang, CHAPTER)
    for sentence in (STORY.title, FIGURE.caption, TABLE.caption, STORY.question, TABLE.rows[0][0]):
        assert sentence.said_in(lang) in text
    assert '<span class="n">16</span>' in text
    assert "<em>" in text
    reader = Reader(text)
    assert reader.attributes("a", "href").count("#chapter0") == 3  # contents, its own number, the beliefs
    assert "answer" not in reader.words.get("details", [])
    tags = [tag for tag, _ in reader.elements]
    assert tags.count("details") == tags.count("summary") == 1


def test_hostile_tokens_stay_text(lang: Language) -> None:
    reader = Reader(page(lang, CHAPTER))
    assert not any("onerror" in attrs for _, attrs in reader.elements)
    shown = "".join(reader.words["bdi"])
    assert "</script>" in shown
    assert "\u202e" not in page(lang, CHAPTER)


def test_a_picture_has_words_size_data_and_a_still(lang: Language) -> None:
    reader = Reader(page(lang, CHAPTER))
    ((_, image),) = [(tag, attrs) for tag, attrs in reader.elements if tag == "img"]
    assert image["alt"] == FIGURE.alt.said_in(lang)
    assert (image["width"], image["height"]) == ("640", "640")
    ((_, source),) = [(tag, attrs) for tag, attrs in reader.elements if tag == "source"]
    assert source["srcset"] == FIGURE.still
    assert source["media"] == "(prefers-reduced-motion: reduce)"
    assert FIGURE.data in reader.attributes("a", "href")
    assert TABLE.data in reader.attributes("a", "href")


def test_a_chapter_that_could_not_be_made_says_why_in_its_place(lang: Language) -> None:
    missing = Chapter(title=Text("Training", "训练"), missing=Text("needs torch", "需要 torch"))
    text = page(lang, CHAPTER, missing, CHAPTER)
    assert missing.missing is not None
    assert (
        text.index('id="chapter0"') < text.index(missing.missing.said_in(lang)) < text.index('id="chapter2"')
    )
    assert Reader(text).open == []


def test_a_story_fills_what_is_said_with_the_numbers_of_the_run() -> None:
    other = STORY.told({"n": 3}, [], word="x")
    assert other.numbers == {"n": 3}
    assert other.beliefs[0].found == said(Text("{n} turn", "{n} 根在转"), n=3)
