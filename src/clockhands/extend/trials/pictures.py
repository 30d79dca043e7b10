"""A trial as pictures: the same tokens by length, loss along the longest window, where passkeys are found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.extend.trials.design import AS_GIVEN, DEPTHS
from clockhands.extend.trials.found import Found
from clockhands.extend.trials.words import name_of
from clockhands.language import Language, Text
from clockhands.plots.curves import curves
from clockhands.plots.lengths import lengths
from clockhands.plots.picture import Picture
from clockhands.plots.score_map import score_map

POINTS = 48
"""Runs of positions that a curve is drawn of."""

NATS = Text("loss, nats a token", "损失（纳特 / 词元）")
TOKENS = Text("tokens", "词元")


def pictures(found: Found, lang: Language) -> Iterator[tuple[str, Picture]]:
    """All that something was read for, by name."""
    for name, draw in (("lengths", by_length), ("positions", by_position)):
        picture = draw(found, lang)
        if picture is not None:
            yield name, picture
    for length in found.design.lengths:
        if np.isfinite(found.passkeys(length)).any():
            yield f"passkeys-{length}", by_depth(found, length, lang)


def by_length(found: Found, lang: Language) -> Picture | None:
    """Mean loss of the tokens that every length is asked for."""
    design, drawn = found.design, []
    at = Axis(Text("window", "窗口"), np.array(design.lengths), TOKENS)
    for index, method in enumerate(design.methods):
        read = [found.same_tokens(method, length) for length in design.lengths]
        values = np.array([[np.nan if one is None else one.mean()] for one in read])
        if np.isfinite(values).any():
            one = Axis(Text("text", "文本"), np.array([0]))
            drawn.append(Labelled(f"method{index}", name_of(method), values, (at, one)))
    if not drawn:
        return None
    count = design.slides * design.part
    return lengths(
        drawn, design.trained, lang=lang, share=False, measured=NATS,
        title=Text("The same tokens, with more and more before them", "同样的词元，前文越来越长"),
        says=Text(
            f"mean loss of {count:,} tokens at the end of windows of each length",
            f"各长度窗口末尾同样的 {count:,} 个词元的平均损失",
        ),
    )  # fmt: skip


def by_position(found: Found, lang: Language) -> Picture | None:
    """Loss along the longest window that was read with the model as given."""
    design = found.design
    for length in reversed(design.lengths):
        drawn = []
        for index, method in enumerate(design.methods):
            values = found.by_position(method, length)
            if values is not None:
                runs = np.array_split(np.arange(length), min(POINTS, length))
                places = np.array([run.mean() for run in runs])
                means = np.array([values[run].mean() for run in runs])
                axis = Axis(Text("position", "位置"), places, TOKENS)
                drawn.append(Labelled(f"method{index}", name_of(method), means, (axis,)))
        if drawn and found.by_position(AS_GIVEN, length) is not None:
            return curves(
                drawn, lang=lang, measured=NATS,
                title=Text(f"Along a window of {length:,} tokens", f"沿着 {length:,} 个词元的窗口"),
                says=Text(
                    f"mean loss of runs of positions; trained up to {design.trained:,}",
                    f"各段位置的平均损失；训练长度为 {design.trained:,}",
                ),
            )  # fmt: skip
    return None


def by_depth(found: Found, length: int, lang: Language) -> Picture:
    """Which passkeys were said right, by method and by how deep in the window they stood."""
    rows = Axis(
        Text("method", "方法"), np.array([name_of(each).said_in(lang) for each in found.design.methods])
    )
    depths = Axis(Text("depth", "深度"), 100 * np.array(DEPTHS), Text("%", "%"))
    name = Text("said right", "答对")
    return score_map(
        Labelled(f"passkeys{length}", name, found.passkeys(length), (rows, depths)),
        lang=lang,
        title=Text(f"Passkeys in {length:,} tokens", f"{length:,} 个词元中的密码"),
        says=Text(
            "1: every token of the key is the first guess; depth 0 %: at the beginning of the window",
            "1：密码的每个词元都是第一猜测；深度 0%：在窗口开头",
        ),
    )
