"""The gallery's page: chapters in, one HTML document out, which asks the network for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from clockhands.demo.chapter import Chapter, Figure, Table
from clockhands.demo.markup import attribute, html
from clockhands.demo.speech import plain
from clockhands.document import html_document
from clockhands.language import Language, Text

POLICY = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; font-src data:"

CONTENTS = Text("What is on this page", "本页内容")
QUESTION = Text("A question", "想一想")
ANSWER = Text("Answer", "看答案")
SURPRISE = Text("Surprise", "没想到")
SAID = Text("Often said", "常听人说")
FOUND = Text("Computed here", "算出来的是")
DATA = Text("the numbers in this picture", "图中数据")
TABLE_DATA = Text("this table at full precision", "完整精度的表格")
BELIEFS = Text("What is often said, and what the numbers say", "常见说法与本页的数字")
BELIEF_STEP = Text("Step", "步骤")
NUMBERS_NOTE = Text(
    "Numbers set in *this colour* were computed while this page was being made.",
    "*这种颜色*的数字都是生成本页时现算出来的。",
)


@dataclass(frozen=True, kw_only=True)
class Front:
    """What stands above the story."""

    title: Text
    lead: tuple[Text, ...]
    figure: Figure | None
    foot: tuple[Text, ...]


def document(
    front: Front, chapters: Sequence[tuple[str, Chapter]], lang: Language, font_face: str = ""
) -> str:
    """The whole page. ``chapters`` are (anchor, chapter) in order; ``font_face`` is a rule or empty."""
    say = _Sayer(lang)
    style = files("clockhands.demo").joinpath("style.css").read_text(encoding="utf-8")
    body = "\n".join(
        [
            _header(front, say),
            _contents(chapters, say),
            "<main>",
            *(_section(number, anchor, chapter, say) for number, (anchor, chapter) in enumerate(chapters, 1)),
            _beliefs(chapters, say),
            "</main>",
            f"<footer>{say.paragraphs(front.foot)}</footer>",
        ]
    )
    title = plain(front.title.said_in(lang))
    return html_document(lang=lang, title=title, style=style + font_face, body=body, policy=POLICY)


class _Sayer:
    """Texts to HTML in one language."""

    def __init__(self, lang: Language):
        self.lang: Language = lang

    def __call__(self, text: Text) -> str:
        return html(text.said_in(self.lang))

    def attribute(self, text: Text) -> str:
        return attribute(text.said_in(self.lang))

    def paragraphs(self, texts: Sequence[Text]) -> str:
        return "\n".join(f"<p>{self(text)}</p>" for text in texts)


def _header(front: Front, say: _Sayer) -> str:
    picture = _figure(front.figure, say, eager=True) if front.figure else ""
    return (
        f"<header>\n<h1>{say(front.title)}</h1>\n{say.paragraphs(front.lead)}\n"
        f'<p class="note">{say(NUMBERS_NOTE)}</p>\n{picture}\n</header>'
    )


def _contents(chapters: Sequence[tuple[str, Chapter]], say: _Sayer) -> str:
    items = "\n".join(
        f'<li><a href="#{anchor}">{say(chapter.title)}</a></li>' for anchor, chapter in chapters
    )
    last = f'<li class="last"><a href="#beliefs">{say(BELIEFS)}</a></li>'
    return f"<nav>\n<h2>{say(CONTENTS)}</h2>\n<ol>\n{items}\n{last}\n</ol>\n</nav>"


def _section(number: int, anchor: str, chapter: Chapter, say: _Sayer) -> str:
    parts = [
        f'<section id="{anchor}">',
        f'<h2><a class="step" href="#{anchor}">{number}</a> {say(chapter.title)}</h2>',
        say.paragraphs(chapter.paragraphs),
    ]
    if chapter.missing:
        parts.append(f'<p class="missing">{say(chapter.missing)}</p>')
    parts += [_figure(f, say) if isinstance(f, Figure) else _table(f, say) for f in chapter.figures]
    if chapter.surprise:
        parts.append(f'<p class="surprise"><strong>{say(SURPRISE)}</strong> {say(chapter.surprise)}</p>')
    parts += [
        f'<dl class="belief"><dt>{say(SAID)}</dt><dd>{say(belief.said)}</dd>'
        f"<dt>{say(FOUND)}</dt><dd>{say(belief.found)}</dd></dl>"
        for belief in chapter.beliefs
    ]
    if chapter.question and chapter.answer:
        parts.append(
            f'<div class="question"><p><strong>{say(QUESTION)}</strong> {say(chapter.question)}</p>'
            f"<details><summary>{say(ANSWER)}</summary><p>{say(chapter.answer)}</p></details></div>"
        )
    parts.append("</section>")
    return "\n".join(part for part in parts if part)


def _figure(figure: Figure, say: _Sayer, eager: bool = False) -> str:
    loading = "" if eager else ' loading="lazy"'
    image = (
        f'<img src="{figure.file}" width="{figure.width}" height="{figure.height}"'
        f' alt="{say.attribute(figure.alt)}"{loading}>'
    )
    if figure.still:
        still = f'<source media="(prefers-reduced-motion: reduce)" srcset="{figure.still}">'
        image = f"<picture>{still}{image}</picture>"
    shape = "view" if figure.width > 1.3 * figure.height else "view tall"
    return (
        f'<figure class="picture"><div class="{shape}"><a href="{figure.file}">{image}</a></div>\n'
        f"{_caption(figure, DATA, say)}</figure>"
    )


def _caption(of: Figure | Table, data: Text, say: _Sayer) -> str:
    link = f'<span class="data"><a href="{of.data}" download>{say(data)}</a></span>'
    return f"<figcaption>{say(of.caption)} {link}</figcaption>"


def _table(table: Table, say: _Sayer) -> str:
    head = "".join(f'<th scope="col">{say(cell)}</th>' for cell in table.header)
    rows = "\n".join(
        f'<tr><th scope="row">{say(row[0])}</th>'
        + "".join(f"<td>{say(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    return (
        f'<figure class="table"><div class="scroll" tabindex="0"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>\n{_caption(table, TABLE_DATA, say)}</figure>"
    )


def _beliefs(chapters: Sequence[tuple[str, Chapter]], say: _Sayer) -> str:
    rows = "\n".join(
        f"<tr><td>{say(belief.said)}</td><td>{say(belief.found)}</td>"
        f'<td><a href="#{anchor}">{number}</a></td></tr>'
        for number, (anchor, chapter) in enumerate(chapters, 1)
        for belief in chapter.beliefs
    )
    head = "".join(f'<th scope="col">{say(text)}</th>' for text in (SAID, FOUND, BELIEF_STEP))
    return (
        f'<section id="beliefs">\n<h2>{say(BELIEFS)}</h2>\n'
        f'<div class="scroll" tabindex="0"><table class="beliefs">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>\n</section>"
    )
