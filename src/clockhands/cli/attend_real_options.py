"""The options of ``clockhands attend --model``."""

from __future__ import annotations

from typing import Any

from clockhands.cli.bilingual import Option
from clockhands.cli.kinds import DIR, Choice, Number
from clockhands.errors import ClockhandsError
from clockhands.language import Text

NAMES = ("layer", "head", "group", "merge", "hide", "tiles", "target", "tokenizer_from", "dtype")
"""Parameters that belong to ``--model`` alone."""

ALSO = ("sentence", "text", "more_text", "tokens", "out", "device", "lang", "chars")
"""Parameters of training that ``--model`` takes too."""


MOST_INDICES = 4096
"""Layers or heads; no model has as many."""


def indices(word: str) -> list[int]:
    """Numbers of layers or heads; ranges leave out their end, negative ones count from the end.

    >>> indices("0,4:6,-1")
    [0, 4, 5, -1]
    """
    found: list[int] = []
    for part in word.split(","):
        first, colon, last = part.partition(":")
        meant = range(int(first or 0), int(last)) if colon else [int(part)]
        if not meant or len(found) + len(meant) > MOST_INDICES:
            raise ValueError(word)
        found += meant
    return found


INDICES = Number(
    "N,A:B", indices, Text("give numbers and ranges such as 0,4:6,-1", "请给出编号和范围，例如 0,4:6,-1")
)

OPTIONS = (
    Option(
        ["--model"],
        metavar="MODEL",
        help=Text(
            "Look at a model in place of training one: a folder of transformers, a .gguf file, smollm2, or "
            "an id "
            "of the hub. The words after the options are then texts to look at.",
            "不训练，而是查看一个现成的模型：transformers 文件夹、.gguf 文件、smollm2 或模型库编号。"
            "选项之后的文字就是要看的文本。",
        ),
    ),
    Option(
        ["--layer"],
        type=INDICES,
        help=Text("Layers of the model to draw large, from 0.", "要画成大图的层，从 0 数起。"),
        shown_default=Text("the clearest heads", "最明显的头"),
    ),
    Option(
        ["--head"],
        type=INDICES,
        help=Text("Heads of these layers to draw large, from 0.", "这些层中要画成大图的头，从 0 数起。"),
        shown_default=Text("the clearest heads", "最明显的头"),
    ),
    Option(
        ["--group"],
        type=Choice(("pieces", "characters", "words")),
        help=Text(
            "What the model's pieces are put together to: nothing, whole characters, or words (jieba for "
            "Chinese).",
            "把模型的碎片合并成什么：不合并、完整的字，或词（中文用 jieba）。",
        ),
        shown_default="characters",
    ),
    Option(
        ["--merge"],
        type=Choice(("sum", "mean", "max")),
        help=Text(
            "How weights of pieces are put together; sum keeps the rows' sum.",
            "碎片的权重怎样合并；sum 保持每行之和。",
        ),
        shown_default="sum",
    ),
    Option(
        ["--hide"],
        metavar="NAME,...",
        help=Text(
            "Leave tokens out of the maps: first (the sink), special, padding; several with commas.",
            "图中不显示的词元：first（注意力汇）、special（特殊符号）、padding（填充），可用逗号并列。",
        ),
    ),
    Option(
        ["--tiles"],
        is_flag=True,
        help=Text(
            "Also write the large maps as tiles to zoom into, however long the text.",
            "另把大图导出为可缩放的图块，文本多长都行。",
        ),
    ),
    Option(
        ["--target"],
        metavar="TEXT",
        help=Text(
            "What the decoder of an encoder-decoder has written: its own maps and the cross attention are "
            "drawn too.",
            "编码器-解码器模型中解码器写出的文本：另外画出它自身的图和交叉注意力。",
        ),
    ),
    Option(
        ["--tokenizer-from"],
        type=DIR,
        help=Text("A folder or .gguf file with another tokenizer.", "含另一个分词器的文件夹或 .gguf 文件。"),
        shown_default=Text("the model's own", "模型自带的"),
    ),
    Option(
        ["--dtype"],
        type=Choice(("float32", "bfloat16", "float16")),
        help=Text("Precision that the model is loaded in.", "载入模型所用的精度。"),
        shown_default="float32",
    ),
)


def taken(given: dict[str, Any]) -> dict[str, Any] | None:
    """What belongs to ``--model``, taken out of ``given``; None without ``--model``.

    Raises ClockhandsError where options of one are given with the other.
    """
    own = {name: given.pop(name) for name in NAMES}
    model = given.pop("model")
    named = [name for name, value in own.items() if value] if model is None else [
        name for name, value in given.items() if name not in ALSO and value not in (None, (), False, "cpu")
    ]  # fmt: skip
    if named:
        option = "--" + {"parameters": "set", "dictionary": "dict", "learning_rate": "lr"}.get(
            named[0], named[0]
        ).replace("_", "-")
        raise ClockhandsError(
            f"{option} belongs to {'--model' if model is None else 'training'}, and this run "
            f"{'has none' if model is None else 'looks at a model'}: leave it out",
            f"{option} 只用于{' --model' if model is None else '训练'}，而这次"
            f"{'没有给出模型' if model is None else '是查看现成的模型'}：请去掉",
        )
    return None if model is None else {"model": model, **own}
