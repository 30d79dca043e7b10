"""The sources of the site in Markdown: what is written by hand, and the pages that schemes write."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clockhands.catalogue.description import Description
from clockhands.language import LANGUAGES, Language, Text
from clockhands.pages import Drawing, drawings, overview_page, scheme_page

ROOT = Path(__file__).parent.parent.parent
GUIDES = ("choosing", "claims", "pictures", "attend", "own-numbers", "kernels", "golden", "protocol")
"""In the order in which they are read; any other guide in ``docs`` follows."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(((?!https?://|mailto:|#)[^)#\s]+)(#[^)]*)?\)")
_CODE = re.compile(r"(?ms)(^```.*?^```$|`[^`\n]+`)")
_HAN = "\u3000-\u9fff\uff00-\uffef“”"
_BROKEN_LINE = re.compile(rf"(?<=[{_HAN}])\n(?=[{_HAN}])")
_START = Text("Start here", "从这里开始")
_READ = Text("Guides", "指南")
_SEE = Text("Schemes", "方案")
_MORE = Text("Project", "项目")


@dataclass
class Sources:
    """What was written: ``pages`` by path, and the ``drawings`` that they show, with their folders."""

    pages: list[Path] = field(default_factory=list)
    drawings: list[tuple[Drawing, Path]] = field(default_factory=list)


def stage(out: Path, schemes: Sequence[type[Description]], *, most: int) -> Sources:
    """Write the sources of both languages to ``out/en`` and ``out/zh``, pictures not yet drawn."""
    sources = Sources()
    for lang in LANGUAGES:
        folder = out / lang
        written = by_hand(lang)
        for name, path in written.items():
            text = adapted(path, lang, written, schemes)
            if name == "index":
                text += _contents(lang, written)
            sources.pages.append(_write(folder / f"{name}.md", text))
        _copy_images(folder, lang)
        pages = folder / "schemes"
        listed = "\n".join(scheme.card.id for scheme in schemes)
        overview = overview_page(schemes, lang) + _tree("", listed)
        sources.pages.append(_write(pages / "index.md", overview))
        for scheme in schemes:
            shown = drawings(scheme, lang, most)
            page = scheme_page(scheme, lang, pictures=shown, others=schemes)
            sources.pages.append(_write(pages / f"{scheme.card.id}.md", page))
            sources.drawings += [(each, pages / "pictures") for each in shown]
    return sources


def by_hand(lang: Language) -> dict[str, Path]:
    """Name of a page -> the document that it is made of."""
    ending = Text(".md", ".zh.md").said_in(lang)
    others = sorted(path.name.removesuffix(".zh.md") for path in (ROOT / "docs").glob("*.zh.md"))
    guides = [*GUIDES, *(name for name in others if name not in GUIDES)]
    pages = {"index": ROOT / f"README{ending}", "contributing": ROOT / f"CONTRIBUTING{ending}"}
    return pages | {name: ROOT / "docs" / f"{name}{ending}" for name in guides}


def adapted(path: Path, lang: Language, pages: dict[str, Path], schemes: Sequence[type[Description]]) -> str:
    """A document as a page of the site: its links lead within it, and ids of schemes lead to their pages.

    The line that links the other language falls away, since every page of the site has such a link; what is
    not on the site is named without a link.
    """
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?m)^\[(?:中文|English)\]\([^)]*\)\n+", "", text)
    text = re.sub(r"(?m)^```(\w+) run$", r"```\1", text)
    ids = {scheme.card.id for scheme in schemes}
    places = {target.resolve(): f"{name}.md" for name, target in pages.items()}

    def relinked(match: re.Match[str]) -> str:
        bang, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        found = (path.parent / target).resolve()
        if bang:
            return f"![{words}](images/{found.name})"
        return f"[{words}]({places[found]}{anchor})" if found in places else words

    def linked(match: re.Match[str]) -> str:
        id = match[0].strip("`")
        return f"[{match[0]}](schemes/{id}.md)" if id in ids else match[0]

    text = _with_spans(_LINK.sub(relinked, text), linked)
    return _outside_blocks(text, lambda prose: _BROKEN_LINE.sub("", prose))


def _with_spans(text: str, linked: Callable[[re.Match[str]], str]) -> str:
    """``linked`` of every code span; blocks of code, and spans that are linked already, stay."""

    def changed(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith("```") or _is_linked(text, match) else linked(match)

    return _CODE.sub(changed, text)


def _outside_blocks(text: str, changed: Callable[[str], str]) -> str:
    """``changed`` of all that is no block of code. In Chinese a line's end is no space between words."""
    pieces = re.split(r"(?ms)(^```.*?^```$)", text)
    return "".join(piece if index % 2 else changed(piece) for index, piece in enumerate(pieces))


def _is_linked(text: str, match: re.Match[str]) -> bool:
    return text[: match.start()].endswith("[") and text[match.end() :].startswith("](")


def _contents(lang: Language, pages: dict[str, Path]) -> str:
    guides = [name for name in pages if name not in ("index", "contributing")]
    groups = (
        (_START, guides[0]),
        (_SEE, "schemes/index"),
        (_READ, "\n".join(guides[1:])),
        (_MORE, "contributing"),
    )
    return "".join(_tree(caption.said_in(lang), names) for caption, names in groups)


def _tree(caption: str, names: str) -> str:
    said = f":caption: {caption}\n" if caption else ""
    return f"\n```{{toctree}}\n:hidden:\n{said}\n{names}\n```\n"


def _copy_images(folder: Path, lang: Language) -> None:
    target = folder / "images"
    target.mkdir(parents=True, exist_ok=True)
    for image in (ROOT / "docs" / "images").iterdir():
        if image.name.endswith(f".zh{image.suffix}") == (lang == "zh"):
            shutil.copy(image, target)


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
