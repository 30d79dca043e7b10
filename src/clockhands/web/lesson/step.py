"""What a step of the lesson is: prose in both languages, a control, pictures, a surprise and a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from clockhands.language import Text

Numbers: TypeAlias = Mapping[str, float | str]


@dataclass(frozen=True)
class Answer:
    """An answer that can be chosen.

    says    the answer
    reply   what is said to whoever chose it: kindly where it is wrong, and why
    shows   settings under which the picture shows it, as in an address
    right   whether it is the one
    """

    says: Text
    reply: Text
    shows: str = ""
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question, and two to four answers of which one is right."""

    asks: Text
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Belief:
    """What is often said, and what is true."""

    said: Text
    truth: Text


@dataclass(frozen=True)
class Button:
    """A choice: ``sets`` are settings as in an address; ``pos=+5`` adds to what is set."""

    label: Text
    sets: str


@dataclass(frozen=True)
class Slider:
    """A setting of the page as a slider."""

    label: Text
    field: str
    least: int
    most: int


@dataclass(frozen=True)
class Picture:
    """A picture of the instrument or of the lesson, by its name in the page's script.

    shows  what a screen reader says of it; a picture of the instrument says it itself
    data   JSON that it draws
    """

    name: str
    shows: Text | None = None
    data: str = ""


@dataclass(frozen=True)
class Step:
    """One step.

    settings   what the step begins with, as in an address
    prose      paragraphs; ``{name}`` is a number of ``numbers``, ``*so*`` is stressed, ``<<name>>`` is a
               value that the picture has now, or where ``numbers`` has ``names`` ("a|b|c"), one of these by
               the choice ``mode``
    formula    lines, see ``mathml``
    reading    sentences below the control that follow it
    live       a formula beside the control, with values that the picture has now
    plays      whether the position can be played
    room       of the page in which the step goes on
    """

    id: str
    title: Text
    settings: str
    prose: tuple[Text, ...]
    formula: tuple[str, ...]
    buttons: tuple[Button, ...]
    sliders: tuple[Slider, ...]
    pictures: tuple[Picture, ...]
    reading: tuple[Text, ...]
    surprise: Text
    question: Question
    beliefs: tuple[Belief, ...]
    numbers: Callable[[], Numbers]
    live: str = ""
    plays: bool = False
    room: str = "instrument"
