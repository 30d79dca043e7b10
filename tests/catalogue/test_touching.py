"""What a scheme is said to change is what its module changes."""

from __future__ import annotations

import pytest

from clockhands.catalogue import CATALOGUE, Description
from clockhands.catalogue.touching import touched
from clockhands.schemes.building import build

every_scheme = pytest.mark.parametrize("scheme", CATALOGUE, ids=lambda scheme: scheme.card.id)


@every_scheme
def test_it_says_what_the_hooks_of_its_module_do(scheme: type[Description]) -> None:
    said, hooks = touched(scheme).en.split(", "), set(build(scheme).touches())
    assert ("tokens" in said) == ("embed" in hooks)
    assert ("values" in said) == ("mix" in hooks)
    assert {"queries", "keys"} & hooks <= {*said}
    if {"bias_at", "weigh"} & hooks:
        assert "logits" in said
    if "logits" in hooks:  # a rotation that hangs on the tokens or on pairs is done there too
        assert {"logits", "queries", "keys"} & {*said}
    changed = {"embed", "queries", "keys", "bias_at", "logits", "weigh", "mix"} & hooks
    assert (said == ["nothing"]) == (not changed)


@pytest.mark.parametrize(
    ("id", "en", "zh"),
    [
        ("temperature-nope", "queries", "查询"),
        ("rope-values", "queries, keys, values", "查询、键、值"),
        ("shaw", "values, logits", "值、注意力得分"),
        ("nope", "nothing", "无"),
    ],
)
def test_queries_alone_and_values_have_names(id: str, en: str, zh: str) -> None:
    scheme = next(each for each in CATALOGUE if each.card.id == id)
    assert touched(scheme) == (en, zh)
