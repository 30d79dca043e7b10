"""The page in a notebook: a live widget where anywidget is installed, the same page in a frame where not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

from clockhands.analysis.attention_trace import AttentionRun
from clockhands.catalogue import SCHEMES, as_description
from clockhands.catalogue.description import Description
from clockhands.errors import ClockhandsError, nearest, shown
from clockhands.language import Language, Text, language_of_environment
from clockhands.web.html import begun, built, page, written
from clockhands.web.model import Target

LABEL = Text("How a Transformer knows position", "Transformer 怎样知道位置")
UNSEEN = Text(
    "The interactive page of clockhands: run this cell to see it.",
    "这里是 clockhands 的交互页面：运行这个单元格就能看到。",
)
"""What is left of the frame where a host takes frames away, as from notebooks that are not trusted."""

ENDINGS = (".json", ".gguf", ".yaml", ".yml")
"""What the name of a file ends in, whether it is there or not."""

LEAST, MOST = 200, 5000
SANDBOX = "allow-scripts allow-downloads"


class Widget:
    """A page that is shown where a cell ends with it, and whose choices can be read and set.

    >>> shown = Widget("alibi", pos=7)
    >>> shown.state
    {'pos': '7'}
    >>> shown.set(pos=8, other=3).state
    {'pos': '8', 'other': '3'}

    ``save`` writes the page with what is chosen now; it and all else but ``anywidget`` need no IPython.
    """

    def __init__(
        self,
        what: str | Target | Description | type[Description] | AttentionRun | None = None,
        *,
        lang: Language | None = None,
        height: int = 720,
        parameters: dict[str, Any] | None = None,
        **state: Any,
    ):
        """See ``widget``."""
        if isinstance(height, bool) or not isinstance(height, int) or not LEAST <= height <= MOST:
            raise ClockhandsError(
                f"height is {shown(height)}: give whole pixels from {LEAST} to {MOST:,}",
                f"height 为 {shown(height)}：请给出 {LEAST} 到 {MOST:,} 的整数像素",
            )
        self.lang: Language = language_of_environment() if lang is None else lang
        self.height = height
        runs = (what,) if isinstance(what, AttentionRun) else ()
        shown_first = None if isinstance(what, AttentionRun) else _subject(what, parameters or {})
        if runs:
            state = {"room": "attention"} | state
        self._state: dict[str, str] = {}
        self._heard: list[Callable[[dict[str, str]], object]] = []
        self._live: Any = None
        self.set(**state)
        self._document = page(self.lang, shown_first, attention=runs)  # what can't be shown is refused here

    @property
    def state(self) -> dict[str, str]:
        """What differs from the page's own beginning, by the names in the address of a link to a view."""
        return dict(self._state)

    def set(self, **state: Any) -> Widget:
        """Choose on the page; what it can't be is put right there, None goes back to the beginning."""
        _require_known(state)
        changed = self._state | {name: _written(value) for name, value in state.items()}
        self._take({name: value for name, value in changed.items() if value != ""})
        if self._live is not None:
            self._live.state = self.fragment
        return self

    @property
    def fragment(self) -> str:
        """The state as the part of an address after ``#``."""
        return urlencode(self._state)

    def on_change(self, act: Callable[[dict[str, str]], object]) -> Widget:
        """Call ``act(state)`` whenever the state changes, by hand or by ``set``."""
        if not callable(act):
            raise ClockhandsError(
                f"{shown(act)} can't be called: give a function that takes the state",
                f"{shown(act)} 不能调用：请给出一个接收状态的函数",
            )
        self._heard.append(act)
        return self

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page as it is chosen now to one HTML file that needs no Python and no network."""
        return written(path, lambda: begun(self._document, self.fragment))

    @property
    def anywidget(self) -> Any:
        """The ``anywidget.AnyWidget`` itself, for hosts that want one: ``mo.ui.anywidget(w.anywidget)``.

        Raises ClockhandsError where the extra ``notebook`` is not installed.
        """
        if self._live is None:
            from clockhands.web.live import live_widget

            self._live = live_widget(
                page=self._document,
                state=self.fragment,
                height=self.height,
                label=LABEL.said_in(self.lang),
            )
            self._live.observe(lambda change: self._take(dict(parse_qsl(change["new"]))), names="state")
        return self._live

    def _take(self, state: dict[str, str]) -> None:
        if state != self._state:
            self._state = state
            for act in self._heard:
                act(self.state)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The widget for hosts that have widgets, and the page in a frame for all others."""
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        from clockhands.web.live import installed

        if installed():
            made = self.anywidget._repr_mimebundle_()
            bundle = (made[0] if isinstance(made, tuple) else made) | bundle
        return bundle

    def _repr_html_(self) -> str:
        document = escape(begun(self._document, self.fragment))
        label = escape(LABEL.said_in(self.lang))
        style = f"display:block;width:100%;height:{self.height}px;border:0;border-radius:8px"
        frame = f'<iframe title="{label}" sandbox="{SANDBOX}" style="{style}" srcdoc="{document}">'
        return f"{frame}{escape(UNSEEN.said_in(self.lang))}</iframe>"  # browsers with frames don't show it

    def __repr__(self) -> str:
        return f"<clockhands widget {self.fragment or 'as it opens'}>"


def widget(
    what: str | Target | Description | type[Description] | AttentionRun | None = None,
    *,
    lang: Language | None = None,
    height: int = 720,
    parameters: dict[str, Any] | None = None,
    **state: Any,
) -> Widget:
    """The interactive page in Jupyter, VS Code, Colab or marimo (extra ``notebook``; without it, in a frame).

    what        a scheme (``"yarn"``, a description, one's own ``OwnFrequencies``), or a configuration (file,
                folder or mapping), or a run of attention (``web.load_attention("out")``); none: all that the
                page has
    lang        ``en`` or ``zh``; by default that of the environment
    height      of the frame, pixels
    parameters  of a scheme that is given by its id: ``parameters={"factor": 8}``
    state       what is chosen when it opens, by the names in the address of a link: ``pos=7, context=4096``

    Raises ClockhandsError for what can't be drawn or read.

    >>> widget("rope", pos=12).fragment
    'pos=12'
    """
    return Widget(what, lang=lang, height=height, parameters=parameters, **state)


def _subject(what: Any, parameters: dict[str, Any]) -> Target | Description | None:
    """A description or a configuration; a word that is no file is the id of a scheme."""
    if not isinstance(parameters, Mapping):
        raise ClockhandsError(
            f"parameters are {shown(parameters)}, but they must be a dictionary: {{'factor': 8}}",
            f"parameters 为 {shown(parameters)}，但它必须是字典，例如 {{'factor': 8}}",
        )
    own = getattr(what, "description", None)  # of an Encoding
    if isinstance(own, Description):
        what = own
    file = isinstance(what, str) and (os.sep in what or os.path.exists(what) or what.endswith(ENDINGS))
    named = isinstance(what, str) and (what in SCHEMES or not file)
    if named or isinstance(what, Description | type):
        return as_description(what, **parameters)
    if parameters:
        raise ClockhandsError(
            f"parameters ({', '.join(parameters)}) are of a scheme's id, and this is none: leave them out",
            f"parameters（{'、'.join(parameters)}）只能和方案的名称一起用，而这里给的不是名称：请去掉它们",
        )
    for config in (what, getattr(what, "config", None)):  # of transformers, or of a model of it
        to_dict = getattr(config, "to_dict", None)
        if callable(to_dict):
            return cast("dict[str, Any]", to_dict())
    if what is None or isinstance(what, str | os.PathLike | Mapping):
        return what
    raise ClockhandsError(
        f"{shown(what)} can't be shown: give a scheme such as 'rope', or a model's configuration",
        f"{shown(what)} 无法显示：请给出一种方案（例如 'rope'），或者一个模型的配置",
    )


def _require_known(state: Mapping[str, Any]) -> None:
    known = json.loads(built("fields.json"))
    for name in state:
        if name.removeprefix("b.") not in known:
            hint = nearest(name, known)
            raise ClockhandsError(
                f"the page has no setting '{name}': {hint.en}", f"页面没有设置“{name}”：{hint.zh}"
            )


def _written(value: Any) -> str:
    """A value as the address has it."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        raise ClockhandsError(
            f"{shown(value)} is more than any setting of the page: use a smaller number",
            f"{shown(value)} 超出了页面设置的范围：请用小一点的数",
        )
    return str(value).lower() if isinstance(value, bool) else str(value)
