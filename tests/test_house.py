"""The rules of the house, checked on the tree itself."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from clockhands.catalogue import CATALOGUE, Description

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src" / "clockhands"
HAN = "\u4e00-\u9fff"

SCHEME_LINES, OTHER_LINES = 120, 400


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


OURS = python_files("src", "tests", "gallery", "benchmarks", "recipes", "mutation", "notebooks", "docs")
SOURCES = python_files("src")
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in OURS}


every_scheme = pytest.mark.parametrize("scheme", CATALOGUE, ids=lambda scheme: scheme.card.id)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call of a file with the dotted name of what is called."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def imported(path: Path) -> set[str]:
    """Every module a file imports, and every ``module.name`` it imports from one."""
    found: set[str] = set()
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def is_scheme(path: Path) -> bool:
    """A file of the catalogue with a card (one's own numbers are no scheme), or any file of ``schemes``."""
    if path.parent == SRC / "catalogue" and path.stem != "own":
        return any(name == "Card" for name, _ in calls(path))
    return path.parent == SRC / "schemes"


# size and shape -------------------------------------------------------------------------


def test_a_file_is_one_idea() -> None:
    too_long = []
    for path in OURS:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > (SCHEME_LINES if is_scheme(path) else OTHER_LINES):
            too_long.append(f"{name_of(path)}: {lines} lines")
    assert too_long == []


def test_every_package_has_tests() -> None:
    packages = {path.parent.name for path in SRC.glob("*/__init__.py")}
    tested = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert packages - tested == set()


# what is imported, and what never is ------------------------------------------------------


@pytest.mark.parametrize(
    "module", ["clockhands", "clockhands.cli", "clockhands.formulas", "clockhands.catalogue"]
)
def test_importing_is_light(module: str) -> None:
    heavy = ("torch", "matplotlib", "PIL", "jieba", "av", "safetensors")
    script = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_pyplot_and_its_global_state_are_not_used() -> None:
    assert [name_of(path) for path in OURS if "matplotlib.pyplot" in imported(path)] == []


def test_nothing_that_is_read_can_run() -> None:
    """No pickle but in conformance, which unpickles what it pickled, and no eval: no file becomes code."""
    safely = {"torch.load": ("weights_only", "True"), "np.load": ("allow_pickle", "False")}
    for path in SOURCES:
        for name, call in calls(path):
            assert name not in {"eval", "exec"}, name_of(path)
            assert not name.startswith("pickle.load") or path.parent.name == "conformance", name_of(path)
            if name in safely:
                words = [(word.arg, ast.unparse(word.value)) for word in call.keywords]
                assert safely[name] in words, name_of(path)


def test_no_state_outlives_a_call() -> None:
    """No caches across calls and no global that a function changes."""
    for path in SOURCES:
        for node in ast.walk(TREES[path]):
            assert not isinstance(node, ast.Global), name_of(path)
            if isinstance(node, ast.FunctionDef):
                decorators = " ".join(map(ast.unparse, node.decorator_list))
                assert not re.search(r"\b(lru_cache|cache|cached_property)\b", decorators), name_of(path)


# the catalogue ----------------------------------------------------------------------------


def test_every_scheme_file_is_listed() -> None:
    files = {path.stem for path in (SRC / "catalogue").glob("*.py") if is_scheme(path)}
    assert files == {description.__module__.rsplit(".", 1)[1] for description in CATALOGUE}


def test_schemes_do_not_know_one_another() -> None:
    schemes = [path for path in SOURCES if path.parent == SRC / "catalogue" and is_scheme(path)]
    others = {f"clockhands.catalogue.{path.stem}" for path in schemes}
    assert [name_of(path) for path in schemes if imported(path) & others] == []


@every_scheme
def test_every_card_is_complete(scheme: type[Description]) -> None:
    card = scheme.card
    assert card.id
    assert card.id == card.id.lower()
    assert card.name
    assert card.formula
    assert card.sources or card.origin
    for source in (*card.sources, *card.related):
        assert source.authors
        assert source.title
        assert source.where
        assert 1900 < source.year < 2100
    for text in (card.title, card.idea, *filter(None, (card.differs, card.origin))):
        assert text.en
        assert re.search(f"[{HAN}]", text.zh)


@every_scheme
def test_a_scheme_keeps_to_its_file(scheme: type[Description]) -> None:
    path = SRC / "catalogue" / f"{scheme.__module__.rsplit('.', 1)[1]}.py"
    assert path.name == f"{scheme.card.id.replace('-', '_')}.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= SCHEME_LINES


# both languages -----------------------------------------------------------------------------


def literal(node: ast.expr) -> str | None:
    """A string or f-string as text, every value in it written as ``X``; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
        return "".join(map(str, parts))
    return None


def sentences() -> Iterator[tuple[str, str, str]]:
    """Place, English and Chinese of each Text or ClockhandsError written out in the sources."""
    for path in SOURCES:
        for name, call in calls(path):
            if name.split(".")[-1] in {"Text", "ClockhandsError"} and len(call.args) == 2:
                english, chinese = literal(call.args[0]), literal(call.args[1])
                if english is not None and chinese is not None:
                    yield f"{name_of(path)}:{call.lineno}", english, chinese


def test_every_sentence_exists_in_both_languages() -> None:
    one_language, mixed = [], []
    for where, english, chinese in sentences():
        if bool(english.strip()) != bool(chinese.strip()):
            one_language.append(where)
        if len(re.findall(f"[{HAN}]", english)) > 0.2 * len(english):  # a Chinese word as an example is fine
            mixed.append(where)
    assert (one_language, mixed) == ([], [])


def test_chinese_sentences_use_chinese_punctuation() -> None:
    half_width = re.compile(f"[{HAN}]([,;!?]|[.:]( |$))|[,;!?][{HAN}]")
    found = [f"{where}: {chinese}" for where, _, chinese in sentences() if half_width.search(chinese)]
    assert found == []


def test_readmes_tell_the_same() -> None:
    """Equally many headings, pictures and rows of tables, and the same commands."""
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
    for pattern in (r"(?m)^#{1,3} ", r"!\[", r"(?m)^\|"):
        assert len(re.findall(pattern, english)) == len(re.findall(pattern, chinese)), pattern
    fences = re.compile(r"(?ms)^```\w.*?^```")
    commands = re.compile(r"(?m)^(?:make|clockhands|pip|python) [^#\n]*")
    both = [
        [line.strip() for line in commands.findall("\n".join(fences.findall(text)))]
        for text in (english, chinese)
    ]
    assert both[0] == both[1]
    assert both[0]


# what people may rely on ----------------------------------------------------------------------


PROTOCOL = {"tell", "needs", "draw", "data"}
"""What every chapter and every view has, documented once where chapters and views are defined."""


def test_public_names_are_documented() -> None:
    missing = []
    for path in SOURCES:
        tree = TREES[path]
        if tree.body and not ast.get_docstring(tree):
            missing.append(name_of(path))
        for node in tree.body:
            is_public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if is_public and node.name not in PROTOCOL and not ast.get_docstring(node):
                missing.append(f"{name_of(path)}: {node.name}")
    assert missing == []


def test_every_public_name_is_there() -> None:
    import clockhands

    assert set(clockhands.__all__) <= set(dir(clockhands))
    assert [name for name in clockhands.__all__ if getattr(clockhands, name, None) is None] == []


def test_extras_named_in_messages_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {
        literal(call.args[1])
        for path in SOURCES
        for name, call in calls(path)
        if name == "MissingExtra" and len(call.args) == 2
    }
    assert named - {None} <= set(project["optional-dependencies"])


def test_the_skip_list_gives_reasons(skips: dict[str, str]) -> None:
    assert all(skips.values())


SKIPPING = """
import pytest


@pytest.mark.skip(reason="tired")
def test_listed(): ...


@pytest.mark.skip(reason="tired")
def test_unlisted(): ...


@pytest.mark.xfail
def test_expected_to_fail():
    assert False
"""


def test_a_skip_that_is_not_listed_fails(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "skips.txt").write_text("test_some.py::test_listed | it may rest\n", encoding="utf-8")
    (tmp_path / "test_some.py").write_text(SKIPPING, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "1 skipped" in result.stdout
    assert "test_unlisted was skipped, and tests/skips.txt does not list it" in result.stdout
    assert "test_expected_to_fail was skipped, and" in result.stdout


# nothing that belongs to one machine ------------------------------------------------------------


def test_the_tree_speaks_of_itself_alone() -> None:
    """No path of one machine, no address of a package index, no left-over marker."""
    foreign = {
        "a path of one machine": re.compile(r"(?<![\w.])/(tmp|work|root|home)/\w"),
        "a package index": re.compile(r"index-url|find-links|pypi\.org/simple"),
        "a left-over marker": re.compile(r"\b(TODO|FIXME|XXX)\b"),
    }
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]
    found = []
    for path in (*OURS, *documents, ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / "constraints.txt"):
        text = path.read_text(encoding="utf-8") if path != Path(__file__) else ""
        found += [f"{name_of(path)}: {what}" for what, pattern in foreign.items() if pattern.search(text)]
    assert found == []
