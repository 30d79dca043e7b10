"""User dictionaries for Chinese: words that must stay whole, in jieba's own file format."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from importlib.resources import files
from typing import NamedTuple

from clockhands.errors import ClockhandsError
from clockhands.text.reading import read_text

_LINE = re.compile(r"(?P<word>.+?)(?:\s+(?P<count>\d+))?(?:\s+(?P<tag>[a-z]+))?")
_MOST = 10**9


class Entry(NamedTuple):
    """A word, how often it is taken to occur (0: as often as keeps it whole), and its part of speech."""

    word: str
    count: int = 0
    tag: str = ""


def well_formed(entry: object) -> bool:
    """Whether this is an Entry whose parts are of the right types, the count within what a line may say.

    >>> well_formed(Entry("鲁提辖", 99, "nr")), well_formed(Entry(1, 2, 3))
    (True, False)
    """
    if not isinstance(entry, Entry) or not (isinstance(entry.word, str) and isinstance(entry.tag, str)):
        return False
    return entry.word.strip() != "" and type(entry.count) is int and 0 <= entry.count <= _MOST


def sample_dictionary() -> tuple[Entry, ...]:
    """Names of people and places of the Water Margin, shipped with the package."""
    return parse(files("clockhands.text").joinpath("shuihu.dict").read_text("utf-8"), "shuihu.dict")


def read_dictionary(path: str | os.PathLike[str]) -> tuple[Entry, ...]:
    """Entries of a file, one a line: a word, then optionally a count and a part of speech.

    Raises ClockhandsError if the file can't be read as text or a line breaks the format.
    """
    return parse(read_text(path).text, os.fspath(path))


def parse(text: str, name: str) -> tuple[Entry, ...]:
    """Entries of a dictionary's text; ``name`` is how messages call it.

    >>> parse("鲁提辖 99 nr\\n镇关西", "my.dict")
    (Entry(word='鲁提辖', count=99, tag='nr'), Entry(word='镇关西', count=0, tag=''))
    """
    entries: list[Entry] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None or re.search(r"\s", found["word"]) or int(found["count"] or 0) > _MOST:
            raise ClockhandsError(
                f"line {number} of {name} is '{line.strip()[:40]}': write a word, then optionally a count "
                "and a part of speech, e.g. 鲁提辖 99 nr",
                f"{name} 第 {number} 行是“{line.strip()[:40]}”：请先写词，再写次数和词性（后两项可省略），"
                "例如 鲁提辖 99 nr",
            )
        entries.append(Entry(found["word"], int(found["count"] or 0), found["tag"] or ""))
    return tuple(entries)


def merged(*dictionaries: Iterable[Entry]) -> tuple[Entry, ...]:
    """All entries; of two for one word the later one counts."""
    return tuple({entry.word: entry for entries in dictionaries for entry in entries}.values())
