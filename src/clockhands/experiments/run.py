"""Carry a comparison out: cells one after the other, in processes of one thread each, or on a Ray cluster."""

from __future__ import annotations

import errno
import math
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from clockhands.catalogue.rules import require_count, require_real
from clockhands.errors import ClockhandsError
from clockhands.experiments.cells import Cell, cells
from clockhands.experiments.costing import costed
from clockhands.experiments.design import Design
from clockhands.experiments.failing import blaming
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.store import Store
from clockhands.experiments.tasks import Task
from clockhands.experiments.tensorboard import Log, require_tensorboard
from clockhands.experiments.trial import Trial, perform
from clockhands.experiments.workers import Workers
from clockhands.language import Language, Text
from clockhands.training.alone import alone_in
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.loop import Bar, Stopped
from clockhands.training.threads import one_thread
from clockhands.writing import cannot_write, make_folder

RUNNING = Text("comparing", "比较中")
MOST_WORKERS = 512


def run(
    design: Design,
    path: str | os.PathLike[str],
    *,
    workers: int | None = None,
    ray: str | None = None,
    gpus_per_cell: float = 0.0,
    data_parallel: int = 1,
    log: Path | None = None,
    quiet: bool = True,
    lang: Language = "en",
) -> Store:
    """Begin a comparison in the folder ``path`` and carry it out.

    workers        processes, each with one thread; None or 1: no other process than this one
    ray            the address of a Ray cluster, or ``local``; ``workers`` are then cells at once at most
    gpus_per_cell  of that cluster, 0 to compute with a core
    data_parallel  processes of that cluster that share each training, through Ray Train
    log            folder in which TensorBoard finds the curves of each training that has ended; None: no log
    quiet          no progress bar on the error stream

    Raises ClockhandsError if something is there already or a scheme can't be built, before anything is
    trained, and Stopped after Ctrl-C; what was finished is kept, and ``resume`` goes on.
    """
    require_place(workers, ray, gpus_per_cell, data_parallel, design, log=log)
    require_runnable(design)
    store = Store(Path(path))
    with one_thread():
        design = costed(design)
    begin(store, design)
    return finish(
        store, design, workers=workers, ray=ray, gpus_per_cell=gpus_per_cell, data_parallel=data_parallel,
        log=log, quiet=quiet, lang=lang,
    )  # fmt: skip


def begin(
    store: Store, design: Design, hypotheses: tuple[Hypothesis, ...] = (), *, keep_text: bool = True
) -> None:
    """``Store.begin``, of two processes at once by one alone: the other finds a comparison that is there."""
    store.require_free()  # so that not even a lock is left beside what is somebody else's
    make_folder(store.path)
    with alone_in(store.path):
        store.begin(design, hypotheses, keep_text=keep_text)


def resume(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    workers: int | None = None,
    ray: str | None = None,
    gpus_per_cell: float = 0.0,
    data_parallel: int = 1,
    log: Path | None = None,
    quiet: bool = True,
    lang: Language = "en",
) -> Store:
    """Go on with the comparison in the folder ``path``: only cells that have not ended are run.

    text  what its tasks read, where the folder keeps none
    """
    store = Store(Path(path))
    design = store.design(text)
    require_place(workers, ray, gpus_per_cell, data_parallel, design, log=log)
    return finish(
        store, design, workers=workers, ray=ray, gpus_per_cell=gpus_per_cell,
        data_parallel=data_parallel, log=log, quiet=quiet, lang=lang,
    )  # fmt: skip


def require_place(
    workers: int | None, ray: str | None, gpus_per_cell: float, data_parallel: int, *designs: Design,
    log: Path | None = None,
) -> None:  # fmt: skip
    """Refuse numbers of processes and GPUs that can't be, and a cluster that does not answer: before anything
    is written."""
    if workers is not None:
        require_count(workers, "workers", most=MOST_WORKERS)
    require_real(gpus_per_cell, "gpus_per_cell", least=0.0, most=64.0)
    if log is not None:
        require_tensorboard()
        _require_folder(log)
    if gpus_per_cell and ray is None:
        raise ClockhandsError(
            "--gpus-per-cell is for a Ray cluster: give --ray, too",
            "--gpus-per-cell 只用于 Ray 集群：请同时给出 --ray",
        )
    require_count(data_parallel, "data_parallel", most=MOST_WORKERS)
    if data_parallel > 1 and ray is None:
        raise ClockhandsError(
            "--data-parallel is for a Ray cluster: give --ray, too (--ray local for this machine alone)",
            "--data-parallel 只用于 Ray 集群：请同时给出 --ray（只用本机时为 --ray local）",
        )
    if ray is not None:
        from clockhands.experiments.reaching import require_answer
        from clockhands.experiments.together import require_shareable

        if data_parallel > 1:
            require_shareable(data_parallel, min(design.batch for design in designs), gpus_per_cell)
        require_answer(ray)


def _require_folder(path: Path) -> None:
    """One that files can be written into, or that can be made; nothing is made yet."""
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not there.is_dir():
        raise cannot_write(path, NotADirectoryError(errno.ENOTDIR, ""))
    if not os.access(there, os.W_OK | os.X_OK):
        raise cannot_write(path, PermissionError(errno.EACCES, ""))


def work(
    store: Store,
    design: Design,
    cell: Cell,
    after_step: Callable[[int], None],
    tasks: dict[str, Task] | None = None,
) -> None:
    """Train, test and keep one cell, from its last checkpoint if there is one.

    tasks  those made so far: a text is cut into words once
    """
    rate = chosen_rate(store, design, cell) if cell.rate is None else cell.rate
    made = {} if tasks is None else tasks
    if cell.task not in made:
        made[cell.task] = design.task(cell.task)
    folder = store.running(cell)
    make_folder(folder)
    row = perform(design, cell, rate, after_step, task=made[cell.task], checkpoints=Checkpoints(folder))
    store.save(cell, row)
    shutil.rmtree(folder, ignore_errors=True)


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
            counts = not row.failed and math.isfinite(row.validation)
            losses[one.rate].append(row.validation if counts else float("inf"))
    return min(losses, key=lambda rate: sum(losses[rate]))


def finish(
    store: Store,
    design: Design,
    *,
    workers: int | None = None,
    ray: str | None = None,
    gpus_per_cell: float = 0.0,
    data_parallel: int = 1,
    log: Path | None = None,
    quiet: bool = True,
    lang: Language = "en",
    heed: Callable[[], None] = lambda: None,
) -> Store:
    """Run the cells that have not ended. ClockhandsError if another process is at work in the folder.

    log   where the curves of trainings go as they end, for TensorBoard
    heed  called again and again, and may raise Stopped, which keeps all that is finished
    """
    every = cells(design)
    ended = _nothing if log is None else Log(log, store, design).write
    with alone_in(store.path):
        ended()
        missing = list(store.missing(design))
        total, left = sum(cell.steps for cell in every), sum(cell.steps for cell in missing)
        stages = [[cell for cell in missing if cell.stage == stage] for stage in ("tuning", "final")]
        try:
            with Bar(
                total=total, initial=total - left, disable=quiet, desc=RUNNING.said_in(lang), leave=False
            ) as bar:
                left_over = [stage for stage in stages if stage]
                if ray is not None and missing:
                    from clockhands.experiments.cluster import on_cluster

                    on_cluster(store, design, left_over, bar, heed, address=ray, workers=workers,
                               gpus_per_cell=gpus_per_cell, data_parallel=data_parallel,
                               ended=ended)  # fmt: skip
                elif workers is not None and workers > 1 and len(missing) > 1:
                    _in_processes(store, design, left_over, workers, bar, heed, ended)
                else:
                    _here(store, design, left_over, bar, heed, ended)
        except (KeyboardInterrupt, Stopped) as stopped:
            done = len(every) - sum(1 for _ in store.missing(design))
            raise Stopped(
                f"stopped with {done} of {len(every)} cells finished, which are kept: go on with --resume",
                f"已停下，{len(every)} 个单元中完成了 {done} 个，均已保存：可用 --resume 继续",
            ) from stopped
        lost = sum(1 for _ in store.missing(design))
        if lost:
            raise ClockhandsError(
                f"{store.cells_file} was changed while this ran, and {lost} of {len(every)} cells are gone "
                "from it: go on with --resume",
                f"{store.cells_file} 在运行中被改动，缺少 {len(every)} 个单元中的 {lost} 个："
                "请用 --resume 继续",
            )
        with suppress(OSError):
            store.running(every[0]).parent.rmdir()
    return store


def _nothing() -> None:
    """What is done after a cell where nobody asks for a log."""


def _here(
    store: Store,
    design: Design,
    stages: list[list[Cell]],
    bar: Bar,
    heed: Callable[[], None],
    ended: Callable[[], None],
) -> None:
    tasks: dict[str, Task] = {}

    def after_step(_: int) -> None:
        bar.update()
        heed()

    with one_thread():
        for cell in (cell for stage in stages for cell in stage):
            bar.set_postfix_str(f"{cell.scheme.label}, {cell.task}, {cell.seed}", refresh=False)
            begun = bar.n
            work(store, design, cell, after_step, tasks)
            bar.update(begun + cell.steps - bar.n)  # one that failed early leaves steps untaken
            ended()


def _in_processes(
    store: Store,
    design: Design,
    stages: list[list[Cell]],
    workers: int,
    bar: Bar,
    heed: Callable[[], None],
    ended: Callable[[], None],
) -> None:
    steps = {cell.id: cell.steps for stage in stages for cell in stage}
    with Workers(store.path, design, min(workers, len(steps))) as pool:
        for stage in stages:  # rates can be chosen only when all that chooses them is there
            for id in pool.each([cell.id for cell in stage], heed):
                bar.update(steps[id])
                ended()


def require_runnable(design: Design) -> None:
    """Build each model once and let it read a row to train on, so that no run ends for what can be known."""
    for id in design.tasks:
        task = design.task(id)
        items = task.test(0, task.length, 2)
        for scheme in design.schemes:
            with blaming(scheme.label, id):
                trial = Trial(design, scheme, task, 0, 1, design.rates[0])
                if trial.built.description.kinds and not task.tags:
                    raise _reads_words()
                trial.tested(items)


def _reads_words() -> ClockhandsError:
    return ClockhandsError(
        "it reads parts of speech, which this task has not: leave it out, or take the task words alone",
        "它要读词性，而这个任务没有词性：请去掉它，或只用任务 words",
    )
