"""Settings outside JSON: options of a command line, and the plain part of YAML that training recipes use."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

WORDS = {"true": True, "false": False, "null": None, "none": None, "~": None, "yes": True, "no": False}
MOST_LINES = 20_000
LONGEST = 2**18
"""Letters of options that are read as a shell would; of longer text only the words are."""


def parse_options(text: str) -> dict[str, Any]:
    """``--rotary-base 500000 --use-rope-scaling`` as ``{"rotary_base": 500000, "use_rope_scaling": True}``.

    Shell around the options, such as an array's parentheses, is passed over. Several values make a list.

    >>> parse_options("MODEL_ARGS=(--rotary-base 10000 --swiglu --window-size 128 0)")
    {'rotary_base': 10000, 'swiglu': True, 'window_size': [128, 0]}
    """
    found: dict[str, Any] = {}
    name, given = "", []
    for word in [*_words(text), "--"]:
        option = re.search(r"(?:^|[(\s])--([A-Za-z][\w-]*)?(?:=(.*))?$", word)
        if option is None:
            given.append(scalar(word.rstrip(")")))
            continue
        if name:
            found[name] = True if not given else given[0] if len(given) == 1 else given
        name = (option[1] or "").rstrip("-").replace("-", "_")
        given = [] if option[2] is None else [scalar(option[2])]
    return found


def _words(text: str) -> list[str]:
    text = text.replace("\\\n", " ").replace("\\\r\n", " ")
    try:
        words = shlex.split(text, comments=True) if len(text) <= LONGEST else text.split()
    except ValueError:  # a quotation without an end
        words = text.split()
    return [word.strip(")") for word in words if word.strip("()")]


def parse_yaml(text: str) -> dict[str, Any]:
    """Mappings nested by indentation, scalars, and lists of scalars in brackets or with dashes.

    The rest is left out. Where a part is called ``model``, as NeMo's recipes have it, that is what counts.

    >>> parse_yaml("model:\\n  rotary_base: 1e6 # long\\n  window_size: [128, 0]\\n")
    {'rotary_base': 1000000.0, 'window_size': [128, 0]}
    """
    whole: dict[str, Any] = {}
    homes: list[tuple[int, Any]] = [(-1, whole)]
    for line in text.splitlines()[:MOST_LINES]:
        bare = re.sub(r"(^|\s)#.*$", "", line).rstrip()
        if not bare.strip() or bare.strip() in ("---", "..."):
            continue
        depth = len(bare) - len(bare.lstrip())
        while len(homes) > 1 and depth <= homes[-1][0]:
            homes.pop()
        _take(bare.strip(), depth, homes)
    inner = whole.get("model")
    return _settled(inner if isinstance(inner, dict) and inner else whole)


def _take(line: str, depth: int, homes: list[tuple[int, Any]]) -> None:
    home = homes[-1][1]
    if line.startswith("- "):
        if isinstance(home, dict) and ":" not in line:
            home.setdefault(_LISTED, []).append(scalar(line[2:].strip()))
        return
    named = re.match(r"""["']?([\w.-]+)["']?\s*:(?:\s+(.*))?$""", line)
    if named is None or not isinstance(home, dict) or len(homes) > 32:
        return
    key, value = named[1], (named[2] or "").strip()
    if value:
        home[key] = scalar(value)
    else:
        home[key] = {}
        homes.append((depth, home[key]))


_LISTED = "\0listed"


def _settled(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if _LISTED in value:
        return value[_LISTED]
    return {key: _settled(each) if each != {} else None for key, each in value.items()}


def scalar(word: str) -> Any:
    """A number, true or false, nothing, a list of such, or text.

    >>> scalar("1e6"), scalar("8"), scalar("true"), scalar("[1, 2]"), scalar("rope")
    (1000000.0, 8, True, [1, 2], 'rope')
    """
    word = word.strip()
    if word[:1] in "[(" and word[-1:] in "])" and len(word) > 1:
        return [scalar(each) for each in _parts(word[1:-1])]
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        return word[1:-1]
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    if re.fullmatch(r"[+-]?\d{1,400}", word):
        return int(word)
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", word):
        return float(word)
    return word


def _parts(inside: str) -> Sequence[str]:
    return [each for each in inside.split(",") if each.strip() and "[" not in each]
