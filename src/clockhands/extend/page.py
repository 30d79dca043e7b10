"""A plan as one page that asks the network for nothing, or as one picture."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path

from clockhands.document import html_document
from clockhands.errors import ClockhandsError
from clockhands.extend.pictures import going_round, wavelengths
from clockhands.extend.plan import Plan, Step
from clockhands.extend.wording import HEADS, LEGEND, NAMES, advice, heading, table
from clockhands.language import Language, Text
from clockhands.plots.picture import FORMATS, Picture
from clockhands.plots.webfont import font_face
from clockhands.writing import file_path, written_aside

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
TITLE = Text("A longer context", "更长的上下文")
METHODS, SETTINGS = Text("The methods", "各种方法"), Text("Method by method", "逐个方法")
MORE_STYLE = """
pre { overflow-x: auto; margin: 0.3rem 0 0.8rem; padding: 0.6rem 0.8rem; background: var(--page);
  border: 1px solid var(--rule); border-radius: 6px;
  font: 0.85rem/1.45 ui-monospace, Menlo, Consolas, monospace;
  overflow-wrap: normal; white-space: pre-wrap; }
tr.begin td, tr.begin th { font-weight: 650; color: var(--ink); }
td { font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th { white-space: nowrap; }
details summary { cursor: pointer; color: var(--quiet); }
ul { margin: 0 0 0.6rem; padding-left: 1.2rem; }
"""


def save(plan: Plan, path: str | PathLike[str], lang: Language = "en") -> Path:
    """Write ``.html``, everything with pictures, or ``.png``, ``.svg``, ``.pdf``: how far the hands go round.

    Raises ClockhandsError for another ending, where nothing is to be done, and for a place that can't be
    written.
    """
    path = file_path(path)
    ending = path.suffix.lower().removeprefix(".")
    if ending in FORMATS:
        return going_round(plan, lang).save(path)
    if ending not in ("html", "htm"):
        raise ClockhandsError(
            f"'{path.name}' ends in none of .html, .png, .svg and .pdf: a plan is one of these",
            f"“{path.name}”的扩展名不是 .html、.png、.svg 或 .pdf：方案只能写成这几种",
        )
    with written_aside(path) as aside:
        aside.write_text(as_page(plan, lang), encoding="utf-8", errors="backslashreplace")
    return path


def as_page(plan: Plan, lang: Language) -> str:
    """The whole document: the table, the advice, every method with its hands and settings."""
    style = files("clockhands.check.outputs").joinpath("report.css").read_text(encoding="utf-8") + MORE_STYLE
    name = plan.source.name
    title = Text(f"{TITLE.en}: {name}", f"{name}：{TITLE.zh}").said_in(lang)
    said = "\n".join(f"<p>{_text(each, lang)}</p>" for each in heading(plan))
    body = f"""<header>
<h1>{TITLE.said_in(lang)}</h1>
<p class="target"><bdi>{escape(plan.source.name)}</bdi></p>
{said}
</header>
<main>
{_methods(plan, lang) if plan.steps else f"<p>{_text(advice(plan), lang)}</p>"}
</main>"""
    return html_document(
        lang=lang, title=title, style=style + font_face(title + body, lang), body=body, policy=POLICY
    )


def _methods(plan: Plan, lang: Language) -> str:
    legend = "\n".join(f'<p class="like">{_text(each, lang)}</p>' for each in LEGEND)
    reasons = "\n".join(f"<li>{_text(each, lang)}</li>" for each in plan.reasons)
    steps = "\n".join(_step(plan, step, lang) for step in plan.steps)
    left = "\n".join(
        f"<p>{_text(Text(f'left out: {method.id}: {why.en}', f'未列出：{method.id}：{why.zh}'), lang)}</p>"
        for method, why in plan.left_out
    )
    return f"""<section>
<h2>{METHODS.said_in(lang)}</h2>
{_table(plan, lang)}
{_figure(going_round(plan, lang), lang)}
{legend}
{left}
</section>
<section>
<h2>{_text(advice(plan), lang)}</h2>
<ul>
{reasons}
</ul>
</section>
<section>
<h2>{SETTINGS.said_in(lang)}</h2>
{steps}
</section>"""


def _step(plan: Plan, step: Step, lang: Language) -> str:
    parts = [f"<h3>{_text(step.method.name, lang)}</h3>", f"<p>{_text(step.method.idea, lang)}</p>"]
    parts.append(f'<p class="remedy">{_text(step.method.hazard, lang)}</p>')
    if step.method.parameters is not None:
        parts.append(_figure(wavelengths(plan, step, lang), lang))
    for each in step.settings:
        told = "".join(f'<p class="like">{_text(why, lang)}</p>' for why in each.announced.values())
        parts.append(
            f"<details><summary>{NAMES[each.framework]} · {_text(each.what, lang)}</summary>"
            f"<pre><code>{escape(each.paste)}</code></pre>{told}</details>"
        )
    for why in dict.fromkeys(each.why for each in step.missing):
        names = ", ".join(NAMES[each.framework] for each in step.missing if each.why == why)
        said = Text(f"not in {names}: {why.en}", f"{names}：{why.zh}")
        parts.append(f'<p class="like">{_text(said, lang)}</p>')
    return f"<article>{''.join(parts)}</article>"


def _table(plan: Plan, lang: Language) -> str:
    heads = "".join(f'<th scope="col">{_text(each, lang)}</th>' for each in HEADS)
    rows = []
    for row in table(plan):
        first, *rest = (_text(cell, lang) for cell in row.cells)
        cells = "".join(f"<td>{cell}</td>" for cell in rest)
        rows.append(f'<tr{" class=begin" if row.begin else ""}><th scope="row">{first}</th>{cells}</tr>')
    body = "\n".join(rows)
    inner = f"<thead><tr>{heads}</tr></thead><tbody>\n{body}\n</tbody>"
    return f'<div class="scroll"><table>{inner}</table></div>'


def _figure(picture: Picture, lang: Language) -> str:
    source = b64encode(picture.rendered("png")).decode("ascii")
    alt = escape(picture.title.said_in(lang), quote=True)
    return f'<figure><img src="data:image/png;base64,{source}" alt="{alt}"></figure>'


def _text(text: Text, lang: Language) -> str:
    return escape(text.said_in(lang))
