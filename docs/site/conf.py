"""How Sphinx builds one language of the site; run by ``docs.site.building``, which says which."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import clockhands

logging.getLogger("jieba").addFilter(
    lambda said: said.levelno >= logging.WARNING
)  # it cuts Chinese for the search

IN_CHINESE = tags.has("zh")  # noqa: F821 Sphinx gives the tags

project = "clockhands"
author = "The clockhands developers"
version = release = clockhands.__version__
html_title = "clockhands 文档" if IN_CHINESE else "clockhands"

extensions = ["myst_parser", "mathml", "words"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

html_theme = "furo"
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css", "han.css"]
html_copy_source = False
html_show_search_summary = False  # it is fetched, which browsers refuse where a site is opened as files
html_show_sphinx = False
html_show_copyright = False
html_context = {"other": ("en", "English", "en") if IN_CHINESE else ("zh", "中文", "zh-CN")}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "language.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
