"""Chinese that no reader sees as boxes: the glyphs this page uses, inside the page.

Most systems bring a Chinese font, some don't, so a small one travels along, cut from an installed font
package (never from a system font, whose licence may forbid it). Without a package the page uses the system's.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

from clockhands.errors import MissingExtra
from clockhands.language import Language
from clockhands.plots.fonts import font_files, font_folders, fonts_for, is_chinese

FAMILY = "clockhands han"


_EM = 256
"""Units of the outlines. At the 1000 they are drawn in, files are 4 / 3 as large, and no screen shows more: a
heading of 68 dots moves by less than a seventh of a dot."""

_QUOTES = "“”‘’…—·"
"""Full-width in Chinese sentences, narrow in English ones."""


def font_face(page: str, lang: Language) -> str:
    """A CSS ``@font-face`` rule for the Chinese glyphs of ``page``; empty without any, or any font."""
    wanted = "".join(sorted(c for c in set(page) if is_chinese(c) or (lang == "zh" and c in _QUOTES)))
    try:
        faces = fonts_for(wanted, files=_packaged()).faces
    except MissingExtra:
        return ""
    rules = [_rule(face.path, face.index, wanted) for face in faces if face.family != "DejaVu Sans"]
    return "".join(rules[:1])


def _packaged() -> list[Path]:
    folders = font_folders()
    return [path for path in font_files() if not any(path.is_relative_to(folder) for folder in folders)]


def _rule(path: Path, index: int, wanted: str) -> str:
    from fontTools import subset
    from fontTools.ttLib.scaleUpem import scale_upem

    options = subset.Options()
    options.layout_features = []
    options.hinting = False
    options.desubroutinize = True  # few glyphs share little, and calls compress badly
    options.drop_tables += ["GSUB", "GPOS", "BASE", "VORG", "vhea", "vmtx"]
    options.font_number = index
    packed = io.BytesIO()
    with subset.load_font(str(path), options) as font:
        cutter = subset.Subsetter(options)
        cutter.populate(text=wanted)
        cutter.subset(font)
        scale_upem(font, _EM)
        font.flavor = "woff"
        font.save(packed)
    data = base64.b64encode(packed.getvalue()).decode("ascii")
    source = f'url("data:font/woff;base64,{data}") format("woff")'
    return f'\n@font-face {{ font-family: "{FAMILY}"; font-display: block; src: {source}; }}'
