"""Question 1: which encodings still copy beyond the length that they were trained on?"""

from __future__ import annotations

from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

RANDOMISED = Contender("rope", randomised_to=128)


def copying() -> Recipe:
    """Strings of 1 to 16 letters in training, 18 to 32 in tests."""
    design = Design(
        schemes=("rope", "sinusoidal", RANDOMISED, "alibi", "t5", "nope", "kerple-log", "fire"),
        tasks=("copy",), seeds=8, steps=3000, batch=32, rates=(1e-3, 2e-3, 4e-3), tuning_steps=1000,
        length=16, multiples=(1, 1.125, 1.25, 1.5, 2), items=200, probes=("position",),
        model=ModelSize(dim=64, heads=4, layers=3),
    )  # fmt: skip
    beats = [
        Hypothesis(
            f"{id}-beats",
            Text(f"{label} copies more strings longer than 16 letters than RoPE, and than sinusoidal",
                 f"超过 16 个字母时，{label} 抄对的字符串比 RoPE 多，也比正弦编码多"),
            "copy", "past", label, 1, ("rope", "sinusoidal"),
        )
        for id, label in (
            ("randomised-rope", RANDOMISED.label), ("alibi", "alibi"), ("t5", "t5"), ("nope", "nope"),
        )
    ]  # fmt: skip
    breaks = [
        Hypothesis(
            f"{label}-breaks",
            Text(f"{label} copies less than a tenth of the strings of 20 letters",
                 f"20 个字母的字符串，{label} 抄对的不到十分之一"),
            "copy", "at:1.25", label, -1, bound=0.1,
        )
        for label in ("rope", "sinusoidal")
    ]  # fmt: skip
    return Recipe(
        "copying",
        Text("Copying beyond the training length", "超过训练长度后的复制"),
        Text("Trained on strings of up to 16 letters, which encodings copy longer ones?",
             "训练时字符串不超过 16 个字母，哪些编码能抄更长的？"),
        {"copy": design},
        (*beats, *breaks),
    )  # fmt: skip
