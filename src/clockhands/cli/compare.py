"""``clockhands compare``: encodings trained alike and tested beyond their training length."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clockhands.cli.bilingual import Argument, BilingualUsageError, Command, Option
from clockhands.cli.common import lang_option
from clockhands.cli.compare_asked import called, design_of, require_same, text_in
from clockhands.cli.compare_show import REPORT_FILE, show, told_outcomes
from clockhands.cli.console import on_terminal
from clockhands.cli.failures import Interrupted
from clockhands.cli.kinds import FILE, REAL, WHOLE, Choice, Number, PathKind
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.experiments.store import Store

REPORT = "report"
PLACE = ("workers", "ray", "gpus_per_cell", "data_parallel", "log")
"""Options that say where it is carried out; the numbers do not hang on them."""


def _rates(word: str) -> tuple[float, ...]:
    return tuple(float(rate) for rate in word.split(","))


MULTIPLES = Number("1,X[,X...]", _rates, Text("give numbers with commas", "请给出用逗号隔开的数"))
RATES = Number("X[,X...]", _rates, Text("give numbers with commas", "请给出用逗号隔开的数"))


def run(
    words: tuple[str, ...],
    form: str,
    out: Path | None,
    resume: bool,
    lang: Language,
    **given: Any,
) -> None:
    """Begin a comparison, go on with one, or read what one found."""
    given = {name: value for name, value in given.items() if value is not None}
    if words:
        _read(words, form, out, resume, given, lang)
        return
    if find_spec("torch") is None:
        raise MissingExtra(Text("Training", "训练"), "torch")
    where = {name: given.pop(name) for name in PLACE if name in given}
    folder = out or Path("comparison")
    if "recipe" in given:
        _follow(given, folder, resume, where, form, lang)
        return
    store = _carried_out(folder, resume, where, given, lang)
    show(store, form, store.path / REPORT_FILE, lang)


def _follow(
    given: dict[str, Any], out: Path, resume: bool, where: dict[str, Any], form: str, lang: Language
) -> None:
    """Carry out what a function of the user's returns, and tell each part of it."""
    from clockhands.cli.compare_recipe import carried_out, recipe_at

    others = sorted(set(given) - {"recipe", "text"})
    if others:
        option = called(others[0])
        raise ClockhandsError(
            f"--recipe says all of the comparison: leave {option} out",
            f"--recipe 已包含比较的全部设置：请去掉 {option}",
        )
    text = text_in(given["text"], lang) if "text" in given else None
    with _interruptible(out, f"--recipe {shlex.quote(given['recipe'])} "):
        recipe = recipe_at(given["recipe"], text)
        stores = carried_out(recipe, out, resume, where, not on_terminal(), lang)
    for store in stores:
        show(store, form, store.path / REPORT_FILE, lang)
    said = told_outcomes(stores, form, lang)
    if said:
        click.echo(f"\n{said}")


def _read(
    words: tuple[str, ...], form: str, out: Path | None, resume: bool, given: dict[str, Any], lang: Language
) -> None:
    from clockhands.experiments.store import Store

    verb, *folders = words
    if verb != REPORT or len(folders) != 1 or not folders[0]:
        raise BilingualUsageError(
            Text(f"'{' '.join(words)}' is not understood here: write 'clockhands compare report FOLDER'",
                 f"这里看不懂“{' '.join(words)}”：请写成“clockhands compare report 目录”"),
            click.get_current_context(),
        )  # fmt: skip
    if given or resume:
        raise ClockhandsError(
            "'report' reads what is there and runs nothing: leave all but --format, --lang and -o out",
            "report 只读取已有结果，不做训练：除 --format、--lang 和 -o 外，请去掉其他选项",
        )
    show(Store(Path(folders[0])), form, out, lang)


def _carried_out(
    out: Path, resume: bool, where: dict[str, Any], given: dict[str, Any], lang: Language
) -> Store:
    from clockhands.experiments import run as running
    from clockhands.experiments.store import Store

    quiet = not on_terminal()
    with _interruptible(out):
        if resume:
            if given:
                require_same(Store(out).design(""), given, lang)
            text = text_in(given["text"], lang) if "text" in given else None
            return running.resume(out, **where, text=text, quiet=quiet, lang=lang)
        return running.run(design_of(given, lang), out, **where, quiet=quiet, lang=lang)


@contextmanager
def _interruptible(out: Path, more: str = "") -> Iterator[None]:
    """What Ctrl-C leaves is gone on with by a command, which is said."""
    from clockhands.training import Stopped

    try:
        yield
    except Stopped as stopped:
        command = f"clockhands compare {more}--resume -o {shlex.quote(str(out))}"
        raise Interrupted(
            Text(f"{stopped.text.en} ({command})", f"{stopped.text.zh}（{command}）")
        ) from stopped


command = Command(
    "compare",
    callback=run,
    help=Text(
        "Train encodings alike, test them beyond the training length, and say what the seeds support.",
        "用同样的条件训练各种编码，在超过训练长度处测试，并说明种子数能支持什么结论。",
    ),
    examples=(
        "clockhands compare --schemes rope,alibi,nope --tasks copy,reverse -o run",
        "clockhands compare --resume -o run",
        "clockhands compare report run --lang zh -o report.html",
    ),
    params=[
        Argument(
            ["words"],
            nargs=-1,
            metavar="[report DIR]",
            help=Text("Read what a comparison found; nothing is run.", "读取已有的比较结果，不做训练。"),
        ),
        Option(
            ["--schemes"],
            metavar="NAME,NAME...",
            help=Text(
                "Encodings; parameters go in parentheses: 'rope,rope(rope_theta=500)'.",
                "要比较的编码；参数写在括号里：'rope,rope(rope_theta=500)'。",
            ),
        ),
        Option(
            ["--tasks"],
            metavar="NAME,NAME...",
            help=Text(
                "copy, reverse, sort, count, addition, addition-reversed, parity, even-pairs, dyck, recall, "
                "passkey; of encoders reverse-at-once, repeat-at-once; of a text characters, bytes, words, "
                "and of an encoder masked-words.",
                "copy、reverse、sort、count、addition、addition-reversed、parity、even-pairs、dyck、recall、"
                "passkey；编码器：reverse-at-once、repeat-at-once；读文本：characters、bytes、words，"
                "以及编码器的 masked-words。",
            ),
        ),
        Option(
            ["--recipe"],
            metavar="MODULE:NAME",
            help=Text(
                "A function of yours that returns a Design, or a Recipe with hypotheses.",
                "自己写的函数，返回 Design，或带假设的 Recipe。",
            ),
        ),
        Option(
            ["--preset"],
            type=Choice(("quick", "standard", "paper")),
            help=Text("Sizes, steps, seeds and items that go together: minutes, hours, days.",
                      "成套的模型大小、步数、种子数和题数：几分钟、几小时、几天。"),
            shown_default="quick",
        ),
        Option(
            ["--seeds"],
            type=WHOLE,
            help=Text("Runs of each scheme on each task.", "每种方案在每个任务上训练几次。"),
            shown_default=Text("by preset", "随预设"),
        ),
        Option(["--steps"], type=WHOLE, help=Text("Steps of each run.", "每次训练的步数。"),
               shown_default=Text("by preset", "随预设")),
        Option(
            ["--length"],
            type=WHOLE,
            help=Text(
                "Longest question trained on; tests go to four times that.",
                "训练时最长的题；测试到它的四倍。",
            ),
            shown_default=Text("by preset", "随预设"),
        ),
        Option(
            ["--lr", "rates"],
            type=RATES,
            help=Text(
                "Learning rates; of several, each scheme gets its best within the training length.",
                "学习率；给多个时，每种方案按训练长度内的损失选取。",
            ),
            shown_default=Text("by preset", "随预设"),
        ),
        Option(
            ["--text"],
            type=FILE,
            help=Text(
                "Text for characters, bytes, words and masked-words.",
                "characters、bytes、words、masked-words 所用的文本。",
            ),
        ),
        Option(
            ["--context"],
            type=WHOLE,
            help=Text("Tokens of a training window of that text.", "该文本训练窗口的词元数。"),
            shown_default=Text("by preset", "随预设"),
        ),
        Option(
            ["--multiples"],
            type=MULTIPLES,
            help=Text("Lengths of the tests, in training lengths.", "测试长度，以训练长度为 1。"),
            shown_default="1,1.5,2,4",
        ),
        Option(
            ["--probes"],
            metavar="NAME,NAME...",
            help=Text(
                "Measured beside: sliding, shuffle (tasks with a text), position.",
                "另外测量：sliding、shuffle（读文本的任务）、position。",
            ),
        ),
        Option(
            ["--matching"],
            type=Choice(("parameters", "flops", "wall-clock")),
            help=Text("What is equal for all schemes.", "各方案在哪一点上相等。"),
            shown_default="parameters",
        ),
        Option(
            ["--workers"],
            type=WHOLE,
            help=Text(
                "Processes that train side by side, one thread each; with --ray, cells at once at most.",
                "同时训练的进程数，每个一个线程；用 --ray 时为同时训练的单元数上限。",
            ),
            shown_default=Text("1; with --ray, as many as fit", "1；用 --ray 时能放多少放多少"),
        ),
        Option(
            ["--ray"],
            metavar="ADDRESS",
            help=Text(
                "Train on a Ray cluster: host:port, auto, or local for one of this machine alone.",
                "在 Ray 集群上训练：主机:端口、auto，或只用本机的 local。",
            ),
        ),
        Option(
            ["--gpus-per-cell"],
            type=REAL,
            help=Text("GPUs of the cluster that each training gets.", "集群里每次训练用几块 GPU。"),
            shown_default="0",
        ),
        Option(
            ["--data-parallel"],
            type=WHOLE,
            help=Text(
                "Processes of the cluster that share each training's batches (Ray Train).",
                "集群里几个进程分担每次训练的批次（Ray Train）。",
            ),
            shown_default="1",
        ),
        Option(
            ["--log"],
            type=PathKind("DIR"),
            help=Text(
                "Also write the curves of each training there as it ends, for TensorBoard (extra 'log').",
                "每次训练结束时，把曲线也写到那里，供 TensorBoard 查看（扩展包“log”）。",
            ),
        ),
        Option(
            ["--resume"],
            is_flag=True,
            help=Text("Go on with the comparison in the output folder.", "继续输出目录里中断的比较。"),
        ),
        Option(
            ["--format", "form"],
            type=Choice(("text", "json", "md", "tex", "csv")),
            default="text",
            help=Text("How to print what was found.", "结果的输出格式。"),
            shown_default="text",
        ),
        Option(
            ["--out", "-o"],
            type=PathKind("DIR|FILE"),
            help=Text(
                "Folder of the comparison; with report, a file (.html, .md, .tex, .csv, .parquet, .json) or "
                "a folder of pictures.",
                "比较结果的目录；用 report 时为文件（.html、.md、.tex、.csv、.parquet、.json）或图片目录。",
            ),
            shown_default=Text("comparison; with report, no pictures", "comparison；用 report 时不画图"),
        ),
        lang_option(),
    ],
)  # fmt: skip
