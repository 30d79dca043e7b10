"""What a description offers to a view: hands, a table, a bias; and a sentence where it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.axes import dimension_axis, position_axis
from clockhands.analysis.hands import hands
from clockhands.analysis.kernel import kernel_range
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.analysis.similarity import table_similarity
from clockhands.catalogue.description import Array, Description
from clockhands.language import Text
from clockhands.views.naming import called
from clockhands.views.room import require_few_drawn
from clockhands.views.settings import Settings

_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SAMPLED = 16
"""Positions at which a table is compared with its hands."""


def has(description: Description, hook: str) -> bool:
    """Whether the scheme has this hook."""
    return hook in description.touches()


def turns_only(description: Description) -> bool:
    """Hands that turn queries and keys: nothing is added to the tokens."""
    return has(description, "inv_freq") and not has(description, "table")


def speeds(description: Description) -> Array:
    """Angular speed of each hand; asked only of what has hands."""
    speed = description.inv_freq()
    assert speed is not None
    return speed


def rows(description: Description, positions: NDArray[np.int64]) -> Array:
    """The table at ``positions``; asked only of what has a table.

    Raises ClockhandsError where it is read from a random one that takes long to draw.
    """
    require_few_drawn(description.drawn_shape)
    table = description.table(positions)
    assert table is not None
    return table


def what_it_does(description: Description) -> Text:
    """What a scheme without the wanted thing has instead, for a refusal."""
    name, does = called(description), description.touches()
    if description.content_hooks and not does:
        return Text(
            f"what {name.en} does hangs on the tokens or on pairs of positions and is no table or curve",
            f"{name.zh}的作用取决于词元的内容或成对的位置，没有现成的表、指针或曲线",
        )
    if not does:
        return Text(f"{name.en} adds, turns and biases nothing", f"{name.zh}既不相加、不旋转，也不加偏置")
    if does == ("distance_map",):
        return Text(
            f"{name.en} only gives the hands of RoPE other distances",
            f"{name.zh}只是换掉 RoPE 指针所用的距离",
        )
    if does == ("bias",):
        return Text(
            f"{name.en} only adds a bias to the scores and has neither hands nor a table",
            f"{name.zh}只在得分上加偏置，没有指针，也没有位置表",
        )
    if does == ("table",):
        return Text(f"{name.en} is a table without clock hands", f"{name.zh}是一张位置表，里面没有时钟指针")
    if has(description, "table"):
        return Text(f"{name.en} adds its hands to the tokens", f"{name.zh}把指针的读数加到词元上")
    return Text(f"{name.en} turns queries and keys with its hands", f"{name.zh}用指针旋转查询和键")


def table_of(description: Description, settings: Settings) -> Labelled:
    """What is added to the tokens, or, where nothing is, what the hands say; ``(positions, width)``."""
    if has(description, "table"):
        width = rows(description, np.array([settings.positions.start])).shape[-1]
        places = settings.places(Text("a table", "这张表"), width)
        values = np.asarray(rows(description, places), dtype=np.float64)
        axes = (position_axis(places), dimension_axis(values.shape[1]))
        return noted(Labelled("table", Text("value", "数值"), values, axes), description)
    speed = speeds(description)
    places = settings.places(Text("what the hands say", "指针的读数"), 2 * len(speed))
    values = hands(speed, places).values.reshape(len(places), -1)
    numbers = [str(pair).translate(_LOWERED) for pair in range(len(speed))]
    parts = np.array([part + number for number in numbers for part in ("sin", "cos")])
    axes = (position_axis(places), Axis(Text("hand", "指针"), parts))
    return noted(Labelled("hands", Text("value", "数值"), values, axes), description)


def curve_speeds(description: Description) -> Array | None:
    """The hands whose kernel is the similarity of positions, ``None`` if the table is no plain set of hands.

    A scheme may have hands and a table that are not the same thing (an odd width cuts one hand in half), so
    a few rows are compared.
    """
    if not has(description, "inv_freq"):
        return None
    speed = speeds(description)
    if not has(description, "table"):
        return speed
    sampled = table_similarity(rows(description, np.arange(_SAMPLED))).values
    curve = kernel_range(speed, _SAMPLED).values
    distance = np.abs(np.arange(_SAMPLED)[:, None] - np.arange(_SAMPLED))
    return speed if np.allclose(sampled, curve[distance], rtol=0, atol=1e-9) else None


def noted(result: Labelled, description: Description) -> Labelled:
    """The result with what a picture must say of random numbers on its face."""
    return replace(result, note=untrained(description))


def untrained(description: Description) -> Text:
    """ "untrained, seed 0" where random numbers stand in for trained ones, else nothing."""
    seed = description.untrained_seed
    return NOTHING if seed is None else Text(f"untrained, seed {seed}", f"未训练，随机种子 {seed}")


def both_directions(description: Description, distances: NDArray[np.int64]) -> bool:
    """Whether keys after the query have a bias of their own, or the mirrored one; else they are masked."""
    if description.traits.bidirectional:
        return True
    return len(distances) > 1 and np.array_equal(
        bias_at(description, -distances), bias_at(description, distances)
    )


def bias_at(description: Description, distances: NDArray[Any]) -> Array:
    """The bias at ``distances``; asked only of what has a bias."""
    values = description.bias(distances)
    assert values is not None
    return values
