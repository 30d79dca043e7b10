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

    Of 8 digits nobody learned any (``addition``), so there are fewer, twice the width and twice the steps.
    That was chosen by trying abacus (seeds 0 and 100) and RoPE (seed 0): of 5 digits abacus did not learn to
    carry in 5,000 steps; of 4, at a rate of 0.001, both learned within 4,000, and abacus added about half of
    the numbers of 5 digits, RoPE none. So the first hypothesis is not blind for those seeds; the others are.
    """
    design = Design(
        schemes=(ABACUS, "rope", RANDOMISED, "alibi", "fire", "nope"), tasks=("addition-reversed",), seeds=8,
        steps=4000, batch=64, rates=(1e-3, 1.4e-3), tuning_steps=1340, length=4,
        multiples=(1, 1.25, 1.5, 2), items=200, model=ModelSize(dim=128, heads=4, layers=2),
    )  # fmt: skip
    others = tuple(one.label for one in design.schemes[1:])
    return Recipe(
        "adding",
        Text("Addition beyond the training length, of fewer digits", "超过训练长度后的加法，位数更少"),
        Text("Of 8 digits [nobody learned any](addition.md). Trained on numbers of up to 4 digits, lowest "
             "digit first, by a wider model for longer, which encodings add longer ones? The size was chosen "
             "by trying abacus with two seeds and RoPE with one, up to twice the length: for these two and "
             "seed 0 the first hypothesis was made after a look.",
             "8 位数[没有一个学会](addition.zh.md)。训练时每个数不超过 4 位，从低位写起，模型更宽、训练更久，"
             "哪些编码会加更长的数？规模是先用 abacus 的两个种子和 RoPE 的一个种子试出来的，"
             "试到两倍长度：就这两者和种子 0 而言，第一条假设是看过之后才定的。"),
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
