"""The rules of the house, checked on the tree itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src" / "clockhands"
HAN = "\u4e00-\u9fff"

SCHEME_LINES, OTHER_LINES = 120, 400


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


OURS = python_files("src", "tests", "gallery", "benchmarks", "mutation")
SOURCES = python_files("src")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call of a file with the dotted name of what is called."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def is_scheme(path: Path) -> bool:
    """A file of the catalogue with a card (one's own numbers are no scheme), or any file of ``schemes``."""
    if path.parent == SRC / "catalogue" and path.stem != "own":
        return any(name == "Card" for name, _ in calls(path))
    return path.parent == SRC / "schemes"


# size and shape -----------------------------------------------------------------------


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_a_file_is_one_idea(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= (SCHEME_LINES if is_scheme(path) else OTHER_LINES)


def test_every_package_has_tests() -> None:
    packages = {path.parent.name for path in SRC.glob("*/__init__.py")}
    assert packages <= {path.name for path in (ROOT / "tests").iterdir()}


# what is imported, and what never is -----------------------------------------------------


@pytest.mark.parametrize(
    "module", ["clockhands", "clockhands.cli", "clockhands.formulas", "clockhands.catalogue"]
)
def test_importing_is_light(module: str) -> None:
    heavy = ("torch", "matplotlib", "PIL", "jieba", "av", "safetensors")
    script = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_pyplot_and_its_global_state_are_not_used(path: Path) -> None:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            assert "matplotlib.pyplot" not in {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.module != "matplotlib.pyplot"
            assert node.module != "matplotlib" or "pyplot" not in {alias.name for alias in node.names}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_pickle_is_loaded(path: Path) -> None:
    for name, call in calls(path):
        words = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        assert name not in {"pickle.load", "pickle.loads", "joblib.load", "eval", "exec"}
        if name == "torch.load":
            assert words.get("weights_only") == "True"
        if name in {"np.load", "numpy.load"}:
            assert words.get("allow_pickle") == "False"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_state_outlives_a_call(path: Path) -> None:
    """No caches across calls and no global that a function changes."""
    for node in ast.walk(tree_of(path)):
        assert not isinstance(node, ast.Global)
        if isinstance(node, ast.FunctionDef):
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            assert not [
                name for name in decorators if re.search(r"\b(lru_cache|functools\.cache|cache)\b", name)
            ]


def test_schemes_do_not_know_one_another() -> None:
    schemes = [path for path in SOURCES if path.parent == SRC / "catalogue" and is_scheme(path)]
    others = {f"clockhands.catalogue.{path.stem}" for path in schemes}
    for path in schemes:
        imported = {node.module for node in ast.walk(tree_of(path)) if isinstance(node, ast.ImportFrom)}
        assert not imported & others, name_of(path)


# the catalogue -----------------------------------------------------------------------------


def test_every_scheme_file_is_listed() -> None:
    from clockhands.catalogue import CATALOGUE

    files = {path.stem for path in (SRC / "catalogue").glob("*.py") if is_scheme(path)}
    assert files == {description.__module__.rsplit(".", 1)[1] for description in CATALOGUE}


def test_every_card_is_complete() -> None:
    from clockhands.catalogue import CATALOGUE

    for description in CATALOGUE:
        card = description.card
        assert card.id
        assert card.id == card.id.lower()
        assert card.name
        assert card.formula
        assert card.sources
        for source in card.sources:
            assert source.authors
            assert source.title
            assert source.where
            assert 1900 < source.year < 2100
        assert card.differs is not None
        for text in (card.title, card.idea, card.differs):
            assert text.en
            assert re.search(f"[{HAN}]", text.zh)


# both languages --------------------------------------------------------------------------------


def literal(node: ast.expr) -> str | None:
    """A string or f-string as text, every value in it written as ``X``; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
        return "".join(str(part) for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = literal(node.left), literal(node.right)
        return None if left is None or right is None else left + right
    return None


def sentences(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, English and Chinese of each Text or ClockhandsError written out in a file."""
    for name, call in calls(path):
        if name.split(".")[-1] in {"Text", "ClockhandsError"} and len(call.args) == 2:
            english, chinese = literal(call.args[0]), literal(call.args[1])
            if english is not None and chinese is not None:
                yield call.lineno, english, chinese


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_every_sentence_exists_in_both_languages(path: Path) -> None:
    for line, english, chinese in sentences(path):
        assert bool(english.strip()) == bool(chinese.strip()), f"line {line}: one language only"
        examples = re.findall(f"[{HAN}]", english)  # a Chinese word as an example is fine
        assert len(examples) < 0.2 * len(english) or not english, f"line {line}: Chinese in the English"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_chinese_sentences_use_chinese_punctuation(path: Path) -> None:
    for line, _, chinese in sentences(path):
        found = re.search(f"[{HAN}]([,;!?]|[.:]( |$))|[,;!?][{HAN}]", chinese)
        assert found is None, f"line {line}: {found and found.group()} in {chinese}"


def test_readmes_tell_the_same() -> None:
    """The two READMEs have equally many headings and pictures, and the same commands."""
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
    for pattern in (r"(?m)^#{1,3} ", r"!\[", r"(?m)^\|"):
        assert len(re.findall(pattern, english)) == len(re.findall(pattern, chinese))
    fences = re.compile(r"(?ms)^```\w.*?^```")
    commands = re.compile(r"(?m)^(?:make|clockhands|pip|python) .*?(?= +#|$)")
    both = [commands.findall("\n".join(fences.findall(text))) for text in (english, chinese)]
    assert both[0] == both[1]
    assert both[0]


# what people may rely on ---------------------------------------------------------------------------


def public(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_public_names_are_documented(path: Path) -> None:
    tree = tree_of(path)
    is_empty = not tree.body
    assert is_empty or ast.get_docstring(tree), "the module has no docstring"
    missing = [node.name for node in public(tree.body) if not ast.get_docstring(node)]
    assert missing == []


def test_every_public_name_is_there() -> None:
    import clockhands

    assert set(clockhands.__all__) <= set(dir(clockhands))
    for name in clockhands.__all__:
        assert getattr(clockhands, name) is not None


def test_extras_named_in_messages_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    named = {
        literal(call.args[1])
        for path in SOURCES
        for name, call in calls(path)
        if name == "MissingExtra" and len(call.args) == 2
    }
    assert named - {None} <= set(extras)


def test_the_skip_list_gives_reasons(skips: dict[str, str]) -> None:
    assert all(reason for reason in skips.values())


# nothing that belongs to one machine ---------------------------------------------------------------------


def test_the_tree_speaks_of_itself_alone() -> None:
    """No path of one machine, no address of a package index, no left-over marker."""
    machine = re.compile(r"(?<![\w.])/(tmp|work|root|home)/\w")
    index = re.compile(r"index-url|find-links|pypi\.org/simple")
    marker = re.compile(r"\b(TODO|FIXME|XXX)\b")
    texts = [
        *OURS,
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "Makefile",
        ROOT / "pyproject.toml",
    ]
    for path in texts:
        if path == Path(__file__):
            continue
        text = path.read_text(encoding="utf-8")
        for pattern in (machine, index, marker):
            found = pattern.search(text)
            assert found is None, f"{name_of(path)}: {found and found.group()}"
