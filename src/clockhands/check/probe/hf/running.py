"""The smallest model of some settings that runs; and where none does, whether the settings are to blame.

What we cut may be to blame as well, or the class, which may want more than text. So the settings are tried as
they are, on a device without memory, and the class with its own defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from clockhands.check.probe.hf import Measured, examine
from clockhands.check.probe.hf.classes import built
from clockhands.check.probe.hf.refusal import Refusal
from clockhands.check.probe.hf.small import Small, full_of, known_type, smalls_of, text_part
from clockhands.errors import ClockhandsError
from clockhands.language import Text

if TYPE_CHECKING:
    from torch import nn

Blame = Literal["settings", "cutting", "class", "unknown"]
COUNT = 19
"""Tokens of the text that an uncut model is given."""

NO_MEMORY = ("meta", "item()", "data-dependent", "storage")
"""Words of torch where something can't be had without memory."""


class CannotRun(ClockhandsError):
    """No small model of these settings runs; ``blame`` says whose fault that is."""

    def __init__(self, blame: Blame, said: Text):
        super().__init__(said.en, said.zh)
        self.blame = blame


def first_that_runs(config: Mapping[str, Any]) -> tuple[Small, Measured]:
    """The model of which most is cut and that can be measured, with what was measured of it.

    Raises ``CannotRun`` where there is none.
    """
    said: Text | None = None
    for small in _likeliest_first(config):
        if isinstance(small, Refusal):
            said = said or Text(str(small), str(small))
            continue
        try:
            return small, examine(small.model)
        except ClockhandsError as error:
            said = error.text
    assert said is not None
    blame, more = _blame(config)
    raise CannotRun(blame, more or said)


def _likeliest_first(config: Mapping[str, Any]) -> Iterator[Small | Refusal]:
    """One small model of the whole; then of the part that reads text, where that is not the whole."""
    whole, text = smalls_of(config), text_part(full_of(config))
    for small in whole:
        yield small
        if isinstance(small, Small) and text is not None:
            break  # a class whose code wants pictures or sound besides wants them of every size
    yield from whole if text is None else smalls_of(text)


def _blame(config: Mapping[str, Any]) -> tuple[Blame, Text | None]:
    """Whose fault it is that no small model runs, and what was said where the settings are at fault."""
    text = text_part(full_of(config))
    uncut = _uncut(config if text is None else text)
    if uncut == "":
        return "cutting", None
    if uncut is None:
        return "unknown", None
    if not _defaults_run(known_type(config if text is None else text)):
        return "class", None
    return "settings", Text(uncut, uncut)


def _uncut(config: Mapping[str, Any]) -> str | None:
    """What the class says of a text with the settings as they are, nothing if it runs; None: not to be told."""
    import torch

    from clockhands.check.probe.hf.copy import quiet
    from clockhands.check.probe.hf.feed import feeds

    with quiet(), torch.device("meta"):
        try:
            model: nn.Module = built(full_of(config), config.get("architectures")).eval()
        except Refusal as refusal:
            return None if _of_memory(str(refusal)) else str(refusal)
        first = ""
        for feed in feeds(model):
            try:
                feed.call(model, COUNT)
            except Exception as error:  # noqa: BLE001  other people's code may raise anything
                first = first or str(Refusal(error))
            else:
                return ""
    return None if _of_memory(first) else first


def _of_memory(said: str) -> bool:
    return said.startswith("NotImplementedError") or any(word in said for word in NO_MEMORY)


def _defaults_run(kind: str) -> bool:
    """Whether a small model with the defaults of this class runs."""
    try:
        found = next(
            (each for each in islice(smalls_of({"model_type": kind}), 3) if isinstance(each, Small)), None
        )
        return found is not None and bool(examine(found.model).layers)
    except ClockhandsError:
        return False
