"""The attention file: a round trip, a page with it, and files that are broken or hostile."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

from clockhands import web
from clockhands.analysis.attention_trace import weights_of
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.web.attention_file import to_bytes

TOKENS = [
    "史进",
    "史进",
    "</script><script>alert(1)</script>",
    "👩‍🚀",
    "שלום",
    "<E4>",
    "字" * 10_000,
    "\ud800",
]


@pytest.fixture(scope="module")
def run() -> web.AttentionRun:
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 2, 4, len(TOKENS), 6))
    bias = rng.standard_normal((2, 4, 2 * len(TOKENS) - 1))
    dense = web.sentence(["a", "b"], weights=np.full((2, 4, 2, 2), 0.5), causal=False)
    marks = [0, 0, 0, 1, 0, 0, 2, 0]
    ids = range(8)
    first = web.sentence(TOKENS, q, k, bias=bias, ids=ids, marks=marks, spans=[(0, 1)] * 8, text="全文")
    return web.AttentionRun(Text("two", "两个"), (first, dense))


def test_a_file_gives_back_the_run(run: web.AttentionRun, tmp_path: Path) -> None:
    path = web.save_attention(tmp_path / "rope_attention.safetensors", run)
    for place in (path, tmp_path):
        found = web.load_attention(place)
        assert found.title == run.title
        for one, other in zip(found.sentences, run.sentences, strict=True):
            for name, value in vars(other).items():
                if isinstance(value, np.ndarray):
                    np.testing.assert_array_equal(getattr(one, name), value)
                elif name != "tokens":
                    assert getattr(one, name) == value, name
        assert found.sentences[0].tokens == (*TOKENS[:-1], "?")  # half a pair is no character
    np.testing.assert_array_equal(weights_of(found.sentences[1], 0, 0), np.full((2, 2), 0.5))


def test_pieces_are_written_as_what_they_spell(tmp_path: Path) -> None:
    """SentencePiece with bytes, as a tokenizer of transformers names them."""
    q, k = np.ones((2, 1, 1, 5, 2))
    one = web.sentence(
        ["<s>", "▁水", "<0xE6>", "<0xB5>", "<0x92>"], q, k, marks=[1, 0, 0, 0, 0], words=[(1, 3)]
    )
    path = web.save_attention(tmp_path / "x_attention.safetensors", web.AttentionRun(Text("x", "x"), (one,)))
    (found,) = web.load_attention(path).sentences
    assert found.tokens == ("<s>", "␣水", "浒⟨1/3⟩", "浒⟨2/3⟩", "浒⟨3/3⟩")
    assert found.text == " 水浒"
    assert found.spans == ((0, 0), (0, 2), (2, 3), (2, 3), (2, 3))
    assert found.words == ((1, 3),)


def test_a_page_holds_the_file_and_no_token_ends_it(run: web.AttentionRun) -> None:
    document = web.page(attention=run)
    held = document.split('<script id="clockhands-attention" type="application/octet-stream;base64">')[1]
    assert b64decode(held.split("</script>")[0]) == to_bytes(run)
    assert "alert(1)" not in document


def test_several_runs_in_one_page_keep_their_names(run: web.AttentionRun, tmp_path: Path) -> None:
    other = web.AttentionRun(Text("other", "另一个"), run.sentences[1:])
    path = web.save_attention(tmp_path / "x_attention.safetensors", run)
    document = web.page(attention=[path, other])
    held = document.split(';base64">')[-1].split("</script>")[0]
    (tmp_path / "both.safetensors").write_bytes(b64decode(held))
    both = web.load_attention(tmp_path / "both.safetensors")
    assert both.title == ("two · other", "两个 · 另一个")
    assert [one.name for one in both.sentences] == [run.title, run.title, other.title]


def test_a_widget_opens_in_the_room_of_attention(run: web.AttentionRun, tmp_path: Path) -> None:
    shown = web.widget(run, lang="en", head=2)
    assert shown.state == {"room": "attention", "head": "2"}
    document = shown.save(tmp_path / "heads.html").read_text(encoding="utf-8")
    assert "clockhands-attention" in document
    assert "room=attention&head=2" in document


def test_a_folder_without_one_or_with_two_is_said(run: web.AttentionRun, tmp_path: Path) -> None:
    with pytest.raises(ClockhandsError, match="holds no attention file"):
        web.page(attention=tmp_path)
    for name in ("a", "b"):
        web.save_attention(tmp_path / f"{name}_attention.safetensors", run)
    with pytest.raises(ClockhandsError, match=r"a_attention\.safetensors, b_attention\.safetensors"):
        web.page(attention=tmp_path)


def changed(data: bytes, change) -> bytes:
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    about = json.loads(header["__metadata__"]["clockhands"])
    change(header, about)
    header["__metadata__"]["clockhands"] = json.dumps(about)
    written = json.dumps(header).encode()
    return len(written).to_bytes(8, "little") + written + data[8 + length :]


@pytest.mark.parametrize(
    "change",
    [
        lambda header, about: about.update(format="another"),
        lambda header, about: about.update(version=2),
        lambda header, about: about.update(sentences=[]),
        lambda header, about: about.update(title=[]),
        lambda header, about: about["sentences"][0].update(tokens=["a"]),
        lambda header, about: about["sentences"][0].update(tokens=[[]] * 8),
        lambda header, about: about["sentences"][0].update(scale=[1.0]),
        lambda header, about: about["sentences"][0].pop("marks"),
        lambda header, about: about["sentences"].append({}),
        lambda header, about: header.pop("0.lse"),
        lambda header, about: header["0.q"].update(shape=[2, 4, 6, 8]),
        lambda header, about: header["0.q"].update(dtype="BF16"),
        lambda header, about: header["0.bias"].update(shape=[2, 60]),
    ],
)
def test_broken_files_are_said(run: web.AttentionRun, tmp_path: Path, change) -> None:
    path = tmp_path / "x_attention.safetensors"
    path.write_bytes(changed(to_bytes(run), change))
    with pytest.raises(ClockhandsError, match=r"x_attention\.safetensors"):
        web.load_attention(path)


def test_bytes_at_random_are_a_sentence_or_a_run(run: web.AttentionRun, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    sound = np.frombuffer(to_bytes(run), np.uint8)
    path = tmp_path / "x_attention.safetensors"
    refused = 0
    for _ in range(150):
        bad = sound.copy()
        end = min(3000, len(bad)) if rng.random() < 0.8 else len(bad)
        bad[rng.integers(0, end, rng.integers(1, 6))] = rng.integers(0, 256)
        path.write_bytes(bad[: rng.integers(0, len(bad))].tobytes() if rng.random() < 0.2 else bad.tobytes())
        try:
            web.load_attention(path)
        except ClockhandsError:
            refused += 1
    assert refused > 50
