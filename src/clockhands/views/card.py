"""The index card of a scheme, with the parameters of this description."""

from __future__ import annotations

from clockhands.analysis.labelled import Labelled
from clockhands.catalogue.description import Description
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.plots.card import card
from clockhands.plots.picture import Picture
from clockhands.views.naming import called, parameters
from clockhands.views.offers import untrained
from clockhands.views.settings import Settings
from clockhands.views.view import View


def needs(description: Description) -> Text | None:
    return None


def draw(description: Description, settings: Settings) -> Picture:
    return card(
        description.card,
        lang=settings.lang,
        traits=description.traits,
        parameters=parameters(description),
        note=untrained(description),
    )


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    numbers = draw(description, settings).data
    if not numbers:
        name = called(description)
        raise ClockhandsError(
            f"the card of {name.en} holds no numbers, so there is no data: save the picture only",
            f"{name.zh}的卡片上没有数字，因此没有数据可存：请只保存图片",
        )
    return numbers


VIEW = View("card", Text("Index card", "卡片"), needs, draw, data, any_step=True)
