"""Question 6: what the two articles suggest or take for granted, and do not test."""

from __future__ import annotations

from clockhands.experiments.design import Contender, Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

LAYERED, REVERSED = Contender("layered"), Contender("layered", {"first_theta": 1e6, "last_theta": 1e3})
TAGGED = Contender("tagged", {"learned": True})
SHARE = 250_000
"""Characters that are read: finding parts of speech in a whole novel takes a minute, each time."""
BESIDE = Contender("sinusoidal", {"combine": "concatenate"})
MODEL = ModelSize(dim=64, heads=4, layers=3)


def articles(text: str) -> Recipe:
    """Words of the Water Margin as jieba cuts them: the next one by a decoder, hidden ones by an encoder."""
    text = text[:SHARE]
    words = Design(
        schemes=("rope", LAYERED, REVERSED, TAGGED, "sinusoidal", BESIDE, "nope"), tasks=("words",), seeds=8,
        steps=600, batch=16, rates=(1e-3, 2e-3, 4e-3), tuning_steps=200, context=64, items=64,
        multiples=(1, 2, 4), model=MODEL, text=text,
    )  # fmt: skip
    hidden = Design(
        schemes=("rope", "sinusoidal", "nope"), tasks=("masked-words",), seeds=8, steps=900, batch=16,
        rates=(1e-3, 2e-3, 4e-3), tuning_steps=300, context=64, items=64, multiples=(1, 2), model=MODEL,
        text=text,
    )  # fmt: skip
    rope, added = Contender("rope"), Contender("sinusoidal")
    asked = (
        ("layers-differ", LAYERED, rope,
         Text("bases that grow from layer to layer differ from one base",
              "底数逐层增大，与各层同一底数有差别")),
        ("order-of-layers-matters", REVERSED, LAYERED,
         Text("bases that shrink from layer to layer differ from bases that grow",
              "底数逐层减小，与逐层增大有差别")),
        ("parts-of-speech-differ", TAGGED, rope,
         Text("steps learned for each part of speech differ from steps of one",
              "为每种词性学一个步长，与步长都为一有差别")),
        ("adding-differs", BESIDE, added,
         Text("a table beside the tokens differs from one added to them", "位置表与词元拼接，与相加有差别")),
    )  # fmt: skip
    differs = [
        Hypothesis(id, says, "words", "within", scheme.label, 0, (than.label,))
        for id, scheme, than, says in asked
    ]
    helps = [
        Hypothesis(f"{scheme}-helps",
                   Text(f"an encoder guesses hidden words better with {scheme} than without positions",
                        f"编码器用 {scheme} 填词，比没有位置编码时更准"),
                   "masked-words", "within", scheme, -1, ("nope",))
        for scheme in ("rope", "sinusoidal")
    ]  # fmt: skip
    return Recipe(
        "articles",
        Text("Ideas of two articles, tried", "两篇文章里的设想，试一试"),
        Text("Bases that change by layer, steps by part of speech, tables added or beside, RoPE or nothing: "
             "what does it change on Chinese words?",
             "逐层变化的底数、按词性的步长、相加还是拼接、有没有 RoPE：对中文词有什么不同？"),
        {"words": words, "hidden": hidden},
        (*differs, *helps),
    )  # fmt: skip
