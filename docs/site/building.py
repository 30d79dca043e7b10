"""Sphinx, once for each language, and the page in front of the two."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from clockhands.language import LANGUAGES, Language
from clockhands.plots.webfont import font_face

HERE = Path(__file__).parent
_SPHINX_NAMES: dict[Language, str] = {"en": "en", "zh": "zh_CN"}


def build(sources: Path, out: Path) -> bool:
    """Build ``out/en`` and ``out/zh`` from ``sources``; whether both went well."""
    builds = [_start(sources / lang, out, lang) for lang in LANGUAGES]
    done = [process.wait() == 0 for process in builds]
    if all(done):
        shutil.copy(HERE / "front.html", out / "index.html")
        for lang in LANGUAGES:
            _bring_font(out / lang, lang)
    return all(done)


def _start(sources: Path, out: Path, lang: Language) -> subprocess.Popen[bytes]:
    strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"]
    language = ["-t", lang, "-D", f"language={_SPHINX_NAMES[lang]}"]
    folders = ["-c", HERE, "-d", out.parent / "doctrees" / lang, sources, out / lang]
    return subprocess.Popen([sys.executable, "-m", "sphinx", *strict, *language, *map(str, folders)])


def _bring_font(site: Path, lang: Language) -> None:
    """The Chinese glyphs that the pages use, those of the search's own sentences too."""
    text = "".join(page.read_text(encoding="utf-8") for page in site.rglob("*.html"))
    said = (site / "_static" / "translations.js").read_text(encoding="utf-8") if lang == "zh" else ""
    text += said + "".join(chr(int(code, 16)) for code in re.findall(r"\\u([0-9a-f]{4})", said))
    (site / "_static" / "han.css").write_text(font_face(text, lang), encoding="utf-8")
