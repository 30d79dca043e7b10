"""``clockhands page``: the interactive page as one file."""

from __future__ import annotations

from pathlib import Path

from clockhands.cli.bilingual import Command, Option
from clockhands.cli.common import lang_option
from clockhands.cli.console import tell
from clockhands.cli.kinds import FILE
from clockhands.language import Language, Text


def run(out: Path, model: Path | None, attention: Path | None, lang: Language) -> None:
    """Write the page, and say where it is and how large."""
    from clockhands import web

    path = web.save(out, lang=lang, model=model, attention=attention)
    size = path.stat().st_size / 1000
    tell(
        Text(
            f"wrote {path} ({size:,.0f} kB); open it in a browser, no network is needed",
            f"已写入 {path}（{size:,.0f} kB）；用浏览器打开即可，不需要网络",
        ),
        lang,
    )


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
        "clockhands page -o heads.html --attention out",
    ),
    params=[
        Option(
            ["--model"],
            type=FILE,
            help=Text(
                "A config.json, or a folder with one, whose hands the page starts with.",
                "config.json 或含有它的文件夹，页面打开时显示这个模型的指针。",
            ),
            shown_default=Text("none", "无"),
        ),
        Option(
            ["--attention"],
            type=FILE,
            help=Text(
                "A folder that clockhands attend wrote, or a file …_attention.safetensors, whose maps the page "
                "holds.",
                "clockhands attend 写出的文件夹，或某个 …_attention.safetensors 文件，页面里会有它的注意力图。",
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
