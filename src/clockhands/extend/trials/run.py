"""Methods of a longer context tried on a model: planned, checked, read window by window, and kept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel

from clockhands.errors import ClockhandsError
from clockhands.extend.methods import IDS
from clockhands.extend.plan import Plan, plan
from clockhands.extend.trials.checking import checked, fingerprint, require_finite, require_room
from clockhands.extend.trials.costs import Costs, in_words, measured
from clockhands.extend.trials.design import PART, USUAL, Cell, Design, lengths_for, slides_for
from clockhands.extend.trials.distances import attentions_of
from clockhands.extend.trials.files import write
from clockhands.extend.trials.found import Found
from clockhands.extend.trials.losses import read
from clockhands.extend.trials.store import Row, Store
from clockhands.extend.trials.texts import (
    Ids,
    numbered,
    passkey,
    require_rows,
    room_for_passkey,
    window,
)
from clockhands.extend.trials.variants import Remapped, Slowed, Variant, require_rotary
from clockhands.language import Language, Text
from clockhands.training.alone import alone_in
from clockhands.training.loop import Bar, Stopped

RAN_OUT = ("can't allocate memory", "not enough memory", "out of memory")
"""What torch says where memory ran out."""

READING = Text("reading", "读取中")

TOLD = 30.0
"""Seconds after which a line says how far it is, where no bar is shown."""


@dataclass(frozen=True)
class Trial:
    """All that is needed to read: nothing of it changes while that goes on."""

    model: PreTrainedModel
    design: Design
    ids: Ids
    variants: Mapping[str, Variant]

    def read(self, cell: Cell) -> Row:
        """Carry out one cell."""
        begun, answer = time.perf_counter(), None
        if cell.kind == "passkey":
            inputs, targets, answer = passkey(self.ids, cell)
        else:
            inputs, targets = window(self.ids, self.design, cell)
        last = self.design.part if cell.kind == "sliding" else answer
        with (
            _memory_running_out_said(cell.length),
            self.variants[cell.method].applied(self.model, cell.length),
        ):
            found = read(self.model, inputs, targets, last=last)
        retrieved = None if answer is None else bool(found.right.all())
        return Row(found.losses.numpy(), time.perf_counter() - begun, retrieved)


def trial(
    model: PreTrainedModel,
    text: str | Sequence[int],
    *,
    to: int,
    tokenizer: Any = None,
    name: str | None = None,
    methods: Sequence[str] | None = None,
    trained: int | None = None,
    full: bool = False,
    lengths: Sequence[int] | None = None,
    stretches: int = 1,
    slides: int | None = None,
    path: str | os.PathLike[str] | None = None,
    quiet: bool = True,
    lang: Language = "en",
    say: Callable[[Text], None] | None = None,
) -> Found:
    """What a model makes of a text longer than it was trained on, as it is and with each method.

    model      a causal language model of transformers with rotary positions, with its weights
    text       words, which ``tokenizer`` cuts, or token ids
    to         tokens wanted: every method gets the settings that ``plan`` proposes for this length
    methods    ids of ``METHODS``; None: five usual ones, or all with ``full``
    trained    tokens trained on, where the model doesn't say it or says it wrong
    full       the trained length times 1, 2, 4 and 8 instead of 1 and 2, all windows of the text instead of
               the last one, windows that slide, and passkeys where there is a tokenizer
    lengths    tokens of the windows, where they are to be others
    stretches  of a full run: how many windows of the longest length the text is cut into
    slides     of a full run: windows that end a quarter of the trained length apart; None: as many as read
               2,048 tokens at their ends, and four at least
    path       folder that keeps every window that was read, and a report; what is there is gone on with
    quiet      no progress bar on the error stream
    say        is told how long it will take, before the first window; and now and then how far it is, where
               there is no bar

    The model is as before when this returns. Raises ClockhandsError for a model or text that can't be used,
    before anything is read, and Stopped after Ctrl-C; finished windows stay in ``path``.
    """
    require_rotary(model)
    require_finite(model)
    given = methods if methods is not None else IDS if full else USUAL
    made = plan(model.config.to_dict(), to, methods=list(given), trained=trained)
    if made.factor <= 1:
        raise ClockhandsError(
            f"{to:,} tokens are within the {made.source.trained:,} that the model knows: there is nothing to "
            "try; ask for more with to (--to)",
            f"{to:,} 个词元没有超过模型熟悉的 {made.source.trained:,} 个：没有可试的；请把 to（--to）改大",
        )
    sizes = _sizes(lengths, made, full)
    part = max(1, made.source.trained // PART)
    sliding = (slides_for(part) if slides is None else max(1, slides)) if full else 1
    most = stretches * sizes[-1] + (sliding - 1) * part
    ids = numbered(text, tokenizer, sizes[-1], most)
    require_rows(ids, model.get_input_embeddings().weight.shape[0])  # type: ignore[union-attr]
    require_room(model, sizes[-1])
    with _evaluating(model):
        variants, left_out = checked(model, made, ids)
        count = len(ids.ids) - 1
        design = Design(
            model=name or type(model).__name__, fingerprint=fingerprint(model), trained=made.source.trained,
            to=to, methods=tuple(variants), lengths=sizes, tokens=min(count, stretches * sizes[-1]),
            text=ids.checksum, dtype=str(next(model.parameters()).dtype).removeprefix("torch."),
            begin=ids.begin, every=full, slides=min(sliding, 1 + (count - sizes[-1]) // part),
            passkey=room_for_passkey(ids) if full and tokenizer is not None else None,
            settings={id: _settings(each) for id, each in variants.items()}, left_out=left_out,
        )  # fmt: skip
        asked = Trial(model, design, ids, variants)
        if path is None:
            return _carried_out(asked, None, quiet, lang, say)
        store = Store(Path(path))
        store.begin(design)
        with alone_in(store.path):
            try:
                return _carried_out(asked, store, quiet, lang, say)
            finally:
                found = Found(design, store.rows(design), store.path)
                if found.rows:
                    write(found, lang)


@contextmanager
def _evaluating(model: PreTrainedModel) -> Iterator[None]:
    learning = model.training
    try:
        model.eval()
        yield
    finally:
        model.train(learning)


def _carried_out(
    asked: Trial, store: Store | None, quiet: bool, lang: Language, say: Callable[[Text], None] | None
) -> Found:
    design = asked.design
    rows = {} if store is None else store.rows(design)
    left = [cell for cell in design.cells() if cell not in rows]
    if left:
        remapped = [each for each in asked.variants.values() if isinstance(each, Remapped)]
        costs = measured(asked.model, design.longest, remapped[0] if remapped else None)
        if say is not None:
            say(_estimate(design, left, len(rows), sum(_cost(costs, asked, cell) for cell in left)))
        total, told = sum(_cost(costs, asked, cell) for cell in left), time.monotonic()
        try:
            with Bar(
                total=round(total, 3), disable=quiet, desc=READING.said_in(lang), leave=False,
                bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining} {postfix}",
            ) as bar:  # fmt: skip
                for cell in left:
                    bar.set_postfix_str(f"{cell.method} {cell.length:,}", refresh=False)
                    with _stepping(asked.model, bar, _cost(costs, asked, cell)):
                        rows[cell] = asked.read(cell)
                    if store is not None:
                        store.add(cell, rows[cell])
                    if quiet and say is not None and time.monotonic() - told > TOLD:
                        say(_so_far(len(rows), len(design.cells()), cell))
                        told = time.monotonic()
        except KeyboardInterrupt as interrupt:
            raise _stopped(len(rows), len(design.cells()), kept=store is not None) from interrupt
    ordered = {cell: rows[cell] for cell in design.cells()}
    return Found(design, ordered, None if store is None else store.path)


def _cost(costs: Costs, asked: Trial, cell: Cell) -> float:
    return costs.of(cell, asked.variants[cell.method])


@contextmanager
def _stepping(model: PreTrainedModel, bar: Bar, cost: float) -> Iterator[None]:
    """Within it the bar goes on with every layer; a window of a long text takes minutes."""
    layers = attentions_of(model)

    def step(*_: Any) -> None:
        bar.update(cost / len(layers))

    handles = [] if bar.disable else [layer.register_forward_hook(step) for layer in layers]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _estimate(design: Design, left: Sequence[Cell], done: int, seconds: float) -> Text:
    time_en, time_zh = in_words(seconds)
    threads = torch.get_num_threads()
    tokens = sum(cell.length for cell in left)
    there = Text(f"{done:,} are read already; ", f"已读 {done:,} 个；") if done else Text("", "")
    return Text(
        f"{there.en}{len(left):,} windows are left, {tokens:,} tokens in all: about {time_en} with {threads} "
        "threads (measured on a short piece)",
        f"{there.zh}还要读 {len(left):,} 个窗口，共 {tokens:,} 个词元：{threads} 个线程约需 {time_zh}"
        "（按一小段实测估计）",
    )


def _so_far(done: int, every: int, cell: Cell) -> Text:
    return Text(
        f"{done:,} of {every:,} windows are read ({cell.method}, {cell.length:,} tokens)",
        f"{every:,} 个窗口已读 {done:,} 个（{cell.method}，{cell.length:,} 个词元）",
    )


def _sizes(lengths: Sequence[int] | None, made: Plan, full: bool) -> tuple[int, ...]:
    if lengths is None:
        return lengths_for(made.source.trained, made.to, full=full)
    sizes = tuple(sorted({int(each) for each in lengths}))
    if not sizes or sizes[0] < made.source.trained // PART or sizes[0] < 2:
        raise ClockhandsError(
            f"lengths are {list(lengths)}, but the shortest window must hold a quarter of the trained "
            f"length, {made.source.trained // PART:,} tokens: leave out shorter ones",
            f"lengths 为 {list(lengths)}，但最短的窗口要有训练长度的四分之一"
            f"（{made.source.trained // PART:,} 个词元）：请去掉更短的",
        )
    return sizes


def _settings(variant: Variant) -> Any:
    if isinstance(variant, Slowed):
        return dict(variant.keys)
    if isinstance(variant, Remapped):
        told = {name: value for name, value in vars(variant.remap).items() if value is not None}
        return {"remap": variant.remap.card.id, **told}
    return {}


@contextmanager
def _memory_running_out_said(length: int) -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        if not any(words in str(error).lower() for words in RAN_OUT):
            raise
        raise ClockhandsError(
            f"a window of {length:,} tokens needs more memory than there is: ask for less with --to, or for "
            "--dtype bfloat16",
            f"{length:,} 个词元的窗口需要的内存超过了现有内存：请减小 --to，或用 --dtype bfloat16",
        ) from error


def _stopped(done: int, every: int, *, kept: bool) -> Stopped:
    if kept:
        return Stopped(
            f"stopped after {done:,} of {every:,} windows, which are kept: the same command goes on",
            f"已读 {every:,} 个窗口中的 {done:,} 个，结果已保存：再运行同样的命令即可继续",
        )
    return Stopped(
        f"stopped after {done:,} of {every:,} windows; nothing was kept, since no folder was given",
        f"已读 {every:,} 个窗口中的 {done:,} 个；没有给出目录，所以没有保存",
    )
