"""A text as token ids: as many as a trial reads, from its beginning; windows and passkeys cut from them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from clockhands.errors import ClockhandsError
from clockhands.extend.trials.design import DEPTHS, Cell, Design
from clockhands.language import Text

LETTERS = 6
"""Letters of a text that are taken a token at first; where they are too few, more are."""

HAN = 0.2
"""Share of Chinese characters from which on a passkey is asked for in Chinese."""


@dataclass(frozen=True)
class Question:
    """A passkey: where it is said, and how it is asked for."""

    said: Text
    asked: Text


PASSKEY = Question(
    said=Text(
        "\nThe pass key is {key}. Remember it. {key} is the pass key.\n",
        "\n通行密码是{key}。请记住，{key}就是通行密码。\n",
    ),
    asked=Text("\nWhat is the pass key? The pass key is", "\n通行密码是多少？通行密码是"),
)


@dataclass(frozen=True)
class Ids:
    """ids    ``(tokens + 1,)``: each but the first is guessed

    begin     id that windows begin with, None if with the text
    tokenizer for passkeys; chinese: whether they are asked for in Chinese
    """

    ids: Tensor
    begin: int | None
    tokenizer: Any
    chinese: bool

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.ids.numpy().tobytes()).hexdigest()


def numbered(text: str | Sequence[int], tokenizer: Any, least: int, most: int) -> Ids:
    """The first ``most`` tokens of a text and the one after them, or ids as they are given.

    Raises ClockhandsError where there are fewer than ``least``, or no tokenizer for a text.
    """
    begin: int | None = None
    if isinstance(text, str):
        if tokenizer is None:
            raise ClockhandsError(
                "the text is in words and there is no tokenizer: give tokenizer=, or token ids",
                "文本是文字，却没有分词器：请给出 tokenizer=，或直接给出词元编号",
            )
        found = _tokenized(text, tokenizer, most + 1)
        begin = _begins_with(tokenizer)
        if begin is not None and found[:1] == [begin]:
            found = found[1:]
    else:
        found = [int(each) for each in text]
    if len(found) < least + 1:
        raise ClockhandsError(
            f"the text has {len(found):,} tokens, and the longest window needs {least + 1:,}: give a longer "
            "text, or a smaller --to",
            f"文本只有 {len(found):,} 个词元，最长的窗口需要 {least + 1:,} 个：请给出更长的文本，或减小 --to",
        )
    chinese = isinstance(text, str) and _is_chinese(text[: LETTERS * most])
    return Ids(torch.tensor(found[: most + 1]), begin, tokenizer, chinese)


def require_rows(ids: Ids, rows: int) -> None:
    """ClockhandsError where a token has no row in the table of embeddings."""
    highest, lowest = int(ids.ids.max()), int(ids.ids.min())
    if highest >= rows or lowest < 0:
        raise ClockhandsError(
            f"the text has token {highest if highest >= rows else lowest:,}, and the model has {rows:,} rows "
            "of embeddings: the tokenizer belongs to another model",
            f"文本中有编号为 {highest if highest >= rows else lowest:,} 的词元，而模型的嵌入只有 "
            f"{rows:,} 行：分词器属于别的模型",
        )


def window(ids: Ids, design: Design, cell: Cell) -> tuple[Tensor, Tensor]:
    """What a window gives and what follows each of its tokens, both ``(length,)``."""
    end = len(ids.ids) - 1
    end -= cell.index * (cell.length if cell.kind == "window" else design.part)
    inputs, targets = ids.ids[end - cell.length : end], ids.ids[end - cell.length + 1 : end + 1]
    if ids.begin is not None:
        inputs = torch.cat((torch.tensor([ids.begin]), inputs[1:]))
    return inputs, targets


def passkey(ids: Ids, cell: Cell) -> tuple[Tensor, Tensor, int]:
    """The same for a window that asks at its end for a passkey in it, and the length of the answer."""
    key = str(random.Random(cell.length * 100 + cell.index).randrange(10_000, 100_000))
    said, asked, answer = _pieces(ids, key)
    first = [] if ids.begin is None else [ids.begin]
    room = cell.length + 1 - len(first) - len(said) - len(asked) - len(answer)
    if room < 0:
        raise ClockhandsError(
            f"a window of {cell.length} tokens has no room for a passkey and its question",
            f"{cell.length} 个词元的窗口放不下密码和提问",
        )
    hay = ids.ids[:room].tolist()
    before = round(DEPTHS[cell.index] * room)
    whole = torch.tensor([*first, *hay[:before], *said, *hay[before:], *asked, *answer])
    return whole[:-1], whole[1:], len(answer)


def room_for_passkey(ids: Ids) -> int:
    """Tokens of the shortest window that has room: half of it text, at the least."""
    return 2 * sum(map(len, _pieces(ids, "10000")))


def _pieces(ids: Ids, key: str) -> tuple[list[int], list[int], list[int]]:
    """What is said, the question, the answer."""
    lang = "zh" if ids.chinese else "en"
    question = PASSKEY.asked.said_in(lang)
    said = _plain(ids.tokenizer, PASSKEY.said.filled(key=key).said_in(lang))
    asked = _plain(ids.tokenizer, question)
    both = _plain(ids.tokenizer, f"{question}{key}" if ids.chinese else f"{question} {key}")
    answer = both[len(asked) :] if both[: len(asked)] == asked else _plain(ids.tokenizer, f" {key}")
    return said, asked, answer


def _tokenized(text: str, tokenizer: Any, needed: int) -> list[int]:
    """At least ``needed`` ids if the text has them; of a long text only as much is cut as that takes."""
    letters = LETTERS * needed
    while True:
        found = _plain(tokenizer, text[:letters])
        # The last tokens of a part may be torn: more than is needed must be there.
        if len(found) > needed + 8 or letters >= len(text):
            return found
        letters *= 2


def _plain(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def _begins_with(tokenizer: Any) -> int | None:
    """The id that the tokenizer puts before every text, if it does."""
    found = list(tokenizer("", verbose=False)["input_ids"])
    return found[0] if found and found[0] == getattr(tokenizer, "bos_token_id", None) else None


def _is_chinese(text: str) -> bool:
    return sum("\u4e00" <= each <= "\u9fff" for each in text) > HAN * len(text)
