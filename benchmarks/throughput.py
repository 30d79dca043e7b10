"""Steps a second of a sweep on all cores, beside a plain loop, x-transformers and what the cores can do."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count

from benchmarks import machine
from benchmarks.harness import Contender, Report, Seconds, number, ratios, table, take_turns, verdict
from benchmarks.training.decoders import ENCODINGS
from benchmarks.training.peers import PLAIN, PRODUCT, WIDE, Peers, batch_of, loss_of, model_of
from clockhands.experiments.cells import cells
from clockhands.experiments.design import PRESETS, Design, ModelSize
from clockhands.experiments.design import Contender as Scheme
from clockhands.experiments.run import work
from clockhands.experiments.store import Store
from clockhands.experiments.trial import Trial
from clockhands.experiments.workers import Workers
from clockhands.training import loop
from clockhands.training.threads import one_thread

TURNS, STEPS, PRODUCTS, CELLS = 5, 150, 100, 4
SCHEMES = ("rope", "nope", "alibi", "t5")
LOOP, PEAK = "plain loop, all cores", "products of matrices"
THEIRS = {encoding: f"x-transformers, {encoding}" for encoding in ENCODINGS}
AS_IT_COMES = THEIRS["learned"]
LEAST = {"loop": 1.6, "theirs": 1.3}
SHARE, OVERHEAD, START = 0.25, 0.03, 1.5
SET_AT = 197.0
"""GFLOP/s of the two cores for which the targets were set."""


def design() -> Design:
    """64 rows of 36 tokens, 150,000 parameters; tests as long beside the training as those of 1,200 steps."""
    return Design(
        schemes=tuple(map(Scheme, SCHEMES)), tasks=("copy",), seeds=machine.usable_cores() * (TURNS + 1),
        steps=STEPS, batch=64, length=17, items=25, model=ModelSize(layers=3),
    )  # fmt: skip


class Sweep:
    """The worker processes of ``clockhands compare``, given a cell each in every turn."""

    def __init__(self, folder: Path, pool: Workers, asked: Design, count: int):
        Store(folder).begin(asked)
        self._pool, self._count = pool, count
        self._waiting = {
            name: iter([cell.id for cell in cells(asked) if cell.scheme.label == name]) for name in SCHEMES
        }

    def turn(self, scheme: str) -> None:
        for _ in self._pool.each([next(self._waiting[scheme]) for _ in range(self._count)]):
            pass


class Alone(NamedTuple):
    """Of one cell in this process: seconds in all, in steps and tests, and until the first step was done."""

    whole: float
    busy: float
    start: float


def alone(asked: Design, count: int) -> list[Alone]:
    """Cells of ``asked``, one after the other, with one thread."""
    found = []
    with (
        tempfile.TemporaryDirectory() as folder,
        one_thread(),
        _timed(loop, "_step") as steps,
        _timed(Trial, "tested") as tests,
    ):
        store = Store(Path(folder))
        store.begin(asked)
        for cell in cells(asked)[:count]:
            first: list[float] = []
            steps.clear()
            tests.clear()
            begun = time.perf_counter()
            work(store, asked, cell, partial(_note, first))
            whole = time.perf_counter() - begun
            found.append(Alone(whole, sum(steps) + sum(tests), first[0] - begun))
    return found


def _note(first: list[float], step: int) -> None:
    first.append(time.perf_counter())


@contextmanager
def _timed(owner: Any, name: str) -> Iterator[list[float]]:
    """Within it the seconds of each call of ``owner.name`` are noted."""
    original, seconds = getattr(owner, name), list[float]()

    def timed(*given: Any, **named: Any) -> Any:
        begun = time.perf_counter()
        try:
            return original(*given, **named)
        finally:
            seconds.append(time.perf_counter() - begun)

    setattr(owner, name, timed)
    try:
        yield seconds
    finally:
        setattr(owner, name, original)


_ATTENTION = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: lambda q, k, v, *_, **__: sdpa_flop_count(
        q, k, v
    ),
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: lambda grad, q, k, v, *_, **__: (
        sdpa_backward_flop_count(grad, q, k, v)
    ),
}
"""What PyTorch's counter takes for nothing: its kernel of a CPU, with whole rows, as they are computed for so
few tokens."""


def products_of_ours(asked: Design, scheme: str) -> float:
    """FLOPs of all matrix products of a step, forward and backward, as they are really computed."""
    contender = next(one for one in asked.schemes if one.label == scheme)
    trial = Trial(asked, contender, asked.task(asked.tasks[0]), 0, STEPS, asked.rates[0])
    return statistics.mean(_flops(lambda step=step: trial.loss(step)[0]) for step in range(5))


def products_of_theirs(asked: Design, kind: str) -> float:
    """The same of a peer, which computes padding too."""
    model, task = model_of(kind, asked), asked.task(asked.tasks[0])
    batches = [batch_of(task.batch(0, step, asked.batch)) for step in range(5)]
    return statistics.mean(_flops(partial(loss_of, model, *batch)) for batch in batches)


def _flops(loss: Callable[[], torch.Tensor]) -> int:
    with FlopCounterMode(display=False, custom_mapping=_ATTENTION) as counter:
        loss().backward()
    return counter.get_total_flops()


def measure() -> Report:
    cores, asked = machine.usable_cores(), design()
    names = {f"sweep of {scheme}": scheme for scheme in SCHEMES}
    with (
        tempfile.TemporaryDirectory() as folder,
        Workers(Path(folder), asked, cores) as pool,
        Peers(PLAIN, asked, 1, cores) as plain,
        Peers(PRODUCT, asked, cores, 1) as products,
        ExitStack() as stack,
    ):
        theirs = {name: stack.enter_context(Peers(kind, asked, cores, 1)) for kind, name in THEIRS.items()}
        sweep = Sweep(Path(folder), pool, asked, cores)
        contenders = [Contender(name, partial(sweep.turn, scheme)) for name, scheme in names.items()]
        contenders += [
            Contender(LOOP, partial(plain.work, cores * STEPS)),
            *(Contender(name, partial(peers.work, STEPS)) for name, peers in theirs.items()),
            Contender(PEAK, partial(products.work, PRODUCTS)),
        ]
        seconds = take_turns(contenders, TURNS)
    peak = [cores * PRODUCTS * 2 * WIDE**3 / taken for taken in seconds[PEAK]]
    flops = {name: products_of_ours(asked, scheme) for name, scheme in names.items()}
    flops |= {name: products_of_theirs(asked, kind) for kind, name in ((PLAIN, LOOP), *THEIRS.items())}
    # After the products: the first optimiser of a process imports for a second.
    ones = alone(asked.with_(**PRESETS["quick"]), CELLS)
    lines: list[tuple[str, ...]] = []
    said: list[str] = []
    for name, each in flops.items():
        speeds = [cores * STEPS / taken for taken in seconds[name]]
        shares = [speed * each / most for speed, most in zip(speeds, peak, strict=True)]
        others = (LOOP, AS_IT_COMES, THEIRS[names[name]]) if name in names else ()
        beside = [ratios(seconds[other], seconds[name]) for other in others] or [""] * 3
        lines.append((name, spread(speeds), *beside, number(each / 1e9), spread(shares, 100)))
        if name in names:
            said += judged(
                name, names[name], seconds, statistics.median(shares), statistics.median(peak) / 1e9
            )
    overheads = [1 - one.busy / one.whole for one in ones]
    starts = [one.start for one in ones]
    return Report(
        "Trainings a machine gets done",
        (
            f"Copying strings of up to {asked.length} letters, {asked.batch} rows of 36 tokens a step; "
            f"decoders of 3 layers of width 64, 4 heads, about 150,000 parameters. {TURNS} turns in "
            f"alternation; median and range. A sweep is {cores} worker processes of `clockhands compare` "
            f"with one thread each, which are warm, a training of {STEPS} steps each a turn: building, "
            "checkpoints, tests and the store included. The plain loop is PyTorch alone in one process with "
            f"{cores} threads. x-transformers' decoder is trained by the same loop as ours in as many "
            "processes, without tests and store: with learned positions, as it comes, and with each encoding "
            "of ours (its T5 bias has no fused attention). All see the same batches.",
            table(
                ("", "steps a second", "times the plain loop", "times x-transformers as it comes",
                 "times x-transformers with this encoding", "GFLOP a step", "% of the cores' peak"),
                lines,
            ),
            "\n".join(said),
            f"The peak is that of products of {WIDE} x {WIDE} matrices, one process "
            f"a core, {spread([one / 1e9 for one in peak])} GFLOP/s in all. FLOPs are those of the matrix "
            "products that are really computed, forward and backward: a sweep leaves out padding and, in the "
            "last block, tokens that are not asked for.",
            f"One training of the preset `quick` (1,200 steps of 32 rows; {CELLS} of them, alone on one "
            f"thread): {spread(overheads, 100)} % of its time is neither a step nor a test (target: below "
            f"{OVERHEAD:.0%}), and its first step is done after {spread(starts)} s with everything imported "
            f"(target: below {START:g} s).",
        ),
    )  # fmt: skip


def judged(name: str, scheme: str, seconds: Seconds, share: float, peak: float) -> list[str]:
    """What the sweep of a scheme was asked to be."""
    faster = (
        f"products of matrices take less of a step here, {number(peak)} GFLOP/s against {SET_AT:g} where "
        "this was asked, and what a sweep leaves out is products"
    )
    there = f"of the {SET_AT:g} GFLOP/s for which this was asked it is {share * peak / SET_AT:.0%}"
    return [
        _times(name, LOOP, "the plain loop", LEAST["loop"], seconds, faster if peak > SET_AT else ""),
        _times(name, THEIRS[scheme], "x-transformers with this encoding", LEAST["theirs"], seconds),
        verdict(f"{name}, share of the peak", share, SHARE, most=False, because=there * (peak > SET_AT)),
    ]


def _times(name: str, other: str, called: str, least: float, seconds: Seconds, because: str = "") -> str:
    """How many times faster than another, and why it is not as many as asked."""
    turns = [b / a for a, b in zip(seconds[name], seconds[other], strict=True)]
    if not because and max(turns) >= least:
        because = "some turns reach it, and their spread is larger than what is missing"
    elif not because:
        because = "a sweep builds, tests and writes what it finds besides, and the other does not"
    return verdict(f"{name}, times {called}", statistics.median(turns), least, most=False, because=because)


def spread(values: Sequence[float], scale: float = 1.0) -> str:
    """Median and range."""
    scaled = [value * scale for value in values]
    return f"{number(statistics.median(scaled))} ({number(min(scaled))} to {number(max(scaled))})"
