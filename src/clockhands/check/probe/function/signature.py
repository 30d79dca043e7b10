"""How somebody's function is called: a small language, ``"q, k, position_ids -> q, k"``.

Before the arrow stand arguments in order, each by one of the words of ``TAKEN``. ``name=word`` passes it by
keyword (``offset=start`` or just ``offset=``); a word the function calls otherwise needs its own name in
front. ``name=0.5``, ``name=True``, ``name=None`` and ``name='half'`` pass a constant. After a bare ``*`` all
words are keywords. After the arrow stands what comes back, by the words of ``GIVEN``; ``_`` is skipped.
Without an arrow the arguments tell.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any, Literal

from clockhands.check.form import TableLayout
from clockhands.errors import ClockhandsError, nearest, shown, shown_zh

Kind = Literal["turned", "angles", "table", "bias", "attention", "places"]
TABLES: tuple[TableLayout, ...] = ("half", "interleaved", "narrow")
"""How cos and sin are laid out, the likelier first: in two halves, each twice in a row, each once."""

TAKEN = {
    "x": "an array of one vector a head and token, to be turned or to have a table added",
    "q": "the queries",
    "k": "the keys, of num_kv_heads heads",
    "v": "the values",
    "positions": "integers, one a token: (b, t), or (t,) where the function wants one row",
    "offset": "the position of the first token, one integer",
    "length": "how many tokens there are",
    "query_length": "how many queries there are: the last of the keys",
    "key_length": "how many keys there are",
    "distance": "query position - key position, integers (query_length, key_length)",
    "relative": "key position - query position, the same with its sign turned",
    "num_heads": "how many heads queries have",
    "head_dim": "the width of a head, or of the hidden state where there are no heads",
    "mask": "1 for a token, 0 for padding, integers (b, t)",
    "axes": "positions of three axes (time, height, width), integers (3, b, t)",
    "ranks": "how many ranks share one text",
    "rank": "which of them",
    "boundaries": "where packed documents begin, and where the last one ends: integers (documents + 1,)",
    "before": "tokens of text before a picture",
    "frames": "how many pictures follow one another",
    "height": "rows of patches that a picture has",
    "width": "columns of patches",
    "after": "tokens of text after the pictures",
    "cos": "cosines that the probe makes, one row a token, in each usual layout until one turns vectors",
    "sin": "the sines beside them",
    "cis": "both as one complex number a hand",
    "cos_half": "cosines of all hands, then of all hands again, and no other layout",
    "sin_half": "the sines beside them",
    "cos_interleaved": "each cosine twice in a row, and no other layout",
    "sin_interleaved": "the sines beside them",
    "cos_narrow": "each cosine once, and no other layout",
    "sin_narrow": "the sines beside them",
}
ALIASES = {
    "position_ids": "positions", "pos": "positions", "pos_ids": "positions", "input_pos": "positions",
    "position": "positions", "start": "offset", "start_pos": "offset", "start_index": "offset",
    "seq_len": "length", "n": "length", "t": "length", "qlen": "query_length", "klen": "key_length",
    "query": "q", "key": "k", "value": "v", "queries": "q", "keys": "k", "values": "v",
    "heads": "num_heads", "dim": "head_dim", "d_model": "head_dim", "hidden_states": "x",
    "attention_mask": "mask", "relative_position": "relative", "freqs_cis": "cis", "cosine": "cos",
    "cp_size": "ranks", "world_size": "ranks", "cp_rank": "rank", "cu_seqlens": "boundaries",
    "grid_t": "frames",
    "grid_h": "height", "grid_w": "width", "mrope_positions": "axes",
    "sine": "sin", "freqs_cos": "cos", "freqs_sin": "sin",
}  # fmt: skip
GIVEN = {
    "x": "turned", "q": "turned", "k": "turned", "cos": "angles", "sin": "angles", "cis": "angles",
    "table": "table", "bias": "bias", "bucket": "bias",
    "cross_bias": "bias", "output": "attention", "positions": "places", "axes": "places",
}  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """One argument: its ``word`` (empty for a constant) and the ``keyword`` it is passed by, if any."""

    word: str
    keyword: str = ""
    constant: Any = None


@dataclass(frozen=True)
class Signature:
    """What goes in and what comes back; ``kind`` says how it is measured."""

    text: str
    arguments: tuple[Argument, ...]
    returned: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        kinds = [GIVEN[word] for word in self.returned if word != "_"]
        return kinds[0]  # type: ignore[return-value]

    @property
    def makes(self) -> bool:
        """Whether it makes positions, or the codes of a picture, instead of using positions."""
        return self.kind == "places" or (
            self.kind in ("table", "angles") and self.takes("height") and self.takes("width")
        )

    def takes(self, word: str) -> bool:
        """Whether an argument is of this word."""
        return any(argument.word == word for argument in self.arguments)

    @property
    def tables(self) -> tuple[TableLayout, ...]:
        """Layouts of cos and sin that it may be given, the likelier first; none where it takes no tables."""
        for argument in self.arguments:
            name, _, layout = argument.word.partition("_")
            if name == "cis":
                return ("narrow",)
            if name in ("cos", "sin"):
                return tuple(each for each in TABLES if layout in ("", each))
        return ()

    @property
    def sides(self) -> tuple[str, ...]:
        """The arrays that come back turned, of ``q``, ``k`` and ``x``."""
        return tuple(word for word in self.returned if GIVEN.get(word) == "turned")


def parse(text: str) -> Signature:
    """The signature that ``text`` describes; ClockhandsError names the word that is none.

    >>> parse("q, k, position_ids").returned, parse("x, offset=").arguments[1]
    (('q', 'k'), Argument(word='offset', keyword='offset', constant=None))
    """
    if not isinstance(text, str) or not text.strip():
        raise _unclear(text, "it names no argument", "其中没有参数")
    before, arrow, after = text.partition("->")
    arguments: list[Argument] = []
    by_keyword = False
    for piece in filter(None, (each.strip() for each in before.split(","))):
        if piece == "*":
            by_keyword = True
        else:
            arguments.append(_argument(piece, by_keyword, text))
    words = [argument.word for argument in arguments]
    returned = tuple(filter(None, (each.strip() for each in after.strip("() ").split(","))))
    if not arrow:
        returned = _usual(words)
    for word in returned:
        if word != "_" and word not in GIVEN:
            hint = nearest(word, (*GIVEN, "_"))
            raise _unclear(
                text, f"nothing called '{word}' comes back, {hint.en}", f"返回值没有“{word}”，{hint.zh}"
            )
    kinds = {GIVEN[word] for word in returned if word != "_"}
    if len(kinds) != 1:
        raise _unclear(text, "what comes back is of no one kind", "返回值不属于同一种类")
    missing = [side for side in returned if side in ("q", "k", "x") and side not in words]
    if missing:
        raise _unclear(
            text, f"'{missing[0]}' comes back and does not go in", f"“{missing[0]}”只出现在返回值里，没有传入"
        )
    if _tables_in(words) and kinds != {"turned"}:
        raise _unclear(
            text,
            "cos and sin turn q, k or x, of which none comes back",
            "cos 和 sin 用来转动 q、k 或 x，而返回值里没有它们",
        )
    if len({word.partition("_")[2] for word in _tables_in(words)}) > 1:
        raise _unclear(text, "cos and sin are laid out alike", "cos 和 sin 的排列方式应相同")
    if "places" in kinds and not ({"rank", "ranks"} <= set(words) or {"height", "width"} <= set(words)):
        raise _unclear(
            text,
            "positions are made of ranks and a rank, or of height and width",
            "生成位置需要 ranks 和 rank，或 height 和 width",
        )
    if "attention" in kinds and not {"q", "k", "v"} <= set(words):
        raise _unclear(text, "attention needs q, k and v", "注意力需要 q、k 和 v")
    return Signature(text, tuple(arguments), returned)


def _argument(piece: str, by_keyword: bool, text: str) -> Argument:
    name, equals, value = (part.strip() for part in piece.partition("="))
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise _unclear(text, f"{shown(name)} is no name", f"{shown_zh(name)}不是名字")
    if equals and value and ALIASES.get(value, value) not in TAKEN:
        try:
            return Argument("", name, ast.literal_eval(value))
        except (ValueError, SyntaxError):
            hint = nearest(value, (*TAKEN, *ALIASES))
            raise _unclear(
                text,
                f"'{value}' is neither a word nor a constant, {hint.en}",
                f"“{value}”既不是已知的词，也不是常量，{hint.zh}",
            ) from None
    word = value or name
    word = ALIASES.get(word, word)
    if word not in TAKEN:
        hint = nearest(word, (*TAKEN, *ALIASES))
        raise _unclear(
            text, f"'{word}' is no word for an argument, {hint.en}", f"“{word}”不是参数用的词，{hint.zh}"
        )
    return Argument(word, name if equals or by_keyword else "")


def _tables_in(words: list[str]) -> list[str]:
    return [word for word in words if word.partition("_")[0] in ("cos", "sin", "cis")]


def _usual(words: list[str]) -> tuple[str, ...]:
    """What functions with these arguments commonly return."""
    if {"q", "k", "v"} <= set(words):
        return ("output",)
    sides = tuple(word for word in words if word in ("q", "k", "x"))
    if sides:
        return sides
    if {"rank", "ranks"} <= set(words):
        return ("positions",)
    if {"query_length", "key_length", "distance", "relative", "mask"} & set(words):
        return ("bias",)
    return ("cos", "sin") if "positions" in words else ("table",)


def _unclear(text: object, en: str, zh: str) -> ClockhandsError:
    example = "q, k, position_ids -> q, k"
    return ClockhandsError(
        f"signature is {shown(text)}, but {en}: write it like '{example}'",
        f"signature 为{shown_zh(text)}，但{zh}：请写成“{example}”这样的形式",
    )
