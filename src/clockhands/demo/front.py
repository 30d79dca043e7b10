"""The top and the foot of the page."""

from __future__ import annotations

from collections.abc import Sequence

from clockhands.demo.chapter import Chapter, Figure
from clockhands.demo.page import Front
from clockhands.demo.passages import Passages
from clockhands.demo.speech import said
from clockhands.language import Text

TITLE = Text("How a transformer knows what comes first", "Transformer 怎么知道谁先谁后")
LEAD = (
    Text(
        "A sentence is words in an order. The heart of a transformer, attention, sees only the words. "
        "Position has to be brought in from outside, and most of the ways that people found are, looked "
        "at closely, the same little machine: a set of clock hands.",
        "句子是有顺序的词。而 Transformer 的核心，注意力，只看得见词。位置要从外面带进去；人们想出的办法，"
        "细看之下大多是同一台小机器：一组时钟指针。",
    ),
    Text(
        "This page takes the machine apart in {steps} steps: one picture, one surprise, one question "
        "each. On the way it checks what is often said about position against the numbers.",
        "本页分 {steps} 步把这台机器拆开看：每步一幅图、一个意外、一个问题。一路上，还会拿数字核对一些常"
        "见的说法。",
    ),
)
SAMPLES = Text(
    "The examples use three short passages about the first chapters of the *Water Margin*, {total} "
    "{unit} in all. With `clockhands demo --text FILE` they use yours.",
    "例子用的是三段关于《水浒传》开头几回的短文，共 {total} 个{unit}。用 `clockhands demo --text 文件` "
    "可以换成你自己的文本。",
)
GIVEN = Text(
    "The examples use your text: {total} {unit}, beginning {start}.",
    "例子用的是你给的文本：共 {total} 个{unit}，开头是 {start}。",
)
UNTRAINED = Text(
    "Wherever something is random or untrained, the picture says so, with its seed. Every picture comes "
    "with the numbers it shows.",
    "凡是随机的、没有训练过的东西，图上都会写明，并给出随机种子。每幅图都附有它所画的数据。",
)


def front(chapters: Sequence[tuple[str, Chapter]], passages: Passages) -> Front:
    """The first moving picture of the story is also the page's own."""
    figures = [f for _, chapter in chapters for f in chapter.figures if isinstance(f, Figure) and f.still]
    unit = {"total": passages.total, "unit": passages.tokenizer}
    source = said(GIVEN, start=passages.short[0], **unit) if passages.given else said(SAMPLES, **unit)
    return Front(
        title=TITLE,
        lead=tuple(said(text, steps=len(chapters)) for text in LEAD),
        figure=figures[0] if figures else None,
        foot=(source, UNTRAINED),
    )
