"""``clockhands extend``: a longer context, what each method does to the hands, and the settings to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clockhands.cli.bilingual import Argument, Command, Option
from clockhands.cli.common import lang_option
from clockhands.cli.console import harmless, tell
from clockhands.cli.kinds import WHOLE, Choice
from clockhands.cli.page import page_width
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.extend import Plan

ALL = "all"
METHODS = (
    "linear", "ntk", "dynamic", "yarn", "llama3", "longrope", "self-extend", "rerope", "dual-chunk",
)  # fmt: skip
"""Ids of ``clockhands.extend``; a test holds them to it, so that help needs no numpy."""

FRAMEWORKS = ("transformers", "vllm", "sglang", "llama.cpp")


def run(
    target: str,
    to: int,
    method: str,
    settings: str,
    trained: int | None,
    dtype: str | None,
    form: str,
    out: str | None,
    lang: Language,
) -> None:
    """Make a plan and print it."""
    from clockhands.cli.check_options import dtype_named
    from clockhands.extend import plan

    made = plan(
        target,
        to,
        methods=None if method == ALL else [method],
        trained=trained,
        dtype=None if dtype is None else dtype_named(dtype),
    )
    if out is not None:
        _save(made, out, lang)
    click.echo(harmless(_written(made, settings, form, lang)))


def _save(made: Plan, out: str, lang: Language) -> None:
    from clockhands.extend.page import save

    if made.steps:
        save(made, out, lang)
        tell(Text(f"wrote {out}", f"已写入 {out}"), lang)
    else:
        tell(Text(f"{out} is not written: there is nothing to draw", f"没有写 {out}：没有可画的"), lang)


def _written(made: Plan, settings: str, form: str, lang: Language) -> str:
    frameworks = FRAMEWORKS if settings == ALL else (settings,)
    if form == "json":
        import json

        record = made.as_record(lang)
        for step in record["methods"]:
            step["settings"] = [each for each in step["settings"] if each["framework"] in frameworks]
            step["missing"] = {name: why for name, why in step["missing"].items() if name in frameworks}
        return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False)
    from clockhands.cli.extend_text import as_text

    return as_text(made, frameworks, lang, page_width())


command = Command(
    "extend",
    callback=run,
    help=Text(
        "Plan a longer context: what each method does to a model's hands, which to begin with, and the "
        "settings to paste.",
        "规划更长的上下文：每种方法对模型的指针做了什么、先试哪一种、要粘贴的设置。",
    ),
    examples=(
        "clockhands extend config.json --to 131072",
        "clockhands extend model.gguf --to 32768 --settings llama.cpp",
        "clockhands extend config.json --to 65536 --method ntk -o plan.html",
    ),
    params=[
        Argument(
            ["target"],
            metavar="TARGET",
            help=Text(
                "A config.json, a folder with one, or a .gguf file.",
                "config.json、含有它的文件夹，或 .gguf 文件。",
            ),
        ),
        Option(
            ["--to"],
            type=WHOLE,
            metavar="N",
            required=True,
            help=Text("Tokens that it is to read.", "要读的词元数。"),
        ),
        Option(
            ["--method"],
            type=Choice((ALL, *METHODS)),
            metavar="NAME",
            default=ALL,
            help=Text(
                f"One method ({', '.join(METHODS)}), or all of them side by side.",
                f"一种方法（{'、'.join(METHODS)}），或把所有方法并排列出。",
            ),
            shown_default=ALL,
        ),
        Option(
            ["--settings"],
            type=Choice((ALL, *FRAMEWORKS)),
            default=ALL,
            help=Text("Whose settings to print.", "打印哪个框架的设置。"),
            shown_default=ALL,
        ),
        Option(
            ["--trained"],
            type=WHOLE,
            metavar="N",
            help=Text(
                "Tokens it was trained on, where the file doesn't say it or says it wrong.",
                "训练长度（词元），文件没写或写错时给出。",
            ),
            shown_default=Text("from the file", "见文件"),
        ),
        Option(
            ["--dtype"],
            metavar="NAME",
            help=Text("Precision that angles are computed in.", "计算角度所用的精度。"),
            shown_default="float32",
        ),
        Option(
            ["--format", "form"],
            type=Choice(("text", "json")),
            default="text",
            help=Text("How to print it.", "输出格式。"),
            shown_default="text",
        ),
        Option(
            ["--out", "-o"],
            metavar="FILE",
            help=Text(
                "Also write it with pictures: .html, .png, .svg or .pdf.",
                "另外写出带图的方案：.html、.png、.svg 或 .pdf。",
            ),
            shown_default=Text("none", "无"),
        ),
        lang_option(),
    ],
)
