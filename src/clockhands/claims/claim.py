"""What a claim is: a sentence that people repeat, and the computation that says whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from clockhands.analysis.labelled import NOTHING
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.plots.picture import Picture

Outcome = Literal["true", "false", "conditional"]
OUTCOMES: dict[Outcome, Text] = {
    "true": Text("true", "成立"),
    "false": Text("false", "不成立"),
    "conditional": Text("only under conditions", "仅在一定条件下成立"),
}
TOKENS = Text("tokens", "词元")


@dataclass(frozen=True)
class Number:
    """One number that a verdict rests on; ``value`` is None where there is none to find."""

    name: Text
    value: float | None
    unit: Text = NOTHING

    @property
    def text(self) -> Text:
        """The number with its name and unit, as a person reads it."""
        value = Text("none", "无") if self.value is None else Text(*[figure(self.value)] * 2)
        return Text(
            f"{self.name.en}: {value.en} {self.unit.en}".rstrip(),
            f"{self.name.zh}：{value.zh} {self.unit.zh}".rstrip(),
        )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the computation found. ``condition`` says when a conditional claim holds, None for the others."""

    outcome: Outcome
    sentence: Text
    numbers: tuple[Number, ...]
    condition: Text | None = None

    def __post_init__(self) -> None:
        if (self.condition is not None) != (self.outcome == "conditional"):
            raise ValueError(f"a verdict '{self.outcome}' with the condition {self.condition}")

    @property
    def text(self) -> Text:
        """The outcome in words, with its condition."""
        if self.condition is None:
            return OUTCOMES[self.outcome]
        return Text(f"only {self.condition.en}", f"仅在{self.condition.zh}时成立")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of the literature as a test that anyone can run.

    statement  the claim as it is usually said
    source     who says it, or who looked into it: an arXiv number or another permanent name
    examine    computes the verdict, within seconds and without torch; always the same
    draw       a picture of what it looked at, from ``lang``, ``title`` and ``about``
    """

    id: str
    statement: Text
    source: str
    examine: Callable[[], Verdict]
    draw: Callable[..., Picture]

    def check(self) -> Verdict:
        """Compute the verdict."""
        return self.examine()

    def figure(self, lang: Language = "en", verdict: Verdict | None = None) -> Picture:
        """The picture, with the claim as its title; ``verdict`` saves computing it once more."""
        found = (verdict or self.check()).text
        title = Text(f'"{self.statement.en}"', f"“{self.statement.zh}”")
        return self.draw(lang=lang, title=title, about=Text(f"verdict: {found.en}", f"结论：{found.zh}"))


def judged(
    holds: bool,
    sentence: Text,
    *numbers: Number,
    condition: Text | None = None,
    holds_then: bool = False,
) -> Verdict:
    """True where the claim ``holds``, conditional (``condition``) where it ``holds_then``, else false."""
    if holds:
        return Verdict(outcome="true", sentence=sentence, numbers=numbers)
    if holds_then:
        return Verdict(outcome="conditional", sentence=sentence, numbers=numbers, condition=condition)
    return Verdict(outcome="false", sentence=sentence, numbers=numbers)


def figure(value: float, digits: int = 4) -> str:
    """A number in few characters: whole ones with separators, very small ones as a power of ten.

    >>> figure(18438), figure(0.58318), figure(3.6e-14), figure(62831.853)
    ('18,438', '0.5832', '3.6e-14', '62,832')
    """
    if value == round(value) and abs(value) < 1e15:
        return f"{round(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1e}" if abs(value) < 1e-3 else f"{value:.{digits}g}"
