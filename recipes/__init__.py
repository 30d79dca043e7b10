"""The published experiments: one function each, which returns a recipe.

``python -m recipes`` begins or goes on with all of them, or with those named; ``docs/results/`` tells what
they found. Each can be stopped at any time and gone on with.
"""

from __future__ import annotations

from collections.abc import Callable

from clockhands.experiments.recipes import Recipe
from recipes.addition import addition, few_digits
from recipes.articles import articles
from recipes.copying import copying
from recipes.encoders import encoders
from recipes.extending import PLANS
from recipes.language_model import language_model
from recipes.mixed import mixed
from recipes.reversing import reversing

RECIPES: dict[str, Callable[[str], Recipe]] = {
    "copying": lambda _: copying(),
    "language-model": language_model,
    "mixed": mixed,
    "encoders": lambda _: encoders(),
    "addition": lambda _: addition(),
    "few-digits": lambda _: few_digits(),
    "reversing": lambda _: reversing(),
    "articles": articles,
}
"""By name, in the order in which they are run; each is given the text that language models learn."""

SMOLLM2 = "smollm2"
"""This and the plans of ``extending`` compare no encodings, and have their own ways of being carried out."""

NAMES = (*RECIPES, *PLANS, SMOLLM2)
"""Of all, in the order in which they are run."""

READ_A_TEXT = ("language-model", "mixed", "articles", *PLANS, SMOLLM2)
