"""Wavelengths of the hands against a context as long as the positions asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clockhands.analysis.axes import pair_axis
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.spectrum import Spectrum
from clockhands.analysis.spectrum import spectrum as spectrum_of
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.picture import Picture
from clockhands.plots.spectrum import TITLE, spectrum
from clockhands.views.naming import about
from clockhands.views.offers import has, noted, speeds, what_it_does
from clockhands.views.settings import Settings
from clockhands.views.view import View


def needs(description: Description) -> Text | None:
    return None if has(description, "inv_freq") else what_it_does(description)


def draw(description: Description, settings: Settings) -> Picture:
    seen, reads = _seen(description, settings), _reads(description)
    return spectrum(
        seen, lang=settings.lang, about=about(description), reads=reads, axes=tuple(description.axes)
    )


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    seen = _seen(description, settings)
    reads = _reads(description)
    numbers = (seen.speed, seen.wavelength, seen.turns, seen.finishes)
    return numbers if reads is None else (*numbers, reads)


def _seen(description: Description, settings: Settings) -> Spectrum:
    seen = spectrum_of(speeds(description), settings.count)
    return replace(seen, speed=noted(seen.speed, description))


def _reads(description: Description) -> Labelled | None:
    """Which axis of its positions each hand reads, where there are axes and each hand reads one."""
    if description.pair_axes is None:
        return None
    which = np.asarray(description.pair_axes)
    return Labelled("axis", Text("axis it reads", "所读的轴"), which, (pair_axis(len(which)),))


VIEW = View("spectrum", TITLE, needs, draw, data)
