"""Pictures of a comparison."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.experiments.report import Report
from clockhands.language import Language, Text
from clockhands.plots.lengths import lengths
from clockhands.plots.picture import Picture


def by_length(found: Report, task: str, lang: Language) -> Picture | None:
    """Scores against length on one task, every seed a thin line; None where nothing has ended yet."""
    about = found.design.about(task)
    standings = [one for one in found.standings if one.task == task and np.isfinite(one.by_length).any()]
    if not standings:
        return None
    drawn = [
        Labelled(
            f"scheme{index}",
            Text(one.scheme, one.scheme),
            one.by_length,
            (
                Axis(Text("length", "长度"), np.array(one.lengths), about.unit),
                Axis(Text("seed", "种子"), np.array([row.seed for row in one.rows])),
            ),
        )
        for index, one in enumerate(standings)
    ]
    seeds = found.design.seeds
    says = Text("thin lines: seeds; thick: their median", "细线：各个种子；粗线：中位数")
    title = Text(f"{about.title.en}, beyond the training length", f"{about.title.zh}：超过训练长度之后")
    note = Text(f"{seeds} seeds: too few for a ranking", f"{seeds} 个种子，不足以排名")
    if found.power.enough:
        note = Text(f"{seeds} seeds", f"{seeds} 个种子")
    return lengths(drawn, about.length, lang=lang, title=title, says=says, note=note, share=about.exact)
