"""Where findings stand, for programs that show them beside a file."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from urllib.parse import quote

from clockhands.check.kept import kept_at
from clockhands.check.names import names_function
from clockhands.check.report import Report


def file_of(report: Report) -> str | None:
    """The file that findings speak of: of a folder its ``config.json``, of a function the file that has it.

    None for a function of a package and for a live model, which are no files here.
    """
    target, kind = report.subject.target, report.subject.kind
    if kind != "function":
        target = str(kept_at(target) or target)
    if os.path.isdir(target):
        return os.path.join(target, "config.json")
    if os.path.lexists(target):
        return target
    if names_function(target):
        file, _, _ = target.rpartition(":")
        return file if file.endswith(".py") else None
    return None if kind in ("model", "function") else target


def uri_of(path: str) -> str:
    """The path as an address: of a file where it is absolute, else relative to where the check was run.

    >>> uri_of("a b/mine:x.json"), uri_of("/m/config.json"), uri_of("C:/m/config.json")
    ('a%20b/mine%3Ax.json', 'file:///m/config.json', 'file:///C:/m/config.json')
    """
    drive = path[:2] if re.match(r"[A-Za-z]:[\\/]", path) else ""
    plain = path.replace("\\", "/") if drive or os.sep == "\\" else path
    quoted = quote(os.fsencode(plain[len(drive) :]), safe="/")  # names may be no UTF-8
    if drive:
        return f"file:///{drive}{quoted}"
    return f"file://{quoted}" if plain.startswith("/") else quoted


TEXTS = (".json", ".yaml", ".yml", ".txt", ".sh", ".py")
LARGEST = 4 * 2**20
"""Bytes of a text that is searched; no configuration has more."""


def line_of(path: str, keys: Sequence[str]) -> int | None:
    """The line of a text in which the first of ``keys`` stands, 1 where none does; None of a file of bytes.

    A path such as ``rope_scaling.factor`` is followed name by name.
    """
    if not path.lower().endswith(TEXTS):
        return None
    try:
        if os.path.getsize(path) > LARGEST:
            return 1
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:  # gone since it was read: the place matters less than the finding
        return 1
    return next((line for key in keys if (line := _line(text, key)) is not None), 1)


def _line(text: str, key: str) -> int | None:
    at = 0
    for name in key.split("."):
        found = re.compile(rf'["\']?{re.escape(name)}["\']?\s*[:=]').search(text, at)
        if found is None:
            return None
        at = found.start()
    return text.count("\n", 0, at) + 1
