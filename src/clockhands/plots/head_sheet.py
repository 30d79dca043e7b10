"""All heads of a model on one sheet, sorted by what they do: a small map of each, kind by kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.attention_heads import KINDS, LIMITS, NEAR, HeadScores
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text, counted
from clockhands.plots import style
from clockhands.plots.attention import WEIGHT
from clockhands.plots.picture import Picture
from clockhands.plots.scales import colour_bar, frameless
from clockhands.plots.sheet import MARGIN, Sheet, sheet

TITLE = Text("What the heads do", "各个头在做什么")

MEANINGS: dict[str, Text] = {
    "first": Text("most weight on the first token: a sink", "大部分权重在首个词元上：注意力汇"),
    "previous": Text("the token just before", "紧邻的前一个词元"),
    "next": Text("the token just after", "紧邻的后一个词元"),
    "itself": Text("the query's own token", "查询自己"),
    "induction": Text("what followed the same token before", "同一词元上次出现后的下一个词元"),
    "local": Text(f"at most {NEAR} tokens away", f"相距不超过 {NEAR} 个词元"),
    "even": Text("nearly equal weights", "权重几乎相等"),
    "content": Text("none of these: what tokens say decides", "都不是：由内容决定"),
}
ACROSS = 18
MOST_HEADS = 480
"""Maps on one sheet; of larger models the clearest of each kind."""
PIXELS = 48
"""Cells of a small map at most, each the largest of those that it stands for."""
_SIDE, _GAP, _NAME, _HEADING = 0.56, 0.08, 0.17, 0.42  # inches


def head_sheet(
    scores: Sequence[HeadScores],
    maps: Sequence[NDArray[Any]],
    *,
    lang: Language = "en",
    title: Text = TITLE,
    about: Text = NOTHING,
    says: Text = NOTHING,
    note: Text = NOTHING,
) -> Picture:
    """Draw a small map ``(queries, keys)`` of each head, sorted as ``ranked`` sorts them.

    scores  sorted already; maps: one each, in the same order, of any size; NaN where hidden

    The picture's data are the scores. ClockhandsError where there is no head, or not one map for each.
    """
    if not scores or len(scores) != len(maps):
        raise ClockhandsError(
            f"there are {len(scores)} heads and {len(maps)} maps: give one map a head, and at least one",
            f"有 {len(scores)} 个头和 {len(maps)} 张图：请每个头给一张图，至少一个",
        )
    shown = _shown(scores)
    groups = [(kind, list(each)) for kind, each in groupby(shown, key=lambda n: scores[n].kind)]
    step = _SIDE + _GAP + _NAME
    body = sum(_HEADING + -(-len(each) // ACROSS) * step for _, each in groups) + 0.2
    width = 2 * MARGIN + ACROSS * (_SIDE + _GAP) + 0.75
    counting = Text(
        "layer · head, both from 0; rows are queries, columns keys.",
        "层 · 头，都从 0 数起；行是查询，列是键。",
    )
    feet = () if len(shown) == len(scores) else (_left_out(len(shown), len(scores)),)
    with sheet(
        lang, title, about=about, says=(says, counting), note=note, feet=feet, width=width, body=body
    ) as page:
        y, image = 0.1, None
        for kind, each in groups:
            _head(page, y, kind, sum(one.kind == kind for one in scores))
            y += _HEADING
            image = _maps(page, y, scores, maps, each)
            y += -(-len(each) // ACROSS) * step
        colour_bar(page, image, page.width - MARGIN - 0.45, 0.45, min(body - 0.6, 2.2), WEIGHT.said_in(lang),
                   ticks=(0.0, 0.05, 0.25, 0.5, 1.0))  # fmt: skip
        return page.picture(*scores_data(scores))


def _shown(scores: Sequence[HeadScores]) -> list[int]:
    """Which to draw: all, or the first of each kind, as many as there is room for."""
    if len(scores) <= MOST_HEADS:
        return list(range(len(scores)))
    kinds = [list(each) for _, each in groupby(range(len(scores)), key=lambda n: scores[n].kind)]
    share = MOST_HEADS / len(scores)
    return [n for each in kinds for n in each[: max(ACROSS, int(share * len(each)))]]


def _left_out(shown: int, count: int) -> Text:
    return Text(
        f"{shown:,} of {count:,} heads: the clearest of each kind. The data have all.",
        f"共 {count:,} 个头，这里画出每类中最明显的 {shown:,} 个；数据文件中是全部。",
    )


def _head(page: Sheet, y: float, kind: str, count: int) -> None:
    name = KINDS[kind].said_in(page.lang)
    many = counted(count, "head") if page.lang == "en" else f"{count} 个头"
    page.write(MARGIN, y + 0.26, name, colour=style.INK, va="baseline", bold=True)
    x = MARGIN + page.width_of(name, bold=True) + 0.2
    page.write(
        x, y + 0.26, f"{many} · {MEANINGS[kind].said_in(page.lang)}", size=style.SMALL_SIZE, va="baseline"
    )


def _maps(page: Sheet, y: float, scores: Sequence[HeadScores], maps: Sequence[Any], chosen: list[int]) -> Any:
    from matplotlib.colors import PowerNorm

    image = None
    for place, n in enumerate(chosen):
        row, column = divmod(place, ACROSS)
        x, top = MARGIN + column * (_SIDE + _GAP), y + row * (_SIDE + _GAP + _NAME) + _NAME
        one = scores[n]
        page.write(x, top - 0.04, f"{one.layer}·{one.head}", size=7.0, va="baseline")
        panel = page.panel(x, top, _SIDE, _SIDE, f"layer {one.layer} head {one.head}")
        frameless(panel)
        panel.set_facecolor(style.NO_DATA)
        cells = small(maps[n])
        image = panel.imshow(
            np.ma.masked_invalid(cells), cmap=style.SEQUENTIAL, norm=PowerNorm(0.5, 0.0, 1.0), aspect="auto",
            interpolation="nearest",
        )  # fmt: skip
    return image


def small(cells: NDArray[Any], most: int = PIXELS) -> NDArray[Any]:
    """A map of at most ``most`` rows and columns: the largest weight of each block."""
    for axis, length in enumerate(cells.shape):
        step = -(-length // most)
        if step > 1:
            cells = np.fmax.reduceat(cells, np.arange(0, length, step), axis=axis)
    return cells


SCORES: dict[str, Text] = {
    "first": Text("on the first token", "落在首个词元"),
    "previous": Text("on the previous token", "落在前一个词元"),
    "next": Text("on the next token", "落在后一个词元"),
    "itself": Text("on itself", "落在自身"),
    "local": Text("on near tokens", "落在邻近词元"),
    "induction": Text("induction", "归纳"),
    "entropy": Text("entropy, nats", "熵（奈特）"),
    "evenness": Text("evenness", "均匀程度"),
    "distance": Text("mean distance, tokens", "平均距离（词元）"),
}
"""Columns of the ranking."""


def scores_data(scores: Sequence[HeadScores]) -> tuple[Labelled, Labelled]:
    """The ranking as numbers: ``(heads, scores)`` and the profiles ``(heads, distances)``."""
    names = np.empty(len(scores), dtype=object)
    names[:] = [f"{n + 1} {one.kind} L{one.layer}H{one.head}" for n, one in enumerate(scores)]
    heads = Axis(Text("rank, kind, head", "名次、类别、头"), names)
    columns = np.empty(len(SCORES), dtype=object)
    columns[:] = list(SCORES)
    values = np.array([[getattr(one, name) for name in SCORES] for one in scores])
    width = max(len(one.profile) for one in scores)
    profiles = np.full((len(scores), width), np.nan)
    for row, one in zip(profiles, scores, strict=True):
        row[: len(one.profile)] = one.profile
    named = Axis(Text("score", "得分"), columns)
    return (
        Labelled("scores", Text("scores of the heads", "各头的得分"), values, (heads, named)),
        Labelled(
            "profiles", Text("mean weight by distance", "各距离上的平均权重"), profiles,
            (heads, Axis(Text("distance", "距离"), np.arange(width), Text("tokens", "词元"))),
        ),
    )  # fmt: skip


def limits_said() -> Text:
    """By which scores heads are named, in one sentence."""
    said = ", ".join(f"{KINDS[name].en} from {limit}" for name, limit in LIMITS.items())
    zh = "、".join(f"{KINDS[name].zh} ≥ {limit}" for name, limit in LIMITS.items())
    return Text(
        f"A head is named by the first score that is large: {said}.", f"按第一个足够大的得分命名：{zh}。"
    )
