"""Of which scheme a picture is, and with which parameters."""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING
from typing import Any

from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.numerals import numeral

_SIZES = {
    "d_model": Text("d = {}", "d = {}"),
    "head_dim": Text("d = {}", "d = {}"),
    "base": Text("base {}", "底数 {}"),
    "rope_theta": Text("base {}", "底数 {}"),
    "num_heads": Text("{} heads", "{} 个注意力头"),
    "layer": Text("layer {}", "第 {} 层（从 0 数起）"),
}
"""Always said where a scheme has them; other parameters only where they are not the usual ones."""


def about(description: Description) -> Text:
    """``RoPE, d = 64, base 10,000``.

    >>> from clockhands.catalogue import describe
    >>> about(describe("rope", dim=64, layout="interleaved")).en
    'RoPE, d = 64, base 10,000, layout = interleaved'
    """
    parts = [_said(name, value) for name, value in _worth_saying(description).items()]
    if description.traits.reads == "content":
        parts.append(Text("every token one step", "每个词元算一步"))
    if description.axes:
        parts.append(Text("all axes moving together", "各轴同步移动"))
    if description.unseen is not None:
        parts.append(description.unseen)
    name = called(description)
    return Text(
        ", ".join([name.en, *(part.en for part in parts)]), "，".join([name.zh, *(part.zh for part in parts)])
    )


def called(description: Description) -> Text:
    """The scheme's name; Chinese readers get what it means beside it."""
    card = description.card
    return Text(card.name, f"{card.name}（{card.title.zh}）")


def parameters(description: Description) -> dict[str, Any]:
    """The parameters that can be written down: numbers, words, and short lists of them."""
    plain = {name: getattr(description, name, None) for name in description.parameters()}
    return {name: value for name, value in plain.items() if isinstance(value, int | float | str | tuple)}


def _worth_saying(description: Description) -> dict[str, Any]:
    usual = {field.name: field.default for field in dataclasses.fields(description)}
    sizes = {
        name: value for name in _SIZES if isinstance(value := getattr(description, name, None), int | float)
    }
    given = parameters(description)
    if any(isinstance(value, tuple) for value in given.values()):
        given = {name: value for name, value in given.items() if not isinstance(value, tuple)}
    others = {
        name: value
        for name, value in given.items()
        if name not in sizes and usual.get(name, MISSING) not in {value, MISSING}
    }
    return sizes | others


def _said(name: str, value: Any) -> Text:
    shown = (
        numeral(float(value))
        if isinstance(value, int | float) and not isinstance(value, bool)
        else str(value)
    )
    if name == "num_heads" and value == 1:
        return Text("1 head", "1 个注意力头")
    if name in _SIZES:
        return Text(_SIZES[name].en.format(shown), _SIZES[name].zh.format(shown))
    return Text(f"{name} = {shown}", f"{name} = {shown}")
