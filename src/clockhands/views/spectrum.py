"""Wavelengths of the hands against a context as long as the positions asked for."""

from __future__ import annotations

from dataclasses import replace

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
    seen = _seen(description, settings)
    return spectrum(seen, lang=settings.lang, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    seen = _seen(description, settings)
    return (seen.speed, seen.wavelength, seen.turns, seen.finishes)


def _seen(description: Description, settings: Settings) -> Spectrum:
    seen = spectrum_of(speeds(description), settings.count)
    return replace(seen, speed=noted(seen.speed, description))


VIEW = View("spectrum", TITLE, needs, draw, data)
