"""Which views a scheme's page shows, and what their files are called."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clockhands.catalogue.description import Description
from clockhands.language import Language, Text
from clockhands.views.show import VIEWS, available, draw

MOST = 3
_AFTER_THE_FIRST = ("clock", "kernel", "similarity", "spectrum", "distance")
"""What is added to the first view of a scheme, as far as it has them."""


@dataclass(frozen=True)
class Drawing:
    """One picture of a page: a view of a scheme with its usual parameters, in one language."""

    scheme: type[Description]
    view: str
    lang: Language

    @property
    def title(self) -> Text:
        return VIEWS[self.view].title

    @property
    def file(self) -> str:
        """Its name; a clock is an animated SVG, all else PNG."""
        return f"{self.scheme.card.id}-{self.view}.{'svg' if self.view == 'clock' else 'png'}"

    def save(self, folder: Path) -> Path:
        """Draw it into ``folder``."""
        return draw(self.view, self.scheme(), lang=self.lang).save(folder / self.file)


def drawings(scheme: type[Description], lang: Language, most: int = MOST) -> tuple[Drawing, ...]:
    """The pictures of a page: the first view of the scheme and up to ``most - 1`` more.

    The card stands only where there is nothing else: a page says all that is on it.

    >>> from clockhands.catalogue import SCHEMES
    >>> [drawing.view for drawing in drawings(SCHEMES["rope"], "en")]
    ['heatmap', 'clock', 'kernel']
    """
    has = available(scheme())
    first = has[0]
    more = [view for view in _AFTER_THE_FIRST if view in has and view != first]
    return tuple(Drawing(scheme, view, lang) for view in (first, *more)[:most])
