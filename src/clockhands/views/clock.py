"""Clock hands: one hand for each pair of dimensions, turning clockwise from twelve."""

from __future__ import annotations

from clockhands.analysis.axes import RADIANS_PER_TOKEN, pair_axis
from clockhands.analysis.labelled import Labelled
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.clock import Animation, clock
from clockhands.views.naming import called
from clockhands.views.offers import has, speeds, untrained, what_it_does
from clockhands.views.settings import Settings
from clockhands.views.view import View


def needs(description: Description) -> Text | None:
    return None if has(description, "inv_freq") else what_it_does(description)


def draw(description: Description, settings: Settings) -> Animation:
    speed = speeds(description)
    axes, name = (pair_axis(len(speed)),), Text("angular frequency", "角频率")
    hands = Labelled("speed", name, speed, axes, RADIANS_PER_TOKEN, untrained(description))
    return clock(hands, settings.positions, lang=settings.lang, title=called(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    return draw(description, settings).data


VIEW = View("clock", Text("Clock hands", "时钟指针"), needs, draw, data, any_step=True)
