"""``clockhands attend``: train a small model on a text, and see where its attention looks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clockhands.cli.attend_real_options import OPTIONS, taken
from clockhands.cli.bilingual import Argument, Command, Option
from clockhands.cli.common import lang_option, named_once, texts_option
from clockhands.cli.console import on_terminal, tell
from clockhands.cli.failures import Interrupted
from clockhands.cli.kinds import DIR, FILE, REAL, SETTING, WHOLE, WINDOW, Choice
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Language, Text

if TYPE_CHECKING:
    from clockhands.training import Result


def run(out: Path | None, resume: bool, device: str, lang: Language, **given: Any) -> None:
    """Train, go on training, or look at new sentences with a finished run; then write what was seen."""
    given |= {"resume": resume, "device": device}
    real = taken(given)
    del given["resume"], given["device"]
    if real is not None:
        _look_at(real, out or Path("out"), device, lang, given)
        return
    given["more_text"] = tuple(Path(name) for name in given["more_text"])
    if any(find_spec(name) is None for name in ("torch", "safetensors")):
        raise MissingExtra(Text("Training", "训练"), "torch")
    trained: Path | None = given.pop("run")
    asked = _settings(lang, **given)
    if trained is not None:
        if resume:
            raise ClockhandsError(
                "--run looks at new sentences and --resume goes on with training: give one of the two",
                "--run 用来看新句子，--resume 用来继续训练：两者只能选一个",
            )
        _look_with(trained, out or trained / "sentences", asked, device, lang)
        return
    _write(_trained(out or Path("out"), resume, asked, device, lang), out or Path("out"), lang)


def _look_at(real: dict[str, Any], out: Path, device: str, lang: Language, given: dict[str, Any]) -> None:
    """A model that is there already: its texts are what was said and what the files hold."""
    from clockhands.cli.attend_real import run_real
    from clockhands.text import parse_window

    chars = slice(None) if given["chars"] is None else parse_window(given["chars"])
    files = [_read(path, lang)[chars] for path in given["text"]]
    texts = [*given["sentence"], *given["more_text"], *files]
    run_real(
        real.pop("model"), texts, out, lang, tokenizer=real.pop("tokenizer_from"), tokens=given["tokens"],
        device=device, **real,
    )  # fmt: skip


def _trained(out: Path, resume: bool, asked: dict[str, Any], device: str, lang: Language) -> Result:
    from clockhands.cli.attend_files import require_drawable
    from clockhands.training import AttendSettings, Stopped, resume_attend, run_attend

    try:
        if resume:
            return resume_attend(out, asked, device=device, lang=lang, quiet=not on_terminal())
        settings = AttendSettings(**asked)
        require_drawable(settings)
        return run_attend(settings, out, device=device, lang=lang, quiet=not on_terminal())
    except Stopped as stopped:
        command = f"clockhands attend --resume -o {shlex.quote(str(out))}"
        if device != "cpu":
            command += f" --device {device}"
        raise Interrupted(
            Text(f"{stopped.text.en} ({command})", f"{stopped.text.zh}（{command}）")
        ) from stopped


def _write(result: Result, out: Path, lang: Language) -> None:
    from clockhands.cli.attend_files import write_curves, write_for_page, write_maps
    from clockhands.cli.attend_words import summary

    for line in summary(result):
        click.echo(line.said_in(lang))
    written = [
        *write_maps(out, result.settings, result.attention, lang),
        write_for_page(out, result.settings, result.traces),
        *write_curves(out, result, lang),
    ]
    _tell_written(written, result.notes, lang)


def _look_with(trained: Path, out: Path, asked: dict[str, Any], device: str, lang: Language) -> None:
    from clockhands.cli.attend_files import write_for_page, write_maps
    from clockhands.training import attend_with

    sentences, tokens = asked.pop("sentences", ()), asked.pop("tokens", None)
    if not sentences or asked:
        raise ClockhandsError(
            "--run draws new sentences with a finished run: give --sentence, and of the rest only --tokens",
            "--run 用训练好的模型画新句子：请给出 --sentence，其余选项只能再加 --tokens",
        )
    drawing = attend_with(trained, sentences, tokens=tokens, device=device)
    written = [
        *write_maps(out, drawing.settings, drawing.attention, lang),
        write_for_page(out, drawing.settings, drawing.traces),
    ]
    _tell_written(written, drawing.notes, lang)


def _tell_written(written: Sequence[Path], notes: Sequence[Text], lang: Language) -> None:
    for note in notes:
        tell(note, lang)
    for path in written:
        tell(Text(f"wrote {path}", f"已写入 {path}"), lang)


def _settings(
    lang: Language,
    text: tuple[Path, ...],
    more_text: tuple[Path, ...],
    sentence: tuple[str, ...],
    dictionary: Path | None,
    parameters: tuple[tuple[str, Any], ...],
    no_punctuation: bool,
    as_printed: bool,
    **plain: Any,
) -> dict[str, Any]:
    """The settings that were named, as ``AttendSettings`` takes them."""
    from clockhands.text import read_dictionary

    given = {name: value for name, value in plain.items() if value is not None}
    if text or more_text:
        given["texts"] = tuple(_read(path, lang) for path in (*text, *more_text))
    if sentence:
        given["sentences"] = sentence
    if dictionary is not None:
        given["dictionary"] = read_dictionary(dictionary)
    if parameters:
        given["parameters"] = named_once(parameters, {})
    if no_punctuation:
        given["punctuation"] = False
    if as_printed:
        given["as_printed"] = True
    return given


def _read(path: Path, lang: Language) -> str:
    from clockhands.text import read_text

    file = read_text(path)
    tell(Text(f"{path}: read as {file.encoding}", f"{path}：按 {file.encoding} 读取"), lang)
    return file.text


command = Command(
    "attend",
    callback=run,
    help=Text(
        "Train a small model on a text and write its attention maps, one file a sentence; or look at a model "
        "that is there already, with --model.",
        "用一段文本训练小模型，并写出注意力图，每个句子一个文件；也可以用 --model 查看现成的模型。",
    ),
    examples=(
        "clockhands attend --scheme rope --task reconstruct --seed 0 -o out",
        "clockhands attend --task next-token --text novel.txt --chars 20000 -o novel",
        "clockhands attend --run novel --sentence 鲁提辖拳打镇关西",
        "clockhands attend --model smollm2 武松打虎之后，下山去了阳谷县。 -o out",
    ),
    params=[
        *OPTIONS,
        Option(
            ["--scheme"],
            help=Text(
                "Positional encoding; clockhands list names them.", "位置编码；clockhands list 会列出全部。"
            ),
            shown_default="rope",
        ),
        Option(
            ["--set", "parameters"],
            type=SETTING,
            multiple=True,
            help=Text(
                "A parameter of the scheme, such as base=500; may be repeated.",
                "方案的参数，如 base=500，可以重复使用。",
            ),
        ),
        Option(
            ["--task"],
            type=Choice(("next-token", "masked", "reconstruct")),
            help=Text(
                "Guess the next token, guess hidden tokens, or give back one's own embedding.",
                "预测下一个词元、猜被遮住的词元，或还原自己的嵌入。",
            ),
            shown_default="reconstruct",
        ),
        Option(
            ["--as-printed"],
            is_flag=True,
            help=Text("Reconstruct as the article does, padding unmasked.", "照文章原样还原：不遮住填充。"),
        ),
        texts_option(Text("the sample passages", "自带的短文")),
        Option(
            ["--sentence"],
            multiple=True,
            metavar="TEXT",
            help=Text("A sentence to draw; may be repeated.", "要画的句子，可以重复使用。"),
            shown_default=Text("the beginnings of the first three texts", "前三篇文本的开头"),
        ),
        Option(
            ["--tokenizer"],
            type=Choice(("words", "chars", "bytes")),
            help=Text(
                "Words (jieba for Chinese), characters, or bytes.", "按词（中文用 jieba）、按字，或按字节。"
            ),
            shown_default="words",
        ),
        Option(
            ["--dict", "dictionary"],
            type=FILE,
            help=Text(
                "Words of your own that jieba keeps whole, one a line.",
                "你自己的词典，每行一个词，分词时不会拆开。",
            ),
        ),
        Option(
            ["--no-punctuation"],
            is_flag=True,
            help=Text("Leave punctuation out.", "去掉标点。"),
        ),
        Option(
            ["--tokens"],
            type=WINDOW,
            help=Text("Which tokens of each sentence to draw, e.g. 0:40.", "每个句子画哪些词元，如 0:40。"),
        ),
        Option(
            ["--chars"],
            type=WINDOW,
            help=Text(
                "Which characters of each text to train on, e.g. 20000.", "每篇文本用哪些字符训练，如 20000。"
            ),
        ),
        Option(
            ["--layers"],
            type=WHOLE,
            help=Text("Number of layers.", "层数。"),
            shown_default=Text("by task", "随任务"),
        ),
        Option(
            ["--heads"],
            type=WHOLE,
            help=Text("Number of attention heads.", "注意力头数。"),
            shown_default="4",
        ),
        Option(
            ["--dim"],
            type=WHOLE,
            help=Text("Width of the model.", "模型宽度。"),
            shown_default=Text("by task", "随任务"),
        ),
        Option(
            ["--epochs"],
            type=WHOLE,
            help=Text("Times over the text.", "训练轮数。"),
            shown_default=Text("by task", "随任务"),
        ),
        Option(
            ["--batch"],
            type=WHOLE,
            help=Text("Windows of text a step.", "每步的文本窗口数。"),
            shown_default="16",
        ),
        Option(
            ["--context"],
            type=WHOLE,
            help=Text("Tokens of a window.", "每个窗口的词元数。"),
            shown_default="64",
        ),
        Option(
            ["--lr", "learning_rate"],
            type=REAL,
            help=Text("Learning rate.", "学习率。"),
            shown_default=Text("by task", "随任务"),
        ),
        Option(
            ["--seed"],
            type=WHOLE,
            help=Text("Same seed, same numbers.", "随机种子：种子相同，结果相同。"),
            shown_default="0",
        ),
        Option(
            ["--device"],
            type=Choice(("cpu", "cuda", "mps")),
            default="cpu",
            help=Text("Where to compute.", "在哪里计算。"),
            shown_default="cpu",
        ),
        Option(
            ["--resume"],
            is_flag=True,
            help=Text("Go on with the run in the output folder.", "继续输出文件夹里中断的训练。"),
        ),
        Option(
            ["--run"],
            type=DIR,
            help=Text(
                "Draw new sentences with the finished run in this folder.",
                "用这个文件夹里训练好的模型画新句子。",
            ),
        ),
        Option(
            ["--out", "-o"],
            type=DIR,
            help=Text("Folder to write to, made if it is missing.", "输出文件夹，没有就新建。"),
            shown_default=Text("out; with --run, its folder sentences", "out；用 --run 时为其中的 sentences"),
        ),
        lang_option(),
        Argument(
            ["more_text"],
            nargs=-1,
            metavar="[FILE]...",
            help=Text(
                "More files after --text; with --model, texts.",
                "--text 之后的其他文件；用 --model 时为文本。",
            ),
        ),
    ],
)
