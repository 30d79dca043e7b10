"""The claim that the two pair layouts are one encoding."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import LOGITS, distance_axis
from clockhands.analysis.labelled import Labelled
from clockhands.claims.claim import Claim, Number, Verdict, figure, judged
from clockhands.formulas import default_inv_freq, relayout
from clockhands.formulas.layouts import Layout
from clockhands.formulas.rotation import angles, rotate
from clockhands.language import Text
from clockhands.plots import Picture

HEAD_DIM, REACH = 64, 100
NOTE = Text("random q and k, seed 0", "q 和 k 随机，随机种子 0")


def _scores(q: np.ndarray, k: np.ndarray, layout: Layout) -> np.ndarray:
    """``<R(n) q, k>`` at the distances n = 0 … REACH."""
    angle = angles(np.arange(REACH + 1), default_inv_freq(HEAD_DIM))
    return rotate(np.broadcast_to(q, (REACH + 1, HEAD_DIM)), np.cos(angle), np.sin(angle), layout) @ k


def _layout_curves() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores over distance: interleaved; half with the rows moved; half with the rows as they were."""
    q, k = np.random.default_rng(0).normal(size=(2, HEAD_DIM))
    moved_q, moved_k = (relayout(x, "interleaved", "half", num_heads=1) for x in (q, k))
    return _scores(q, k, "interleaved"), _scores(moved_q, moved_k, "half"), _scores(q, k, "half")


def _layouts() -> Verdict:
    before, moved, kept = _layout_curves()
    good, bad = (float(np.abs(after - before).max()) for after in (moved, kept))
    return judged(
        bad < 1e-9,
        Text(
            f"With the rows of the query and key weights moved, the scores agree to {figure(good)}. With "
            "the same "
            f"weights read in the other layout they are off by up to {figure(bad, 3)}, and nothing raises "
            "an error.",
            f"查询和键的权重按行重排之后，得分一致（误差 {figure(good)}）；"
            f"同一份权重按另一种排列方式去读，得分最多差 {figure(bad, 3)}，而且不会报任何错。",
        ),
        Number(Text("difference, rows moved", "重排后的差"), good, LOGITS),
        Number(Text("difference, rows kept", "不重排的差"), bad, LOGITS),
        condition=Text("if the rows of query and key weights are moved along", "查询和键的权重按行一起重排"),
        holds_then=good < 1e-9,
    )


def _draw_layouts(**page: Any) -> Picture:
    names = (
        Text("interleaved", "交错"),
        Text("half, rows moved", "前后对半，重排"),
        Text("half, rows kept", "前后对半，不重排"),
    )
    axes = (distance_axis(np.arange(REACH + 1)),)
    lines = [
        Labelled("score", name, values, axes, LOGITS, NOTE)
        for name, values in zip(names, _layout_curves(), strict=True)
    ]
    return plots.curves(lines, measured=Text("score", "得分"), **page)


CLAIMS = (
    Claim(
        id="layouts-equal",
        statement=Text(
            "The half and the interleaved layout are the same encoding.",
            "前后对半与交错两种排列方式是同一种编码。",
        ),
        source="huggingface/transformers, convert_llama_weights_to_hf.py; GPT-NeoX issue 834",
        examine=_layouts,
        draw=_draw_layouts,
    ),
)
