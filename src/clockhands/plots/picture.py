"""A picture that stands still: a matplotlib figure and, beside it, exactly the numbers it shows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from clockhands.analysis import export
from clockhands.analysis.labelled import Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.writing import file_path, written_aside

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
"""File endings a picture can be saved under."""

# Nothing that changes from run to run is written: no date, no version, no random identifiers.
_ABOUT_THE_FILE: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
# Letters as outlines: SVG then needs no font where it is read. In PDF the other way (Type 42) is for TrueType
# fonts: matplotlib puts the CFF outlines of Noto Sans SC in their place, which readers garble.
_SAVING = {"svg.hashsalt": "clockhands", "svg.fonttype": "path", "pdf.fonttype": 3, "pdf.compression": 6}


def require_format(path: str | PathLike[str]) -> Path:
    """``path``, if its ending is one that a picture can be saved under; ClockhandsError if not.

    >>> require_format("picture.png").name
    'picture.png'
    """
    path = file_path(path)
    if path.suffix.lower().removeprefix(".") not in (*FORMATS, "npz", "csv"):
        raise ClockhandsError(
            f"'{path.name}' does not end in .png, .svg or .pdf: a still picture is one of these",
            f"“{path.name}”的扩展名不是 .png、.svg 或 .pdf：静态图片只能存成这几种格式",
        )
    return path


@contextmanager
def own_settings(settings: dict[str, Any]) -> Iterator[None]:
    """matplotlib's defaults with ``settings`` over them; the user's own are back when the block ends."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(cast(Any, settings))  # names of settings are plain strings here
        yield


@dataclass(frozen=True)
class Picture:
    """``figure`` is matplotlib's; ``data`` holds exactly the numbers drawn; ``title`` says what it is.

    ``findings`` are sentences that a console prints too: what is wrong with what is drawn.
    """

    figure: Figure = field(repr=False)
    data: tuple[Labelled, ...] = field(repr=False)
    title: Text
    findings: tuple[Text, ...] = field(default=(), repr=False)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write ``.png``, ``.svg`` or ``.pdf`` (``.npz`` and ``.csv`` write the numbers). Returns the path.

        The file is written aside and renamed, so one that is already there stays whole if anything fails.
        Equal pictures give equal bytes. ClockhandsError: another ending, or a place that can't be written.
        """
        path = require_format(path)
        ending = path.suffix.lower().removeprefix(".")
        if ending not in FORMATS:
            return export.save(path, *self.data)
        content = self.rendered(ending)
        with written_aside(path) as aside:
            aside.write_bytes(content)
        return path

    def rendered(self, ending: str = "png") -> bytes:
        """The file's bytes; ``ending`` is one of FORMATS."""
        target = io.BytesIO()
        with own_settings(_SAVING):
            self.figure.savefig(
                target,
                format=ending,
                metadata=_ABOUT_THE_FILE[ending],
                dpi=self.figure.dpi,
                facecolor=self.figure.get_facecolor(),
            )
        return target.getvalue()

    def _repr_png_(self) -> bytes:
        return self.rendered("png")
