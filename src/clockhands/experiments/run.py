"""Carry a comparison out on this machine: cells one after the other, or in processes of one thread each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from clockhands.catalogue.rules import require_count
from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import Cell, cells
from clockhands.experiments.design import Design
from clockhands.experiments.store import Store
from clockhands.experiments.trial import built, perform
from clockhands.experiments.workers import Workers
from clockhands.language import Language, Text
from clockhands.training.loop import Bar, Stopped

RUNNING = Text("comparing", "比较中")
MOST_WORKERS = 512


def run(
    design: Design,
    path: str | os.PathLike[str],
    *,
    workers: int = 1,
    quiet: bool = True,
    lang: Language = "en",
) -> Store:
    """Begin a comparison in the folder ``path`` and carry it out.

    workers  processes, each with one thread; 1: no other process than this one
    quiet    no progress bar on the error stream

    Raises ClockhandsError if something is there already or a scheme can't be built, before anything is
    trained, and Stopped after Ctrl-C; what was finished is kept, and ``resume`` goes on.
    """
    require_count(workers, "workers", most=MOST_WORKERS)
    _require_runnable(design)
    store = Store(Path(path))
    store.begin(design)
    return _finish(store, design, workers, quiet, lang)


def resume(
    path: str | os.PathLike[str], *, workers: int = 1, quiet: bool = True, lang: Language = "en"
) -> Store:
    """Go on with the comparison in the folder ``path``: only cells that have not ended are run."""
    require_count(workers, "workers", most=MOST_WORKERS)
    store = Store(Path(path))
    return _finish(store, store.design(), workers, quiet, lang)


def work(store: Store, design: Design, cell: Cell, after_step: Callable[[int], None]) -> None:
    """Train, test and keep one cell."""
    rate = chosen_rate(store, design, cell) if cell.rate is None else cell.rate
    store.save(cell, perform(design, cell, rate, after_step))


def chosen_rate(store: Store, design: Design, cell: Cell) -> float:
    """The rate with the least mean loss within the training length over the tuning seeds.

    One that failed with any seed comes last; the lower rate wins where losses are equal.
    """
    losses: dict[float, list[float]] = {rate: [] for rate in sorted(design.rates)}
    for one in cells(design):
        if (one.stage, one.scheme.label, one.task) == ("tuning", cell.scheme.label, cell.task):
            row = store.row(one)
            assert one.rate is not None
            assert row is not None
            losses[one.rate].append(float("inf") if row.failed else row.validation)
    return min(losses, key=lambda rate: sum(losses[rate]))


def _finish(store: Store, design: Design, workers: int, quiet: bool, lang: Language) -> Store:
    every = cells(design)
    missing = list(store.missing(design))
    total, left = sum(cell.steps for cell in every), sum(cell.steps for cell in missing)
    stages = [[cell for cell in missing if cell.stage == stage] for stage in ("tuning", "final")]
    try:
        with Bar(
            total=total, initial=total - left, disable=quiet, desc=RUNNING.said_in(lang), leave=False
        ) as bar:
            carry_out = _in_processes if workers > 1 and len(missing) > 1 else _here
            carry_out(store, design, [stage for stage in stages if stage], workers, bar)
    except (KeyboardInterrupt, Stopped) as stopped:
        done = len(every) - sum(1 for _ in store.missing(design))
        raise Stopped(
            f"stopped with {done} of {len(every)} cells finished, which are kept: go on with --resume",
            f"已停下，{len(every)} 个单元中完成了 {done} 个，均已保存：可用 --resume 继续",
        ) from stopped
    return store


def _here(store: Store, design: Design, stages: list[list[Cell]], workers: int, bar: Bar) -> None:
    with one_thread():
        for cell in (cell for stage in stages for cell in stage):
            bar.set_postfix_str(f"{cell.scheme.label}, {cell.task}, {cell.seed}", refresh=False)
            begun = bar.n
            work(store, design, cell, lambda _: _one_more(bar))
            bar.update(begun + cell.steps - bar.n)  # one that failed early leaves steps untaken


def _in_processes(store: Store, design: Design, stages: list[list[Cell]], workers: int, bar: Bar) -> None:
    steps = {cell.id: cell.steps for stage in stages for cell in stage}
    with Workers(store.path, min(workers, len(steps))) as pool:
        for stage in stages:  # rates can be chosen only when all that chooses them is there
            for id in pool.each([cell.id for cell in stage]):
                bar.update(steps[id])


def _one_more(bar: Bar) -> None:
    bar.update()


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it torch computes with one thread, so that a number does not hang on how many there are."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _require_runnable(design: Design) -> None:
    """Build each model once and let it read the longest test, so that no run ends for what can be known."""
    for id in design.tasks:
        task = design.task(id)
        items = task.test(0, task.lengths[-1], 2)
        for scheme in design.schemes:
            try:
                made = built(design, scheme, task, 0)
                if made.description.kinds:
                    raise _reads_words()
                with torch.no_grad():
                    made.model.eval().read(torch.from_numpy(items.tokens[:, :-1]))
            except ClockhandsError as error:
                says = Text(f"{scheme.label}: {error.text.en}", f"{scheme.label}：{error.text.zh}")
                raise ClockhandsError(*says) from error


def _reads_words() -> ClockhandsError:
    return ClockhandsError(
        "it reads parts of speech, which no task here has: leave it out",
        "它要读词性，而这里的任务都没有词性：请去掉它",
    )
