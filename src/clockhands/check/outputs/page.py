"""A report as one page that asks the network for nothing."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from importlib.resources import files

from clockhands.check.finding import Finding
from clockhands.check.form import LayerForm
from clockhands.check.outputs.pictures import clock_picture
from clockhands.check.report import Report
from clockhands.check.wording import (
    SEVERITY,
    SOURCES,
    Row,
    as_measured,
    clock_rows,
    context_words,
    family_of,
    name_of,
    rows,
    total,
)
from clockhands.document import html_document
from clockhands.language import Language, Text
from clockhands.plots.webfont import font_face

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
TITLE = Text("What it does with position", "它怎样处理位置")
FINDINGS = Text("Findings", "发现的问题")
LAYERS = Text("Layers", "各层")
RESEMBLES = Text("resembles ", "类似问题：")
CONTEXT = Text("context", "上下文")


def as_page(report: Report, lang: Language) -> str:
    """The whole document: findings first, then every kind of layer with its clock view."""
    style = files("clockhands.check.outputs").joinpath("report.css").read_text(encoding="utf-8")
    subject = report.subject
    findings = "\n".join(_finding(each, lang) for each in report.findings)
    layers = "\n".join(_layer(report, form, place, lang) for place, form in enumerate(report.layers))
    heading = f"{TITLE.said_in(lang)}: {subject.target}" if lang == "en" else f"{subject.target}：{TITLE.zh}"
    body = f"""<header>
<h1>{TITLE.said_in(lang)}</h1>
<p class="target"><bdi>{escape(subject.target)}</bdi></p>
{_table([(CONTEXT, context_words(subject.context))], lang)}
</header>
<main>
<section>
<h2>{FINDINGS.said_in(lang)}</h2>
<p>{escape(total(report.findings).said_in(lang))}</p>
{findings}
</section>
<section>
<h2>{LAYERS.said_in(lang)}</h2>
{layers}
</section>
</main>"""
    return html_document(
        lang=lang, title=heading, style=style + font_face(heading + body, lang), body=body, policy=POLICY
    )


def _finding(finding: Finding, lang: Language) -> str:
    keys = " ".join(f"<code>{escape(key)}</code>" for key in finding.keys)
    severity = SEVERITY[finding.severity].said_in(lang)
    like = ""
    if finding.reference:
        like = f'<p class="like">{RESEMBLES.said_in(lang)}{escape(finding.reference)}</p>'
    return f"""<article class="finding {finding.severity}">
<h3>{escape(finding.code)} <span class="severity">{severity}</span> {keys}</h3>
<p>{escape(finding.message.said_in(lang))}</p>
<p class="remedy">→ {escape(finding.remedy.said_in(lang))}</p>
{like}
</article>"""


def _layer(report: Report, form: LayerForm, place: int, lang: Language) -> str:
    clock = report.clocks[place]
    twin = form.as_was_measured(report.layers)
    said = rows(form) + ([] if clock is None else clock_rows(clock, report.subject.context))
    head = f"{name_of(form).said_in(lang)} · {family_of(form).said_in(lang)}"
    figure = ""
    if twin is not None:
        figure, said = f"<p>{escape(as_measured(twin).said_in(lang))}</p>", []
    elif form.inv_freq:
        picture = clock_picture(report, form, lang)
        source = b64encode(picture.rendered("png")).decode("ascii")
        alt = escape(f"{picture.title.said_in(lang)} · {name_of(form).said_in(lang)}", quote=True)
        figure = f'<figure><img src="data:image/png;base64,{source}" alt="{alt}"></figure>'
    return f"""<article>
<h3>{escape(head)} <span class="source">{SOURCES[form.source].said_in(lang)}</span></h3>
{_table(said, lang) if said else ""}
{figure}
</article>"""


def _table(said: list[Row], lang: Language) -> str:
    cells = "\n".join(
        f"<tr><th>{escape(name.said_in(lang))}</th><td>{escape(value.said_in(lang))}</td></tr>"
        for name, value in said
    )
    return f'<div class="scroll"><table><tbody>\n{cells}\n</tbody></table></div>'
