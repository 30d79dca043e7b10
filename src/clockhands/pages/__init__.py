"""Pages in Markdown about schemes, in English and Chinese: of the catalogue's, and of anybody's own.

>>> from clockhands.catalogue import CATALOGUE
>>> scheme_page(CATALOGUE[0], "en").splitlines()[0]
'# NoPE'
"""

from __future__ import annotations

from clockhands.pages.overview import overview_page
from clockhands.pages.pictures import Drawing, drawings
from clockhands.pages.scheme import scheme_page

__all__ = ["Drawing", "drawings", "overview_page", "scheme_page"]
