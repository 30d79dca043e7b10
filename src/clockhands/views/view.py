"""What a view is: what it needs of a scheme, how its numbers are made, how they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clockhands.analysis.labelled import Labelled
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.views.settings import Settings

if TYPE_CHECKING:
    from clockhands.plots.clock import Animation
    from clockhands.plots.picture import Picture

    Drawn: TypeAlias = Picture | Animation


@dataclass(frozen=True)
class View:
    """One way to look at a scheme.

    needs    why a scheme can't be shown this way, ``None`` if it can: asked of what the description
             offers, never of its name
    draw     the picture; its ``data`` are exactly the numbers drawn
    any_step whether positions may leave some out (every tenth)
    """

    id: str
    title: Text
    needs: Callable[[Description], Text | None]
    draw: Callable[[Description, Settings], Drawn]
    data: Callable[[Description, Settings], tuple[Labelled, ...]]
    any_step: bool = False
