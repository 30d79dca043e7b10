"""The notebooks run from top to bottom, say what they should, and are kept so that changes can be read."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
ENGLISH = [path for path in NOTEBOOKS if not path.name.endswith(".zh.ipynb")]
HAN = re.compile("[\u4e00-\u9fff]")

WIDGET = "application/vnd.jupyter.widget-view+json"

# What the notebooks print, in any language: the numbers behind what their text says.
NUMBERS = {
    "clock-hands": {
        "hands": ["7.9577", "2.5165", "0.0014"],
        "state": ["'pos': '20'", "'other': '15'"],
        "similarity": ["0.7288", "0.7361", "47%"],
        "checks": ["1.17162", "0.547", "1.414"],
        "adding": ["0%", "87%"],
        "far": ["133", "43", "3,073", "769", "(256, 257)"],
        "design": ["35,333", "1,235", "181", "178"],
    },
    "rope-on-chinese-text": {
        "words": ["43", "49", "52", "京师 | 闹 | 瘟疫"],
        "padding": ["109", "(3, 52)"],
        "turning": ["2.339949", "1004"],
        "hands": ["8.2761", "0.0828", "0.0083"],
        "printed": ["200", "%"],
        "maps": [f"rope_attention_sentence{number}.png" for number in (1, 2, 3)],
        "order": ["rope", "nope"],
    },
}
PICTURES = {
    "clock-hands": ["waves", "similarity", "checks", "adding", "far", "others", "design"],
    "rope-on-chinese-text": ["printed", "maps", "order"],
}
WIDGETS = {"clock-hands": "widget", "rope-on-chinese-text": "hands"}


def kind(path: Path) -> str:
    return path.name.split(".")[0]


def name_of(path: Path) -> str:
    return path.name


def cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def code(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "code"]


def printed(cell: Any) -> str:
    shown = [each.get("text") or each.get("data", {}).get("text/plain", "") for each in cell.outputs]
    return "".join(shown)


def kinds(cell: Any) -> set[str]:
    return {name for each in cell.outputs for name in each.get("data", {})}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_it_runs_and_says_what_it_should(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()  # raises where a cell does
    ran = {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}
    for id, numbers in NUMBERS[kind(path)].items():
        assert [number for number in numbers if number not in printed(ran[id])] == [], id
    for id in PICTURES[kind(path)]:
        assert "image/png" in kinds(ran[id]), id
    assert {WIDGET, "text/html"} <= kinds(ran[WIDGETS[kind(path)]])
    warned = [printed(cell) for cell in ran.values() if any(o.get("name") == "stderr" for o in cell.outputs)]
    assert warned == []
    if kind(path) == "rope-on-chinese-text":
        assert_what_the_text_says_of_training(ran)


def assert_what_the_text_says_of_training(ran: dict[str, Any]) -> None:
    """Without position as good; another seed moves more weight than that; a task that does need it."""
    decimals = re.findall(r"\d\.\d{4}", printed(ran["printed"]))
    *milestones, with_rope, without = map(float, decimals)
    assert milestones == sorted(milestones, reverse=True)
    assert without < 1.1 * with_rope
    moved, by_chance = map(int, re.findall(r"(\d+)%", printed(ran["printed"]))[-2:])
    assert moved < by_chance
    hidden, seen = re.findall(r"\d\.?\d*(?:e-\d+)?", printed(ran["masking"]))
    assert float(hidden) < 1e-6 < 0.05 < float(seen)
    losses = re.findall(r"\d\.\d{2}\b", printed(ran["order"]))
    assert float(losses[0]) + 1 < float(losses[1])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_it_is_kept_so_that_changes_can_be_read(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert path.read_text(encoding="utf-8") == json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    assert set(content["metadata"]) == {"kernelspec", "language_info"}
    assert content["metadata"]["language_info"] == {"name": "python"}
    assert 12 <= len(content["cells"]) <= 20
    for cell in content["cells"]:
        assert re.fullmatch(r"[a-z-]+", cell["id"])
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


@pytest.mark.parametrize("path", ENGLISH, ids=name_of)
def test_both_languages_compute_the_same(path: Path) -> None:
    twin = path.with_name(path.name.replace(".ipynb", ".zh.ipynb"))
    both = (cells(path), cells(twin))
    assert [(c["id"], c["cell_type"]) for c in both[0]] == [(c["id"], c["cell_type"]) for c in both[1]]
    for here, there in zip(code(path), code(twin), strict=True):
        (tree, words), (other, others) = without_words(here), without_words(there)
        assert tree == other
        for word, translated in zip(words, others, strict=True):
            assert word == translated or (word, translated) == ("en", "zh") or HAN.search(translated)
    text = ["".join(c["source"]) for c in both[1] if c["cell_type"] == "markdown"]
    assert all(HAN.search(one) for one in text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_its_links_lead_somewhere(path: Path) -> None:
    text = "\n".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "markdown")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []


def without_words(source: str) -> tuple[str, list[str]]:
    """The code with its strings made empty, and the strings; an f-string keeps the values put into it."""
    emptying = Emptying()
    return ast.dump(emptying.visit(ast.parse(source))), emptying.words


class Emptying(ast.NodeTransformer):
    def __init__(self) -> None:
        self.words: list[str] = []

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if not isinstance(node.value, str):
            return node
        self.words.append(node.value)
        return ast.Constant("")

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        said = [part.value for part in node.values if isinstance(part, ast.Constant)]
        self.words.append(" ".join(map(str, said)))
        kept: list[ast.expr] = [part for part in node.values if not isinstance(part, ast.Constant)]
        return self.generic_visit(ast.JoinedStr(kept))
