"""RoPE's relative property: hands of q and k that turn together, scores constant along diagonals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.diagonals import diagonals
from clockhands.analysis.exact_angle import TURN
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.relative import relative_hands, rotated_scores
from clockhands.catalogue.description import Array, Description
from clockhands.language import Text
from clockhands.plots.picture import Picture
from clockhands.plots.relative import MOST_DIALS, TITLE, hand_angles, relative
from clockhands.views.naming import about, called
from clockhands.views.offers import speeds, turns_only, untrained, what_it_does
from clockhands.views.room import require_room
from clockhands.views.settings import Settings
from clockhands.views.view import View

SEED = 0
_DISTANCE = 4
_CLEAR = 0.6  # sine of the angle between two hands that are clearly apart


def needs(description: Description) -> Text | None:
    if not turns_only(description):
        return what_it_does(description)
    traits, name = description.traits, called(description)
    if traits.relative or traits.length_dependent:  # within one text, lengths don't change
        return None
    return Text(
        f"the scores of {name.en} don't depend on the distance alone, so no angle stands still",
        f"{name.zh}的得分并不只取决于距离，所以没有静止不动的夹角",
    )


def draw(description: Description, settings: Settings) -> Picture:
    hands, scores, distance = _numbers(description, settings)
    return relative(hands, scores, distance, lang=settings.lang, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    hands, scores, _ = _numbers(description, settings)
    along = diagonals(scores)
    return (hands, scores, along.mean, along.lowest, along.highest)


def _numbers(description: Description, settings: Settings) -> tuple[Labelled, Labelled, int]:
    """Angles of one hand of q and of k at a few places, scores at all, and how far apart the two stand."""
    speed = speeds(description)
    start, count = settings.positions.start, settings.count
    require_room(Text("a matrix of logits", "得分矩阵"), (count, count))
    query, key = np.random.default_rng(SEED).normal(size=(2, 2 * len(speed)))
    scores = rotated_scores(speed, query, key, count, start)
    note = Text(f"random q and k, seed {SEED}", f"q、k 随机，随机种子 {SEED}")
    if description.untrained_seed is not None:
        hands_note = untrained(description)
        note = Text(f"{hands_note.en}; {note.en}", f"{hands_note.zh}；{note.zh}")
    distance = min(_DISTANCE, count - 1)
    places = np.unique(np.linspace(start + distance, start + count - 1, MOST_DIALS).round().astype(np.int64))
    turned = relative_hands(speed, 0, -distance, places)
    content = [np.arctan2(v[len(speed) :], v[: len(speed)]) for v in (query, key)]
    pair = _well_seen(speed, places, turned.between.values[0] + content[0] - content[1])
    angles = np.stack(
        [turned.query.values[:, pair] + content[0][pair], turned.key.values[:, pair] + content[1][pair]],
        axis=1,
    )
    return hand_angles(angles % TURN, places), replace(scores, note=note), distance


def _well_seen(speed: Array, places: NDArray[np.int64], between: Array) -> int:
    """The hand to draw: its angle between q and k is neither flat nor straight, and of those that move,
    it moves most nearly a sixth of a turn from one dial to the next: seen to turn, not to jump."""
    step = float(np.diff(places).mean()) if len(places) > 1 else 1.0
    turning = np.abs(speed) * step
    jump = np.abs(np.log(np.where(turning > 0, turning, 1e-300)) - np.log(TURN / 6))
    flat = np.abs(np.sin(between)) < _CLEAR
    return int(np.lexsort((jump, flat & ~flat.all()))[0])


VIEW = View("relative", TITLE, needs, draw, data)
