"""Question 4, asked again: addition past the training length, where all in training is learned."""

from __future__ import annotations

from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

ABACUS = Contender("abacus", {"max_positions": 32, "max_offset": 5})
RANDOMISED = Contender("rope", randomised_to=64)


def adding() -> Recipe:
    """Numbers of 1 to 4 digits in training, 5 to 8 in tests, lowest digit first.

    Of 8 digits nobody learned any (``addition``), so there are fewer, twice the width and many more steps.
    That was chosen by trying abacus (seeds 0, 100, 101) and RoPE (seed 0): sums are learned soon, carries all
    at once after 2,000 to 7,000 steps, with 32 rows a step as soon as with 64. A first design (4,000 steps of
    64 rows, a rate of 0.001 or 0.0014 chosen after a third) was stopped after 14 of its 48 trainings: the
    higher rate was chosen for all, and abacus (3 seeds), FIRE, none and drawn positions (2 each) had not
    learned to carry, RoPE (2 of 3) and ALiBi (2 of 2) had, and added none to 5 % of the numbers of 5 digits.
    A rate can't be chosen before carries are learned, so there is one. The hypotheses are those of
    ``addition``; for abacus and RoPE they are not blind any more.
    """
    design = Design(
        schemes=(ABACUS, "rope", RANDOMISED, "alibi", "fire", "nope"), tasks=("addition-reversed",), seeds=8,
        steps=12_000, batch=32, rates=(1e-3,), length=4,
        multiples=(1, 1.25, 1.5, 2), items=200, model=ModelSize(dim=128, heads=4, layers=2),
    )  # fmt: skip
    others = tuple(one.label for one in design.schemes[1:])
    return Recipe(
        "adding",
        Text("Addition beyond the training length, of fewer digits", "超过训练长度后的加法，位数更少"),
        Text("Of 8 digits [nobody learned any](addition.md). Trained on numbers of up to 4 digits, lowest "
             "digit first, by a wider model for longer, which encodings add longer ones? The size was chosen "
             "by trying abacus with three seeds and RoPE with one, up to twice the length, and a first "
             "design of fewer steps was stopped after 14 trainings: most had not learned to carry.",
             "8 位数[没有一个学会](addition.zh.md)。训练时每个数不超过 4 位，从低位写起，模型更宽、训练更久，"
             "哪些编码会加更长的数？规模是先用 abacus 的三个种子和 RoPE 的一个种子试出来的，试到两倍长度；"
             "步数较少的第一个设计在 14 次训练后停止：大多数还没有学会进位。"),
        {"addition-reversed": design},
        tuple(
            Hypothesis(
                f"abacus-beats-{index}",
                Text(f"abacus adds more numbers of over 4 digits right than {other}",
                     f"超过 4 位的数，abacus 加对的比 {other} 多"),
                "addition-reversed", "past", ABACUS.label, 1, (other,),
            )
            for index, other in enumerate(others)
        ),
    )  # fmt: skip
