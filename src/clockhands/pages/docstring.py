"""What the docstring of a scheme says: its prose, what each parameter means, and the check value."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

from clockhands.catalogue.description import Description

_PARAMETER = re.compile(r"^(?P<names>[a-z_0-9]+(?:, [a-z_0-9]+)*)\s{2,}(?P<meaning>\S.*)$")
_INHERITED = re.compile(r"(?:^|(?<=\s))(?:Other )?[Pp]arameters are those of ``\w+``(?:\.|, and\b)\s*")
_UNFINISHED = re.compile(r", (?:or|and)$")
_ALONE = re.compile(r"^``(?P<name>\w+)``: (?P<meaning>.+)$", re.DOTALL)


@dataclass(frozen=True)
class Docstring:
    """``prose`` in paragraphs, ``meanings`` of parameters by name, ``example`` as a console shows it."""

    prose: tuple[str, ...]
    meanings: dict[str, str]
    example: str


def docstring(scheme: type[Description]) -> Docstring:
    """The docstring of a class, with the meanings that its bases give to parameters it leaves out.

    >>> from clockhands.catalogue import SCHEMES
    >>> docstring(SCHEMES["xpos"]).meanings["layout"]
    '``half`` or ``interleaved``: which dimensions are a pair'
    """
    prose, example = [], ""
    meanings: dict[str, str] = {}
    bases = [base for base in reversed(scheme.__mro__) if issubclass(base, Description)]
    for base in bases[1:]:
        own, example, said = _parsed(inspect.cleandoc(base.__doc__ or ""))
        prose = own
        meanings |= said
    known = {
        name: _UNFINISHED.sub("", text) for name, text in meanings.items() if name in scheme.parameters()
    }
    return Docstring(tuple(prose), known, example)


def _parsed(text: str) -> tuple[list[str], str, dict[str, str]]:
    prose: list[str] = []
    examples: list[str] = []
    meanings: dict[str, str] = {}
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith(">>>"):
            examples.append(block)
        elif _PARAMETER.match(block.splitlines()[0]):
            meanings |= _meanings(block)
        else:
            said = _INHERITED.sub("", " ".join(block.split())).strip()
            alone = _ALONE.match(said)
            if alone:
                meanings[alone["name"]] = alone["meaning"].rstrip(".")
            elif said:
                prose.append(said)
    return prose, "\n".join(examples), meanings


def _meanings(block: str) -> dict[str, str]:
    found: dict[str, str] = {}
    names: list[str] = []
    for line in block.splitlines():
        begins = _PARAMETER.match(line)
        if begins:
            names = begins["names"].split(", ")
            found |= dict.fromkeys(names, begins["meaning"])
        else:
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
    return found
