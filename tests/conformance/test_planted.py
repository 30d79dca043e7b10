"""The suite itself is tested: each planted defect is caught by the law that is meant for it."""

from __future__ import annotations

import planted_modules
import planted_numbers
import planted_places
import planted_serving
import pytest

from clockhands.conformance import LAWS, LawBroken, Subject, laws_for
from clockhands.conformance.suite import Factory

PLANTED: tuple[tuple[str, Factory], ...] = (
    *planted_places.PLANTED,
    *planted_serving.PLANTED,
    *planted_numbers.PLANTED,
    *planted_modules.PLANTED,
)
BY_NAME = {law.name: law for law in LAWS}


@pytest.mark.parametrize(
    ("name", "factory"), [pytest.param(*pair, id=f"{pair[0]}-{pair[1].__name__}") for pair in PLANTED]
)
def test_the_law_that_is_meant_for_it_catches_a_defect(name: str, factory: Factory) -> None:
    law = BY_NAME[name]
    assert law in laws_for(factory())
    with pytest.raises(LawBroken) as caught:
        law.check(Subject(factory))
    assert caught.value.text.en
    assert caught.value.text.zh


def test_every_law_has_a_planted_defect() -> None:
    assert {name for name, _ in PLANTED} == set(BY_NAME)
