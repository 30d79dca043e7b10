"""Question 2: which encodings read on beyond the window that they were trained with?"""

from __future__ import annotations

from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

LEARNED = Contender("learned", {"max_positions": 128})


def language_model(text: str) -> Recipe:
    """Windows of 128 characters in training, up to 1,024 in tests. The text is the Water Margin."""
    design = Design(
        schemes=("rope", "sinusoidal", "alibi", "kerple-log", "fire", "t5", LEARNED, "nope"),
        tasks=("characters",), seeds=8, steps=800, batch=16, rates=(1e-3, 2e-3, 4e-3), tuning_steps=270,
        context=128, items=32, probes=("sliding", "shuffle", "position"),
        model=ModelSize(dim=64, heads=4, layers=3), text=text,
    )  # fmt: skip
    flat = [
        Hypothesis(
            f"{label}-flat",
            Text(f"{label}: with four times the context, the loss of the same characters rises by less than "
                 "0.05 nats",
                 f"{label}：上文为训练长度的四倍时，同样字符的损失上升不到 0.05 纳特"),
            "characters", "sliding-rise:4", label, -1, bound=0.05,
        )
        for label in ("alibi", "kerple-log", "fire", "t5")
    ]  # fmt: skip
    breaks = [
        Hypothesis(
            f"{label}-breaks",
            Text(f"{label}: with twice the context, the loss of the same characters rises by more than "
                 "0.05 nats",
                 f"{label}：上文为训练长度的两倍时，同样字符的损失上升超过 0.05 纳特"),
            "characters", "sliding-rise:2", label, 1, bound=0.05,
        )
        for label in ("rope", "sinusoidal")
    ]  # fmt: skip
    ends = Hypothesis(
        "learned-ends",
        Text("learned positions are undefined past the rows of their table",
             "学习得到的位置，超出表的行数就没有定义"),
        "characters", "at:1.5", LEARNED.label, 1, undefined=True,
    )  # fmt: skip
    return Recipe(
        "language-model",
        Text("A character language model beyond its window", "字符语言模型：超过训练窗口之后"),
        Text("Trained on windows of 128 characters of the Water Margin, which encodings stand longer ones?",
             "用《水浒传》128 个字符的窗口训练，哪些编码经得住更长的窗口？"),
        {"characters": design},
        (*flat, *breaks, ends),
    )  # fmt: skip
