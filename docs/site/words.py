"""Chinese: words of the theme that Sphinx's own translation leaves in English, and the search."""

from __future__ import annotations

from gettext import NullTranslations

from sphinx.application import Sphinx
from sphinx.search.zh import SearchChinese

_CHINESE = {
    "On this page": "本页内容",
    "Back to top": "回到顶部",
    "Home": "首页",
    "Made with ": "采用 ",
}


class _Words(NullTranslations):
    def gettext(self, message: str) -> str:
        return _CHINESE.get(message, message)


class _Search(SearchChinese):
    """Stems Latin words in English. Sphinx 9.0 looks for a Chinese stemmer, which doesn't exist, and then
    finds nothing at all (sphinx-doc/sphinx#14229)."""

    language_name = "English"


def setup(app: Sphinx) -> dict[str, bool]:
    if app.config.language.startswith("zh"):
        app.translator.add_fallback(_Words())
        app.add_search_language(_Search)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
