"""The page as one document: script, style and the model in it, and a policy that forbids every request."""

from __future__ import annotations

import json
import os
from base64 import b64encode, b85encode
from collections.abc import Callable, Mapping, Sequence
from gzip import compress
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from clockhands.analysis.attention_trace import AttentionRun, joined
from clockhands.catalogue.description import Description
from clockhands.errors import ClockhandsError
from clockhands.language import LANGUAGES, Language, Text
from clockhands.plots.webfont import font_face
from clockhands.web.attention_file import load_attention, to_bytes
from clockhands.web.encoding import encoding_record
from clockhands.web.lesson import STEPS, lesson_html
from clockhands.web.model import Target, model_record
from clockhands.writing import file_path, require_place, written_aside

TITLE = Text("How a Transformer knows position", "Transformer 怎样知道位置")
WITHOUT_SCRIPTS = Text(
    "Scripts are switched off here. The lesson below can be read without them; its controls, its pictures "
    "and the instrument need them: allow them for this file. It asks the network for nothing.",
    "这里关闭了脚本。下面的课程不用脚本也能读，但控件、图和仪器需要脚本：请允许这个文件运行脚本。"
    "它不会向网络请求任何东西。",
)
ENDINGS = (".html", ".htm")
Attention: TypeAlias = AttentionRun | str | os.PathLike[str]
PACKED = ("words.json", "page.js", "later.js", "classes.json")
"""What lies compressed in the document: sentences and the page itself, and what is seldom asked for."""

_PLAIN = bytes.maketrans(b"&<>", b":,.")
"""Signs of base 85 that HTML may take for its own, and others for them."""

SAID = "=&.-%+"
"""Signs of a state that need no escaping in a document."""


def page(
    lang: Language = "en",
    model: Target | Description | None = None,
    *,
    attention: Attention | Sequence[Attention] = (),
    state: str = "",
) -> str:
    """The whole document, ready to be written to a file.

    lang       language that it opens in; a button on the page changes it
    model      what it starts with: a configuration (file, folder or mapping), read as ``clockhands check``
               reads it, or a description such as ``ch.describe("fire")``
    attention  what the room of attention holds: a run, its file, or the folder of ``clockhands attend -o``;
               or several of them
    state      what is chosen when it opens, as in the address of a link to a view: ``"pos=7&base=500000"``

    Raises ClockhandsError where the model or the run can't be read, or the language is another.
    """
    if lang not in LANGUAGES:
        raise ClockhandsError(
            f"lang is '{lang}', but the page is written in en and zh: choose one of them",
            f"lang 为“{lang}”，但页面只有 en 和 zh 两种语言：请选择其中一种",
        )
    data = "".join(_packed(name) for name in PACKED)
    if model is not None:
        data += _data("clockhands-model", _record(model))
    run = _run(attention)
    words = (
        "" if run is None else "".join((*run.title, *(each for one in run.sentences for each in one.tokens)))
    )
    script, style = built("start.js"), built("page.css")
    lesson = lesson_html(STEPS)
    inside = "".join(built(name) for name in PACKED)
    said = f"{inside}{TITLE.zh}{WITHOUT_SCRIPTS.zh}{lesson}{data}{words}{style}{script}"
    # A button changes the language; quotes and dashes that both have stay those of the Latin font.
    style += font_face(said, "en")
    if run is not None:
        data += _binary("clockhands-attention", to_bytes(run))
    allowed = " ".join(_hash(built(name)) for name in ("start.js", *PACKED) if name.endswith(".js"))
    policy = (
        f"default-src 'none'; script-src {allowed}; "
        f"style-src {_hash(style)}; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
    title = escape(f"{TITLE.said_in(lang)} · clockhands")
    document = f"""<!doctype html>
<html lang="{"zh-CN" if lang == "zh" else "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=False)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="clockhands"></div>
<noscript><p>{escape(WITHOUT_SCRIPTS.said_in(lang))}</p></noscript>
{lesson}
{data}
<script>{script}</script>
</body>
</html>
"""
    return begun(document, state or ("room=attention" if run is not None and model is None else ""))


def begun(document: str, state: str) -> str:
    """The same page, opening as ``state`` says."""
    said = f'<script id="clockhands-start" type="text/plain">{quote(state, safe=SAID)}</script>\n'
    return document.replace("<noscript>", f"{said}<noscript>", 1) if state else document


def save(
    path: str | os.PathLike[str],
    *,
    lang: Language = "en",
    model: Target | Description | None = None,
    attention: Attention | Sequence[Attention] = (),
    state: str = "",
) -> Path:
    """Write ``page`` to ``path``, which ends in .html; what is there is replaced only by a whole page.

    Raises ClockhandsError for another ending, and for a place that can't be written.
    """
    return written(path, lambda: page(lang, model, attention=attention, state=state))


def written(path: str | os.PathLike[str], make: Callable[[], str]) -> Path:
    """Write what ``make`` gives to ``path``, as ``save`` does; it is asked only where it can be written."""
    path = file_path(path)
    if path.suffix.lower() not in ENDINGS:
        raise ClockhandsError(
            f"'{path.name}' doesn't end in .html: a page is one HTML file, so give it that ending",
            f"“{path.name}”的扩展名不是 .html：页面是一个 HTML 文件，请用这个扩展名",
        )
    require_place(path)
    document = make()
    with written_aside(path) as aside:
        aside.write_text(document, encoding="utf-8", newline="\n")
    return path


def _run(attention: Attention | Sequence[Attention]) -> AttentionRun | None:
    given = [attention] if isinstance(attention, AttentionRun | str | os.PathLike) else attention
    runs = [each if isinstance(each, AttentionRun) else load_attention(each) for each in given]
    return joined(runs) if runs else None


def _record(model: Target | Description) -> Mapping[str, Any]:
    return encoding_record(model) if isinstance(model, Description) else model_record(model)


def built(name: str) -> str:
    """A file of the bundle, as one inline element can hold it; read by bytes, so no newline is changed."""
    text = files("clockhands.web").joinpath("built", name).read_bytes().decode("utf-8").strip()
    end = "</script" if name.endswith(".js") else "</style"
    if end in text.lower():  # the build escapes it; a page that closes its own script would not run
        raise ValueError(f"{name} holds {end}, which would end the element that it is in")
    return text


def _hash(text: str) -> str:
    """What a policy names an inline element by."""
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _packed(name: str) -> str:
    """A file of the bundle, compressed, in an element that start.js or the page finds by its name."""
    packed = b85encode(compress(built(name).encode("utf-8"), 9, mtime=0)).translate(_PLAIN).decode("ascii")
    return f'<script id="clockhands-{name.split(".")[0]}" type="application/gzip;base85">{packed}</script>'


def _data(name: str, record: Mapping[str, Any] | list[Any]) -> str:
    """JSON in an element of its own; no text in it can end the element or begin another."""
    written = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script id="{name}" type="application/json">{written}</script>'


def _binary(name: str, data: bytes) -> str:
    """Bytes in an element of their own: base64 holds no sign that HTML knows."""
    kind = "application/octet-stream;base64"
    return f'<script id="{name}" type="{kind}">{b64encode(data).decode("ascii")}</script>'
