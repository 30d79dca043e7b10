"""Every way a command can fail, as one sentence in both languages and an exit code."""

from __future__ import annotations

import os

import click

from clockhands.cli.bilingual import BilingualUsageError
from clockhands.errors import ClockhandsError, nearest, reason_of
from clockhands.language import Text

BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, where something can be said about how to go on."""

    def __init__(self, text: Text):
        super().__init__(text.en)
        self.text = text


def sentence_of(error: Exception) -> Text:
    """What to tell the person who ran into ``error``; what no person can cause is raised again."""
    match error:
        case ClockhandsError():
            return error.text
        case click.UsageError():
            return _usage_sentence(error)
        case MemoryError():
            return Text(
                "this needs more memory than the machine has: ask for fewer positions or a smaller size",
                "内存不够：请减少位置数或减小尺寸",
            )
        case OSError():
            return _file_sentence(error)
        case _:
            raise error


def _file_sentence(error: OSError) -> Text:
    reason = reason_of(error)
    if error.filename is None:
        return reason
    name = os.fsdecode(error.filename) if isinstance(error.filename, bytes | str) else str(error.filename)
    return Text(f"{name}: {reason.en}", f"{name}：{reason.zh}")


def _usage_sentence(error: click.UsageError) -> Text:
    match error:
        case BilingualUsageError():
            text = error.text
        case click.NoSuchOption():
            text = _no_such_option(error)
        case click.MissingParameter():
            text = _missing(error)
        case click.BadOptionUsage():
            text = _option_misused(error)
        case _:  # click has no others for the kinds of option used here
            text = Text(error.format_message(), error.format_message())
    if error.ctx is None:
        return text
    page = f"{error.ctx.command_path} --help"
    return Text(f"{text.en} (see {page})", f"{text.zh}（参见 {page}）")


def _no_such_option(error: click.NoSuchOption) -> Text:
    names = [] if error.ctx is None else _option_names(error.ctx)
    hint = nearest(error.option_name, names)
    return Text(
        f"there is no option {error.option_name}: {hint.en}", f"没有选项 {error.option_name}：{hint.zh}"
    )


def _option_names(ctx: click.Context) -> list[str]:
    parameters = ctx.command.get_params(ctx)
    return [name for p in parameters for name in (*p.opts, *p.secondary_opts) if name.startswith("-")]


def _missing(error: click.MissingParameter) -> Text:
    if error.param is None or error.ctx is None:
        return Text("a value is missing", "缺少一个值")
    name = (
        error.param.opts[0] if isinstance(error.param, click.Option) else error.param.make_metavar(error.ctx)
    )
    return Text(f"{name} is missing", f"缺少 {name}")


def _option_misused(error: click.BadOptionUsage) -> Text:
    name = error.option_name
    options = [] if error.ctx is None else error.ctx.command.get_params(error.ctx)
    is_flag = any(isinstance(p, click.Option) and p.is_flag and name in p.opts for p in options)
    if is_flag:
        return Text(f"{name} takes no value", f"{name} 后面不带值")
    return Text(f"{name} needs a value after it", f"{name} 后面缺少值")
