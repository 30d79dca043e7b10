"""What the documents say can be done: every command parses, and the quick examples run.

A fence marked ``python run`` or ``bash run`` is run as it stands, in an empty folder; several of one
document share that folder, so a later one may use what an earlier one wrote.
"""

from __future__ import annotations

import ast
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from clockhands.catalogue import CATALOGUE
from clockhands.cli import main
from clockhands.cli.entry import group

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
ENGLISH = [path for path in DOCUMENTS if not path.name.endswith(".zh.md")]
FENCE = re.compile(r"(?ms)^```(?P<language>\w+)(?P<run> run)?\n(?P<code>.*?)^```$")
LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)#]+)")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def fences(path: Path) -> list[re.Match[str]]:
    return list(FENCE.finditer(path.read_text(encoding="utf-8")))


def commands(code: str) -> Iterator[list[str]]:
    """The arguments of each ``clockhands`` line; comments are dropped, lines ended by ``\\`` joined."""
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words and words[0] == "clockhands":
            yield words[1:]


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_a_document_links_its_other_language(path: Path) -> None:
    english = not path.name.endswith(".zh.md")
    other = path.with_name(path.stem + ".zh.md" if english else path.name.replace(".zh.md", ".md"))
    link = f"[{'中文' if english else 'English'}]({other.name})"
    assert (path.read_text(encoding="utf-8").split("\n\n")[1] == link) is other.exists()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_command_parses(path: Path) -> None:
    for fence in fences(path):
        if fence["language"] not in {"bash", "console", "sh"}:
            continue
        for name, *arguments in commands(fence["code"]):
            if name.startswith("-"):
                continue
            command = group.get_command(click.Context(group), name)
            assert command is not None, name
            command.make_context(name, arguments, obj="en", resilient_parsing="--help" in arguments)


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_what_a_shell_would_take_for_its_own_is_quoted(path: Path) -> None:
    for fence in fences(path):
        if fence["language"] in {"bash", "console", "sh"}:
            words = shlex.shlex(fence["code"], posix=True, punctuation_chars=True)
            assert [word for word in words if set(word) <= set("();<>|&")] == []


@pytest.mark.parametrize("path", ENGLISH, ids=name_of)
def test_quick_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", example)  # classes in it can be pickled, as in any script
    for fence in fences(path):
        if not fence["run"]:
            continue
        if fence["language"] == "python":
            exec(compile(fence["code"], name_of(path), "exec"), example.__dict__)
        else:
            for arguments in commands(fence["code"]):
                assert main(arguments) == 0, arguments


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_each_example_imports_what_it_uses(path: Path) -> None:
    """So that it can be copied alone."""
    trees = [ast.parse(fence["code"]) for fence in fences(path) if fence["language"] == "python"]
    imports = [
        {(alias.asname or alias.name) for node in ast.walk(tree) for alias in imported(node)}
        for tree in trees
    ]
    for tree, own in zip(trees, imports, strict=True):
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert used & set().union(*imports) <= own


def imported(node: ast.AST) -> list[ast.alias]:
    return node.names if isinstance(node, ast.Import | ast.ImportFrom) else []


def test_no_example_writes_over_the_result_of_another() -> None:
    written = Counter(
        name
        for path in ENGLISH
        for fence in fences(path)
        for name in (
            *re.findall(r"(?:-o|--data) (\S+)", fence["code"]),
            *re.findall(r'"([\w-]+\.\w{3,4})"', fence["code"]),
        )
        if "--resume" not in fence["code"]
    )
    assert [name for name, times in written.items() if times > 1 and name != "novel"] == []


@pytest.mark.parametrize("path", ENGLISH, ids=name_of)
def test_the_chinese_text_has_the_same_examples(path: Path) -> None:
    """Comments aside, so that running the English ones is enough."""
    chinese = path.with_suffix(".zh.md")
    if chinese.exists():
        comment = re.compile(r" *#.*")
        both = [[comment.sub("", fence.group()) for fence in fences(one)] for one in (path, chinese)]
        assert both[0] == both[1]


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_within_the_project_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_every_guide_exists_in_both_languages() -> None:
    guides = {path.name for path in (ROOT / "docs").glob("*.md")}
    english = {name for name in guides if not name.endswith(".zh.md")}
    assert {name.replace(".md", ".zh.md") for name in english} == guides - english


@pytest.mark.parametrize(
    ("name", "heading"), [("README.md", "## The schemes"), ("README.zh.md", "## 有哪些方案")]
)
def test_the_readme_lists_every_scheme_once(name: str, heading: str) -> None:
    section = (ROOT / name).read_text(encoding="utf-8").split(heading)[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    listed = [id for row in rows for id in re.findall(r"`([\w-]+)`", row)]
    assert sorted(listed) == sorted(scheme.card.id for scheme in CATALOGUE)
