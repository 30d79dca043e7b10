"""One call for any view of any scheme, or of one's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis.labelled import Labelled
from clockhands.catalogue import as_description
from clockhands.catalogue.description import Description
from clockhands.catalogue.own import OwnBias, OwnFrequencies, OwnTable
from clockhands.errors import ClockhandsError, nearest
from clockhands.language import Text
from clockhands.views import bias as bias_view
from clockhands.views import (
    card,
    clock,
    distance,
    distance_map,
    heatmap,
    kernel,
    relative,
    similarity,
    spectrum,
    verdict,
)
from clockhands.views.settings import Settings, settled
from clockhands.views.view import View

if TYPE_CHECKING:
    from clockhands.views.view import Drawn

_ALL = (
    heatmap,
    clock,
    similarity,
    kernel,
    distance,
    spectrum,
    bias_view,
    distance_map,
    relative,
    verdict,
    card,
)
VIEWS: Mapping[str, View] = MappingProxyType({module.VIEW.id: module.VIEW for module in _ALL})
"""All views by id, in the order in which they are taught."""


def show(
    scheme: str | Description | type[Description] | ArrayLike | None = None,
    view: str | None = None,
    *,
    positions: int | range | None = None,
    lang: str | None = None,
    inv_freq: Any = None,
    table: Any = None,
    bias: Any = None,
    **parameters: Any,
) -> Drawn:
    """Draw one view of a scheme. Returns a Picture, or for the clock an Animation; both can ``save``.

    scheme      an id such as ``"rope"``, a Description, or an array: a table ``(positions, width)``
    view        one of ``VIEWS``; by default the first one that the scheme has
    positions   how many, from 0, or a range; by default 100, or as many as the scheme has
    lang        ``"en"`` or ``"zh"``; by default the language of the environment
    inv_freq, table, bias   one's own numbers (array, list, callable or file) in place of a scheme
    parameters  of the scheme, short names such as ``dim`` and ``base`` allowed

    Raises ClockhandsError: an unknown scheme, view, language or parameter, a bad value, a view that
    makes no sense for this scheme, or a size that this machine has no memory for.

    >>> show("sinusoidal", "heatmap", dim=32, positions=100).data[0].values.shape
    (100, 32)
    """
    own = {
        name: value
        for name, value in (("inv_freq", inv_freq), ("table", table), ("bias", bias))
        if value is not None
    }
    return draw(view, _described(scheme, own, parameters), positions=positions, lang=lang)


def draw(
    view: str | None,
    description: Description,
    *,
    positions: int | range | None = None,
    lang: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Drawn:
    """Draw ``view`` of ``description``, as ``show`` does. ``progress`` is called with steps done and all."""
    chosen = _chosen(view, description)
    settings = _checked(chosen, description, positions, lang)
    return chosen.draw(description, settings if progress is None else replace(settings, progress=progress))


def data(
    view: str | None, description: Description, *, positions: int | range | None = None
) -> tuple[Labelled, ...]:
    """Exactly the numbers that ``draw`` shows, without drawing.

    >>> from clockhands.catalogue import describe
    >>> data("distance", describe("rope"), positions=3)[0].values.shape
    (2,)
    """
    chosen = _chosen(view, description)
    return chosen.data(description, _checked(chosen, description, positions, "en"))


def available(description: Description) -> tuple[str, ...]:
    """The views that make sense for a scheme, in order.

    >>> from clockhands.catalogue import describe
    >>> available(describe("alibi"))
    ('bias', 'card')
    """
    return tuple(view.id for view in VIEWS.values() if view.needs(description) is None)


def default_view(description: Description) -> str:
    """The first view that a scheme has."""
    return available(description)[0]


def _described(scheme: Any, own: dict[str, Any], parameters: dict[str, Any]) -> Description:
    if (scheme is not None) + len(own) != 1:
        raise ClockhandsError(
            "give one thing to show: a scheme such as 'rope', or one of inv_freq=, table=, bias=",
            "请只给出一样要看的东西：一个方案（例如 'rope'），或者 inv_freq=、table=、bias= 之一",
        )
    if own:
        ((name, value),) = own.items()
        kinds = {"inv_freq": OwnFrequencies, "table": OwnTable, "bias": OwnBias}
        return kinds[name].with_parameters(**{name: value}, **parameters)
    if isinstance(scheme, np.ndarray | list | tuple) or hasattr(scheme, "__array__"):
        return OwnTable.with_parameters(table=scheme, **parameters)
    return as_description(scheme, **parameters)


def _chosen(view: str | None, description: Description) -> View:
    if view is None:
        return VIEWS[default_view(description)]
    if view not in VIEWS:
        hint = nearest(str(view), VIEWS)
        raise ClockhandsError(f"there is no view '{view}': {hint.en}", f"没有“{view}”这种视图：{hint.zh}")
    chosen = VIEWS[view]
    reason = chosen.needs(description)
    if reason is not None:
        raise _refusal(chosen, reason, available(description))
    return chosen


def _refusal(view: View, reason: Text, others: tuple[str, ...]) -> ClockhandsError:
    return ClockhandsError(
        f"{reason.en}, so the view '{view.id}' has nothing to draw: use {' or '.join(others)}",
        f"{reason.zh}，所以“{view.title.zh}”（{view.id}）没有可画的内容：请改看 {'、'.join(others)}",
    )


def _checked(
    view: View, description: Description, positions: int | range | None, lang: str | None
) -> Settings:
    settings = settled(description, positions, lang)
    if settings.positions.step != 1 and not view.any_step:
        step = settings.positions.step
        raise ClockhandsError(
            f"the positions leave some out (step {step}), and {view.id} needs neighbours: use step 1",
            f"位置之间有间隔（步长 {step}），而“{view.title.zh}”需要相邻的位置：步长请用 1",
        )
    return settings
