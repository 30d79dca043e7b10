"""A plan as pictures: every method's hands going round, and one method's wavelengths against the lengths."""

from __future__ import annotations

import numpy as np

from clockhands.errors import ClockhandsError
from clockhands.extend.look import TURN, Look
from clockhands.extend.plan import Plan, Step
from clockhands.extend.wording import AS_IT_IS, advice, heading
from clockhands.language import Language, Text
from clockhands.plots.picture import Picture
from clockhands.plots.slowed_hands import slowed_hands
from clockhands.plots.turn_shares import turn_shares

TRAINED, WANTED = Text("trained", "训练"), Text("wanted", "目标")
ROUND = Text("How far the hands go round", "指针转到哪里")


def going_round(plan: Plan, lang: Language) -> Picture:
    """A panel for the model as it is and for each method; ClockhandsError where nothing is to be done."""
    if not plan.steps:
        raise ClockhandsError(
            f"there is nothing to draw: {plan.reasons[0].en}", f"没有可画的：{plan.reasons[0].zh}"
        )
    before, _ = plan.source.turning(plan.source.trained)
    looks = [plan.as_it_is, *(step.look for step in plan.steps)]
    names = [AS_IT_IS, *(Text(step.method.id, step.method.id) for step in plan.steps)]
    ids = [step.method.id for step in plan.steps]
    lengths = Text(
        f"{plan.source.trained:,} → {plan.to:,} tokens", f"{plan.source.trained:,} → {plan.to:,} 个词元"
    )
    return turn_shares(
        np.minimum(before * plan.source.trained / TURN, 1),
        [_shown(look) for look in looks],
        names,
        marked=1 + ids.index(plan.begin) if plan.begin in ids else None,
        lang=lang,
        title=ROUND,
        about=lengths,
        says=(_says(plan), advice(plan)),
    )


def wavelengths(plan: Plan, step: Step, lang: Language) -> Picture:
    """One method: a row for each hand, before and after, against the trained and the wanted length."""
    before, _ = plan.source.turning(plan.source.trained)
    lengths = {TRAINED: plan.source.trained, WANTED: plan.to}
    return slowed_hands(
        step.look.inv_freq, before, lengths, lang=lang, title=step.method.name, about=step.method.idea
    )


def _says(plan: Plan) -> Text:
    first = heading(plan)[0]
    return Text(f"{plan.source.name}: {first.en}.", f"{plan.source.name}：{first.zh}。")


def _shown(look: Look) -> np.ndarray:
    return np.minimum(look.inv_freq * look.longest / TURN, 1)
