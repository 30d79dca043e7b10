"""``clockhands check``: what a model does with position, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clockhands.cli.bilingual import Argument, BilingualUsageError, Command, Option
from clockhands.cli.common import lang_option
from clockhands.cli.console import harmless, tell
from clockhands.cli.kinds import WHOLE, Choice
from clockhands.cli.page import page_width
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.check.report import Report

FAILED = 1
"""Exit code where there is an error, where two targets differ, or a warning under ``--strict``."""

ALL = "all"
"""``--explain all`` lists every rule."""

FORMATS = ("text", "json", "sarif", "github")


def run(targets: tuple[str, ...], explained: str | None, each: bool, **asked: Any) -> None:
    """Check one target or each, compare two, or tell the story of a rule."""
    lang: Language = asked["lang"]
    if explained is not None:
        _explain(explained, asked["out"], lang)
        return
    if each and asked["out"] is not None and len(targets) > 1:
        raise BilingualUsageError(
            Text(
                "--out writes one report, and --each has several: check them one by one",
                "--out 只写一份报告，而 --each 有多个对象：请逐个检查",
            )
        )
    if not targets:
        raise BilingualUsageError(
            Text(
                "there is nothing to check: name a config.json, a folder, a .gguf file or a function",
                "没有要检查的对象：请给出 config.json、文件夹、.gguf 文件或函数",
            )
        )
    if len(targets) > 2 and not each:
        raise BilingualUsageError(
            Text(
                f"{len(targets)} targets are too many to compare: name two, or check --each by itself",
                f"{len(targets)} 个对象无法比较：请只给两个，或用 --each 逐个检查",
            )
        )
    from clockhands.cli.check_options import examined

    compared = len(targets) == 2 and not each
    _refuse_unheard(targets, compared, **asked)
    if each:
        _check_each(targets, **asked)
        return
    reports = [
        examined(target, overridden=not compared or place == 1, **asked)
        for place, target in enumerate(targets)
    ]
    if compared:
        _compare(reports[0], reports[1], asked["form"], lang)
    else:
        _report(reports, each=False, **asked)


def _check_each(targets: tuple[str, ...], **asked: Any) -> None:
    """Every target that can be used; of those that can't be, each is told, and the exit code is theirs."""
    from clockhands.cli.check_options import examined

    reports: list[Report] = []
    unusable: dict[Text, ClockhandsError] = {}  # an option that no target can take is told once
    for target in targets:
        try:
            reports.append(examined(target, overridden=True, **asked))
        except ClockhandsError as error:
            unusable[error.text] = error
    if not unusable:
        _report(reports, each=True, **asked)
        return
    if reports:
        _say(reports, each=True, **asked)
    *others, last = unusable.values()
    for error in others:
        tell(Text(f"clockhands: {error.text.en}", f"clockhands：{error.text.zh}"), asked["lang"])
    raise last


def _refuse_unheard(
    targets: tuple[str, ...], compared: bool, *, form: str, out: str | None, signature: str | None,
    head_dim: int | None, **_: Any,
) -> None:  # fmt: skip
    """Raises BilingualUsageError for options that would change nothing."""
    from clockhands.check.names import names_function

    if compared and out is not None:
        raise BilingualUsageError(
            Text(
                "--out writes the report of one target, and two are compared: check one, or leave it out",
                "--out 写的是一个对象的报告，而这里比较两个：请只检查一个，或去掉它",
            )
        )
    if compared and form in ("sarif", "github"):
        raise BilingualUsageError(
            Text(
                f"--format {form} lists findings, and two targets are compared: use text or json, or --each",
                f"--format {form} 列出发现的问题，而这里比较两个对象：请用 text 或 json，或用 --each",
            )
        )
    if (signature or head_dim) and not any(map(names_function, targets)):
        name = "--signature" if signature else "--head-dim"
        raise BilingualUsageError(
            Text(
                f"{name} tells how a function is called, and no target is one: leave it out",
                f"{name} 说明怎样调用函数，而这里没有函数：请去掉",
            )
        )


def _report(reports: list[Report], *, each: bool, strict: bool, **asked: Any) -> None:
    _say(reports, each=each, **asked)
    if any(report.failed(strict) for report in reports):
        click.get_current_context().exit(FAILED)


def _say(reports: list[Report], *, each: bool, form: str, out: str | None, lang: Language, **_: Any) -> None:
    if out is not None:
        from clockhands.check.outputs.files import save

        save(reports[0], out, lang)
        tell(Text(f"wrote {out}", f"已写入 {out}"), lang)
    written = _written(reports, each, form, lang)
    if written:
        click.echo(written)


def _written(reports: list[Report], each: bool, form: str, lang: Language) -> str:
    if form == "json":
        records = [report.as_record(lang) for report in reports]
        return _json(records if each else records[0])
    if form == "sarif":
        from clockhands import __version__
        from clockhands.check.outputs.sarif import as_sarif
        from clockhands.check.rules import EVERY

        return _json(as_sarif(reports, EVERY, __version__, lang))
    if form == "github":
        from clockhands.check.outputs.github import as_github

        return harmless("\n".join(filter(None, (as_github(report, lang) for report in reports))))
    from clockhands.cli.check_text import as_text

    return harmless("\n\n\n".join(as_text(report, lang, page_width()) for report in reports))


def _compare(first: Report, second: Report, form: str, lang: Language) -> None:
    from clockhands.check.compare import differences
    from clockhands.check.read.gguf_published import comparable

    found = differences(*comparable(first.subject, second.subject))
    if form == "json":
        click.echo(_json({
            "targets": [first.subject.target, second.subject.target],
            "equal": not found,
            "differences": [each.as_record(lang) for each in found],
        }))  # fmt: skip
    else:
        from clockhands.cli.check_text import comparison

        click.echo(harmless(comparison(first, second, found, lang, page_width())))
    if found:
        click.get_current_context().exit(FAILED)


def _explain(code: str, out: str | None, lang: Language) -> None:
    from clockhands.check.rules import EVERY, explain
    from clockhands.cli.check_text import story, table_of_rules

    if code == ALL:
        if out is not None:
            raise BilingualUsageError(
                Text(
                    "--explain all draws nothing: name one rule for -o, such as CH001",
                    "--explain all 不画图：要用 -o，请给出一条规则，例如 CH001",
                )
            )
        click.echo(table_of_rules(EVERY, lang, page_width()))
        return
    rule = explain(code)
    if out is not None:
        from clockhands.check.outputs.stories import draw

        draw(rule, out, lang)
        tell(Text(f"wrote {out}", f"已写入 {out}"), lang)
    click.echo(story(rule, lang, page_width()))


def _json(record: Any) -> str:
    import json

    return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False)


command = Command(
    "check",
    callback=run,
    help=Text(
        "Say what a model really does with position, and what is wrong with it; or compare two.",
        "查出一个模型到底怎样处理位置、有什么问题；或者比较两个模型。",
    ),
    examples=(
        "clockhands check config.json",
        "clockhands check model.gguf --served-length 32768 --framework llama.cpp",
        "clockhands check original/ port/config.json",
        'clockhands check config.json --override \'{"rope_scaling": {"rope_type": "yarn", "factor": 4}}\'',
        'clockhands check mine.rope:rotate --probe --head-dim 64 --signature "q, k, position_ids"',
        "clockhands check --explain CH001",
    ),
    params=[
        Argument(
            ["targets"],
            nargs=-1,
            metavar="[TARGET]...",
            help=Text(
                "A config.json, a folder with one, a .gguf file, smollm2, an id in the hub's cache, or "
                "package.module:function; two are compared.",
                "config.json、含有它的文件夹、.gguf 文件、smollm2、模型库缓存中的编号，或 "
                "package.module:function；给两个则作比较。",
            ),
        ),
        Option(
            ["--each"],
            is_flag=True,
            help=Text(
                "Check every target by itself, however many, instead of comparing two.",
                "逐个检查所有对象（数量不限），而不是比较两个。",
            ),
        ),
        Option(
            ["--override"],
            metavar="JSON",
            help=Text(
                "Keys laid over the configuration, as a server's command line does; over the second one "
                "where two are compared.",
                "覆盖配置的键，如同推理服务器的命令行；比较两个对象时只用于后一个。",
            ),
            shown_default=Text("none", "无"),
        ),
        Option(
            ["--llama-cpp"],
            metavar="OPTIONS",
            help=Text(
                "Options of llama.cpp that it is served with, in one string.",
                "部署时所用的 llama.cpp 选项，写成一个字符串。",
            ),
            shown_default=Text("none", "无"),
        ),
        Option(
            ["--served-length"],
            type=WHOLE,
            metavar="N",
            help=Text("Tokens that it is to be served with.", "部署时的长度（词元）。"),
            shown_default=Text("not asked", "不检查"),
        ),
        Option(
            ["--dtype"],
            metavar="NAME",
            help=Text("Precision that angles are computed in.", "计算角度所用的精度。"),
            shown_default="float32",
        ),
        Option(
            ["--framework"],
            type=Choice(("transformers", "vllm", "llama.cpp")),
            default="transformers",
            help=Text("Which framework serves it.", "用哪个框架部署。"),
            shown_default="transformers",
        ),
        Option(
            ["--measure"],
            is_flag=True,
            help=Text(
                "Also build a small random model of the same class and measure what it does.",
                "另外按同一个类建一个随机小模型，实测它怎样处理位置。",
            ),
        ),
        Option(
            ["--probe"],
            is_flag=True,
            help=Text("The target is a function: run it and see.", "对象是函数：运行并观察它。"),
        ),
        Option(
            ["--signature"],
            metavar="NAMES",
            help=Text("What the function takes.", "函数的参数。"),
            shown_default='"q, k, position_ids"',
        ),
        Option(
            ["--head-dim"],
            type=WHOLE,
            metavar="N",
            help=Text("Width of the heads the function is given.", "传给函数的头的宽度。"),
            shown_default="64",
        ),
        Option(
            ["--format", "form"],
            type=Choice(FORMATS),
            default="text",
            help=Text("How to print it.", "输出格式。"),
            shown_default="text",
        ),
        Option(
            ["--out", "-o"],
            metavar="FILE",
            help=Text(
                "Also write a report with pictures: .html, .png, .svg or .pdf.",
                "另外写出带图的报告：.html、.png、.svg 或 .pdf。",
            ),
            shown_default=Text("none", "无"),
        ),
        Option(
            ["--strict"],
            is_flag=True,
            help=Text("Exit with 1 for warnings too.", "有警告时退出码也为 1。"),
        ),
        Option(
            ["--explain", "explained"],
            metavar="CODE",
            help=Text(
                "Tell the story of a finding, such as CH001, with -o a picture; all lists every rule.",
                "讲解一条发现，例如 CH001，加 -o 则配图；all 列出所有规则。",
            ),
        ),
        lang_option(),
    ],
)
