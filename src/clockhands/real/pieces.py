"""A text as a model's tokenizer cuts it: ids, and of each piece its place, its kind and its label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedTokenizerBase

from clockhands.analysis.attention_trace import PADDING, SPECIAL, WORD
from clockhands.errors import ClockhandsError
from clockhands.text.labels import label_of

BROKEN = "\ufffd"
"""What decoding gives for bytes that are no character."""


@dataclass(frozen=True)
class Pieces:
    """One text as tokens of a model.

    ids     of the vocabulary
    spans   ``(start, end)`` of each in ``text``; pieces of one character share its span, signs have (0, 0)
    marks   0 text, 1 a sign such as ``<s>``, 2 padding
    labels  what pictures write: the text of the span, so that bytes of one character all show it
    """

    text: str
    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    marks: tuple[int, ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)


def cut(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], *, signs: bool = True) -> list[Pieces]:
    """Texts as pieces, all of the same length: shorter ones are padded on the tokenizer's own side.

    signs  whether the signs that the tokenizer puts around a text are put there

    Raises ClockhandsError for an empty text, and where padding is needed and the tokenizer has none.
    """
    for text in texts:
        if not text.strip():
            raise ClockhandsError("the text is empty: give one", "文本是空的：请给出文本")
        _require_characters(text)
    more: dict[str, Any] = {"add_special_tokens": signs, "verbose": False}
    if tokenizer.is_fast:
        more["return_offsets_mapping"] = True
    made = [tokenizer(text, **more) for text in texts]
    longest = max(len(each["input_ids"]) for each in made)
    if any(len(each["input_ids"]) < longest for each in made) and tokenizer.pad_token_id is None:
        raise ClockhandsError(
            "the texts have different lengths and the tokenizer has no sign for padding: set "
            "tokenizer.pad_token, or give one text at a time",
            "各文本长度不同，而分词器没有填充符号：请设置 tokenizer.pad_token，或一次只给一段文本",
        )
    return [_pieces(tokenizer, text, each, longest) for text, each in zip(texts, made, strict=True)]


def _require_characters(text: str) -> None:
    """Raises ClockhandsError for half a character, which no tokenizer takes: bytes of another encoding become
    such on a command line.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ClockhandsError(
            f"the text has no character at place {error.start} but bytes of another encoding than UTF-8, or "
            "half a character: put it into a file and give that, since the encoding of files is found out",
            f"文本第 {error.start} 处不是字符，而是 UTF-8 以外编码的字节，或半个字符："
            "请把它存成文件再给出文件，程序会识别文件的编码",
        ) from error


def of_ids(ids: Sequence[int], mask: Sequence[int] | None = None) -> Pieces:
    """Numbers without a text: labelled by themselves."""
    shown = [1] * len(ids) if mask is None else mask
    marks = tuple(WORD if each else PADDING for each in shown)
    return Pieces("", tuple(int(each) for each in ids), (), marks, tuple(str(int(each)) for each in ids))


def _pieces(tokenizer: PreTrainedTokenizerBase, text: str, made: Any, longest: int) -> Pieces:
    ids = [int(each) for each in made["input_ids"]]
    if not ids:
        raise ClockhandsError(
            f"the tokenizer makes no token of {text!r}: give another text",
            f"分词器没有从 {text!r} 得到词元：请换一段文本",
        )
    special = set(tokenizer.all_special_ids)
    spans = (
        [tuple(span) for span in made["offset_mapping"]]
        if "offset_mapping" in made
        else _spans(tokenizer, ids, text)
    )
    signs = [
        number in special and (start == end or _is_sign(tokenizer, number, text[start:end]))
        for number, (start, end) in zip(ids, spans, strict=True)
    ]
    labels = [
        _label(tokenizer, number, text[start:end], sign)
        for number, (start, end), sign in zip(ids, spans, signs, strict=True)
    ]
    marks = [SPECIAL if sign else WORD for sign in signs]
    missing = longest - len(ids)
    if missing:
        pad = int(tokenizer.pad_token_id)  # type: ignore[arg-type]
        label = str(tokenizer.pad_token)
        left = tokenizer.padding_side == "left"
        for row, value in ((ids, pad), (spans, (0, 0)), (marks, PADDING), (labels, label)):
            row[:] = [value] * missing + row if left else row + [value] * missing  # type: ignore[operator]
    return Pieces(text, tuple(ids), tuple(spans), tuple(marks), tuple(labels))


def _is_sign(tokenizer: PreTrainedTokenizerBase, number: int, covered: str) -> bool:
    """Whether a special id stands for a sign written out in the text, and not for a word."""
    return covered.strip() == tokenizer.convert_ids_to_tokens(number)


def _label(tokenizer: PreTrainedTokenizerBase, number: int, covered: str, sign: bool) -> str:
    if sign or not covered:
        return label_of(str(tokenizer.convert_ids_to_tokens(number)))
    return label_of(covered.strip(" ") or covered)


def _spans(tokenizer: PreTrainedTokenizerBase, ids: Sequence[int], text: str) -> list[tuple[int, int]]:
    """Where pieces stand, for a tokenizer that doesn't tell: what decoding one more piece adds.

    Pieces that end inside a character wait for the one that ends it, and share its span.
    """
    spans: list[tuple[int, int]] = []
    at, waiting = 0, 0
    special = set(tokenizer.all_special_ids)
    for n, number in enumerate(ids):
        if number in special:
            spans.append((0, 0))
            continue
        waiting += 1
        held = [each for each in ids[n - waiting + 1 : n + 1] if each not in special]
        piece = str(tokenizer.decode(held)).strip()
        if BROKEN in piece and n + 1 < len(ids):
            spans.append((at, at))
            continue
        found = text.find(piece, at) if piece else at
        start, end = (at, at) if found < 0 else (found, found + len(piece))
        for back in range(waiting - 1):
            spans[-1 - back] = (start, end)
        spans.append((start, end))
        at, waiting = end, 0
    return spans
