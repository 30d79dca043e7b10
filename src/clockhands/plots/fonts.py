"""Fonts chosen by the glyphs they have, so that no text is ever drawn as boxes.

``fonts_for(*texts)`` looks at the characters that will be drawn and returns faces that have them:
DejaVu Sans (it comes with matplotlib, so it is always there) for Latin, Greek and symbols; for the
rest the system's fonts, then installed font packages. Simplified Chinese forms are preferred over
Japanese or Traditional ones. Chinese that no font covers is an error which says what to install;
any other stray character (emoji, a rare script, a control character) is drawn as its code point.

Both drawing libraries are served: ``FontStack.families()`` for matplotlib's fall-back list,
``FontStack.runs(text)`` for Pillow, which wants one font file a run of text.

>>> fonts_for("position 37").runs("position 37")[0][1]
'position 37'
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clockhands.errors import MissingExtra
from clockhands.language import Language, Text
from clockhands.plots.fontfile import FONT_SUFFIXES, Face, covered, faces

FONT_PACKAGES = ("pylopdf-fonts-zh-cn", "noto-cjk-sans-otc", "manimgx-fonts-cjk", "manimgx-fonts")
"""Packages that carry fonts as plain files; any that is installed is used."""

_PREFERRED = (
    # Simplified Chinese, one face a file
    "notosanssc-regular", "notosanshans-regular", "notosanscjksc-regular", "sourcehansanssc-regular",
    "sourcehansanscn-regular", "sourcehansanssc-normal",
    # what systems bring: Simplified Chinese is their only or first face
    "msyh", "pingfang", "hiragino sans gb", "deng", "notosanssc", "notosanscjksc", "stheiti medium",
    "stheiti light", "wqy-microhei", "wqy-zenhei", "lxgw", "simhei", "fandolhei-regular",
    # collections whose first face is Japanese; matplotlib before 3.11 sees no other
    "notosanscjk-regular", "notosanscjk", "sourcehansans", "sarasa", "droidsansfallback",
    "notoserifsc", "notoserifcjksc", "simsun", "songti", "uming", "ukai", "arial unicode", "unifont",
    # Other scripts and symbols
    "notoemoji", "seguiemj", "seguisym", "symbola", "notosanssymbols", "notosans-regular", "notosans",
)  # fmt: skip
_SIMPLIFIED = (" sc", " cn", " gb", " hans", "yahei ui", "yahei")
_MOST_UNKNOWN_FILES = 200  # the search stays quick on machines with thousands of fonts
_JOINERS = {0x200C, 0x200D} | set(range(0xFE00, 0xFE10)) | set(range(0xE0100, 0xE01F0))
_MARKS = {"\n": "↵", "\r": "↵", "\t": "⇥"}


@dataclass(frozen=True)
class FontStack:
    """Faces in fall-back order, and the characters that none of them has.

    ``missing`` holds at most a few rare Chinese characters: where most have no glyph, ``fonts_for`` refuses.
    """

    faces: tuple[Face, ...]
    coverage: tuple[frozenset[str], ...]
    missing: frozenset[str]

    def drawable(self, text: str) -> str:
        """The text with what has no glyph made visible: ``🚀`` → ``[U+1F680]``, newline → ``↵``."""
        return visible(text, self.missing)

    def runs(self, text: str) -> list[tuple[Face, str]]:
        """``drawable(text)`` cut where the face changes, each piece with the face that has its glyphs."""
        shown = self.drawable(text)
        if shown and self.coverage[0].issuperset(shown):
            return [(self.faces[0], shown)]
        pieces: list[tuple[Face, str]] = []
        for character in shown:
            face = next(
                (f for f, has in zip(self.faces, self.coverage, strict=True) if character in has), None
            )
            face = face or self.faces[0]
            if pieces and (pieces[-1][0] == face or character == " "):
                pieces[-1] = (pieces[-1][0], pieces[-1][1] + character)
            else:
                pieces.append((face, character))
        return pieces

    def families(self) -> list[str]:
        """Family names for matplotlib's ``fontfamily`` (its fall-back list), each file made known to it."""
        from matplotlib.font_manager import fontManager

        names: list[str] = []
        for face in self.faces:
            path = os.fspath(face.path)
            if not any(entry.fname == path for entry in fontManager.ttflist):
                fontManager.addfont(path)
            by_index = {getattr(e, "index", 0): e.name for e in fontManager.ttflist if e.fname == path}
            names.append(by_index.get(face.index, by_index[min(by_index)]))
        return list(dict.fromkeys(names))

    @property
    def note(self) -> Text:
        """What to say beside the picture when characters were replaced, empty if none were."""
        if not self.missing:
            return Text("", "")
        shown = sorted(self.missing)[:5]
        codes = ", ".join(f"U+{ord(character):04X}" for character in shown)
        more = len(self.missing) - len(shown)
        return Text(
            f"no installed font has {codes}" + (f" and {more} more" if more else "") + "; code points drawn",
            f"没有字体包含 {codes}" + (f" 等另外 {more} 个字符" if more else "") + "，已改画码位",
        )


def visible(text: str, missing: frozenset[str] = frozenset()) -> str:
    """The text with control characters, and those ``missing`` from the fonts, as marks or code points.

    >>> visible("a\\tb" + chr(0x202E), frozenset("b"))
    'a⇥[U+0062][U+202E]'
    """
    if text.isascii() and text.isprintable() and missing.isdisjoint(text):
        return text
    return "".join(_shown(character, missing) for character in text.replace("\r\n", "\n"))


def _shown(character: str, missing: frozenset[str]) -> str:
    if ord(character) in _JOINERS:
        return ""
    if character in _MARKS:
        return _MARKS[character]
    if character in missing or _invisible(character):
        return f"[U+{ord(character):04X}]"
    return character


def fonts_for(
    *texts: str, lang: Language = "en", bold: bool = False, files: Iterable[Path] | None = None
) -> FontStack:
    """Faces that together have every character of ``texts``.

    With ``lang="zh"`` a Chinese face that is needed goes first, so that quotes and dashes are full-width
    and Latin letters match the Han characters beside them. ``bold`` picks DejaVu Sans Bold for Latin; Chinese
    stays regular. ``files`` are the font files to search instead of the machine's (``font_files()``).

    Raises:
        MissingExtra: no font has most of the Chinese characters (extra ``zh``).
    """
    wanted = frozenset("".join(texts)) | frozenset("[U+0123456789ABCDEF]↵⇥")
    wanted = frozenset(c for c in wanted if not _invisible(c) and c not in _MARKS and ord(c) not in _JOINERS)
    base = Face(_bundled_font(bold), 0, "DejaVu Sans")
    chosen = [(base, covered(base, wanted))]
    missing = wanted - chosen[0][1]
    if missing:
        extra = _cover(missing, _candidates(font_files() if files is None else files))
        missing = missing.difference(*(has for _, has in extra))
        full = [(face, covered(face, wanted)) for face, _ in extra]
        chosen = full[:1] + chosen + full[1:] if lang == "zh" and _leads(full) else chosen + full
    unread = sum(map(is_chinese, missing))
    if unread > sum(map(is_chinese, wanted)) - unread:
        raise MissingExtra(Text("Chinese text in a picture", "在图片中显示中文"), "zh")
    return FontStack(tuple(f for f, _ in chosen), tuple(has for _, has in chosen), missing)


def is_chinese(character: str) -> bool:
    """Han characters of the first plane, Chinese punctuation, full-width forms: what a Chinese font has."""
    code = ord(character)
    return 0x3001 <= code <= 0x303F or 0x3400 <= code <= 0x9FFF or 0xFF01 <= code <= 0xFF60


def font_folders() -> tuple[Path, ...]:
    """Where this system keeps fonts (Linux, macOS, Windows); folders that do not exist are left out."""
    home = Path.home()
    if sys.platform == "win32":
        found = [
            Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts",
            Path(os.environ.get("LOCALAPPDATA", home / "AppData/Local")) / "Microsoft/Windows/Fonts",
        ]
    elif sys.platform == "darwin":
        assets = sorted(Path("/System/Library/AssetsV2").glob("com_apple_MobileAsset_Font*"))
        found = [home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts"), *assets]
    else:
        data = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
        own = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
        found = [
            home / ".fonts",
            own / "fonts",
            *(Path(folder) / "fonts" for folder in data.split(":") if folder),
        ]
    return tuple(folder for folder in found if folder.is_dir())


def font_files() -> Iterator[Path]:
    """Font files of the system, then of the font packages that are installed."""
    for folder in font_folders():
        for here, _, names in os.walk(folder):
            yield from (Path(here, name) for name in names if Path(name).suffix.lower() in FONT_SUFFIXES)
    for package in FONT_PACKAGES:
        try:
            listed = importlib.metadata.files(package) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        yield from (Path(str(f.locate())) for f in listed if f.suffix.lower() in FONT_SUFFIXES)


def _bundled_font(bold: bool) -> Path:
    """DejaVu Sans inside matplotlib's folder, found without importing matplotlib."""
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("matplotlib, which clockhands depends on, is not installed")
    return (
        Path(spec.origin).parent
        / "mpl-data/fonts/ttf"
        / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
    )


def _invisible(character: str) -> bool:
    """Control, format and unassigned characters and lone surrogates: a font shows nothing, or a box."""
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Cn"}


def _rank(path: Path) -> int:
    """Place in the list of known fonts, its length for a font that is not known."""
    stem = path.stem.lower()
    return next((i for i, known in enumerate(_PREFERRED) if stem.startswith(known)), len(_PREFERRED))


def _candidates(files: Iterable[Path]) -> Iterator[Face]:
    """The faces to try, best first: known fonts by rank, then the largest of the others."""
    ranked = sorted(((_rank(path), path) for path in files), key=lambda pair: pair[0])
    known = [path for rank, path in ranked if rank < len(_PREFERRED)]
    for path in known:
        yield from _best_face(path)
    unknown = [path for rank, path in ranked if rank == len(_PREFERRED) and path.is_file()]
    for path in sorted(unknown, key=lambda path: -path.stat().st_size)[:_MOST_UNKNOWN_FILES]:
        yield from _best_face(path)


def _best_face(path: Path) -> tuple[Face, ...]:
    """The Simplified Chinese face of a collection if it has one, else its first."""
    usable = [face for face in faces(path) if face.drawable]
    simplified = [f for f in usable if f"{f.family.lower()} ".find("mono") < 0 and _is_simplified(f)]
    return tuple((simplified or usable)[:1])


def _is_simplified(face: Face) -> bool:
    return any(face.family.lower().endswith(ending) for ending in _SIMPLIFIED)


def _cover(missing: frozenset[str], candidates: Iterable[Face]) -> list[tuple[Face, frozenset[str]]]:
    """The fewest faces, best first: the first that has all, else the one that has most, and so on."""
    tried: list[tuple[Face, frozenset[str]]] = []
    for face in candidates:
        has = covered(face, missing)
        if has:
            tried.append((face, has))
        if has == missing:
            break
    chosen: list[tuple[Face, frozenset[str]]] = []
    while missing and tried:
        face, has = max(tried, key=lambda pair: len(pair[1] & missing))
        if not has & missing:
            break
        chosen.append((face, has & missing))
        missing -= has
    return chosen


def _leads(full: Sequence[tuple[Face, frozenset[str]]]) -> bool:
    """Whether the first extra face is there for Chinese."""
    return bool(full) and any(map(is_chinese, full[0][1]))
