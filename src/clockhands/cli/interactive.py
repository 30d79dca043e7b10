"""``clockhands page``: the interactive page as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clockhands.cli.bilingual import Command, Option
from clockhands.cli.common import lang_option, named_once
from clockhands.cli.console import tell
from clockhands.cli.kinds import FILE, SETTING
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text

BARE = Text(
    "the page brings no Chinese glyphs, so a machine without a Chinese font shows boxes: to put them in, run "
    'pip install "clockhands[zh]" and write it again',
    "页面没有自带汉字字形，在没有中文字体的机器上会显示成方框：要带上字形，请先运行 "
    'pip install "clockhands[zh]"，再重新写出页面',
)


def run(
    out: Path,
    model: str | None,
    scheme: str | None,
    parameters: tuple[tuple[str, Any], ...],
    attention: tuple[Path, ...],
    lang: Language,
) -> None:
    """Write the page, and say where it is and how large."""
    if model is not None and scheme is not None:
        raise ClockhandsError(
            "--model and --scheme both say what the page starts with: give one of the two",
            "--model 和 --scheme 都是页面打开时显示的内容：两者只能选一个",
        )
    if parameters and scheme is None:
        raise ClockhandsError(
            "--set gives a parameter of a scheme, and --scheme is missing: name the scheme",
            "--set 给出的是方案的参数，但没有 --scheme：请指明方案",
        )
    from clockhands import web
    from clockhands.catalogue import as_description

    shown = model if scheme is None else as_description(scheme, **named_once(parameters, {}))
    path = web.save(out, lang=lang, model=shown, attention=attention)
    size = path.stat().st_size / 1000
    tell(
        Text(
            f"wrote {path} ({size:,.0f} kB); open it in a browser, no network is needed",
            f"已写入 {path}（{size:,.0f} kB）；用浏览器打开即可，不需要网络",
        ),
        lang,
    )
    if lang == "zh" and "@font-face" not in path.read_text(encoding="utf-8"):
        tell(BARE, lang)


command = Command(
    "page",
    callback=run,
    help=Text(
        "Write an interactive page, one HTML file: every scheme's hands, map, curve and more, moved by one "
        "slider.",
        "写出一个可交互的页面（一个 HTML 文件）：各种方案的指针、所有位置对的图、曲线等，由一个滑块带动。",
    ),
    examples=(
        "clockhands page -o page.html",
        "clockhands page -o mine.html --model config.json --lang zh",
        "clockhands page -o smollm2.html --model smollm2",
        "clockhands page -o fire.html --scheme fire --set num_heads=4",
        "clockhands page -o heads.html --attention out",
    ),
    params=[
        Option(
            ["--model"],
            metavar="MODEL",
            help=Text(
                "A config.json, a folder with one, a .gguf file, or smollm2, whose hands the page starts "
                "with.",
                "config.json、含有它的文件夹、.gguf 文件或 smollm2，页面打开时显示这个模型的指针。",
            ),
            shown_default=Text("none", "无"),
        ),
        Option(
            ["--scheme"],
            help=Text(
                "Any scheme that the page starts with; clockhands list names them.",
                "页面打开时显示的任何一种方案；clockhands list 会列出全部。",
            ),
            shown_default=Text("none", "无"),
        ),
        Option(
            ["--set", "parameters"],
            type=SETTING,
            multiple=True,
            help=Text(
                "A parameter of the scheme, such as num_heads=4; may be repeated.",
                "方案的参数，如 num_heads=4，可以重复使用。",
            ),
        ),
        Option(
            ["--attention"],
            type=FILE,
            multiple=True,
            help=Text(
                "A folder of clockhands attend, or its …_attention.safetensors, whose maps the page has; may "
                "be repeated.",
                "clockhands attend 写出的文件夹，或其中的 …_attention.safetensors，页面里会有它的注意力图，"
                "可以重复使用。",
            ),
            shown_default=Text("none", "无"),
        ),
        Option(
            ["--out", "-o"],
            type=FILE,
            default=Path("page.html"),
            help=Text("File to write: .html.", "输出文件：.html。"),
            shown_default="page.html",
        ),
        lang_option(),
    ],
)
