"""The smallest model of some settings that runs; and where none does, whether the settings are to blame.

What we cut may be to blame as well, or the class, which may want more than text. So the settings are tried as
they are, on a device without memory, and the class with its own defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from clockhands.check.probe.hf import Measured, examine
from clockhands.check.probe.hf.classes import built
from clockhands.check.probe.hf.refusal import Refusal
from clockhands.check.probe.hf.small import Small, full_of, known_type, smalls_of, text_part
from clockhands.errors import ClockhandsError
from clockhands.language import Text

if TYPE_CHECKING:
    from torch import nn
    from torch.overrides import TorchFunctionMode

Blame = Literal["settings", "cutting", "class", "unknown"]
COUNT = 19
"""Tokens of the text that an uncut model is given."""

NUMBERS: dict[str, Any] = {"__bool__": False, "item": 0, "__int__": 0, "__index__": 0, "__float__": 0.0}
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
    read = config if text is None else text
    uncut, usual = _uncut(read), _uncut({"model_type": known_type(read)})
    if uncut == "":
        return "cutting", None
    if usual == "" and uncut is not None:
        return "settings", Text(uncut, uncut)
    return ("class" if usual else "unknown"), None


def _uncut(config: Mapping[str, Any]) -> str | None:
    """What the class says of a text with the settings as they are, nothing if it runs; None: not to
    be told.
    """
    import torch

    from clockhands.check.probe.hf.copy import quiet
    from clockhands.check.probe.hf.feed import feeds

    said: list[str] = []
    with quiet(), torch.device("meta"), _unreal():
        try:
            model: nn.Module = built(full_of(config), config.get("architectures")).eval()
        except Refusal as refusal:
            said.append(str(refusal))
        else:
            for feed in feeds(model):
                try:
                    feed.call(model, COUNT)
                except Exception as error:  # noqa: BLE001  other people's code may raise anything
                    said.append(str(Refusal(error)))
                else:
                    return ""
    of_memory = said[0].startswith("NotImplementedError") or any(word in said[0] for word in NO_MEMORY)
    return None if of_memory else said[0]


def _unreal() -> TorchFunctionMode:
    """Numbers that code asks a tensor without memory for are 0: mostly it asks whether a mask hides
    anything.
    """
    from torch.overrides import TorchFunctionMode

    class Unreal(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = getattr(func, "__name__", "")
            if name in NUMBERS and args and getattr(args[0], "is_meta", False):
                return NUMBERS[name]
            return func(*args, **(kwargs or {}))

    return Unreal()
