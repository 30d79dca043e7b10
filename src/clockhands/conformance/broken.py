"""What a law raises."""

from __future__ import annotations

from clockhands.language import Text


class LawBroken(AssertionError):
    """An encoding breaks a law. ``str()`` is English; ``.text`` holds both languages."""

    def __init__(self, en: str, zh: str):
        super().__init__(en, zh)
        self.text = Text(en, zh)

    def __str__(self) -> str:
        return self.text.en
