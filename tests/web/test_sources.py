"""The page's own sources: vectors that are ours, a lock that names no host, files of one idea."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
WEB = ROOT / "web"
SOURCES = sorted(
    path
    for folder in ("src", "test", "golden", "tables")
    for path in (WEB / folder).rglob("*")
    if path.suffix in (".ts", ".tsx", ".py", ".css")
)
MOST_LINES = 400


def script(*path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"page_{path[-1]}", WEB.joinpath(*path).with_suffix(".py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    return script("golden", "make")


def test_the_vectors_are_what_clockhands_computes(maker: ModuleType) -> None:
    committed = json.loads(maker.HOME.read_text(encoding="utf-8"))
    assert maker.differences(maker.vectors(), committed) == []
    committed["alibi"][1]["slopes"][0] *= 1 + 1e-9
    assert maker.differences(maker.vectors(), committed) == ["/alibi/1/slopes/0"]


def test_the_classes_of_models_are_those_of_the_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(WEB / "tables")
    tables = script("tables", "classes")
    found, left_out = tables.classes()
    assert json.loads(tables.HOME.read_text(encoding="utf-8")) == json.loads(json.dumps(found, default=dict))
    assert len(left_out) <= 56  # each is refused by the page, which names the command that reads it


def test_what_the_page_reads_in_configurations_is_what_the_checker_reads(maker: ModuleType) -> None:
    configs = script("golden", "configs")
    committed = json.loads(configs.HOME.read_text(encoding="utf-8"))
    assert maker.differences(maker.as_json(configs.golden()), committed) == []


def test_a_source_file_is_one_idea() -> None:
    assert len(SOURCES) > 40
    code = [path for path in SOURCES if path.suffix != ".css"]
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in code}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_nothing_belongs_to_one_machine() -> None:
    listed = [
        "package.json",
        "package-lock.json",
        "build.mjs",
        "sentences.mjs",
        "biome.json",
        "tsconfig.json",
        ".npmrc",
    ]
    foreign = re.compile(r"(?<![\w.])/(tmp|work|root|home)/\w")
    for path in (*SOURCES, *(WEB / name for name in listed)):
        assert not foreign.search(path.read_text(encoding="utf-8")), path.name
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    packages = [each for place, each in lock["packages"].items() if place]
    assert all(each["integrity"].startswith("sha512-") for each in packages)
    hosts = {each["resolved"].split("/")[2] for each in packages if "resolved" in each}
    assert hosts <= {"registry.npmjs.org"}


def test_every_package_of_the_bundle_has_its_licence() -> None:
    text = (ROOT / "src/clockhands/web/built/LICENCES.txt").read_text(encoding="utf-8")
    dependencies = json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for name, version in dependencies.items():
        assert f"{name} {version}\n" in text
    assert text.count("MIT License") == len(dependencies) + 1  # and the core of the signals


def test_what_is_built_is_committed() -> None:
    git = ["git", "-C", str(ROOT), "ls-files", "src/clockhands/web/built"]
    listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout.split()
    assert {Path(path).name for path in listed} == {
        "start.js", "page.js", "page.css", "words.json", "classes.json", "later.js",
        "widget.js", "fields.json", "LICENCES.txt",
    }  # fmt: skip
