"""The options that people and scripts rely on: none comes or goes unnoticed."""

from __future__ import annotations

from pathlib import Path

import click

from clockhands.cli.entry import HOMES, group

COMMITTED = Path(__file__).with_name("surface.txt")


def lines() -> list[str]:
    """``command: parameter``, one a line; after a change on purpose, write them to ``surface.txt``."""
    commands = [("clockhands", group)]
    for name in HOMES:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        commands.append((name, command))
    return [
        f"{name}: {' '.join((*parameter.opts, *parameter.secondary_opts))}"
        for name, command in commands
        for parameter in command.get_params(click.Context(command))
    ]


def test_the_surface_is_the_committed_one() -> None:
    assert lines() == COMMITTED.read_text(encoding="utf-8").splitlines()
