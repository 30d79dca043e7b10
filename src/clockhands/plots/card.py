"""The index card of a scheme: what it is, its formula, where it comes from, what it promises."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral
from clockhands.plots.picture import Picture
from clockhands.plots.sheet import MARGIN, Sheet, sheet

_WIDTH = 9.4
_NAMES = 1.25  # inches for the names of the rows
_LINE = 0.225
_FORMULA_SIZES = (17.0, 15.0, 13.5)
_FORMULA_LINE, _AIR = (
    0.46,
    0.14,
)  # inches: the least height of a line, and what is left free around a tall one
_SOURCE = Text("Source", "出处")
_CLAUSE = re.compile(r"(?<=,)\\(?:quad|;)")


def card(
    about: Card,
    *,
    lang: Language = "en",
    traits: Traits | None = None,
    parameters: Mapping[str, object] | None = None,
    note: Text = NOTHING,
) -> Picture:
    """Draw a card, its formula set by mathtext.

    traits      those of one description, where a parameter changes them; the card's own by default
    parameters  name -> value, written on the card; the numbers among them are the picture's data
    """
    parameters = parameters or {}
    title = Text(about.name, about.name) if about.title.en == about.name else _joined(about)
    rows = _rows(about, traits or about.traits, parameters)
    with sheet(lang, title, note=note, width=_WIDTH, body=1.0) as measuring:
        texts = [(name, measuring.wrap(said, _text_width())) for name, said in _said(rows, lang)]
        formula, size = _set_formula(measuring, about.formula)
        tall = [max(_FORMULA_LINE, measuring.size_of_formula(line, size)[1] + _AIR) for line in formula]
    height = sum(tall) + 0.5 + sum(_LINE * len(lines) + 0.13 for _, lines in texts) + 0.15
    with sheet(lang, title, note=note, width=_WIDTH, body=height) as page:
        below = _draw_formula(page, formula, tall, size)
        for name, lines in texts:
            page.write(MARGIN, below, name, size=style.SMALL_SIZE, va="top")
            for line in lines:
                page.write(MARGIN + _NAMES, below, line, colour=style.INK, va="top")
                below += _LINE
            below += 0.13
        return page.picture(*_numbers(parameters))


def _joined(about: Card) -> Text:
    return Text(f"{about.name} · {about.title.en}", f"{about.name} · {about.title.zh}")


def _text_width() -> float:
    return _WIDTH - 2 * MARGIN - _NAMES


def _rows(about: Card, traits: Traits, parameters: Mapping[str, object]) -> list[tuple[Text, Text]]:
    known = {name: value for name, value in parameters.items() if value is not None}
    values = "   ".join(
        f"{name} = {_written(value)}".replace(" ", "\N{NO-BREAK SPACE}") for name, value in known.items()
    )
    return [
        (Text("Idea", "思路"), about.idea),
        (Text("Parameters", "参数"), Text(values, values)),
        (Text("Promises", "性质"), promises(traits)),
        (Text("Compared", "比较"), about.differs or NOTHING),
        (Text("Used by", "使用者"), Text(", ".join(about.users("en")), "、".join(about.users("zh")))),
        (_SOURCE, about.origin or NOTHING),
        *((_SOURCE, _cited(source)) for source in about.sources),
        *((Text("Related", "相关工作"), _cited(source)) for source in about.related),
    ]


def _said(rows: Sequence[tuple[Text, Text]], lang: Language) -> list[tuple[str, str]]:
    """Rows in one language, empty ones left out, a name that repeats written once."""
    said: list[tuple[str, str]] = []
    seen: set[Text] = set()
    for name, text in rows:
        if text.said_in(lang):
            said.append(("" if name in seen else name.said_in(lang), text.said_in(lang)))
            seen.add(name)
    return said


def _cited(source: Source) -> Text:
    return Text(
        f"{source.authors} ({source.year}). {source.title}. {source.where}",
        f"{source.authors}（{source.year}）：{source.title}。{source.where}",
    )


def promises(traits: Traits) -> Text:
    """A scheme's traits as sentences."""
    reads = {
        "nothing": Text("Reads nothing.", "不读取任何信息。"),
        "positions": Text("Reads position numbers.", "读取位置编号。"),
        "order": Text("Reads the order of tokens only.", "只看词元的先后顺序。"),
        "content": Text("Reads the tokens too.", "还读取词元的内容。"),
    }[traits.reads]
    parts = [reads]
    if traits.relative:
        parts.append(Text("Scores depend on position differences only.", "得分只取决于位置之差。"))
    if traits.learned:
        parts.append(Text("Has parameters that training must set.", "含有需要训练的参数。"))
    if traits.max_position is not None:
        parts.append(
            Text(
                f"Has no position past {traits.max_position - 1:,}.",
                f"最大位置是 {traits.max_position - 1:,}。",
            )
        )
    if traits.horizon is not None:
        parts.append(
            Text(f"Blind past {traits.horizon:,} tokens.", f"看不到 {traits.horizon:,} 个词元之外。")
        )
    if traits.length_dependent:
        parts.append(Text("Frequencies change with the length.", "频率随长度变化。"))
    if not traits.bidirectional:
        parts.append(Text("Made for a causal mask only.", "只用于有因果掩码的注意力。"))
    if traits.mirrored:
        parts.append(
            Text("Tokens equally far before and after look alike.", "前后距离相等的词元，在它看来没有分别。")
        )
    return Text(" ".join(part.en for part in parts), "".join(part.zh for part in parts))


def _set_formula(page: Sheet, formula: str) -> tuple[list[str], float]:
    """The formula in lines, at the largest size at which no clause is wider than the card."""
    clauses = [clause.strip() for clause in _CLAUSE.split(formula)]
    width = _WIDTH - 2 * MARGIN - 0.7
    for size in _FORMULA_SIZES:
        lines: list[str] = []
        for clause in clauses:
            longer = rf"{lines[-1]}\quad {clause}" if lines else clause
            if lines and page.width_of_formula(longer, size) <= width:
                lines[-1] = longer
            else:
                lines.append(clause)
        if all(page.width_of_formula(line, size) <= width for line in lines):
            break
    return lines, size


def _draw_formula(page: Sheet, lines: Sequence[str], tall: Sequence[float], size: float) -> float:
    """A white strip with the formula, its lines ``tall`` inches each; returns where the next row starts."""
    height = sum(tall) + 0.2
    panel = page.panel(MARGIN, 0.0, page.width - 2 * MARGIN, height, "formula")
    panel.set_facecolor(style.PANEL)
    for spine in panel.spines.values():
        spine.set_visible(True)
        spine.set_color(style.RULE)
    for index, line in enumerate(lines):
        middle = 0.1 + sum(tall[:index]) + tall[index] / 2
        panel.text(
            0.5, 1 - middle / height, f"${line}$", ha="center", va="center", fontsize=size,
            color=style.INK, parse_math=True, math_fontfamily="cm", transform=panel.transAxes,
        )  # fmt: skip
    return height + 0.25


def _written(value: object) -> str:
    """A parameter's value; a long run of equal numbers is written once."""
    if isinstance(value, tuple | list):
        if len(set(value)) == 1 and len(value) > 3:
            return f"{len(value)} × {_written(value[0])}"
        return "[" + ", ".join(_written(one) for one in value) + "]"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return numeral(float(value))


def _numbers(parameters: Mapping[str, object]) -> tuple[Labelled, ...]:
    """Parameters that are numbers, as the picture's data."""
    numbers = {
        n: float(v) for n, v in parameters.items() if isinstance(v, int | float) and not isinstance(v, bool)
    }
    if not numbers:
        return ()
    axis = Axis(Text("parameter", "参数"), np.array(list(numbers), dtype=object))
    return (Labelled("parameters", Text("parameters", "参数"), np.array(list(numbers.values())), (axis,)),)
