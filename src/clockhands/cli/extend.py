"""``clockhands extend``: a longer context, what each method does to the hands, and the settings to paste."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clockhands.cli.bilingual import Argument, Command, Option
from clockhands.cli.common import lang_option
from clockhands.cli.console import harmless, tell
from clockhands.cli.kinds import FILE, WHOLE, Choice
from clockhands.cli.page import page_width
from clockhands.errors import ClockhandsError
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
    text: Path | None,
    full: bool,
    lang: Language,
) -> None:
    """Make a plan and print it, or try it on a text."""
    if text is not None:
        from clockhands.cli.extend_try import tried

        if settings != ALL:
            raise ClockhandsError(
                "--settings belongs to a plan: leave it out, or leave --try out",
                "--settings 用于规划：请去掉它，或去掉 --try",
            )
        tried(target, text, to, None if method == ALL else [method], trained, dtype, full, form, out, lang)
        return
    if full:
        raise ClockhandsError(
            "--full belongs to --try: give a text with it", "--full 用于 --try：请同时给出文本"
        )
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
        "settings to paste; and try the methods on a text.",
        "规划更长的上下文：每种方法对模型的指针做了什么、先试哪一种、要粘贴的设置；并可用一篇文本实际试一试。",
    ),
    examples=(
        "clockhands extend config.json --to 131072",
        "clockhands extend model.gguf --to 32768 --settings llama.cpp",
        "clockhands extend smollm2 --to 32768",
        "clockhands extend config.json --to 65536 --method ntk -o plan.html",
        "clockhands extend smollm2 --to 16384 --try novel.txt -o tried",
    ),
    params=[
        Argument(
            ["target"],
            metavar="TARGET",
            help=Text(
                "A config.json, a folder with one, a .gguf file, smollm2, or an id in the hub's cache; with "
                "--try a model with its weights.",
                "config.json、含有它的文件夹、.gguf 文件、smollm2，或模型库缓存中的编号；"
                "用 --try 时要有模型的权重。",
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
            help=Text(
                "Precision that angles are computed in; with --try, that the model computes in.",
                "计算角度所用的精度；用 --try 时为模型的计算精度。",
            ),
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
            metavar="FILE|DIR",
            help=Text(
                "Also write it with pictures: .html, .png, .svg or .pdf; with --try a folder, which keeps "
                "every window and is gone on with.",
                "另外写出带图的方案：.html、.png、.svg 或 .pdf；用 --try 时为目录，保存每个窗口，"
                "可接着运行。",
            ),
            shown_default=Text("none; with --try, tried", "无；用 --try 时为 tried"),
        ),
        Option(
            ["--try", "text"],
            type=FILE,
            help=Text(
                "Let the model read this text, as it is and with five methods (or that of --method), at one "
                "and two trained lengths.",
                "让模型读这篇文本：原样和五种方法（或 --method 给出的一种），长度为训练长度的一倍和两倍。",
            ),
        ),
        Option(
            ["--full"],
            is_flag=True,
            help=Text(
                "With --try: all methods, up to eight trained lengths, all windows, sliding ones, passkeys.",
                "用 --try 时：所有方法，直到训练长度的八倍，全部窗口、滑动窗口和密码检索。",
            ),
        ),
        lang_option(),
    ],
)
