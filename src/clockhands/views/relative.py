"""RoPE's relative property: hands of a query and a key that turn together, scores constant along diagonals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clockhands.analysis.labelled import Labelled
from clockhands.analysis.relative import relative_hands, rotated_scores
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.diagonals import diagonals
from clockhands.plots.picture import Picture
from clockhands.plots.relative import MOST_DIALS, hand_angles, relative
from clockhands.views.naming import about
from clockhands.views.offers import speeds, turns_only, what_it_does
from clockhands.views.settings import Settings
from clockhands.views.view import View

SEED = 0
_DISTANCE = 4


def needs(description: Description) -> Text | None:
    return None if turns_only(description) else what_it_does(description)


def draw(description: Description, settings: Settings) -> Picture:
    hands, scores, distance = _numbers(description, settings)
    return relative(hands, scores, distance, lang=settings.lang, title=VIEW.title, about=about(description))


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    hands, scores, _ = _numbers(description, settings)
    along = diagonals(scores)
    return (hands, scores, along.mean, along.lowest, along.highest)


def _numbers(description: Description, settings: Settings) -> tuple[Labelled, Labelled, int]:
    """Angles of one hand of q and of k at a few places, scores at all, and how far apart the two stand."""
    speed = speeds(description)
    start, count = settings.positions.start, settings.count
    query, key = np.random.default_rng(SEED).normal(size=(2, 2 * len(speed)))
    scores = rotated_scores(speed, query, key, count, start)
    note = Text(f"random q and k, seed {SEED}", f"q、k 随机，随机种子 {SEED}")
    distance = min(_DISTANCE, count - 1)
    places = np.unique(np.linspace(start + distance, start + count - 1, MOST_DIALS).round().astype(np.int64))
    pair = _well_seen(speed, places)
    turned = relative_hands(speed, 0, -distance, places)
    content = [np.arctan2(v[pair + len(speed)], v[pair]) for v in (query, key)]
    angles = np.stack(
        [turned.query.values[:, pair] + content[0], turned.key.values[:, pair] + content[1]], axis=1
    )
    return hand_angles(angles % (2 * np.pi), places), replace(scores, note=note), distance


def _well_seen(speed: np.ndarray, places: np.ndarray) -> int:
    """The hand that moves most nearly a sixth of a turn from one dial to the next: seen to turn, not to jump."""
    step = float(np.diff(places).mean()) if len(places) > 1 else 1.0
    turning = np.abs(speed) * step
    return int(np.abs(np.log(np.where(turning > 0, turning, 1e-300)) - np.log(np.pi / 3)).argmin())


VIEW = View("relative", Text("Only the difference counts", "只看位置之差"), needs, draw, data)
