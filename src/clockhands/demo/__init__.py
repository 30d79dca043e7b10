"""The gallery: the story of position, told in pictures and numbers that are computed while it is made."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clockhands.language import Language

if TYPE_CHECKING:
    from clockhands.demo.studio import Effort


def build(
    out: str | os.PathLike[str],
    *,
    lang: Language,
    texts: Sequence[str | os.PathLike[str]] | None = None,
    sentences: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    effort: Effort | None = None,
    **how: Any,
) -> Path:
    """Write the gallery to the folder ``out`` and return the path of its ``index.html``.

    lang       language of the page and its pictures
    texts      files to tell the story with instead of the sample passages; ``sentences`` are texts themselves
    progress   called after each chapter with how many of how many are made
    effort     how long the chapters that train may train (``clockhands.demo.studio.Effort``)
    how        ``chapters``: which ones, by name, in reading order; ``processes``: how many work side by side,
               one a core by default, from 2 to 4; 1 works in this process, as is done where no others can be
               made. The pages are the same however many. With more than 1, a script must guard its own main
               part (``if __name__ == "__main__":``), as always with new processes

    The folder may be new, empty or an earlier gallery; it changes only when all is done. A chapter that needs
    a package which isn't installed says so in its place. Raises ClockhandsError for a folder or text that
    can't be used; nothing is harmed then.
    """
    from clockhands.demo.assemble import assemble

    return assemble(out, lang=lang, texts=texts, sentences=sentences, progress=progress, effort=effort, **how)
