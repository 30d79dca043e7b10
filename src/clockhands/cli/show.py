"""``clockhands show``: one view of one scheme, or of one's own numbers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clockhands.cli.bilingual import Argument, Command, Option
from clockhands.cli.common import lang_option, named_once
from clockhands.cli.console import progress_bar, tell
from clockhands.cli.kinds import FILE, REAL, SETTING, SPAN, WHOLE, Choice
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.writing import require_place

if TYPE_CHECKING:
    from clockhands.catalogue import Description

MOVING = ("clock",)
"""Views that are animations; all others stand still."""


def run(
    scheme: str | None,
    view: str | None,
    positions: range | None,
    settings: tuple[tuple[str, Any], ...],
    data: Path | None,
    out: Path | None,
    lang: Language,
    **given: Any,
) -> None:
    """Draw one view and write it, with its numbers if they are asked for."""
    from clockhands.analysis import export
    from clockhands.plots.picture import Picture
    from clockhands.views import default_view, draw

    own = {name: path for name in ("inv_freq", "table", "bias") if (path := given.pop(name)) is not None}
    parameters = named_once(settings, {name: value for name, value in given.items() if value is not None})
    description = described(scheme, own, parameters)
    view = view or default_view(description)
    moves = view in MOVING
    out = out or Path(f"{description.card.id}-{view}.{'gif' if moves else 'png'}")
    require_places(out, data, moves=moves)
    with progress_bar(Text("step", "步"), lang) as progress:
        progress(0, 2)
        drawn = draw(view, description, positions=positions, lang=lang, progress=progress)
        progress(1, 2)
        written = [] if data is None else [export.save(data, *drawn.data)]
        still = isinstance(drawn, Picture)
        written.append(drawn.save(out) if still else drawn.save(out, progress=progress))
    for finding in drawn.findings if still else ():
        click.echo(finding.said_in(lang))
    for path in written:
        tell(Text(f"wrote {path}", f"已写入 {path}"), lang)


def require_places(out: Path, data: Path | None, *, moves: bool) -> None:
    """Refuse a place or an ending that can't be written before the drawing, not after it."""
    from clockhands.analysis import export
    from clockhands.plots.clock import animation
    from clockhands.plots.picture import require_format

    require_place(animation.require_format(out) if moves else require_format(out))
    if data is None:
        return
    require_place(export.require_format(data))
    if os.path.realpath(data) == os.path.realpath(out):
        raise ClockhandsError(
            f"--data and -o are both {data}: give the numbers a name of their own",
            f"--data 和 -o 都是 {data}：请给数据另起一个名字",
        )


def described(scheme: str | None, own: dict[str, Path], parameters: dict[str, Any]) -> Description:
    """The scheme that is named, or the one made of the file that is given."""
    from clockhands.catalogue import OwnBias, OwnFrequencies, OwnTable, describe

    if (scheme is not None) + len(own) != 1:
        raise ClockhandsError(
            "give one thing to show: a scheme such as rope, or one of --inv-freq, --table, --bias",
            "请只给出一样要看的东西：一个方案（例如 rope），或者 --inv-freq、--table、--bias 之一",
        )
    if scheme is not None:
        return describe(scheme, **parameters)
    kinds = {"inv_freq": OwnFrequencies, "table": OwnTable, "bias": OwnBias}
    ((name, path),) = own.items()
    if name in parameters:
        raise ClockhandsError(
            f"{name} is the file {path}: leave --set {name} out",
            f"{name} 由文件 {path} 给出：请去掉 --set {name}",
        )
    return kinds[name].with_parameters(**{name: str(path)}, **parameters)


command = Command(
    "show",
    callback=run,
    help=Text(
        "Draw one view of one scheme, or of your own frequencies, table or bias.",
        "画出一个方案的一种视图，也可以画你自己的频率、位置表或偏置。",
    ),
    examples=(
        "clockhands show sinusoidal --dim 32 --positions 100 --view heatmap -o heatmap.png",
        "clockhands show rope --view clock -o clock.gif",
        "clockhands show --inv-freq speeds.csv --view spectrum -o spectrum.svg --data spectrum.csv",
    ),
    params=[
        Argument(
            ["scheme"],
            required=False,
            metavar="[SCHEME]",
            help=Text("Which scheme; clockhands list names them.", "哪个方案；clockhands list 会列出全部。"),
        ),
        Option(
            ["--view"],
            metavar="NAME",
            help=Text(
                "What to draw: heatmap, clock, similarity, kernel, distance, spectrum, bias, distance-map, "
                "relative, verdict or card.",
                "画什么：heatmap 热力图、clock 时钟指针、similarity 相似度矩阵、kernel 相似度核、"
                "distance 相邻位置距离、spectrum 波长谱、bias 偏置图、distance-map 距离图、"
                "relative 相对性、verdict 检查结论、card 卡片。",
            ),
            shown_default=Text("the first that the scheme has", "方案的第一种视图"),
        ),
        Option(
            ["--dim"], type=WHOLE, help=Text("Width of the table, or of a head.", "位置表或注意力头的宽度。")
        ),
        Option(
            ["--base"],
            type=REAL,
            help=Text("Base of the frequencies (rope_theta).", "频率的底数 (rope_theta)。"),
        ),
        Option(["--heads"], type=WHOLE, help=Text("Number of heads of a bias.", "偏置的注意力头数。")),
        Option(
            ["--positions"],
            type=SPAN,
            help=Text(
                "How many positions, or which, e.g. 100 or 40:80.",
                "多少个位置，或哪些位置，如 100 或 40:80。",
            ),
        ),
        Option(
            ["--layout"],
            type=Choice(("half", "interleaved")),
            help=Text("Which dimensions are a pair.", "维度对的排列方式：前后对半或交错。"),
        ),
        Option(
            ["--set", "settings"],
            type=SETTING,
            multiple=True,
            help=Text(
                "Any other parameter of the scheme; may be repeated.", "方案的其他参数，可以重复使用。"
            ),
        ),
        Option(
            ["--inv-freq"],
            type=FILE,
            help=Text(
                "Your own frequencies, rad / token: .npy, .npz, .csv or .safetensors.",
                "你自己的频率，弧度 / 词元：.npy、.npz、.csv 或 .safetensors。",
            ),
        ),
        Option(
            ["--table"],
            type=FILE,
            help=Text("Your own table, one row a position.", "你自己的位置表，每行一个位置。"),
        ),
        Option(
            ["--bias"],
            type=FILE,
            help=Text("Your own bias, one row a head.", "你自己的偏置，每行一个注意力头。"),
        ),
        Option(
            ["--data"],
            type=FILE,
            help=Text("Also write the numbers drawn: .npz or .csv.", "另存图中的数据：.npz 或 .csv。"),
        ),
        Option(
            ["--out", "-o"],
            type=FILE,
            help=Text(
                "File to write: .png .svg .pdf; a clock also .gif .apng .webp .mp4.",
                "输出文件：.png .svg .pdf；时钟动画还可用 .gif .apng .webp .mp4。",
            ),
            shown_default=Text("SCHEME-VIEW.png, or .gif, here", "当前文件夹里的 方案-视图.png 或 .gif"),
        ),
        lang_option(),
    ],
)
