"""A function probed: what it does with position, and what is wrong with it."""

from clockhands.check.probe.function.probing import probe

__all__ = ["probe"]
