"""What each head adds to its scores, as maps and as curves over distance."""

from __future__ import annotations

from functools import partial

import numpy as np

from clockhands.analysis.bias import bias_curves
from clockhands.analysis.labelled import Labelled
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.bias import TITLE, bias
from clockhands.plots.picture import Picture
from clockhands.views.naming import about
from clockhands.views.offers import bias_at, both_directions, has, noted, what_it_does
from clockhands.views.room import require_room
from clockhands.views.settings import Settings
from clockhands.views.view import View

_SAMPLED = 16
_COPIES = 11  # of its numbers that the picture holds at once: maps and curves come from one list


def needs(description: Description) -> Text | None:
    return None if has(description, "bias") else what_it_does(description)


def draw(description: Description, settings: Settings) -> Picture:
    (values,) = data(description, settings)
    return bias(values, lang=settings.lang, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    """``(heads, distances)``, from 0 under a causal mask, else from ``-(n - 1)``."""
    last = settings.count - 1
    first = -last if both_directions(description, np.arange(min(settings.count, _SAMPLED))) else 0
    heads = len(bias_at(description, np.arange(1)))
    require_room(Text("a bias", "这份偏置"), (heads, last - first + 1), _COPIES)
    return (noted(bias_curves(partial(bias_at, description), np.arange(first, last + 1)), description),)


VIEW = View("bias", TITLE, needs, draw, data)
