"""Reports as files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from clockhands.check.outputs.pictures import first_picture
from clockhands.check.report import Report
from clockhands.errors import ClockhandsError
from clockhands.language import Language
from clockhands.plots.picture import FORMATS
from clockhands.writing import file_path, written_aside

PAGES = ("html", "htm")


def save(report: Report, path: str | PathLike[str], lang: Language = "en") -> Path:
    """Write ``.html``, everything with pictures, or ``.png``, ``.svg``, ``.pdf``: the first clock view.

    Raises ClockhandsError for another ending, for a picture of a report without hands, and for a place that
    can't be written.
    """
    path = file_path(path)
    ending = path.suffix.lower().removeprefix(".")
    if ending in FORMATS:
        return first_picture(report, lang).save(path)
    if ending not in PAGES:
        raise ClockhandsError(
            f"'{path.name}' ends in none of .html, .png, .svg and .pdf: a report is one of these",
            f"“{path.name}”的扩展名不是 .html、.png、.svg 或 .pdf：报告只能写成这几种",
        )
    from clockhands.check.outputs.page import as_page

    with written_aside(path) as aside:
        page = as_page(report, lang)
        aside.write_text(page, encoding="utf-8", errors="backslashreplace")  # names of files may be no UTF-8
    return path
