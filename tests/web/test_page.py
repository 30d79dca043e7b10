"""The interactive page as a file: what it holds, what it forbids, and what is refused."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode, b85decode
from gzip import decompress
from hashlib import sha256
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from clockhands import web
from clockhands.errors import ClockhandsError

LLAMA = {
    "model_type": "llama",
    "hidden_size": 512,
    "num_attention_heads": 4,
    "num_hidden_layers": 3,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}


class Parts(HTMLParser):
    """Elements of a document, and the text of its scripts and styles."""

    def __init__(self, document: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.tags[-1] if self.tags else ("", {})
        if tag in ("script", "style") and data.strip():
            self.raw.append((tag, attributes, data))


def unpacked(text: str) -> str:
    """What start.js makes of it."""
    return decompress(b85decode(text.translate(str.maketrans(":,.", "&<>")))).decode("utf-8")


def data_of(document: str) -> dict[str, object]:
    parts = Parts(document).raw
    (found,) = [text for _, attributes, text in parts if attributes.get("id") == "clockhands-model"]
    return json.loads(found)


@pytest.mark.usefixtures("glyphs")
def test_a_page_brings_every_chinese_character_that_it_may_show() -> None:
    document = web.page()
    (font,) = re.findall(r"font/woff2?;base64,([^)\"']+)", document)
    glyphs = set(TTFont(BytesIO(b64decode(font))).getBestCmap())
    packed = [text for _, given, text in Parts(document).raw if "gzip" in str(given.get("type"))]
    shown = "".join([document, *(unpacked(each) for each in packed)])
    assert "渭" in shown  # of a sentence that only a packed script holds
    assert {c for c in shown if "\u4e00" <= c <= "\u9fff" and ord(c) not in glyphs} == set()


@pytest.mark.usefixtures("glyphs")
@pytest.mark.parametrize(("lang", "tag"), [("en", "en"), ("zh", "zh-CN")])
def test_a_page_is_small_and_asks_for_nothing(lang: str, tag: str) -> None:
    document = web.page(lang=lang)
    parts = Parts(document)
    assert ("html", {"lang": tag}) in parts.tags
    without_glyphs = re.sub(r"\n@font-face \{.*?\}", "", document)
    assert len(without_glyphs.encode("utf-8")) < 200_000
    assert len(document.encode("utf-8")) < 320_000
    assert [tag for tag, attributes in parts.tags if "src" in attributes] == []
    assert [attributes for tag, attributes in parts.tags if tag == "link"] == [
        {"rel": "icon", "href": "data:,"}
    ]
    packed = [text for _, attributes, text in parts.raw if "gzip" in str(attributes.get("type"))]
    inside = [unpacked(each) for each in packed]
    assert len(inside) == 4
    for text in (document, *inside):
        assert not re.search(r"https?://(?!www\.w3\.org/)", text)


def test_the_policy_allows_exactly_what_is_in_the_page() -> None:
    parts = Parts(web.page(model=LLAMA))
    metas = [attributes for tag, attributes in parts.tags if tag == "meta"]
    (policy,) = [attributes["content"] for attributes in metas if "http-equiv" in attributes]
    rules = dict(rule.strip().split(" ", 1) for rule in str(policy).split(";"))
    # Scripts that are packed in the page, and start when something asks for them.
    held = {attributes.get("id"): text for _, attributes, text in parts.raw}
    packed = [held[f"clockhands-{name}"] for name in ("page", "later")]
    apart = {"script": [unpacked(each) for each in packed], "style": []}
    for kind, rule in (("script", "script-src"), ("style", "style-src")):
        texts = [text for tag, attributes, text in parts.raw if tag == kind and "id" not in attributes]
        assert len(texts) == 1
        digests = [sha256(text.encode("utf-8")).digest() for text in (*texts, *apart[kind])]
        assert rules[rule].split() == [f"'sha256-{b64encode(each).decode('ascii')}'" for each in digests]
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert "unsafe" not in str(policy)
    assert "connect-src" not in rules


def test_a_model_is_there_in_the_normal_form() -> None:
    record = data_of(web.page(model=LLAMA))
    assert record["context"] == {"trained": 8192, "promised": 131072, "served": None}
    (layer,) = record["layers"]
    assert (layer["family"], layer["layers"], layer["layout"]) == ("rope", [0, 1, 2], "half")
    assert [round(speed, 8) for speed in layer["inv_freq"][29:32]] == [0.00216657, 0.00137189, 0.00085675]


@pytest.mark.parametrize(
    "name", ["</script><script>alert(1)</script>", "<!--<script>", "&lt;\u2028'\"", "模型😀"]
)
def test_a_name_can_t_leave_its_place(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name.replace("/", "\u2215")
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    document = web.page(model=folder)
    assert data_of(document)["name"] == folder.name
    assert [tag for tag, _ in Parts(document).tags].count("script") == 6
    assert str(tmp_path) not in document  # where somebody keeps files is nobody's business


def test_text_of_a_configuration_is_escaped() -> None:
    told = {**LLAMA, "rope_scaling": {**LLAMA["rope_scaling"], "note": "</SCRIPT ><img src=x>", "far": 1e999}}
    document = web.page(model=told)
    assert "</SCRIPT" not in document
    assert [tag for tag, _ in Parts(document).tags].count("img") == 0
    assert data_of(document)["layers"]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("nowhere.json", "no such file"),
        ({"model_type": "no-such-model"}, "says nothing of how its layers know position"),
    ],
)
def test_a_model_that_can_t_be_drawn_is_refused(model: object, words: str) -> None:
    with pytest.raises(ClockhandsError, match=words):
        web.page(model=model)


def test_another_language_is_refused() -> None:
    with pytest.raises(ClockhandsError, match="choose one of them"):
        web.page(lang="fr")  # type: ignore[arg-type]


def test_what_is_there_stays_where_the_page_can_t_be_made(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    place.write_text("mine")
    with pytest.raises(ClockhandsError):
        web.save(place, model=tmp_path / "nowhere.json")
    assert place.read_text() == "mine"
    assert web.save(place, lang="zh") == place
    assert place.read_text(encoding="utf-8") == web.page(lang="zh")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
