"""Text files of the user's own: encodings found out and said, everything unreadable refused in a sentence."""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path
from typing import NamedTuple

from clockhands.errors import ClockhandsError, reason_of
from clockhands.language import Text

LARGEST = 32 * 2**20
"""Bytes. The longest novels are a tenth of this."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "gb18030": "GB18030"}
_SAMPLE = 20_000
_RARE, _LIKELY, _SURE = 0.3, 0.25, 0.6
_EXPECTED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "這個們來說時會對過國為後裡與無長東書見"
    "，。、；：？！“”‘’（）《》…—　"
)


class TextFile(NamedTuple):
    """What a file says, and the encoding it was read as: UTF-8, UTF-16 or GB18030."""

    text: str
    encoding: str


def read_text(path: str | os.PathLike[str], *, largest: int = LARGEST) -> TextFile:
    """Read a text file in UTF-8, UTF-16 or GB18030, with or without a byte order mark.

    largest  bytes past which a file is refused

    Raises ClockhandsError if the file is missing, a folder, empty, too large, binary, or holds only spaces.
    """
    path = Path(path)
    data = _bytes(path, largest)
    if not data:
        raise ClockhandsError(
            f"{path} is empty: give a file with some text", f"{path} 是空文件：请给出有内容的文本文件"
        )
    encoding = _encoding(data)
    if encoding is None:
        raise ClockhandsError(
            f"{path} is not text in UTF-8, UTF-16 or GB18030: save it as UTF-8 text first",
            f"{path} 不是 UTF-8、UTF-16 或 GB18030 编码的文本：请先另存为 UTF-8 文本",
        )
    text = data.decode(encoding).removeprefix("\ufeff")
    if not text.strip():
        raise ClockhandsError(
            f"{path} holds only spaces: give a file with some text",
            f"{path} 里只有空白：请给出有内容的文本文件",
        )
    return TextFile(text.replace("\r\n", "\n"), _NAMES[encoding])


def _bytes(path: Path, largest: int) -> bytes:
    if path.is_dir():
        raise ClockhandsError(
            f"{path} is a folder: give a text file in it", f"{path} 是文件夹：请给出其中的文本文件"
        )
    if _is_named_pipe(path):
        raise ClockhandsError(
            f"{path} is a named pipe, which may never be written to: give a file",
            f"{path} 是命名管道，可能一直没有人写入：请给出文件",
        )
    try:
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except FileNotFoundError as error:
        raise ClockhandsError(
            f"{path} does not exist: check the name and the folder",
            f"{path} 不存在：请检查文件名和所在文件夹",
        ) from error
    except (OSError, ValueError) as error:
        # A path with a zero byte is a ValueError: the system was never asked.
        reason = reason_of(error) if isinstance(error, OSError) else Text("not a path", "不是路径")
        raise ClockhandsError(
            f"{path} can't be read: {reason.en}", f"无法读取 {path}：{reason.zh}"
        ) from error
    if len(data) > largest:
        limit = f"{largest / 2**20:.3g} MB"
        raise ClockhandsError(
            f"{path} is larger than {limit}: give a part of it, or a shorter text",
            f"{path} 超过 {limit}：请截取一部分，或换一个较短的文本",
        )
    return data


def _is_named_pipe(path: Path) -> bool:
    """One without a name, as a shell's ``|`` and ``<(...)`` make, has its writer already."""
    try:
        return stat.S_ISFIFO(os.stat(os.path.realpath(path)).st_mode)
    except (OSError, ValueError):
        return False


def _encoding(data: bytes) -> str | None:
    """The Python name of the encoding, None if it is no text in any of them."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding if _decoded(data, encoding) is not None else None
    if _decoded(data, "utf-8") is not None:
        return "utf-8"
    scores = {encoding: _plausibility(data, encoding) for encoding in ("gb18030", "utf-16-le", "utf-16-be")}
    best = max(scores, key=lambda encoding: scores[encoding])
    return best if scores[best] >= (_SURE if _is_utf8(data) else _LIKELY) else None


def _plausibility(data: bytes, encoding: str) -> float:
    """0 to 1: how full of common Chinese and English characters it is; rare Han characters count little."""
    text = (_decoded(data, encoding) or "")[:_SAMPLE]
    common = sum(c in _EXPECTED or " " <= c <= "~" or c in "\r\n" for c in text)
    han = sum("\u4e00" <= c <= "\u9fff" and c not in _EXPECTED for c in text)
    return (common + _RARE * han) / max(len(text), 1)


def _is_utf8(data: bytes) -> bool:
    """Whether the bytes alone could be UTF-8, as those of English in UTF-16 are, with a zero in each pair."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decoded(data: bytes, encoding: str) -> str | None:
    """The text, or None if the bytes are not this encoding or hold what no text holds."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    controls = sum(unicodedata.category(c) in ("Cc", "Cn") and not c.isspace() for c in text[:_SAMPLE])
    if "\0" in text or controls > len(text[:_SAMPLE]) // 100:
        return None
    return text
