"""Schemes of other packages that can't be had: a sentence says so, whatever their code does."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from clockhands.catalogue import SCHEMES, describe, plugins
from clockhands.errors import ClockhandsError

MODULES = {
    "leaving": "import sys\nsys.exit(3)\n",
    "raising": "raise OSError('two\\nlines ' + 'x' * 5000)\n",
    "lazy": "def __getattr__(name):\n    raise ImportError('no ' + name)\n",
    "bare": "from clockhands.catalogue import Description\nclass Mine(Description):\n    pass\n",
    "many": "".join(f"name{number} = 1\n" for number in range(999)),
    "broken": "def (\n",
}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("leaving:X", r"can't be imported \(SystemExit: 3\)"),
        ("raising:X", r"can't be imported \(OSError: two lines xxx"),
        ("lazy:X", r"can't be imported \(ImportError: no X\)"),
        ("bare:Mine", "is no scheme: name a class that subclasses Description and has a card"),
        ("many:Mine", "there is no 'many:Mine': check the name"),
        ("broken:X", r"can't be imported \(SyntaxError"),
        ("no.such.module:X", r"can't be imported \(ModuleNotFoundError"),
        ("os : path", r"can't be imported \(ModuleNotFoundError"),
        (":X", "can't be imported"),
        ("..x:X", "can't be imported"),
        ("os:", "there is no 'os:': check the name"),
        ("bare", "there is no scheme 'bare'"),
        ("x" * 5000, "there is no scheme 'xxx"),
    ],
)
def test_what_cannot_be_imported(
    path: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, code in MODULES.items():
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ClockhandsError, match=says) as caught:
        describe(path)
    for said in caught.value.text:
        assert said.isprintable()
        assert len(said) < 1000


def test_two_packages_that_announce_one_id(monkeypatch: pytest.MonkeyPatch) -> None:
    announced = [
        EntryPoint("mine", "one.package:Mine", plugins.GROUP),
        EntryPoint("mine", "other.package:Mine", plugins.GROUP),
        EntryPoint("twice", "clockhands.catalogue.rope:RoPE", plugins.GROUP),
        EntryPoint("twice", "clockhands.catalogue.rope:RoPE", plugins.GROUP),
        EntryPoint("rope", "other.package:Rope", plugins.GROUP),
    ]
    monkeypatch.setattr(plugins, "entry_points", lambda group: announced)
    with pytest.raises(ClockhandsError, match=r"'mine' is announced by more than one package \(one.*other"):
        describe("mine")
    with pytest.raises(ClockhandsError, match="announced as 'twice', but its card says 'rope'"):
        describe("twice")
    assert describe("rope").card.id == "rope"
    assert [*SCHEMES].count("mine") == [*SCHEMES].count("rope") == 1
