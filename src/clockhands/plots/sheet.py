"""The page every matplotlib picture is drawn on: a heading, panels placed in inches, feet, the right fonts.

Only ``matplotlib.figure.Figure`` and the Agg canvas are used, never pyplot, so nothing is kept
alive and no window is opened. The user's own matplotlib settings neither show nor change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.fonts import fonts_for
from clockhands.plots.picture import Picture, own_settings
from clockhands.plots.wording import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text as Writing

MARGIN = 0.38
"""Inches left and right of everything."""
ACCENT = "#b3480a"
"""What a picture must say of itself, and the one thing to look at: 5.3 : 1 against the page."""
_LINE = 0.215  # inches from one line of text to the next


@contextmanager
def sheet(
    lang: Language,
    title: Text,
    *,
    about: Text = NOTHING,
    says: Sequence[Text] = (),
    note: Text = NOTHING,
    feet: Sequence[Text] = (),
    width: float = 11.0,
    body: float = 4.6,
) -> Iterator[Sheet]:
    """Open a page; draw on it and call ``picture`` before the block ends.

    title  what the picture is; ``about`` follows it in grey: of which scheme, with which parameters
    says   sentences under the title: what to see, with its numbers
    note   what must be read with the picture ("untrained, seed 0"), in a frame on the title's line
    feet   small sentences at the bottom
    width, body  inches; ``body`` is the height between heading and feet

    A plain text in place of a Text stands for both languages; ClockhandsError for anything else.
    """
    title, about, note = (_words(given) for given in (title, about, note))
    says, feet = ([_words(given) for given in lines] for lines in (says, feet))
    words = [text.said_in(lang) for text in (title, about, note, *says, *feet)]
    families = fonts_for(*words, lang=lang).families()
    with own_settings(style.matplotlib_settings(families)):
        yield Sheet(lang, title, about, says, note, feet, width, body)


def _words(given: Any) -> Text:
    if isinstance(given, str):
        return Text(given, given)
    if not isinstance(given, Text):
        raise ClockhandsError(
            f"{given!r} can't be written on a picture: give text, or Text with both languages",
            f"{given!r} 不能写在图上：请给出文字，或者包含两种语言的 Text",
        )
    return given


@dataclass(frozen=True)
class _Heading:
    """Lines of the title, what stands beside it and where (inches), the lines under it, the note."""

    title: tuple[str, ...]
    beside: str
    start: float
    said: tuple[str, ...]
    note: str


class Sheet:
    """One page in the making; ``sheet`` opens it. Places are inches from the body's top-left corner."""

    def __init__(
        self,
        lang: Language,
        title: Text,
        about: Text,
        says: Sequence[Text],
        note: Text,
        feet: Sequence[Text],
        width: float,
        body: float,
    ):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.lang: Language = lang
        self.title, self.width, self.body = title, width, body
        self.figure = Figure(figsize=(width, body + 1))
        self._renderer = FigureCanvasAgg(self.figure).get_renderer()
        footed = [line for text in feet for line in self._lines(text, style.SMALL_SIZE)]
        heading = self._planned(title, about, says, note)
        self._top = 0.32 + 0.3 * len(heading.title) + _LINE * len(heading.said) + 0.2
        self._height = self._top + body + _LINE * len(footed) + (0.3 if footed else 0.2)
        self.figure.set_size_inches(width, self._height)
        self._write_heading(heading)
        for index, line in enumerate(footed):
            y = self._height - 0.22 - _LINE * (len(footed) - 1 - index)
            self._put(MARGIN, y, line, style.SMALL_SIZE, style.QUIET, va="baseline")

    # --- measuring

    def width_of(self, text: str, size: float = style.LABEL_SIZE, *, bold: bool = False) -> float:
        """Width of one line of text, inches."""
        return self._ruler(text, size, bold=bold)(text)

    def _ruler(self, text: str, size: float, *, bold: bool) -> Callable[[str], float]:
        """What measures ``text`` and parts of it: the fonts are looked up once."""
        from matplotlib.font_manager import FontProperties

        stack = fonts_for(text, lang=self.lang)
        families = stack.families()
        weight = "bold" if bold and len(families) == 1 else "normal"
        prop = FontProperties(family=families, size=size, weight=weight)

        def width(part: str) -> float:
            drawn = stack.drawable(part)
            return self._renderer.get_text_width_height_descent(drawn, prop, False)[0] / self.figure.dpi

        return width

    def width_of_formula(self, formula: str, size: float) -> float:
        """Width of a LaTeX formula (without dollar signs) set in the card's type, inches."""
        return self.size_of_formula(formula, size)[0]

    def size_of_formula(self, formula: str, size: float) -> tuple[float, float]:
        """The same, and its height with what hangs below the line."""
        from matplotlib.font_manager import FontProperties

        prop = FontProperties(size=size, math_fontfamily="cm")
        width, height, _ = self._renderer.get_text_width_height_descent(f"${formula}$", prop, True)
        return width / self.figure.dpi, height / self.figure.dpi

    def _lines(self, text: Text, size: float, *, bold: bool = False) -> list[str]:
        return self.wrap(text.said_in(self.lang), self.width - 2 * MARGIN, size, bold=bold)

    def wrap(
        self, text: str, width: float, size: float = style.LABEL_SIZE, *, bold: bool = False
    ) -> list[str]:
        """The text in lines of at most ``width`` inches."""
        return wrapped(text, width, self._ruler(text, size, bold=bold))

    # --- writing

    def _planned(self, title: Text, about: Text, says: Sequence[Text], note: Text) -> _Heading:
        """Lines of the heading: ``about`` goes beside the title if there is room, else under it."""
        bold, full = self.lang == "en", self.width - 2 * MARGIN
        noted, beside = note.said_in(self.lang), about.said_in(self.lang)
        taken = self.width_of(noted, style.SMALL_SIZE) + 0.3 if noted else 0.0
        lines = self.wrap(title.said_in(self.lang), full - taken, style.TITLE_SIZE, bold=bold)
        start = self.width_of(lines[-1], style.TITLE_SIZE, bold=bold) + 0.28 if lines else 0.0
        fits = start + self.width_of(beside) <= full - (taken if len(lines) < 2 else 0)
        said = says if fits else (about, *says)
        return _Heading(
            tuple(lines),
            beside if fits else "",
            MARGIN + start,
            tuple(line for text in said for line in self._lines(text, style.LABEL_SIZE)),
            noted,
        )

    def _write_heading(self, heading: _Heading) -> None:
        bold, y = self.lang == "en", 0.48
        for index, line in enumerate(heading.title):
            y = 0.48 + 0.3 * index
            self._put(MARGIN, y, line, style.TITLE_SIZE, style.INK, va="baseline", bold=bold)
        if heading.beside:
            self._put(heading.start, y, heading.beside, style.LABEL_SIZE, style.QUIET, va="baseline")
        if heading.note:
            frame = {"boxstyle": "round,pad=0.35", "facecolor": "none", "edgecolor": ACCENT, "linewidth": 0.9}
            right = self.width - MARGIN - 0.06
            self._put(
                right, 0.48, heading.note, style.SMALL_SIZE, ACCENT, ha="right", va="baseline", bbox=frame
            )
        for index, line in enumerate(heading.said):
            self._put(MARGIN, y + 0.29 + _LINE * index, line, style.LABEL_SIZE, style.QUIET, va="baseline")

    def write(
        self, x: float, y: float, text: str, *, size: float = style.LABEL_SIZE, colour: str = style.QUIET,
        bold: bool = False, **how: Any,
    ) -> Writing:  # fmt: skip
        """Write at a place of the body, inches."""
        return self._put(x, self._top + y, text, size, colour, bold=bold, **how)

    def _put(
        self, x: float, y: float, text: str, size: float, colour: str, *, bold: bool = False, **how: Any
    ) -> Writing:
        how.setdefault("va", "top")
        return self.figure.text(
            x / self.width, 1 - y / self._height, text, fontsize=size, color=colour,
            fontweight="bold" if bold else "normal", **how,
        )  # fmt: skip

    # --- panels

    def panel(self, x: float, y: float, width: float, height: float, name: str) -> Axes:
        """Axes with their top-left corner at (x, y) of the body, inches; ``name`` tells tests which it is."""
        bottom = self._height - self._top - y - height
        rect = (x / self.width, bottom / self._height, width / self.width, height / self._height)
        axes = self.figure.add_axes(rect)
        axes.set_label(name)
        axes.set_xticks([])
        axes.set_yticks([])
        return axes

    def picture(self, *data: Labelled) -> Picture:
        """Close the page: fonts are chosen for every character on it."""
        from matplotlib.text import Text as Writing

        writings = [one for one in self.figure.findobj(Writing) if one.get_text()]
        stack = fonts_for(*(one.get_text() for one in writings), lang=self.lang)
        families = stack.families()
        for one in writings:
            if one.get_parse_math():
                continue
            one.set_text("\n".join(map(stack.drawable, one.get_text().split("\n"))))
            needed, uncovered = [], set(one.get_text()) - {"\n"}
            for family, has in zip(families, stack.coverage, strict=False):
                if has & uncovered:
                    needed.append(family)
                    uncovered -= has
            one.set_fontfamily(needed or families)
            if len(needed) > 1:
                one.set_fontweight("normal")  # Chinese fonts often come in one weight
        return Picture(self.figure, data, self.title)
