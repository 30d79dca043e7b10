"""``clockhands demo``: the gallery, a page that works offline."""

from __future__ import annotations

from pathlib import Path

import click

from clockhands.cli.bilingual import Command, Option
from clockhands.cli.common import lang_option, texts_argument, texts_option
from clockhands.cli.console import progress_bar
from clockhands.cli.kinds import DIR
from clockhands.language import Language, Text


def run(out: Path, text: tuple[Path, ...], more_text: tuple[Path, ...], lang: Language) -> None:
    """Write the gallery and print the path of its page."""
    from clockhands.demo import build
    from clockhands.plots.fonts import fonts_for

    if lang == "zh":
        fonts_for("中")  # without a font for it each picture would be missing: said once, and before the work
    texts = (*text, *more_text)
    with progress_bar(Text("chapter", "章"), lang) as progress:
        page = build(out, lang=lang, texts=texts or None, progress=progress)
    click.echo(page)


command = Command(
    "demo",
    callback=run,
    help=Text(
        "Write a gallery of clock hands, heat maps and attention maps: a page that works offline.",
        "生成图集：时钟指针、热力图、注意力图，离线打开即可观看。",
    ),
    examples=("clockhands demo", "clockhands demo --out gallery --lang zh --text novel.txt"),
    params=[
        Option(
            ["--out", "-o"],
            type=DIR,
            default="demo",
            help=Text(
                "Folder to write to: new, empty, or an earlier gallery.",
                "输出文件夹：新的、空的，或者以前的图集。",
            ),
            shown_default="demo",
        ),
        texts_option(Text("the sample passages", "自带的短文")),
        lang_option(),
        texts_argument(),
    ],
)
