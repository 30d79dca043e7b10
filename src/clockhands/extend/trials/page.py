"""A trial as one page that asks the network for nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from html import escape
from importlib.resources import files

from clockhands.document import html_document
from clockhands.extend.page import MORE_STYLE, POLICY
from clockhands.extend.trials.found import Found
from clockhands.extend.trials.pictures import pictures
from clockhands.extend.trials.words import TITLE, Table, heading, name_of, sentences, tables
from clockhands.language import Language, Text
from clockhands.plots.picture import Picture
from clockhands.plots.webfont import font_face

SAYS, NUMBERS = Text("What it says", "结果说明"), Text("Numbers", "数字")
SETTINGS = Text("What each method was given", "每种方法的设置")
SPACED = "\n.scroll + h3 { margin-top: 1.8rem; }\n"
NOTHING = Text("nothing: the model as it is", "没有：模型原样")


def as_page(found: Found, lang: Language) -> str:
    """The whole document: what may be said, tables, pictures, settings."""
    style = files("clockhands.check.outputs").joinpath("report.css").read_text(encoding="utf-8")
    style += MORE_STYLE + SPACED
    name = found.design.model
    title = Text(f"{TITLE.en}: {name}", f"{name}：{TITLE.zh}").said_in(lang)
    said = "\n".join(f"<p>{_text(each, lang)}</p>" for each in heading(found))
    reasons = "\n".join(f"<li>{_text(each, lang)}</li>" for each in sentences(found))
    numbers = "\n".join(_table(each, lang) for each in tables(found))
    drawn = "\n".join(_figure(picture, lang) for _, picture in pictures(found, lang))
    given = "\n".join(_given(found, method, lang) for method in found.design.methods)
    body = f"""<header>
<h1>{TITLE.said_in(lang)}</h1>
<p class="target"><bdi>{escape(name)}</bdi></p>
{said}
</header>
<main>
<section>
<h2>{SAYS.said_in(lang)}</h2>
<ul>
{reasons}
</ul>
</section>
<section>
<h2>{NUMBERS.said_in(lang)}</h2>
{numbers}
{drawn}
</section>
<section>
<h2>{SETTINGS.said_in(lang)}</h2>
{given}
</section>
</main>"""
    return html_document(
        lang=lang, title=title, style=style + font_face(title + body, lang), body=body, policy=POLICY
    )


def _table(table: Table, lang: Language) -> str:
    head, *others = table.rows
    heads = "".join(f'<th scope="col">{_text(each, lang)}</th>' for each in head)
    rows = []
    for at, (first, *cells) in enumerate(others, 1):
        mark = " class=begin" if at in table.best else ""
        values = "".join(f"<td>{_text(cell, lang)}</td>" for cell in cells)
        rows.append(f'<tr{mark}><th scope="row">{_text(first, lang)}</th>{values}</tr>')
    body = "\n".join(rows)
    inner = f"<thead><tr>{heads}</tr></thead><tbody>\n{body}\n</tbody>"
    return f'<h3>{_text(table.title, lang)}</h3>\n<div class="scroll"><table>{inner}</table></div>'


def _given(found: Found, method: str, lang: Language) -> str:
    settings = found.design.settings.get(method)
    shown = json.dumps(settings, indent=2, ensure_ascii=False) if settings else NOTHING.said_in(lang)
    name = _text(name_of(method), lang)
    return f"<details><summary>{name}</summary><pre><code>{escape(shown)}</code></pre></details>"


def _figure(picture: Picture, lang: Language) -> str:
    source = b64encode(picture.rendered("png")).decode("ascii")
    alt = escape(picture.title.said_in(lang), quote=True)
    return f'<figure><img src="data:image/png;base64,{source}" alt="{alt}"></figure>'


def _text(text: Text, lang: Language) -> str:
    return escape(text.said_in(lang))
