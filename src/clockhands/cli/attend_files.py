"""The files that ``clockhands attend`` writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from clockhands.analysis import export
from clockhands.analysis.attention_trace import AttentionRun, Sentence
from clockhands.analysis.labelled import Labelled
from clockhands.errors import MissingExtra
from clockhands.language import Language, Text
from clockhands.plots.attention import attention, require_few_maps
from clockhands.plots.curves import curves
from clockhands.plots.overview import overview, require_few_in_all
from clockhands.text import Segmenter
from clockhands.training import AttendSettings, Result
from clockhands.training.corpus import DRAWN
from clockhands.training.settings import Task
from clockhands.web.attention_file import ENDING, save_attention
from clockhands.writing import make_folder

_TASKS: dict[Task, Text] = {
    "next-token": Text("guessing the next token", "预测下一个词元"),
    "masked": Text("guessing masked tokens", "猜被遮住的词元"),
    "reconstruct": Text(
        "giving back one's own embedding, which needs no position", "还原自己的嵌入（用不着位置）"
    ),
}


def require_drawable(settings: AttendSettings) -> None:
    """Raise ClockhandsError where ``write_maps`` could not draw what comes of the training."""
    require_few_maps(settings.model_layers, settings.heads)
    sentences = len(settings.sentences) or min(len(settings.texts) or DRAWN, DRAWN)
    require_few_in_all(sentences, settings.model_layers, settings.heads)


def write_maps(
    out: Path, settings: AttendSettings, maps: Sequence[Labelled], lang: Language
) -> Iterator[Path]:
    """One picture a sentence, one of all, and their numbers; ``rope_attention_sentence1.png`` and so on.

    maps  one ``(layer, head, query, key)`` a sentence
    """
    make_folder(out)
    card, task = settings.description().card, task_of(settings)
    for number, one in enumerate(maps, 1):
        title = Text(f"{card.name}: sentence {number}", f"{card.name}：第 {number} 句")
        picture = attention(one, causal=settings.causal, lang=lang, title=title, about=task)
        yield picture.save(out / f"{card.id}_attention_sentence{number}.png")
    whole = overview(maps, causal=settings.causal, lang=lang, about=_scheme_and_task(settings))
    yield whole.save(out / f"{card.id}_attention_overview.png")
    yield export.save(out / f"{card.id}_attention.npz", *whole.data)


def write_for_page(out: Path, settings: AttendSettings, traces: Sequence[Sentence]) -> Path:
    """Queries and keys, for ``clockhands page --attention``; ``rope_attention.safetensors``."""
    run = AttentionRun(_scheme_and_task(settings), tuple(_with_words(settings, traces)))
    return save_attention(out / f"{settings.description().card.id}{ENDING}", run)


def _with_words(settings: AttendSettings, traces: Sequence[Sentence]) -> Iterator[Sentence]:
    """The sentences, and where their words stand if their tokens are smaller, for the page to join."""
    segment = Segmenter("words", settings.lang, dictionary=settings.dictionary)
    for one in traces:
        try:
            words = () if settings.tokenizer == "words" else segment(one.text).spans
        except MissingExtra:  # no jieba, so the browser's words must do
            words = ()
        yield replace(one, words=words)


def task_of(settings: AttendSettings) -> Text:
    """What the maps were trained for, in a few words."""
    task = _TASKS[settings.task]
    if settings.as_printed:
        return Text(f"{task.en}, as printed in the article", f"{task.zh}，照文章原样")
    return task


def write_curves(out: Path, result: Result, lang: Language) -> Iterator[Path]:
    """The loss over the steps, and its numbers."""
    about = _scheme_and_task(result.settings)
    picture = curves(result.curves, lang=lang, about=about, measured=Text("loss", "损失"))
    yield picture.save(out / "loss.png")
    yield export.save(out / "loss.csv", *picture.data)


def _scheme_and_task(settings: AttendSettings) -> Text:
    name, task = settings.description().card.name, task_of(settings)
    return Text(f"{name}, {task.en}", f"{name}，{task.zh}")
