"""Numbers and values in sentences: grouped where they are read, plain where they are to be pasted.

Imports nothing but words, so that rules and readers may use it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

from clockhands.errors import shown, shown_zh
from clockhands.language import Text

FRAMEWORKS = {"transformers": "transformers", "vllm": "vLLM", "llama.cpp": "llama.cpp"}
"""As their makers write them."""

MOST_SHOWN = 8
"""Values of a list that a sentence can hold."""

_MOST_DIGITS = 24


def number(value: float) -> str:
    """At most five digits, thousands grouped.

    >>> number(500000.0), number(0.08838834764831845), number(1.0), number(131072), number(1e-7)
    ('500,000', '0.088388', '1', '131,072', '1e-07')
    """
    if not isfinite(value):
        return "NaN" if value != value else "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.2f}" if 1000 <= abs(value) < 1e15 else f"{value:.5g}"


def numbers(values: Iterable[float]) -> Text:
    """Several of them, the last behind a word.

    >>> numbers([1e6, 5e6]).en, numbers([8192]).en
    ('1,000,000 or 5,000,000', '8,192')
    """
    each = [number(value) for value in values]
    return Text(" or ".join(each), " 或 ".join(each))


def pasted(value: Any) -> str:
    """What is to stand in a file, as JSON has it and without commas.

    >>> pasted(1e6), pasted(131072), pasted("yarn")
    ('1000000.0', '131072', '"yarn"')
    """
    return json.dumps(value, ensure_ascii=False)


def whole(value: float) -> str:
    """A number to be pasted where none but a whole one is meant, as far as floats hold these.

    >>> whole(131072.0), whole(2.5), whole(1e300)
    ('131072', '2.5', '1e+300')
    """
    return f"{value:.0f}" if abs(value) < 2**53 and value == int(value) else f"{value:g}"


def said(value: Any) -> Text:
    """A value that a file has, as the file writes it: true and null, and text in quotation marks.

    The Chinese begins with a space unless it begins with a quotation mark: write it right behind a Chinese
    character.

    >>> said(True).en, said(None).zh, said("yarn").zh, said([1.0] * 48).en, said(131072).en
    ('true', ' null', '“yarn”', 'a list of 48 values', '131,072')
    """
    if isinstance(value, str):
        return Text(shown(value), shown_zh(value))
    if isinstance(value, list | tuple) and len(value) > MOST_SHOWN:
        return Text(f"a list of {len(value):,} values", f"一列 {len(value):,} 个值")
    plain = _plain(value)
    return Text(plain, f" {plain}")


def _plain(value: Any, most: int = 60) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, Mapping | list | tuple | str):
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):  # what no file of JSON holds, from Python
            return shown(value, most)
        return text if len(text) <= most else f"{text[: most - 1]}…"
    if isinstance(value, float) and not isfinite(value):
        return {"nan": "NaN", "inf": "Infinity"}.get(str(value), "-Infinity")
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return shown(value, _MOST_DIGITS)
    if isinstance(value, int | float):
        return f"{value:,}" if value == int(value) and abs(value) < 1e15 else shown(value, most)
    return shown(value, most)


def short(word: str) -> str:
    """A word of a file as one line can hold it.

    >>> short("yarn"), len(short("y" * 1000))
    ('yarn', 41)
    """
    return word if len(word) <= 40 else f"{word[:40]}…"


def brief(words: str, most: int = 200) -> str:
    """What another program says, on one line and cut where it is long.

    >>> brief("a\\n  b"), len(brief("x" * 999))
    ('a b', 200)
    """
    words = " ".join(words.split())
    return words if len(words) <= most else f"{words[: most - 1]}…"


def spaced(zh: str) -> str:
    """With a space before it where it begins with a letter or digit, to stand behind a Chinese character.

    >>> spaced("12"), spaced("无")
    (' 12', '无')
    """
    return f" {zh}" if zh[:1].isascii() else zh


def listed(names: Iterable[str]) -> Text:
    """Names, one behind the other.

    >>> listed(["linear", "yarn"])
    Text(en='linear, yarn', zh='linear、yarn')
    """
    names = list(names)
    return Text(", ".join(names), "、".join(names))


def has(count: int, one: Text, several: str = "") -> Text:
    """So many of a thing; ``several`` where its English plural is not the word with an s.

    >>> has(1, Text("entry", "项"), "entries").en, has(4096, Text("row", "行"))
    ('1 entry', Text(en='4,096 rows', zh='4,096 行'))
    """
    word = one.en if count == 1 else several or f"{one.en}s"
    return Text(f"{count:,} {word}", f"{count:,} {one.zh}")


def ranges(layers: Iterable[int]) -> str:
    """Numbers of layers, runs of them joined.

    >>> ranges([0, 1, 2, 5, 7, 8])
    '0-2, 5, 7-8'
    >>> ranges(range(3, 36, 4)), ranges(n for n in range(48) if n % 6 != 5)
    ('3, 7, … 35', '0-4, 6-10, … 42-46')
    """
    runs: list[list[int]] = []
    for layer in sorted(layers):
        if runs and layer == runs[-1][1] + 1:
            runs[-1][1] = layer
        else:
            runs.append([layer, layer])
    steps = {after[0] - before[0] for before, after in pairwise(runs)}
    lengths = {last - first for first, last in runs}
    if len(runs) > 3 and len(steps) == 1 and len(lengths) == 1:
        return f"{_run(runs[0])}, {_run(runs[1])}, … {_run(runs[-1])}"
    return ", ".join(map(_run, runs))


def _run(run: Sequence[int]) -> str:
    first, last = run
    return str(first) if first == last else f"{first}-{last}"
