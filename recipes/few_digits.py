"""Question 4 once more, with so few digits and so many steps that carries are learned."""

from __future__ import annotations

from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

ABACUS = Contender("abacus", {"max_positions": 32, "max_offset": 2})
RANDOMISED = Contender("rope", randomised_to=64)


def few_digits() -> Recipe:
    """Numbers of 1 to 3 digits in training, 4 to 6 in tests, lowest digit first.

    Carries are learned late and all at once, so few digits and many steps. Offsets to 2 train the rows of
    abacus up to place 6: sums of 5 digits need no more, those of 6 digits do.
    """
    design = Design(
        schemes=(ABACUS, "rope", RANDOMISED, "alibi", "fire", "nope"), tasks=("addition-reversed",), seeds=8,
        steps=12_000, batch=32, rates=(3e-3, 5e-3), tuning_steps=4_000, length=3,
        multiples=(1, 4 / 3, 5 / 3, 2), items=200, model=ModelSize(dim=64, heads=4, layers=2),
    )  # fmt: skip
    others = tuple(one.label for one in design.schemes[1:])
    return Recipe(
        "few-digits",
        Text("Addition of few digits, beyond the training length", "位数少的加法：超过训练长度之后"),
        Text("Trained on numbers of up to 3 digits, lowest digit first, which encodings add longer ones?",
             "训练时每个数不超过 3 位，从低位写起，哪些编码会加更长的数？"),
        {"addition-reversed": design},
        tuple(
            Hypothesis(
                f"abacus-beats-{index}",
                Text(f"abacus adds more numbers of over 3 digits right than {other}",
                     f"超过 3 位的数，abacus 加对的比 {other} 多"),
                "addition-reversed", "past", ABACUS.label, 1, (other,),
            )
            for index, other in enumerate(others)
        ),
    )  # fmt: skip
