"""Attention from q, k, v and positions to outputs: what it does to scores, read back through the softmax.

Values are unit vectors, so the output of the last query holds its weights, and the logarithm of two weights
is the difference of two scores. A key of zeros at the place of the others is what they are compared with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.probe.findings import places as places
from clockhands.check.probe.findings import turning as say
from clockhands.check.probe.function.asking import Asked, plain_vector
from clockhands.check.probe.function.bias import judge_slopes, slopes_of
from clockhands.check.probe.function.calling import Floats
from clockhands.check.probe.function.hands import Hands, followed, judge_hands
from clockhands.check.probe.function.rotation import NEAR, Turn, paired, partners, speeds_near
from clockhands.check.probe.function.study import Study
from clockhands.errors import ClockhandsError

LENGTH = 4.0
"""Of the vectors given: scores are large enough to be read, and no weight vanishes."""
SEEN = 1e-4
"""A share of a score below this is rounding."""


def attention_form(study: Study) -> LayerForm:
    """What attention does to scores by position: turns, a bias, or nothing."""
    _require_means(study.asked)
    _positions(study)
    width = study.asked.caller.head_dim
    past = _bias(study.asked)
    if float(np.abs(past).max()) > SEEN:
        slopes = slopes_of(past)
        if slopes is None:
            return LayerForm(layers=(0,), family="other", head_dim=width, source="measured")
        judge_slopes(study, slopes)
        scale = float(_scores(study.asked, 0)[0, 0, 0])
        return LayerForm(
            layers=(0,), family="alibi", head_dim=width, slopes=tuple(map(float, slopes)), score_scale=scale,
            source="measured",
        )  # fmt: skip
    where = (0, *NEAR)
    if study.asked.reach != "any":
        raise ClockhandsError(
            "signature has no positions, so how attention turns queries and keys cannot be asked: "
            "give one that takes position_ids",
            "signature 中没有位置，无法探测注意力如何转动查询和键：请给出接受 position_ids 的函数",
        )
    scores = np.stack([_scores(study.asked, position) for position in where])  # (n, heads, d, d)
    heads = bool(np.allclose(scores, scores[:, :1], rtol=1e-3, atol=1e-4))
    pairs, crowded = partners(scores[:, 0], SEEN)
    turn = Turn("q", where, np.zeros((len(where), width)), scores[:, 0], heads, True, pairs, crowded)
    layout, full = paired(pairs, width)
    scale = float(np.median(np.abs(np.linalg.eigvals(scores[0, 0]))))
    if not full:
        return LayerForm(layers=(0,), family="none", head_dim=width, score_scale=scale, source="measured")
    if crowded or study.has(places.IGNORED):
        return LayerForm(layers=(0,), family="other", head_dim=width, source="measured")
    hands = _hands(study, turn, layout, full)
    judge_hands(study, hands)
    still = sorted(set(range(width)) - {dim for pair in full for dim in pair})
    amplitude = hands.amplitude
    form = hands.form()
    if still:
        scale = float(scores[0, 0, still[0], still[0]])
        factor = float(np.sqrt(amplitude / scale))
        return replace(form, score_scale=scale, attention_factor=1.0 if abs(factor - 1) < 1e-4 else factor)
    return replace(form, score_scale=amplitude, attention_factor=None)


def _require_means(asked: Asked) -> None:
    """Raises ClockhandsError where outputs are no weighted means of the values."""
    width = asked.caller.head_dim
    ones = np.ones((1, 4, width))
    out = _output(asked, np.arange(4)[None], plain_vector(width) * ones, ones, ones)
    if np.abs(out - 1).max() > 5e-2:
        raise ClockhandsError(
            "the function is no attention: where all values are 1 its outputs are not. Give one that returns "
            "weighted means of the values, before any projection",
            "这个函数不是注意力：所有值都是 1 时，输出却不是 1。请给出返回值的加权平均、尚未投影的函数",
        )


def _hands(study: Study, turn: Turn, layout: str | None, pairs: tuple[tuple[int, int], ...]) -> Hands:
    speeds, amplitude = speeds_near(turn, pairs)

    def seen(positions: Any, asked: Asked) -> Any:
        found = []
        for position in np.asarray(positions).reshape(-1):
            scores = _scores(asked, int(position))[0]
            found.append([complex(scores[i, i], scores[j, i]) for i, j in pairs])
        return np.array(found)

    first = min(i for i, _ in pairs)
    size = float(np.median(amplitude))
    return followed(study, Hands(layout, first, turn.matrices.shape[1], speeds, size, 0.0, seen, pairs))


def _scores(asked: Asked, position: int) -> Floats:
    """``(heads, d, d)``: score of unit query a at ``position`` and unit key b at 0, in row b, column a."""
    width = asked.caller.head_dim
    found = np.zeros((asked.caller.heads_of("q"), width, width))
    for keys in (np.arange(width - 1), np.array([width - 1])):
        tokens = len(keys) + 2  # the keys, one of zeros, and the query's own
        q = np.zeros((width, tokens, width))
        q[:, -1] = LENGTH * np.eye(width)
        k = np.zeros((width, tokens, width))
        k[:, np.arange(len(keys)), keys] = LENGTH
        v = np.zeros((width, tokens, width))
        v[:, np.arange(len(keys) + 1), np.arange(len(keys) + 1)] = 1.0
        where = np.zeros((width, tokens), np.int64)
        where[:, -1] = position
        out = _output(asked, where, q, k, v)[:, -1]  # (a, heads, d)
        weights = np.log(np.maximum(out[:, :, : len(keys) + 1], 1e-300))
        found[:, keys] = (weights[..., :-1] - weights[..., -1:]).transpose(1, 2, 0)
    return found / LENGTH**2


def _bias(asked: Asked) -> Floats:
    """``(heads, n)``: what keys n before the query get besides their content."""
    width = asked.caller.head_dim
    tokens = min(width, 24)
    nothing = np.zeros((1, tokens, width))
    v = nothing.copy()
    v[0, np.arange(tokens), np.arange(tokens)] = 1.0
    out = _output(asked, np.arange(tokens)[None], nothing, nothing, v)[0, -1, :, :tokens]
    weights = np.log(np.maximum(out, 1e-300))
    return (weights - weights[:, -1:])[:, ::-1]


def _output(asked: Asked, where: Any, q: Floats, k: Floats, v: Floats) -> Floats:
    given = {**asked.given(where, q), "q": q, "k": k, "v": v}
    raw = asked.caller.call(given)
    value = raw[asked.caller.signature.returned.index("output")]
    return asked.caller.vectors(value, "output", *where.shape)


def _positions(study: Study) -> None:
    """Rows of a batch, gaps between positions, and a shift of all."""
    rng = np.random.default_rng(3)
    width, tokens = study.asked.caller.head_dim, 6
    q, k, v = (np.round(rng.normal(size=(2, tokens, width)), 2) for _ in range(3))
    plain = np.arange(tokens)[None].repeat(2, 0)
    gaps = np.array([[0, 5, 9, 20, 30, 41], [0, 1, 7, 8, 60, 61]])

    def asked(where: Any, rows: slice = slice(None)) -> Floats:
        return _output(study.asked, where[rows], q[rows], k[rows], v[rows])

    together = asked(gaps)
    alone = np.concatenate([asked(gaps, slice(row, row + 1)) for row in range(2)])
    if not study.agree(together, alone):
        study.say(
            places.ROW_ZERO, "error", ("positions",), "a row of a batch gets another output than alone",
            "批次中的一行与单独计算的输出不同",
            ("use the positions of each row", "每一行用自己的位置"),
        )  # fmt: skip
        return
    if study.asked.reach != "any":
        return
    study.same *= 10  # a softmax is longer than a rotation, and rounds more
    if study.agree(together, asked(plain)):
        order = np.array([4, 2, 0, 3, 1, 5])  # the last query sees the same keys in another order
        k, v = k[:, order], v[:, order]
        if not study.agree(together[:, -1], asked(plain)[:, -1]) and _bias_free(study):
            study.say(
                places.IGNORED, "error", ("positions",),
                "position_ids are ignored: gaps between them change nothing, and the order of the keys does",
                "position_ids 被忽略：改变它们的间隔没有影响，而改变键的顺序有影响",
                ("take positions from position_ids, and not from the shape of the input",
                 "位置应取自 position_ids，不要取自输入的形状"),
            )  # fmt: skip
    elif not study.agree(together, asked(gaps + 1000)):
        study.say(
            say.SHIFT, "error", ("positions",), "the output changes when all positions move by 1,000",
            "所有位置一起平移 1,000 时输出会变",
            ("turn queries and keys by one function, with exact positions",
             "查询和键用同一个函数、精确的位置转动"),
        )  # fmt: skip
    study.same /= 10


def _bias_free(study: Study) -> bool:
    return float(np.abs(_bias(study.asked)).max()) <= SEEN
