"""The widget class of anywidget, made when first wanted: importing anywidget brings IPython with it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from clockhands.errors import ClockhandsError
from clockhands.web.html import built


def installed() -> bool:
    """Whether anywidget is there."""
    return find_spec("anywidget") is not None


def live_widget(*, page: str, state: str, height: int, label: str) -> Any:
    """An ``anywidget.AnyWidget`` that shows a page and follows its state.

    Raises ClockhandsError where anywidget is not installed.
    """
    if not installed():
        raise ClockhandsError(
            'a live widget needs anywidget: pip install "clockhands[notebook]"',
            '可交互的小部件需要 anywidget：pip install "clockhands[notebook]"',
        )
    import anywidget
    import traitlets

    class PageWidget(anywidget.AnyWidget):
        _esm = built("widget.js")
        page = traitlets.Unicode().tag(sync=True)
        state = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        label = traitlets.Unicode().tag(sync=True)

    return PageWidget(page=page, state=state, height=height, label=label)
