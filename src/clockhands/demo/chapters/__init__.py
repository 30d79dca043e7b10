"""The story, one chapter a module, in the order in which it is read."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from clockhands.demo.chapter import Chapter, Story
from clockhands.demo.studio import Studio

ORDER = (
    "shuffle",
    "wants",
    "naive",
    "one_hand",
    "many_hands",
    "rotation",
    "kernel",
    "dimensions",
    "projections",
    "adding",
    "learned",
    "rope",
    "biases",
    "longer",
    "precision",
    "mixed",
    "layers",
    "tagged",
    "debugging",
    "reconstruct",
    "order",
    "decoder",
)
"""Names of the modules; they are the anchors of the page, too."""

SLOWEST_FIRST = ("order", "reconstruct", "decoder", "rope", "many_hands")
"""Chapters that are begun before the others, so that none is left to wait for at the end."""


class Told(Protocol):
    """What a module of this package has."""

    STORY: Story

    def tell(self, studio: Studio) -> Chapter:
        """Compute the numbers, draw the pictures, fill the sentences."""
        ...


def chapter_module(name: str) -> Told:
    """The module of one chapter, loaded when it is told."""
    return cast(Told, importlib.import_module(f"{__name__}.{name}"))
