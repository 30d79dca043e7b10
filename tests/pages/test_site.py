"""The sources of the site, without the tool that sets them: complete, linked, and in one language each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clockhands.catalogue import CATALOGUE
from clockhands.language import LANGUAGES, Language
from docs.site import staging

LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)#\s]+)")
both_languages = pytest.mark.parametrize("lang", LANGUAGES)


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, staging.Sources]:
    folder = tmp_path_factory.mktemp("site")
    return folder, staging.stage(folder, CATALOGUE, most=3)


@both_languages
def test_every_scheme_and_every_guide_has_a_page(staged, lang: Language) -> None:
    folder, sources = staged
    pages = {path.relative_to(folder / lang).as_posix() for path in (folder / lang).rglob("*.md")}
    guides = {path.name for path in (staging.ROOT / "docs").glob("*.md") if not path.name.endswith(".zh.md")}
    schemes = {f"schemes/{scheme.card.id}.md" for scheme in CATALOGUE}
    assert pages == guides | schemes | {"index.md", "contributing.md", "schemes/index.md"}
    assert {path for path in sources.pages if path.is_relative_to(folder / lang)} == {
        folder / lang / page for page in pages
    }


@both_languages
def test_every_page_is_in_the_contents(staged, lang: Language) -> None:
    folder, _ = staged
    listed: set[str] = set()
    for tree, below in (("index.md", ""), ("schemes/index.md", "schemes/")):
        text = (folder / lang / tree).read_text(encoding="utf-8")
        for block in re.findall(r"(?ms)^```\{toctree\}\n(.*?)^```$", text):
            listed |= {f"{below}{line}" for line in block.splitlines() if line and not line.startswith(":")}
    pages = {
        path.relative_to(folder / lang).with_suffix("").as_posix() for path in (folder / lang).rglob("*.md")
    }
    assert listed == pages - {"index"}


def test_links_lead_to_pages_and_pictures(staged) -> None:
    _, sources = staged
    pictures = {pictures / drawing.file for drawing, pictures in sources.drawings}
    assert len(pictures) == len(sources.drawings)
    seen = set()
    for page in sources.pages:
        for target in LINK.findall(outside_code(page)):
            place = page.parent / target
            assert place in pictures or place.is_file(), f"{page}: {target}"
            seen.add(place)
    assert pictures <= seen


def test_no_link_of_a_guide_leads_to_the_other_language(staged) -> None:
    folder, _ = staged
    assert [page for page in folder.rglob("*.md") if ".zh.md" in outside_code(page)] == []


def test_chinese_guides_have_no_english_sentence_and_no_space_where_a_line_broke(staged) -> None:
    folder, _ = staged
    for page in (folder / "zh").glob("*.md"):
        text = outside_code(page)
        assert re.findall(r"(?m)(?:[A-Za-z]+,? ){5,}[a-z]+", re.sub(r"`[^`]*`", "", text)) == [], page
        assert re.findall("[\u4e00-\u9fff，。；：、]\n[\u4e00-\u9fff]", text) == [], page


def test_ids_of_schemes_lead_to_their_pages(staged) -> None:
    folder, _ = staged
    text = (folder / "en" / "choosing.md").read_text(encoding="utf-8")
    assert "[`mrope-interleaved`](schemes/mrope-interleaved.md)" in text
    assert "`bidirectional`" in text
    assert "[`bidirectional`]" not in text


def outside_code(page: Path) -> str:
    return re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
