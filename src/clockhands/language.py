"""Every sentence a user reads exists in English and in Chinese, side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


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


def language_of_environment(environ: Mapping[str, str] = os.environ) -> Language:
    """``zh`` when ``CLOCKHANDS_LANG`` or the locale asks for Chinese, else ``en``.

    The first variable that is set decides, in POSIX order, with our own before all.
    """
    for name in ("CLOCKHANDS_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environ.get(name, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
