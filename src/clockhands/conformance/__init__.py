"""The laws that every positional encoding must obey, for the schemes of this project and for anyone else's.

``check(MyEncoding)`` in a script, or ``@parametrize([MyEncoding])`` over a test. The laws are chosen by the
encoding's traits and hooks, never by its name.
"""

from clockhands.conformance.broken import LawBroken
from clockhands.conformance.select import LAWS, Law, laws_for
from clockhands.conformance.subject import Sizes, Subject
from clockhands.conformance.suite import Cell, check, parametrize

__all__ = ["LAWS", "Cell", "Law", "LawBroken", "Sizes", "Subject", "check", "laws_for", "parametrize"]
