"""The suite as people call it: one function, and one decorator for pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clockhands.conformance.select import Law, laws_for
from clockhands.conformance.subject import USUAL, Sizes, Subject
from clockhands.core.encoding import Encoding

Factory = Callable[[], Encoding]


def check(factory: Factory, sizes: Sizes = USUAL) -> tuple[str, ...]:
    """Hold an encoding to every law that binds it; the names of these laws.

    factory  makes the encoding, without arguments; it is called often
    sizes    of the attention layer that the encoding is made for

    Raises LawBroken for the first law that it breaks. Exceptions by design are declared on the class, with
    the reason: ``exceptions = {"isometry": "decays with distance by design"}``.

    >>> from clockhands.core.encoding import Encoding
    >>> check(Encoding)  # doctest: +ELLIPSIS
    ... # its traits promise that it reads positions, and it has no hook
    Traceback (most recent call last):
    clockhands.conformance.broken.LawBroken: a gap of 5 in the positions changes nothing: ...
    """
    subject = Subject(factory, sizes)
    laws = laws_for(factory())
    for law in laws:
        law.check(subject)
    return tuple(law.name for law in laws)


@dataclass(frozen=True)
class Cell:
    """One law for one encoding; calling it checks."""

    law: Law
    subject: Subject

    def __call__(self) -> None:
        self.law.check(self.subject)


def parametrize(factories: Iterable[Factory] | Mapping[str, Factory], sizes: Sizes = USUAL) -> Any:
    """A pytest decorator: the test runs once for each encoding and law, and calls what it is given.

    factories  as for ``check``, by name or with the id on each card for a name

    .. code-block:: python

        @clockhands.conformance.parametrize([MyEncoding])
        def test_my_encoding_obeys(law):
            law()
    """
    import pytest  # only tests need it

    named = factories if isinstance(factories, Mapping) else {factory().id: factory for factory in factories}
    cells = [
        pytest.param(Cell(law, Subject(factory, sizes)), id=f"{name}-{law.name}")
        for name, factory in named.items()
        for law in laws_for(factory())
    ]
    return pytest.mark.parametrize("law", cells)
