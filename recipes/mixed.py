"""Question 5: are mixed linear and logarithmic frequencies any better than the plain ladder?"""

from __future__ import annotations

from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

BANDS = Contender("mixed", {"style": "bands"})
SCHEMES = ("sinusoidal", "mixed", BANDS, "nope")
MODEL = ModelSize(dim=64, heads=4, layers=3)


def mixed(text: str) -> Recipe:
    """Copying, a language model, and how well a position can be read off each layer."""
    copy = Design(
        schemes=SCHEMES, tasks=("copy",), seeds=8, steps=2000, batch=32, rates=(1e-3, 2e-3, 4e-3),
        tuning_steps=670, length=16, multiples=(1, 1.125, 1.25, 1.5, 2), items=200, probes=("position",),
        model=MODEL,
    )  # fmt: skip
    characters = Design(
        schemes=SCHEMES, tasks=("characters",), seeds=8, steps=600, batch=16, rates=(1e-3, 2e-3, 4e-3),
        tuning_steps=200, context=128, items=32, probes=("sliding", "shuffle", "position"),
        model=MODEL, text=text,
    )  # fmt: skip
    asked = (
        ("copy", "within", Text("share copied at 16 letters", "16 个字母时抄对的比例")),
        ("copy", "past", Text("share copied past 16 letters", "超过 16 个字母时抄对的比例")),
        ("characters", "within", Text("loss at 128 characters", "128 个字符时的损失")),
        ("characters", "sliding-rise:2", Text("rise of the loss, context doubled", "上文加倍时损失的上升")),
        ("characters", "position:3", Text("error of the position, last layer", "最后一层之后位置的误差")),
    )  # fmt: skip
    differs = tuple(
        Hypothesis(
            f"{task}-{measure.replace(':', '-')}",
            Text(f"mixed frequencies differ from the plain ladder: {of.en}",
                 f"混合频率与普通频率有差别：{of.zh}"),
            task, measure, "mixed", 0, ("sinusoidal",),
        )
        for task, measure, of in asked
    )  # fmt: skip
    return Recipe(
        "mixed",
        Text("Mixed frequencies against the plain ladder", "混合频率与普通频率"),
        Text("Half linear, half logarithmic frequencies: better, worse or no different, and on what?",
             "线性与对数各半的频率：更好、更差，还是没有差别？在什么任务上？"),
        {"copy": copy, "characters": characters},
        differs,
    )  # fmt: skip
