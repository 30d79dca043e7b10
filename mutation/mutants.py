"""What can be broken in a source file: every mutant as the lines it changes."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from mutmut.mutation.file_mutation import Mutation, create_mutations

_MESSAGES = frozenset(("ClockhandsError", "MissingExtra", "Text", "Card", "Source", "super"))
"""Calls that hold sentences for people: changing a word in one is not a fault of the code."""


@dataclass(frozen=True)
class Mutant:
    """A fault, named by what it changes and not by line numbers, so that edits elsewhere leave it valid.

    file       path below the root of the project
    function   name of the function or method that holds it
    before     the lines it changes, stripped; ``after`` what it makes of them
    nth        which of several equal changes in the same function, 0 for the first
    """

    file: str
    function: str
    before: str
    after: str
    nth: int = 0


def mutants_of(root: Path, file: str) -> Iterator[tuple[Mutant, str]]:
    """Every mutant of one file with the whole mutated source."""
    code = (root / file).read_text(encoding="utf-8")
    module, mutations, _, _ = create_mutations(file, code)
    messages = _nodes_in_messages(module)
    seen: Counter[Mutant] = Counter()
    for mutation in mutations:
        function = mutation.contained_by_top_level_function
        if function is None or _is_trivial(mutation) or mutation.original_node in messages:
            continue
        mutated = cst.ensure_type(
            module.deep_replace(mutation.original_node, mutation.mutated_node), cst.Module
        ).code
        before, after = _changed_lines(code, mutated)
        name = function.name.value if isinstance(function, cst.FunctionDef) else "(class body)"
        mutant = Mutant(file, name, before, after)
        nth = seen[mutant]
        seen[mutant] += 1
        yield Mutant(file, name, before, after, nth), mutated


def _is_trivial(mutation: Mutation) -> bool:
    """None in place of a value, or a misspelt key, crashes at once: catching it proves little."""
    return isinstance(mutation.original_node, cst.Call | cst.Assign | cst.AnnAssign | cst.SimpleString)


def _nodes_in_messages(module: cst.Module) -> set[cst.CSTNode]:
    """Everything inside the calls of ``_MESSAGES``."""
    found: set[cst.CSTNode] = set()

    class Visitor(cst.CSTVisitor):
        depth = 0

        def on_visit(self, node: cst.CSTNode) -> bool:
            if self.depth:
                found.add(node)
            self.depth += _is_message(node)
            return True

        def on_leave(self, original_node: cst.CSTNode) -> None:
            self.depth -= _is_message(original_node)

    module.visit(Visitor())
    return found


def _is_message(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _MESSAGES


def _changed_lines(code: str, mutated: str) -> tuple[str, str]:
    before, after = [], []
    for line in difflib.ndiff(code.splitlines(), mutated.splitlines()):
        if line.startswith("- "):
            before.append(line[2:].strip())
        elif line.startswith("+ "):
            after.append(line[2:].strip())
    return "\n".join(before), "\n".join(after)
