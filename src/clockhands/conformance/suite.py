"""The suite as people call it: one function, and one decorator for pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clockhands.conformance.select import Law, laws_for
from clockhands.conformance.sizing import require_fit, sizes_for
from clockhands.conformance.subject import Sizes, Subject
from clockhands.core.encoding import Encoding

Factory = Callable[[], Encoding]


def check(factory: Factory, sizes: Sizes | None = None) -> tuple[str, ...]:
    """Hold an encoding to every law that binds it; the names of these laws.

    factory  makes the encoding, without arguments; it is called often
    sizes    of the attention layer that the encoding is made for; None: those of the description that it was
             built from, and ``Sizes()`` where it has none

    Raises ClockhandsError if the encoding is made for other sizes.
    Raises LawBroken for the first law that it breaks. Exceptions by design are declared on the class, with
    the reason: ``exceptions = {"isometry": "decays with distance by design"}``.

    >>> from clockhands.core.encoding import Encoding
    >>> check(Encoding)  # doctest: +ELLIPSIS
    ... # its traits promise that it reads positions, and it has no hook
    Traceback (most recent call last):
    clockhands.conformance.broken.LawBroken: a gap of 5 in the positions changes nothing: ...
    """
    subject, laws = examined(factory, sizes)
    for law in laws:
        law.check(subject)
    return tuple(law.name for law in laws)


def examined(factory: Factory, sizes: Sizes | None = None) -> tuple[Subject, tuple[Law, ...]]:
    """What ``check`` examines, and by which laws."""
    encoding = factory()
    if sizes is None:
        sizes = sizes_for(encoding)
    require_fit(encoding, sizes)
    return Subject(factory, sizes), laws_for(encoding)


@dataclass(frozen=True)
class Cell:
    """One law for one encoding; calling it checks."""

    law: Law
    subject: Subject

    def __call__(self) -> None:
        self.law.check(self.subject)


def parametrize(factories: Iterable[Factory] | Mapping[str, Factory], sizes: Sizes | None = None) -> Any:
    """A pytest decorator: the test runs once for each encoding and law, and calls what it is given.

    factories  as for ``check``, by name or with the id on each card for a name

    .. code-block:: python

        @clockhands.conformance.parametrize([MyEncoding])
        def test_my_encoding_obeys(law):
            law()
    """
    import pytest  # only tests need it

    named = factories if isinstance(factories, Mapping) else {factory().id: factory for factory in factories}
    cells = []
    for name, factory in named.items():
        subject, laws = examined(factory, sizes)
        cells += [pytest.param(Cell(law, subject), id=f"{name}-{law.name}") for law in laws]
    return pytest.mark.parametrize("law", cells)
