"""Question 4: do digit places (abacus) carry addition beyond the training length?"""

from __future__ import annotations

from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

ABACUS = Contender("abacus", {"max_positions": 64, "max_offset": 24})
RANDOMISED = Contender("rope", randomised_to=128)


def addition() -> Recipe:
    """Numbers of 1 to 8 digits in training, 9 to 16 in tests, lowest digit first."""
    design = Design(
        schemes=(ABACUS, "rope", RANDOMISED, "alibi", "fire", "nope"), tasks=("addition-reversed",), seeds=8,
        steps=2000, batch=32, rates=(1e-3, 2e-3, 4e-3), tuning_steps=670, length=8,
        multiples=(1, 1.125, 1.25, 1.5, 2), items=200, model=ModelSize(dim=64, heads=4, layers=3),
    )  # fmt: skip
    others = tuple(one.label for one in design.schemes[1:])
    return Recipe(
        "addition",
        Text("Addition beyond the training length", "超过训练长度后的加法"),
        Text("Trained on numbers of up to 8 digits, lowest digit first, which encodings add longer ones?",
             "训练时每个数不超过 8 位，从低位写起，哪些编码会加更长的数？"),
        {"addition-reversed": design},
        tuple(
            Hypothesis(
                f"abacus-beats-{index}",
                Text(f"abacus adds more numbers of over 8 digits right than {other}",
                     f"超过 8 位的数，abacus 加对的比 {other} 多"),
                "addition-reversed", "past", ABACUS.label, 1, (other,),
            )
            for index, other in enumerate(others)
        ),
    )  # fmt: skip
