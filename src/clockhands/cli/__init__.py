"""The command ``clockhands``. Commands are imported when called: ``--help`` is quick and needs no torch."""

from clockhands.cli.entry import main

__all__ = ["main"]
