"""Schemes ranked on each task, their ranks averaged, and how far apart means must lie to differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clockhands.experiments.report import Report, Standing
from clockhands.experiments.statistics import critical_difference, mean_ranks
from clockhands.language import Text

MOST_SCHEMES = 10
"""That the table of critical differences has."""


class Overall(NamedTuple):
    """Mean rank of each scheme, 1 the best; two that differ by less than ``critical`` are not told apart."""

    schemes: tuple[str, ...]
    ranks: tuple[float, ...]
    critical: float
    tasks: int

    @property
    def says(self) -> Text:
        """Whether any two are told apart, and by how many tasks."""
        apart = max(self.ranks) - min(self.ranks) >= self.critical
        verdict = Text("some schemes are told apart", "有方案可以区分")
        if not apart:
            verdict = Text("no two schemes are told apart", "没有任何两种方案可以区分")
        return Text(
            f"{verdict.en}: over {self.tasks} tasks mean ranks must differ by {self.critical:.2f} (Nemenyi, "
            "0.05); each task counts once, by the median past its training length",
            f"{verdict.zh}：{self.tasks} 个任务上，平均名次须相差 {self.critical:.2f}（Nemenyi，0.05）；"
            "每个任务算一次，取超过训练长度后的中位数",
        )


def overall(found: Report) -> Overall | None:
    """Of two tasks or more, where each scheme has its numbers on each; else None."""
    schemes = tuple(scheme.label for scheme in found.design.schemes)
    by = {(one.task, one.scheme): one for one in found.standings}
    scores = [[_score(by[task, scheme]) for scheme in schemes] for task in found.design.tasks]
    if len(scores) < 2 or len(schemes) > MOST_SCHEMES or not np.isfinite(scores).all():
        return None
    critical = critical_difference(len(schemes), len(scores))
    return Overall(schemes, tuple(mean_ranks(scores)), critical, len(scores))


def _score(one: Standing) -> float:
    """Higher is better; nan where seeds are missing or failed, or a length has no number."""
    if one.past is None or one.failed or not one.defined:
        return float("nan")
    return one.past.value if one.exact else -one.past.value
