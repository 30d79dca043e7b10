"""Pictures of a comparison; each is None where nothing that it could show has ended yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.experiments.overall import overall
from clockhands.experiments.report import Report, Standing
from clockhands.experiments.tasks import kind_of_task
from clockhands.language import Language, Text
from clockhands.plots.differences import differences
from clockhands.plots.lengths import SHARE, lengths
from clockhands.plots.mean_ranks import mean_ranks_picture
from clockhands.plots.picture import Picture
from clockhands.plots.score_map import score_map

SCHEME, SEED, LENGTH = Text("scheme", "方案"), Text("seed", "种子"), Text("length", "长度")
PLACE = Text("place in the longest window", "在最长窗口中的位置")
SAYS = Text("thin lines: seeds; thick: their median", "细线：各个种子；粗线：中位数")
PAIR = Text("pair", "配对")


def of_task(found: Report, task: str, lang: Language) -> Iterator[tuple[str, Picture]]:
    """All that there are of one task, by name."""
    made = {
        "": by_length, "-map": by_scheme_and_length, "-places": by_place, "-learning": learning,
        "-pairs": by_pair,
    }  # fmt: skip
    for name, draw in made.items():
        picture = draw(found, task, lang)
        if picture is not None:
            yield f"{task}{name}", picture


def by_length(found: Report, task: str, lang: Language) -> Picture | None:
    """Scores against length on one task, every seed a thin line."""
    about = found.design.about(task)
    drawn = [
        Labelled(f"scheme{index}", Text(one.scheme, one.scheme), one.by_length,
                 (_lengths(found, task), _seeds(one)))
        for index, one in enumerate(_shown(found, task))
    ]  # fmt: skip
    title = Text(f"{about.title.en}, beyond the training length", f"{about.title.zh}：超过训练长度之后")
    return lengths(drawn, about.length, lang=lang, title=title, says=SAYS, note=_note(found),
                   measured=measured(task), share=about.exact) if drawn else None  # fmt: skip


def by_scheme_and_length(found: Report, task: str, lang: Language) -> Picture | None:
    """Medians over seeds, a row a scheme."""
    about, shown = found.design.about(task), _shown(found, task)
    if not shown:
        return None
    values = np.array([[_median(row) for row in one.by_length] for one in shown])
    names = np.array([one.scheme for one in shown])
    scores = Labelled("scores", measured(task), values, (Axis(SCHEME, names), _lengths(found, task)))
    title = Text(f"{about.title.en}, by scheme and length", f"{about.title.zh}：按方案和长度")
    says = measured(task)
    return score_map(
        scores, about.length, lang=lang, title=title, note=_note(found), share=about.exact,
        says=Text(f"{says.en}, median over seeds; right of the line: longer than any trained on",
                  f"{says.zh}，取种子中位数；竖线右侧比训练时的都长"),
    )  # fmt: skip


def by_place(found: Report, task: str, lang: Language) -> Picture | None:
    """Loss against the place of the token in the longest windows, a quarter of the training length taken
    together, every seed a thin line."""
    about, drawn = found.design.about(task), []
    wide = max(1, about.length // 4)
    parts = about.lengths[-1] // wide
    middles = Axis(PLACE, (np.arange(parts) + 0.5) * wide, about.unit)
    for index, one in enumerate(_shown(found, task)):
        places = one.by_place
        if len(places):
            values = np.full((parts, places.shape[1]), np.nan)
            whole = len(places) // wide
            values[:whole] = places[: whole * wide].reshape(whole, wide, -1).mean(axis=1)
            drawn.append(Labelled(f"places{index}", Text(one.scheme, one.scheme), values,
                                  (middles, _seeds(one))))  # fmt: skip
    title = Text(f"{about.title.en}, by the place of the token", f"{about.title.zh}：按词元的位置")
    return lengths(drawn, about.length, lang=lang, title=title, says=SAYS, note=_note(found),
                   measured=measured(task), share=False) if drawn else None  # fmt: skip


def learning(found: Report, task: str, lang: Language) -> Picture | None:
    """Training loss against the share of the steps done, every seed a thin line."""
    about, drawn = found.design.about(task), []
    # Whoever is trained for few steps has a loss of each, and more of them than others have.
    parts = min((len(row.losses) for one in _shown(found, task) for row in one.rows if row.losses), default=0)
    for index, one in enumerate(_shown(found, task)):
        rows = [row for row in one.rows if row.losses]
        if rows:
            values = np.array([_in_parts(row.losses, parts) for row in rows]).T
            done = Axis(
                Text("steps done", "已完成的步数"), 100 * (np.arange(parts) + 0.5) / parts, Text("%", "%")
            )
            seeds = Axis(SEED, np.array([row.seed for row in rows]))
            drawn.append(Labelled(f"loss{index}", Text(one.scheme, one.scheme), values, (done, seeds)))
    each = kind_of_task(task).each
    title = Text(f"{about.title.en}, while training", f"{about.title.zh}：训练过程")
    loss = Text(f"training loss, nats a {each.en}", f"训练损失（纳特 / {each.zh}）")
    return lengths(drawn, None, lang=lang, title=title, says=SAYS, note=_note(found), measured=loss,
                   share=False) if drawn else None  # fmt: skip


def _in_parts(losses: Sequence[float], parts: int) -> list[float]:
    """Means of as many parts."""
    return [float(part.mean()) for part in np.array_split(np.array(losses), parts)]


def by_pair(found: Report, task: str, lang: Language) -> Picture | None:
    """Differences of the primary outcome with their intervals."""
    about, pairs = found.design.about(task), [pair for pair in found.pairs if pair.task == task]
    if not pairs:
        return None
    names = np.array([f"{pair.first} − {pair.second}" for pair in pairs])
    parts = Axis(Text("part", "部分"), np.array(["difference", "low", "high"]))
    values = np.array([pair.difference for pair in pairs])
    unit = measured(task)
    title = Text(f"{about.title.en}, pairs of schemes", f"{about.title.zh}：两两比较")
    mean = Text(f"mean difference past the training length: {unit.en}", f"超过训练长度后的平均差：{unit.zh}")
    return differences(
        Labelled("pairs", mean, values, (Axis(PAIR, names), parts)), [pair.supported for pair in pairs],
        lang=lang, title=title, note=_note(found),
        says=Text("lines: 95 % intervals over seeds and items; blue: supported after Holm's correction",
                  "横线：对种子和题目重抽样的 95% 区间；蓝色：经 Holm 校正后仍有依据"),
    )  # fmt: skip


def over_tasks(found: Report, lang: Language) -> Picture | None:
    """Mean ranks and the critical difference."""
    ranks = overall(found)
    if ranks is None:
        return None
    given = Labelled("ranks", Text("mean rank", "平均名次"), np.array(ranks.ranks),
                     (Axis(SCHEME, np.array(ranks.schemes)),))  # fmt: skip
    return mean_ranks_picture(given, ranks.critical, lang=lang, says=ranks.says, note=_note(found))


def measured(task: str) -> Text:
    """What stands on the axis of scores of a task."""
    kind = kind_of_task(task)
    return SHARE if kind.exact else Text(f"loss, nats a {kind.each.en}", f"损失（纳特 / {kind.each.zh}）")


def _shown(found: Report, task: str) -> list[Standing]:
    return [one for one in found.standings if one.task == task and np.isfinite(one.by_length).any()]


def _lengths(found: Report, task: str) -> Axis:
    about = found.design.about(task)
    return Axis(LENGTH, np.array(about.lengths), about.unit)


def _seeds(one: Standing) -> Axis:
    return Axis(SEED, np.array([row.seed for row in one.rows]))


def _median(values: np.ndarray) -> float:
    there = values[np.isfinite(values)]
    return float(np.median(there)) if len(there) else float("nan")


def _note(found: Report) -> Text:
    seeds = found.design.seeds
    if found.power.enough:
        return Text(f"{seeds} seeds", f"{seeds} 个种子")
    return Text(f"{seeds} seeds: too few for a ranking", f"{seeds} 个种子，不足以排名")
