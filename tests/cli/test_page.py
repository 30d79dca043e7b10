"""``clockhands page``: the file it writes and the sentences it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clockhands import web
from clockhands.language import Text


@pytest.mark.parametrize(
    ("lang", "word", "tag"), [("en", "wrote page.html (", "en"), ("zh", "已写入 page.html", "zh-CN")]
)
def test_a_page_is_written_where_we_are(run, lang: str, word: str, tag: str) -> None:
    said = run("page", "--lang", lang)
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith(word)
    assert len(said.err.splitlines()) == 1
    assert f'<html lang="{tag}">' in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("lang", "more"), [("en", 0), ("zh", 1)])
def test_a_chinese_page_without_glyphs_says_how_to_get_them(
    run, monkeypatch: pytest.MonkeyPatch, lang: str, more: int
) -> None:
    monkeypatch.setattr("clockhands.web.html.font_face", lambda page, lang: "")
    _, *notes = run("page", "--lang", lang).err.splitlines()
    assert len(notes) == more
    assert all('pip install "clockhands[zh]"' in note for note in notes)


def test_a_page_for_a_model(run) -> None:
    Path("config.json").write_text(json.dumps({"model_type": "gpt2"}), encoding="utf-8")
    assert run("page", "--model", "config.json", "-o", "mine.html").code == 0
    assert run("page", "--model", ".", "-o", "folder.html").code == 0
    for name in ("mine.html", "folder.html"):
        assert '"family":"learned"' in Path(name).read_text(encoding="utf-8")


def test_a_page_for_a_scheme(run) -> None:
    assert run("page", "--scheme", "kerple-log", "--set", "num_heads=3", "-o", "kerple.html").code == 0
    assert '"bias":{"heads":3,' in Path("kerple.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "page.txt"), "doesn't end in .html"),
        (("-o", "nowhere/page.html"), "no such file or folder"),
        (("--model", "nowhere"), "'nowhere' is no file or folder here"),
        (("--model", "nowhere.json"), "nowhere.json can't be read: no such file or folder"),
        (("--model", ""), "a target has no name"),
        (("--model", "broken.json"), "broken.json"),
        (("--model", "list.json"), "list.json"),
        (("--model", "empty.json"), "says nothing of how its layers know position"),
        (("-o", ""), "give a name"),
        (("--scheme", "ropes"), "there is no scheme 'ropes'"),
        (("--scheme", "rope", "--set", "basis=3"), "no parameter 'basis'"),
        (("--set", "base=3"), "--scheme is missing"),
        (("--scheme", "rope", "--model", "empty.json"), "give one of the two"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_refusal_is_one_sentence(run, arguments: tuple[str, ...], words: str, lang: str) -> None:
    Path("broken.json").write_text("{", encoding="utf-8")
    Path("list.json").write_text("[1]", encoding="utf-8")
    Path("empty.json").write_text("{}", encoding="utf-8")
    said = run("page", *arguments, "--lang", lang)
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert not Path("page.html").exists()
    if lang == "en":
        assert words in said.err
    else:
        assert any("\u4e00" <= letter <= "\u9fff" for letter in said.err)


def test_a_page_with_runs_of_attention(run) -> None:
    ones = [[[[1.0, 0.5]] * 2]]
    for name in ("a", "b"):
        made = web.AttentionRun(Text(name, name), (web.sentence(["史进", "打"], ones, ones),))
        web.save_attention(f"{name}_attention.safetensors", made)
    given = ("--attention", "a_attention.safetensors", "--attention", "b_attention.safetensors")
    assert run("page", *given, "-o", "heads.html").code == 0
    assert 'id="clockhands-attention"' in Path("heads.html").read_text(encoding="utf-8")
    several = run("page", "--attention", ".", "-o", "heads.html")
    assert (several.code, several.out) == (2, "")
    assert "name one of them" in several.err
