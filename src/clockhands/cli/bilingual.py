"""click in two languages: commands, options and arguments whose help is a Text.

The language of one run is the root context's ``obj``; ``main`` puts it there before parsing,
so that even a mistake in the arguments is answered in the reader's language.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import click
from click.core import ParameterSource

from clockhands.cli import page
from clockhands.errors import BadParameter, nearest
from clockhands.language import Language, Text


class BilingualUsageError(click.UsageError):
    """A mistake in the arguments, said in both languages."""

    def __init__(self, text: Text, ctx: click.Context | None = None):
        super().__init__(text.en, ctx)
        self.text = text


def language_of(ctx: click.Context) -> Language:
    """The language of this run."""
    return ctx.find_root().obj or "en"


class Option(click.Option):
    """An option with help in both languages; ``shown_default`` is what the help says happens without it."""

    def __init__(self, *args: Any, help: Text, shown_default: Text | str | None = None, **settings: Any):
        super().__init__(*args, help=help.en, **settings)
        self.says = help
        self.shown_default = shown_default

    def meaning(self, lang: Language) -> str:
        default = self.shown_default
        if default is None:
            return self.says.said_in(lang)
        default = default if isinstance(default, str) else default.said_in(lang)
        says = self.says.said_in(lang)
        return f"{says} [default: {default}]" if lang == "en" else f"{says}（默认：{default}）"

    def term(self, ctx: click.Context, lang: Language) -> str:
        names = ", ".join((*self.opts, *self.secondary_opts))
        return names if self.is_flag else f"{names} {page.placeholder(self.make_metavar(ctx), lang)}"


class Argument(click.Argument):
    """A positional argument with help in both languages."""

    def __init__(self, *args: Any, help: Text, **settings: Any):
        super().__init__(*args, **settings)
        self.says = help


class _Page(click.Command):
    """What commands and the group share: a help page, and arguments checked in both languages."""

    says: Text
    examples: tuple[str, ...]

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return Option(
            ["--help", "-h"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_help,
            help=Text("Show this page and stop.", "显示本页后退出。"),
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # click's parser leaves some without
            raise

    def get_help(self, ctx: click.Context) -> str:
        lang, width = language_of(ctx), page.page_width()
        parts = [self._usage(ctx, lang), page.paragraph(self.says.said_in(lang), width)]
        parameters = self.get_params(ctx)
        arguments = [
            (page.placeholder(p.make_metavar(ctx), lang), p.says.said_in(lang))
            for p in parameters
            if isinstance(p, Argument)
        ]
        if arguments:
            parts.append(page.section(page.ARGUMENTS, lang, page.definitions(arguments, width)))
        commands = self._commands(ctx, lang)
        if commands:
            parts.append(page.section(page.COMMANDS, lang, page.definitions(commands, width)))
        options = [(p.term(ctx, lang), p.meaning(lang)) for p in parameters if isinstance(p, Option)]
        parts.append(page.section(page.OPTIONS, lang, page.definitions(options, width)))
        parts.append(page.section(page.EXAMPLES, lang, page.examples(self.examples)))
        return "\n\n".join(parts)

    def _usage(self, ctx: click.Context, lang: Language) -> str:
        arguments = (p.make_metavar(ctx) for p in self.params if isinstance(p, Argument))
        metavars = [page.placeholder(metavar, lang) for metavar in arguments]
        pieces = [ctx.command_path, page.OPTIONS_SLOT.said_in(lang), *metavars]
        return page.heading(page.USAGE, lang, then=" ".join(pieces))

    def _commands(self, ctx: click.Context, lang: Language) -> list[tuple[str, str]]:
        return []


class Command(_Page):
    """A command with help in both languages and at least one example."""

    def __init__(
        self,
        name: str,
        *,
        callback: Callable[..., Any],
        help: Text,
        examples: tuple[str, ...],
        params: list[click.Parameter],
    ):
        super().__init__(name, callback=callback, params=params, help=help.en)
        self.says, self.examples = help, examples
        self.allow_extra_args = True  # refused below, in both languages

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            extra = " ".join(rest)
            raise BilingualUsageError(Text(f"'{extra}' is not expected here", f"这里不需要“{extra}”"), ctx)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; a bad value is named as it was typed: ``--dim``, not what the scheme calls it."""
        try:
            return super().invoke(ctx)
        except BadParameter as error:
            raise error.called(self._as_typed(ctx, error.name)) from error

    def _as_typed(self, ctx: click.Context, name: str) -> str:
        typed = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        options = {each.name: each.opts[0] for each in self.params if isinstance(each, Option)}
        return options.get(name, name) if typed else name


class LazyGroup(_Page, click.Group):
    """Commands that are imported when they are called; ``homes`` maps a name to its module."""

    def __init__(
        self,
        name: str,
        *,
        homes: Mapping[str, str],
        help: Text,
        examples: tuple[str, ...],
        params: list[click.Parameter],
    ):
        super().__init__(
            name, params=params, help=help.en, invoke_without_command=True, callback=_show_help_alone
        )
        self.homes, self.says, self.examples = homes, help, examples

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.homes:
            return None
        return importlib.import_module(self.homes[cmd_name]).command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.homes:
            hint = nearest(args[0], self.homes)
            raise BilingualUsageError(
                Text(f"there is no command '{args[0]}': {hint.en}", f"没有命令“{args[0]}”：{hint.zh}"), ctx
            )
        return super().resolve_command(ctx, args)

    def _usage(self, ctx: click.Context, lang: Language) -> str:
        slot = Text("COMMAND [ARGS]...", "命令 [参数]...")
        return f"{super()._usage(ctx, lang)} {slot.said_in(lang)}"

    def _commands(self, ctx: click.Context, lang: Language) -> list[tuple[str, str]]:
        rows = []
        for name in self.homes:
            command = self.get_command(ctx, name)
            assert isinstance(command, Command)
            rows.append((name, command.says.said_in(lang)))
        return rows


def _show_help(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(ctx.get_help())
        ctx.exit()


@click.pass_context
def _show_help_alone(ctx: click.Context, **_: Any) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
