"""The group of commands, and how a run of any of them ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click
from click.shell_completion import shell_complete

from clockhands import __version__
from clockhands.cli.bilingual import LazyGroup, Option
from clockhands.cli.common import lang_option
from clockhands.cli.console import language_asked, let_go_of_broken_streams, survive_any_console, tell
from clockhands.cli.failures import BAD_INPUT, INTERRUPTED, PIPE_CLOSED, Interrupted, sentence_of
from clockhands.cli.surroundings import matplotlib_left_alone
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text

HOMES = {
    "demo": "clockhands.cli.demo",
    "list": "clockhands.cli.list",
    "show": "clockhands.cli.show",
    "attend": "clockhands.cli.attend",
    "check": "clockhands.cli.check",
    "extend": "clockhands.cli.extend",
    "page": "clockhands.cli.interactive",
    "compare": "clockhands.cli.compare",
    "claims": "clockhands.cli.claims",
    "golden": "clockhands.cli.golden",
}


def _show_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(f"clockhands {__version__}")
        ctx.exit()


group = LazyGroup(
    "clockhands",
    homes=HOMES,
    help=Text(
        "See, check and compare how transformers know position: "
        "clock hands, biases, tables, or nothing at all.",
        "看懂、检查、比较 Transformer 如何知道位置：指针、偏置、表，或者什么都不用。",
    ),
    examples=(
        "clockhands demo --out demo",
        "clockhands show rope --view clock -o clock.gif",
        "clockhands attend --scheme rope --task reconstruct -o out",
    ),
    params=[
        Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help=Text("Print the version and stop.", "显示版本号后退出。"),
        ),
        lang_option(expose_value=False),
    ],
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0, 2 bad input, 130 interrupted, 141 a closed pipe."""
    arguments = [*(sys.argv[1:] if arguments is None else arguments)]
    survive_any_console()
    lang = language_asked(arguments)
    try:
        with matplotlib_left_alone():
            return _run(arguments, lang)
    except Interrupted as interrupted:
        _say(interrupted.text, lang)
        return INTERRUPTED
    except KeyboardInterrupt:
        _say(Text("stopped", "已停止"), lang)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        return PIPE_CLOSED
    except (ClockhandsError, click.UsageError, MemoryError, OSError) as error:
        _say(sentence_of(error), lang)
        return BAD_INPUT
    finally:
        let_go_of_broken_streams()


def _run(arguments: list[str], lang: Language) -> int:
    """What click's own ``main`` does, less its handling of errors."""
    shell = os.environ.get("_CLOCKHANDS_COMPLETE")
    if shell:
        return shell_complete(group, {}, "clockhands", "_CLOCKHANDS_COMPLETE", shell)
    try:
        with group.make_context("clockhands", arguments, obj=lang) as ctx:
            group.invoke(ctx)
        sys.stdout.flush()
    except click.exceptions.Exit as asked:
        return asked.exit_code
    return 0


def _say(sentence: Text, lang: Language) -> None:
    tell(Text(f"clockhands: {sentence.en}", f"clockhands：{sentence.zh}"), lang)
