"""Question 4, twice: do digit places (abacus) carry addition beyond the training length?"""

from __future__ import annotations

from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text


def addition() -> Recipe:
    """Numbers of 1 to 8 digits in training, 9 to 16 in tests, lowest digit first."""
    abacus = Contender("abacus", {"max_positions": 64, "max_offset": 24})
    design = Design(
        schemes=(abacus, "rope", Contender("rope", randomised_to=128), "alibi", "fire", "nope"),
        tasks=("addition-reversed",), seeds=8, steps=2000, batch=32, rates=(1e-3, 2e-3, 4e-3),
        tuning_steps=670, length=8, multiples=(1, 1.125, 1.25, 1.5, 2), items=200,
        model=ModelSize(dim=64, heads=4, layers=3),
    )  # fmt: skip
    title = Text("Addition beyond the training length", "超过训练长度后的加法")
    return _asked("addition", title, design)


def few_digits() -> Recipe:
    """Numbers of 1 to 3 digits in training, 4 to 6 in tests, lowest digit first.

    Carries are learned late and all at once, so few digits and many steps. Offsets to 2 train the rows of
    abacus up to place 6: sums of 5 digits need no more, those of 6 digits do.
    """
    abacus = Contender("abacus", {"max_positions": 32, "max_offset": 2})
    design = Design(
        schemes=(abacus, "rope", Contender("rope", randomised_to=64), "alibi", "fire", "nope"),
        tasks=("addition-reversed",), seeds=8, steps=12_000, batch=32, rates=(3e-3, 5e-3), tuning_steps=4_000,
        length=3, multiples=(1, 4 / 3, 5 / 3, 2), items=200, model=ModelSize(dim=64, heads=4, layers=2),
    )  # fmt: skip
    tried = Text(
        "Size, steps and offsets were chosen by trying, with a look past the training length: this task with "
        "other seeds (abacus with five, RoPE, ALiBi, FIRE and NoPE with one each), and before it numbers of "
        "4 digits by a wider model, abacus and RoPE with seed 0, too. So what the hypotheses say had been "
        "seen before they were fixed, though not with these seeds in this design.",
        "规模、步数和偏移量是先试出来的，也看过超过训练长度的结果：本任务试的是别的种子（abacus 五个，"
        "RoPE、ALiBi、FIRE、NoPE 各一个）；更早还用更宽的模型试过 4 位数，其中 abacus 和 RoPE 也用了种子 0。"
        "所以假设所说的在确定之前已经见过，只是不是在这个设计里用这些种子。",
    )
    title = Text("Addition of few digits, beyond the training length", "位数少的加法：超过训练长度之后")
    return _asked("few-digits", title, design, tried)


def _asked(id: str, title: Text, design: Design, *notes: Text) -> Recipe:
    """Whether the first scheme adds more of the longer numbers right than each of the others."""
    first, *others = (one.label for one in design.schemes)
    most = design.length
    return Recipe(
        id, title,
        Text(f"Trained on numbers of up to {most} digits, lowest digit first, which encodings add longer "
             "ones?",
             f"训练时每个数不超过 {most} 位，从低位写起，哪些编码会加更长的数？"),
        {"addition-reversed": design},
        tuple(
            Hypothesis(
                f"abacus-beats-{index}",
                Text(f"abacus adds more numbers of over {most} digits right than {other}",
                     f"超过 {most} 位的数，abacus 加对的比 {other} 多"),
                "addition-reversed", "past", first, 1, (other,),
            )
            for index, other in enumerate(others)
        ),
        notes,
    )  # fmt: skip
