"""Claims that a scheme is relative where it is only nearly so."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import position_axis
from clockhands.analysis.distance_map import distance_map
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.shift_residual import shift_residual
from clockhands.claims.claim import TOKENS, Claim, Number, Verdict, figure, judged
from clockhands.formulas import fire_input, remaps
from clockhands.language import Text
from clockhands.plots import Picture

GROUP, WINDOW = 4, 16
THRESHOLD, C = 512.0, 0.1


def _self_extend(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return remaps.effective_distance(remaps.self_extend(queries, keys, GROUP, WINDOW))


def _grouped() -> Verdict:
    place = np.arange(96)
    single, whole = (
        float(shift_residual(lambda p: _self_extend(p, p), place, shifts, TOKENS).values.max())
        for shifts in (np.arange(1, GROUP), GROUP * np.arange(1, 5))
    )
    return judged(
        single == 0,
        Text(
            f"Past its window it counts positions in groups of {GROUP}: floor(m/G) - floor(n/G) hangs on "
            "where in its "
            f"group a token stands. Moving all positions by less than a group changes distances by up to "
            f"{figure(single)} token; by whole groups, by {figure(whole)}.",
            f"窗口以外按 {GROUP} 个一组计数：floor(m/G) - floor(n/G) 取决于词元在组里的位置。"
            f"把所有位置移动不足一组，距离最多变 {figure(single)} 个词元；移动整组，变 {figure(whole)}。",
        ),
        Number(Text("change of a distance, less than a group", "距离的变化，不足一组"), single, TOKENS),
        Number(Text("change of a distance, whole groups", "距离的变化，整组"), whole, TOKENS),
        condition=Text("within its window, or for shifts by whole groups", "窗口以内，或移动整组"),
        holds_then=whole == 0,
    )


def _draw_grouped(**page: Any) -> Picture:
    return plots.distance_map(distance_map(_self_extend, np.arange(64)), **page)


def _fire(positions: np.ndarray) -> np.ndarray:
    apart = positions[:, None] - positions
    return fire_input(positions[:, None], np.where(apart < 0, 0, apart), C, np.asarray(THRESHOLD))


def _past_threshold() -> Verdict:
    inside, outside = (
        float(shift_residual(_fire, place, [64]).values.max())
        for place in (np.arange(256), np.arange(1024, 1280))
    )
    return judged(
        outside < 1e-9,
        Text(
            f"FIRE divides by the query's own position once that passes a threshold of {THRESHOLD:.0f} "
            "tokens: moving 256 "
            f"tokens by 64 changes its input by {figure(inside)} below the threshold and by "
            f"{figure(outside, 3)} above.",
            f"查询的位置超过阈值（{THRESHOLD:.0f} 个词元）之后，FIRE 要除以这个位置本身："
            f"把 256 个词元移动 64，阈值以内它的输入变化 {figure(inside)}，阈值以外变化 "
            f"{figure(outside, 3)}。",
        ),
        Number(Text("change of the input, below the threshold", "输入的变化，阈值以内"), inside),
        Number(Text("change of the input, above", "输入的变化，阈值以外"), outside),
        condition=Text("for queries up to the threshold", "查询位置不超过阈值"),
        holds_then=inside < 1e-9,
    )


def _draw_fire(**page: Any) -> Picture:
    distance = np.arange(0, 512, 4)
    axes = (position_axis(distance, Text("distance", "距离")),)
    lines = [
        Labelled(
            "input",
            Text(f"query at {query:,}", f"查询在 {query:,}"),
            fire_input(np.full_like(distance, query), distance, C, np.asarray(THRESHOLD)),
            axes,
        )
        for query in (512, 1024, 4096)
    ]
    says = Text(
        "What FIRE's network is given for a distance, by where the query stands.",
        "FIRE 的网络对同一距离得到的输入，随查询的位置而变。",
    )
    return plots.curves(lines, says=says, measured=Text("input of the network", "网络的输入"), **page)


CLAIMS = (
    Claim(
        id="self-extend-relative",
        statement=Text("Self-Extend keeps RoPE relative.", "Self-Extend 之后，RoPE 仍然只看相对距离。"),
        source="Jin et al. 2024, arXiv 2401.01325, equations 3 and 4",
        examine=_grouped,
        draw=_draw_grouped,
    ),
    Claim(
        id="fire-relative",
        statement=Text("FIRE is a relative encoding.", "FIRE 是相对位置编码。"),
        source="Li et al. 2024, arXiv 2310.04418, section 3",
        examine=_past_threshold,
        draw=_draw_fire,
    ),
)
