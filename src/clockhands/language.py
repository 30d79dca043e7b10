"""Every sentence a user reads exists in English and in Chinese, side by side."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


LANG_CHINESE = 0x04
"""Primary language of a LANGID (Windows, winnt.h); 0x804 is the one of the mainland, 0x404 of Taiwan."""


class Text(NamedTuple):
    """One sentence in both languages.

    >>> Text("heat map", "热力图").said_in("zh")
    '热力图'
    """

    en: str
    zh: str

    def said_in(self, lang: Language) -> str:
        return self.zh if lang == "zh" else self.en

    def filled(self, **values: object) -> Text:
        """Both sentences with the same values put in (``str.format`` fields)."""
        return Text(self.en.format(**values), self.zh.format(**values))


def counted(count: int, thing: str) -> str:
    """English for so many of a thing.

    >>> counted(1, "head"), counted(1024, "token")
    ('1 head', '1,024 tokens')
    """
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def language_of_environment(environ: Mapping[str, str] = os.environ) -> Language:
    """``zh`` when ``CLOCKHANDS_LANG``, the locale or Windows' own language is Chinese, else ``en``.

    The first variable that is set decides, in POSIX order, with our own before all. Windows sets none of
    them, so there the language of its menus decides where no variable does.
    """
    for name in ("CLOCKHANDS_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environ.get(name, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return _language_of_windows() if sys.platform == "win32" else "en"


def _language_of_windows() -> Language:
    import ctypes  # here alone: every command starts faster without it

    primary = ctypes.CDLL("kernel32").GetUserDefaultUILanguage() & 0x3FF  # the rest is the region
    return "zh" if primary == LANG_CHINESE else "en"
