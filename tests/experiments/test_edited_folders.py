"""Folders of a comparison that somebody has edited, damaged, or taken to another machine."""

import errno
import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from test_refused_or_survived import SMALL

from clockhands.cli.entry import main
from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import cells
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.report import report
from clockhands.experiments.results.judged import judged
from clockhands.experiments.run import resume, run
from clockhands.experiments.store import Store
from clockhands.language import Text


@pytest.fixture
def store(tmp_path):
    return run(SMALL, tmp_path / "run")


def edited(file, change):
    content = json.loads(file.read_text("utf-8"))
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")


def both(store, change):
    """The same change in the design and in the promise, as somebody makes it who means it."""
    edited(store.design_file, lambda content: change(content["design"]))
    edited(store.promise_file, lambda content: change(content["design"]))


def refused(store, capsys):
    """What both who read it say of it, in a sentence."""
    said = []
    for words in (["report", str(store.path)], ["--resume", "-o", str(store.path)]):
        assert main(["compare", *words, "--lang", "en"]) == 2
        said.append(capsys.readouterr().err)
        assert said[-1].count("\n") == 1
    assert said[0] == said[1]
    return said[0]


def test_a_design_that_is_not_the_promised_one_is_refused(store, capsys):
    """Seeds that are added afterwards, when one has seen how it went, would no longer be promised."""
    edited(store.design_file, lambda content: content["design"].update(seeds=9))
    assert "design.json is not the design of preregistration.json" in refused(store, capsys)


def test_without_its_promise_a_comparison_is_none(store, capsys):
    store.promise_file.unlink()
    assert "preregistration.json is missing or damaged" in refused(store, capsys)


@pytest.mark.parametrize(
    "change",
    [
        {"schemes": [{"id": "rope", "parameters": [1], "randomised_to": None}]},
        {"schemes": [{"id": "rope", "parameters": None, "randomised_to": None}]},
        {"schemes": [7]},
        {"schemes": {"rope": 1}},
        {"schemes": None},
        {"model": 7},
        {"model": {"dims": 7}},
        {"rates": 0.1},
        {"rates": ["fast"]},
        {"tasks": [["copy"]]},
        {"seeds": "many"},
        {"costs": [1]},
        {"costs": {"rope": [1]}},
        {"multiples": [None]},
        {"probes": 7},
        {"more": 1},
    ],
)
def test_a_design_of_odd_values_is_refused_with_its_file(store, capsys, change):
    both(store, lambda design: design.update(change))
    assert "design.json" in refused(store, capsys)


def test_a_scheme_that_is_not_installed_here_is_named(store, capsys):
    one = {"id": "nowhere.at_all:Scheme", "parameters": {}, "randomised_to": None}
    both(store, lambda design: design["schemes"].append(one))
    said = refused(store, capsys)
    assert "design.json: 'nowhere.at_all:Scheme' can't be imported" in said
    assert "install its package" in said


@pytest.mark.parametrize(
    "change",
    [
        {"measured": []},
        {"measured": {"3": []}},
        {"measured": {"3": {"scores": [], "tokens": 0.0, "by_place": []}}},
        {"measured": {"3": {"scores": ["x"], "tokens": 0.0, "by_place": []}}},
        {"flops": "many"},
        {"seconds": None},
        {"seed": True},
        {"losses": 7},
        {"failed": {"en": 1, "zh": 2}},
        {"failed": "because"},
        {"undefined": {"4": "because"}},
        {"probes": {"position": [1]}},
        {"versions": ["torch"]},
        {"scheme": 7},
        {"scheme": "nope"},
        {"seed": 1},
        {"task": "reverse"},
        {"stage": "tuning"},
        {"measured": {}},
        {"measured": {"3": {"scores": [0.5], "tokens": float("nan"), "by_place": []}}},
        {"validation": float("inf")},
        {"undefined": {"3": {"en": "no", "zh": "否"}, "5": {"en": "no", "zh": "否"}}},
    ],
)
def test_rows_of_odd_values_are_damaged(store, capsys, change):
    with sqlite3.connect(store.cells_file) as connection:
        every = connection.execute("SELECT id, row FROM cells").fetchall()
        id, content = next(one for one in every if b'"rope"' in zlib.decompress(one[1]))
        row = json.loads(zlib.decompress(content)) | change
        packed = zlib.compress(json.dumps(row).encode())
        connection.execute("UPDATE cells SET row = ? WHERE id = ?", (packed, id))
    connection.close()
    with pytest.raises(ClockhandsError, match=r"cells.sqlite is missing or damaged"):
        report(store)
    assert main(["compare", "report", str(store.path), "--lang", "zh"]) == 2
    assert "cells.sqlite 缺失或已损坏" in capsys.readouterr().err


def test_rows_with_unequal_numbers_of_items_are_damaged(store):
    """A difference by items would have nothing to take them from."""
    with sqlite3.connect(store.cells_file) as connection:
        id, content = connection.execute("SELECT id, row FROM cells").fetchone()
        row = json.loads(zlib.decompress(content))
        row["measured"]["6"]["scores"].pop()
        packed = zlib.compress(json.dumps(row).encode())
        connection.execute("UPDATE cells SET row = ? WHERE id = ?", (packed, id))
    connection.close()
    with pytest.raises(ClockhandsError, match=r"cells.sqlite is missing or damaged"):
        report(store)


def test_a_text_that_is_gone_can_be_given_again(tmp_path):
    text = "we read on and on. " * 400
    store = run(SMALL.with_(tasks=("characters",), text=text, context=8), tmp_path / "run")
    store.text_file.unlink()
    with closing(sqlite3.connect(store.cells_file)) as connection, connection:
        connection.execute("DELETE FROM cells WHERE scheme = 'rope'")
    (tmp_path / "text").write_text(text, encoding="utf-8")
    (tmp_path / "other").write_text(text + "more", encoding="utf-8")
    go_on = ["compare", "--resume", "-o", str(store.path)]
    assert main(go_on) == 2
    assert main([*go_on, "--text", str(tmp_path / "other")]) == 2
    assert len(store.finished()) == 1
    assert main([*go_on, "--text", str(tmp_path / "text")]) == 0
    assert len(store.finished()) == 2


def test_another_text_is_said_to_be_another(tmp_path):
    text = "we read on and on. " * 400
    store = run(SMALL.with_(tasks=("characters",), text=text, context=8), tmp_path / "run")
    for given in (text + "more", text[:-1]):
        with pytest.raises(ClockhandsError, match="run was begun with another text: give that"):
            resume(store.path, text=given)
    assert resume(store.path, text=text).design(text).text == text


@pytest.mark.parametrize("what", ["folder", "junk"])
def test_a_state_that_is_none_is_never_the_schemes_fault(store, what):
    cell = cells(SMALL)[1]
    with closing(sqlite3.connect(store.cells_file)) as connection, connection:
        connection.execute("DELETE FROM cells WHERE id = ?", (cell.id,))
    state = store.running(cell) / "state-0.safetensors"
    state.parent.mkdir(parents=True)
    if what == "folder":
        state.mkdir()
        with pytest.raises(ClockhandsError, match=r"state-0.safetensors can't be written: it is a folder"):
            resume(store.path)
        assert store.row(cell) is None
        state.rmdir()
    else:
        state.write_bytes(b"junk")
    assert resume(store.path).row(cell).failed is None


def test_a_refused_run_leaves_nothing_beside_what_is_there(tmp_path):
    (tmp_path / "text.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ClockhandsError, match="is there already"):
        run(SMALL, tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["text.txt"]


def test_rows_that_are_taken_away_while_it_runs_are_missed(tmp_path, monkeypatch):
    plain = Store.save

    def save(self, cell, row):
        plain(self, cell, row)
        if cell == cells(SMALL)[0]:
            self.cells_file.unlink()

    monkeypatch.setattr(Store, "save", save)
    with pytest.raises(ClockhandsError, match=r"cells.sqlite was changed while this ran, and 1 of 2 cells"):
        run(SMALL, tmp_path / "run")
    monkeypatch.undo()
    assert len(resume(tmp_path / "run").finished()) == 2


def test_a_folder_that_is_moved_away_is_not_made_anew(tmp_path, monkeypatch):
    plain = Store.save

    def save(self, cell, row):
        self.path.rename(tmp_path / "elsewhere")
        plain(self, cell, row)

    monkeypatch.setattr(Store, "save", save)
    with pytest.raises(ClockhandsError, match="run holds no comparison"):
        run(SMALL, tmp_path / "run")
    monkeypatch.undo()
    assert not (tmp_path / "run").exists()
    assert len(resume(tmp_path / "elsewhere").finished()) == 2


@pytest.mark.parametrize("name", ["design.json", "preregistration.json", "cells.sqlite"])
def test_what_may_not_be_read_is_not_called_damaged(store, name, monkeypatch, capsys):
    file = store.path / name
    if name == "cells.sqlite":
        monkeypatch.setattr("os.access", lambda path, mode: path != file)
        file.write_bytes(b"whatever SQLite can't open")
    else:
        plain = Path.read_bytes

        def read_bytes(self):
            if self == file:
                raise PermissionError(errno.EACCES, "Permission denied")
            return plain(self)

        monkeypatch.setattr(Path, "read_bytes", read_bytes)
    assert main(["compare", "report", str(store.path), "--lang", "en"]) == 2
    assert f"{name} can't be read (permission denied): ask its owner" in capsys.readouterr().err


def test_parts_that_promise_different_things_are_judged_by_none(tmp_path):
    """Somebody has taken a part from another folder."""
    says = Text("so", "是")
    for name, scheme, other in (("a", "nope", "rope"), ("b", "rope", "nope")):
        claim = Hypothesis("h", says, "copy", "past", scheme, 1, (other,))
        Store(tmp_path / name).begin(SMALL, (claim,))
    stores = [Store(tmp_path / "a"), Store(tmp_path / "b")]
    with pytest.raises(ClockhandsError, match="were begun with different hypotheses"):
        judged(stores, "en")
    assert judged(stores[:1], "en").table


def test_a_text_that_was_changed_is_blamed_itself(tmp_path):
    text = "we read on and on. " * 400
    store = run(SMALL.with_(tasks=("characters",), text=text, context=8), tmp_path / "run")
    store.text_file.write_text(text + "more", encoding="utf-8")
    with pytest.raises(ClockhandsError, match=r"text.txt is missing or damaged"):
        resume(store.path)
    assert report(store).cells == (2, 2)  # which reads no text


@pytest.mark.parametrize(
    "promised", ["[]", "7", '{"written": 7}', '{"design": 7}', '{"hypotheses": [7]}', "{"]
)
def test_a_promise_of_odd_values_is_damaged(store, promised):
    before = json.loads(store.promise_file.read_text("utf-8"))
    content = before | json.loads(promised) if promised.startswith('{"') else promised
    said = content if isinstance(content, str) else json.dumps(content)
    store.promise_file.write_text(said, encoding="utf-8")
    with pytest.raises(ClockhandsError, match=r"preregistration.json is missing or damaged"):
        Store(store.path).design()
