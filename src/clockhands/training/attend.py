"""Train on a text, and see where attention looks: what ``clockhands attend`` does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from clockhands.analysis.attention_trace import Sentence
from clockhands.analysis.axes import NATS_A_TOKEN
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.text import UNK, Segmented, Vocabulary
from clockhands.text.labels import label_of
from clockhands.training.alone import alone_in
from clockhands.training.checkpoint import Checkpoints, load_weights, save_weights
from clockhands.training.corpus import Corpus, drawable, prepared, segmenter_for
from clockhands.training.device import device_of
from clockhands.training.history import HELD_OUT, LOSS, History
from clockhands.training.job import Job
from clockhands.training.lesson import Lesson, lesson_of
from clockhands.training.loop import train
from clockhands.training.maps import Maps, attention_maps
from clockhands.training.reconstruct import Reconstruct, Reconstructor
from clockhands.training.room import memory_running_out_said
from clockhands.training.run_folder import RunFolder, fingerprint
from clockhands.training.settings import AttendSettings
from clockhands.training.tasks import Masked, NextToken, transformer_for

JOBS: Mapping[str, type[NextToken | Masked | Reconstruct]] = {
    "next-token": NextToken,
    "masked": Masked,
    "reconstruct": Reconstruct,
}
MILESTONE = 50
"""The article prints the loss every 50 epochs."""

RISEN = 1.5
"""A loss that ends so many times as large as it began comes of no chance of the last step."""

NAMED = 10
"""Unknown words that a message names."""


@dataclass(frozen=True)
class Result:
    """A finished run.

    settings    with everything filled in; attention: one Labelled ``(layer, head, query, key)`` a sentence
    traces      the same sentences with queries and keys, as the page draws them
    curves      training loss by step, and held-out loss if there is some
    milestones  (epoch, loss) every 50 epochs: the mean over the steps of that epoch
    held_out    last held-out loss, nats a token; None where nothing is held out
    lesson      of the task ``reconstruct``
    notes       what a person should know
    folder      where the run is saved, None if it is not
    """

    settings: AttendSettings
    attention: tuple[Labelled, ...]
    traces: tuple[Sentence, ...]
    curves: tuple[Labelled, ...]
    milestones: tuple[tuple[int, float], ...]
    held_out: float | None
    lesson: Lesson | None
    notes: tuple[Text, ...]
    folder: Path | None


@dataclass(frozen=True)
class Drawing:
    """New sentences seen by a finished run: as in ``Result``."""

    settings: AttendSettings
    attention: tuple[Labelled, ...]
    traces: tuple[Sentence, ...]
    notes: tuple[Text, ...]


def run_attend(
    settings: AttendSettings,
    out: str | os.PathLike[str] | None = None,
    *,
    device: str = "cpu",
    quiet: bool = False,
    lang: Language = "en",
    save_every: float | None = None,
) -> Result:
    """Segment the texts, train, measure, and take the attention weights of the sentences.

    out         folder to keep the run in, so that it can be stopped, resumed and used again; None: none
    device      ``cpu``, ``cuda`` or ``mps``
    quiet       no progress bar on the error stream
    save_every  seconds between two saves, 0: after each step; None: as often as costs a fiftieth of the time

    Where ``out`` holds a run with the same settings, that one is gone on with. Raises ClockhandsError for bad
    input, for a folder that holds another run or files of its names that are no run's, and (Stopped) after
    Ctrl-C.
    """
    how = _How(device_of(device), quiet, lang, save_every)
    if out is None:
        return _carried_out(settings, prepared(settings), None, how)
    folder = RunFolder(Path(out))
    if folder.has_progress:
        return _asked_again(settings, folder, how)
    folder.require_unused()
    return _carried_out(settings, prepared(settings), folder, how, begin=True)


def resume_attend(
    out: str | os.PathLike[str],
    given: Mapping[str, Any] | None = None,
    *,
    device: str = "cpu",
    quiet: bool = False,
    lang: Language = "en",
    save_every: float | None = None,
) -> Result:
    """Go on with the run in ``out`` from its last saved step; the result is as if it had never stopped.

    given  settings named anew; they must be those of the run

    Raises ClockhandsError if there is no run, it is damaged or of another version, or a setting changed.
    """
    how = _How(device_of(device), quiet, lang, save_every)
    folder = RunFolder(Path(out))
    settings = folder.settings()
    _refuse_changes(folder, settings, given or {})
    return _carried_out(settings, folder.read_corpus(settings), folder, how)


@memory_running_out_said()
def attend_with(
    run: str | os.PathLike[str],
    sentences: Sequence[str],
    *,
    tokens: str | None = None,
    device: str = "cpu",
) -> Drawing:
    """Attention weights of new sentences with the finished run in ``run``; unknown words become ``<unk>``.

    Raises ClockhandsError if there is no finished run, or a sentence can't be drawn.
    """
    where = device_of(device)
    folder = RunFolder(Path(run))
    settings = folder.settings()
    vocabulary = folder.read_vocabulary()
    if settings.task == "reconstruct":
        model = Reconstructor(settings, len(vocabulary))
    else:
        model = transformer_for(settings, len(vocabulary))
    load_weights(folder.weights, model)
    segmenter = segmenter_for(settings)
    drawn = [drawable(segmenter(sentence), tokens) for sentence in sentences]
    length = max((len(text.ids) for text in folder.read_corpus(settings).train), default=0)
    maps = attention_maps(model.to(where), settings, vocabulary, drawn, where, length)
    return Drawing(settings, maps.sentences, maps.traces, _strangers(vocabulary, drawn))


@dataclass(frozen=True)
class _How:
    """What changes nothing in the numbers."""

    device: torch.device
    quiet: bool
    lang: Language
    save_every: float | None


def _strangers(vocabulary: Vocabulary, sentences: Sequence[Segmented]) -> tuple[Text, ...]:
    unknown = vocabulary.unknown(key for sentence in sentences for key in sentence.keys)
    if not unknown:
        return ()
    named = [label_of(word) for word in unknown[:NAMED]]
    en, zh = ", ".join(named), "、".join(named)
    if len(unknown) > NAMED:
        en, zh = f"{en} and {len(unknown) - NAMED} more", f"{zh}等 {len(unknown)} 个词"
    return (Text(f"the run does not know {en}: read as <unk>", f"训练时没有见过：{zh}，一律当作 <unk>"),)


def _asked_again(settings: AttendSettings, folder: RunFolder, how: _How) -> Result:
    if not folder.was_asked(settings):
        raise ClockhandsError(
            f"{folder.path} holds a run with other settings: give another folder, "
            "or go on with the one that is there by --resume",
            f"{folder.path} 里已有一次设置不同的训练：请换一个目录，或用 --resume 继续原来的训练",
        )
    result = _carried_out(settings, folder.read_corpus(settings), folder, how)
    note = Text(
        f"{folder.path} holds a run with the same settings, which was gone on with",
        f"{folder.path} 里已有设置相同的训练，已接着做完",
    )
    return replace(result, notes=(note, *result.notes))


@memory_running_out_said()
def _carried_out(
    settings: AttendSettings, corpus: Corpus, folder: RunFolder | None, how: _How, *, begin: bool = False
) -> Result:
    job = JOBS[settings.task](settings, corpus, how.device)
    if folder is None:
        history = train(job, quiet=how.quiet, lang=how.lang)
    else:
        if begin:  # only now, when it is known to fit
            folder.make()
        with alone_in(folder.path):
            folder.sweep()
            if begin:
                folder.fill(settings, corpus)
            checkpoints = Checkpoints(folder.path)
            history = train(job, checkpoints, quiet=how.quiet, lang=how.lang, save_every=how.save_every)
            history.write(folder.metrics)
            save_weights(folder.weights, job.model)
    maps = attention_maps(job.model, settings, corpus.vocabulary, corpus.sentences, how.device)
    lesson = None
    if isinstance(job, Reconstruct):
        lesson = lesson_of(settings, corpus, history, maps, how.device)
    held_out = history.values(HELD_OUT)
    unit = NOTHING if isinstance(job, Reconstruct) else NATS_A_TOKEN  # squares have none
    return Result(
        settings=settings.filled(job.steps // job.steps_per_epoch),
        attention=maps.sentences,
        traces=maps.traces,
        curves=tuple(history.curve(name, unit) for name in (LOSS, HELD_OUT) if name in history),
        milestones=_milestones(job, history),
        held_out=float(held_out[-1]) if len(held_out) else None,
        lesson=lesson,
        notes=(*corpus.notes, *_diverged(history), *_unknown(corpus), *_padding(maps)),
        folder=None if folder is None else folder.path,
    )


def _milestones(job: Job, history: History) -> tuple[tuple[int, float], ...]:
    by_epoch = history.values(LOSS).reshape(-1, job.steps_per_epoch).mean(1)
    epochs = range(MILESTONE, len(by_epoch) + 1, MILESTONE)
    return tuple((epoch, float(by_epoch[epoch - 1])) for epoch in epochs)


def _diverged(history: History) -> tuple[Text, ...]:
    first, last = history.values(LOSS)[[0, -1]]
    if last <= RISEN * first:
        return ()
    return (
        Text(
            f"nothing was learned: the loss rose from {first:.4g} to {last:.4g}; use a lower learning rate",
            f"没有学到东西：损失从 {first:.4g} 升到了 {last:.4g}，请降低学习率",
        ),
    )


def _unknown(corpus: Corpus) -> tuple[Text, ...]:
    count = sum(len(text.ids) for text in corpus.held_out)
    if not count:
        return ()
    share = sum(int((text.ids == UNK).sum()) for text in corpus.held_out) / count
    return (
        Text(
            f"{count:,} tokens are held out; {share:.0%} of them are unknown words, left out of the loss",
            f"留出 {count:,} 个词元，其中 {share:.0%} 是生词，不计入损失",
        ),
    )


def _padding(maps: Maps) -> tuple[Text, ...]:
    return tuple(
        Text(
            f"sentence {number}: {share:.0%} of the weight is on padding, which the map cuts away",
            f"第 {number} 句：{share:.0%} 的权重落在填充上，图中已裁去",
        )
        for number, share in enumerate(maps.on_padding, 1)
        if share > 0
    )


def _refuse_changes(folder: RunFolder, settings: AttendSettings, given: Mapping[str, Any]) -> None:
    plain = [name for name in given if name not in ("texts", "parameters", "scheme")]
    changed = [name for name in plain if given[name] != getattr(settings, name)]
    if "texts" in given and fingerprint(given["texts"]) != folder.texts_fingerprint():
        changed.append("texts")
    if "scheme" in given or "parameters" in given:
        scheme = given.get("scheme", settings.description().card.id)
        asked = replace(settings, scheme=scheme, parameters=given.get("parameters", {}))
        if asked.description() != settings.description():
            changed.append("scheme")
    if changed:
        names = ", ".join(changed)
        raise ClockhandsError(
            f"this run was begun with other settings of {names}: leave them out, or train in a new folder",
            f"这次训练开始时的 {names} 与现在给出的不同：请去掉这些选项，或在新的目录重新训练",
        )
