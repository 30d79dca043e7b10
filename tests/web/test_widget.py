"""The page in a notebook, without a browser: what it is given, what it tells, and what is refused."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

import clockhands as ch
from clockhands import web

YARN = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_hidden_layers": 1,
    "max_position_embeddings": 4096,
}


def document(shown: ch.web.Widget) -> str:
    return unescape(shown._repr_html_().split('srcdoc="', 1)[1].split('">', 1)[0])


def test_without_widgets_it_is_the_page_in_a_frame() -> None:
    shown = ch.widget("yarn", lang="zh", height=400, pos=7, context=4096)
    assert 'sandbox="allow-scripts allow-downloads"' in shown._repr_html_()
    assert "height:400px" in shown._repr_html_()
    assert document(shown) == web.page("zh", ch.describe("yarn"), state="pos=7&context=4096")


def test_where_frames_are_taken_away_a_sentence_is_left() -> None:
    left = re.sub("<[^>]*>", "", ch.widget("rope", lang="zh")._repr_html_())
    assert left == "这里是 clockhands 的交互页面：运行这个单元格就能看到。"


def test_what_is_chosen_can_be_read_set_and_heard() -> None:
    shown = ch.widget(pos=3, both=True, theme=None)
    heard: list[dict[str, str]] = []
    assert shown.on_change(heard.append).state == {"pos": "3", "both": "true"}
    shown.set(pos=4, both=None)
    shown.set(pos=4)
    assert heard == [{"pos": "4"}]
    assert shown.fragment == "pos=4"
    assert repr(shown) == "<clockhands widget pos=4>"


def test_what_hears_must_be_callable() -> None:
    with pytest.raises(ch.ClockhandsError, match="3 can't be called"):
        ch.widget().on_change(3)  # type: ignore[arg-type]


def test_the_live_widget_and_it_follow_each_other() -> None:
    shown = ch.widget("rope", pos=3)
    live = shown.anywidget
    assert live is shown.anywidget
    assert (live.state, live.height) == ("pos=3", 720)
    live.state = "pos=9&base=500000"  # as the browser does
    assert shown.state == {"pos": "9", "base": "500000"}
    shown.set(pos=10)
    assert live.state == "pos=10&base=500000"
    assert live.page == web.page(shown.lang, ch.describe("rope"))
    assert "postMessage" in str(live._esm)


def test_it_offers_hosts_the_widget_and_the_frame() -> None:
    bundle = ch.widget()._repr_mimebundle_()
    assert {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"} <= set(bundle)


def test_saved_pages_open_as_chosen(tmp_path: Path) -> None:
    path = ch.widget("alibi", lang="en", head=2).save(tmp_path / "alibi.html")
    assert path.read_text(encoding="utf-8") == web.page("en", ch.describe("alibi"), state="head=2")


@pytest.mark.parametrize("state", ["</script><b>", "pos=1&lang=<!--", "a='\"`"])
def test_no_state_ends_its_element(state: str) -> None:
    written = web.page("en", state=state)
    (inside,) = [part.split("</script>")[0] for part in written.split('type="text/plain">')[1:]]
    assert not set(inside) & set("<>'\"`")


def test_configurations_and_models_are_read() -> None:
    class Config:
        def to_dict(self) -> dict[str, object]:
            return YARN

    class Model:
        config = Config()

    for given in (YARN, Config(), Model()):
        assert document(ch.widget(given, lang="en")) == web.page("en", YARN)


def test_encodings_in_torch_are_shown_as_what_they_are_made_of() -> None:
    made = ch.make("kerple-log", num_heads=2)
    assert document(ch.widget(made, lang="en")) == web.page("en", made.description)


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        ("ropes", {}, "there is no scheme 'ropes'"),
        ("/nowhere/config.json", {}, "no such file"),
        (3, {}, "3 can't be shown"),
        ([1], {}, "can't be shown"),
        ({"a": 1}, {}, "says nothing of a model"),
        ("rope", {"parameters": {"basis": 2}}, "no parameter 'basis'"),
        (YARN, {"parameters": {"factor": 2}}, "of a scheme's id"),
        ("nofile.json", {}, "no such file"),
        ("rope", {"parameters": 3}, "parameters are 3"),
        (None, {"possition": 3}, "no setting 'possition'"),
        (None, {"pos": 10**400}, "more than any setting"),
        (None, {"height": 20}, "height is 20"),
        (None, {"height": True}, "height is True"),
        (None, {"lang": "fr"}, "lang is 'fr'"),
    ],
)
def test_what_cannot_be_shown_is_refused(given: object, more: dict[str, object], said: str) -> None:
    with pytest.raises(ch.ClockhandsError, match=said):
        ch.widget(given, **more)


def test_nothing_needs_ipython_but_the_live_widget(tmp_path: Path) -> None:
    script = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("anywidget", "IPython", "ipywidgets", "traitlets", "torch"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "anywidget" else found(name, *more)
import clockhands as ch
shown = ch.widget("rope", pos=5)
shown.save({str(tmp_path / "page.html")!r})
assert set(shown._repr_mimebundle_()) == {{"text/plain", "text/html"}}
try:
    shown.anywidget
except ch.ClockhandsError as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert told.stderr == ""
    assert told.stdout == 'a live widget needs anywidget: pip install "clockhands[notebook]"\n'
    assert (tmp_path / "page.html").exists()
