"""RoPE's relative property: the hands of query and key turn together, the angle between them stands still."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import LOGITS, RADIANS, TOKENS, pair_axis, position_axis
from clockhands.analysis.exact_angle import TURN, angles, turns_per_token
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.formulas.rotation import rotate
from clockhands.language import Text
from clockhands.memory import require_memory


@dataclass(frozen=True)
class RelativeHands:
    """Angles of the hands of a query and a key while both move on, each ``(shifts, pairs)``, rad.

    ``query``, ``key``  how far each has turned, 0 to 2 pi
    ``between``         from the key's hand to the query's, -pi to pi: the same in every row
    """

    query: Labelled
    key: Labelled
    between: Labelled


def relative_hands(inv_freq: ArrayLike, query: int, key: int, shifts: ArrayLike) -> RelativeHands:
    """Hands of a query at ``query + shift`` and of a key at ``key + shift``, tokens, for each shift ``(n,)``.

    ``inv_freq``: ``(pairs,)``, rad / token.

    >>> both = relative_hands([1.0], query=5, key=3, shifts=[0, 1])
    >>> both.query.values.round(2).tolist(), both.between.values.round(2).tolist()
    ([[5.0], [6.0]], [[2.0], [2.0]])
    """
    speed, shift = inputs.speeds(inv_freq), inputs.places(shifts)
    require_memory(Text("the angles of the hands", "指针的角度"), (len(shift), len(speed)), bytes_each=40)
    turning = turns_per_token(speed)
    of_query, of_key = angles(turning, shift + query), angles(turning, shift + key)
    between = of_query - of_key
    between -= TURN * np.rint(between / TURN)
    axes = (Axis(Text("shift", "平移"), np.asarray(shifts), TOKENS), pair_axis(len(speed)))

    def angle(id: str, name: Text, values: Floats) -> Labelled:
        return Labelled(id, name, values, axes, RADIANS)

    return RelativeHands(
        angle("query", Text("query hand", "查询指针"), of_query % TURN),
        angle("key", Text("key hand", "键指针"), of_key % TURN),
        angle("between", Text("angle between them", "两针夹角"), between),
    )


def rotated_scores(
    inv_freq: ArrayLike, query: ArrayLike, key: ArrayLike, num_positions: int, start: int = 0
) -> Labelled:
    """Logits of one fixed ``query`` and ``key``, put at every pair of positions by RoPE, ``(n, n)``.

    ``inv_freq``: ``(pairs,)``, rad / token; ``query``, ``key``: ``(2 * pairs,)``, dimensions (i, i + pairs)
    turn together. Both are really turned at each position, and the logits are plain dot products: that they
    depend on the distance alone is a result, not an assumption.

    >>> rotated_scores([1.0], [1.0, 0.0], [1.0, 0.0], 2).values.round(4).tolist()
    [[1.0, 0.5403], [0.5403, 1.0]]
    """
    speed = inputs.speeds(inv_freq)
    n = inputs.count(num_positions, Text("the number of positions", "位置数"))
    require_memory(Text("a matrix of logits", "得分矩阵"), (n, n))
    vectors = [_vector(given, 2 * len(speed)) for given in (query, key)]
    positions = np.arange(start, start + n)
    angle = angles(turns_per_token(speed), positions.astype(np.float64))
    cos, sin = np.cos(angle), np.sin(angle)
    turned_query, turned_key = (rotate(np.broadcast_to(v, (n, v.size)), cos, sin, "half") for v in vectors)
    axes = (
        position_axis(positions, Text("query position", "查询位置")),
        position_axis(positions, Text("key position", "键位置")),
    )
    return Labelled(
        "rotated_scores", Text("logits with RoPE", "RoPE 的得分"), turned_query @ turned_key.T, axes, LOGITS
    )


def _vector(given: ArrayLike, width: int) -> Floats:
    vector = inputs.numbers(given, Text("the vector", "向量"))
    if vector.shape != (width,):
        raise ClockhandsError(
            f"a vector has shape {vector.shape}: two numbers per hand make ({width},)",
            f"向量的形状是 {vector.shape}：每根指针两个数，应为 ({width},)",
        )
    return vector
