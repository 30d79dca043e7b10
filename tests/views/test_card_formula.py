"""The formula of a card stays inside its box, limits of sums and all."""

from __future__ import annotations

from itertools import pairwise

import pytest

from clockhands.catalogue import CATALOGUE, Description
from clockhands.views import draw


@pytest.mark.parametrize("scheme", CATALOGUE, ids=lambda scheme: scheme.card.id)
def test_a_formula_fits_its_box(scheme: type[Description]) -> None:
    figure = draw("card", scheme(), lang="en").figure
    renderer = figure.canvas.get_renderer()
    (panel,) = [each for each in figure.axes if each.get_label() == "formula"]
    box, lines = panel.get_window_extent(renderer), [text.get_window_extent(renderer) for text in panel.texts]
    assert lines
    for line in lines:
        assert box.x0 < line.x0 < line.x1 < box.x1
        assert box.y0 < line.y0 < line.y1 < box.y1
    for upper, lower in pairwise(lines):
        assert lower.y1 < upper.y0
