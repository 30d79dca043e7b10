"""A comparison as one page that asks the network for nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from clockhands.document import html_document
from clockhands.experiments.pictures import of_task, over_tasks
from clockhands.experiments.report import Report
from clockhands.experiments.results.section import Section, Table
from clockhands.experiments.results.sections import sections
from clockhands.language import Language, Text
from clockhands.plots.picture import Picture
from clockhands.plots.webfont import font_face

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
TITLE = Text("Encodings compared", "位置编码比较")


def as_page(found: Report, lang: Language) -> str:
    """The whole document: what may be concluded first, then each task with its pictures and tables."""
    first, *others, last = sections(found, lang)
    title = f"{TITLE.said_in(lang)} · {', '.join(scheme.label for scheme in found.design.schemes)}"
    blocks = [_section(last), _section(first)]
    for task in found.design.tasks:
        head, *rest = (part for part in others if part.about == task)
        pictures = _figures((picture for _, picture in of_task(found, task, lang)), lang)
        *rest, raw = rest
        blocks.append(_section(head, pictures) + "\n".join(_section(part, level=3) for part in rest))
        blocks.append(
            f"<details><summary>{escape(raw.heading)}</summary>\n{_section(raw, level=3)}</details>"
        )
    ranks = over_tasks(found, lang)
    blocks += [_section(part) for part in others if not part.about]
    blocks += [_figures([] if ranks is None else [ranks], lang)]
    body = f"<header>\n<h1>{escape(title)}</h1>\n</header>\n<main>\n{chr(10).join(blocks)}\n</main>"
    style = files("clockhands.experiments.results").joinpath("page.css").read_text(encoding="utf-8")
    return html_document(lang=lang, title=title, style=style + font_face(title + body, lang), body=body,
                         policy=POLICY)  # fmt: skip


def _section(part: Section, figures: str = "", level: int = 2) -> str:
    says = "".join(f"<li>{escape(sentence)}</li>" for sentence in part.sentences)
    said = f"<ul>{says}</ul>" if says else ""
    heading = f"<h{level}>{escape(part.heading)}</h{level}>"
    return f"<section>\n{heading}\n{figures}{_table(part.table)}{said}\n</section>"


def _table(table: Table) -> str:
    if not table:
        return ""
    head, *body = table
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    rows = []
    for first, *others in body:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        rows.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    lines = "\n".join(rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead>\n<tbody>{lines}</tbody></table></div>\n'


def _figures(pictures: Iterable[Picture], lang: Language) -> str:
    made = []
    for picture in pictures:
        source = b64encode(picture.rendered("png")).decode("ascii")
        alt = escape(picture.title.said_in(lang), quote=True)
        made.append(f'<figure><img src="data:image/png;base64,{source}" alt="{alt}"></figure>\n')
    return "".join(made)
