"""The clock animation against matplotlib's: 50 frames as GIF, from nothing to the finished file."""

from __future__ import annotations

import cProfile
import pstats
import statistics
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.harness import Contender, Report, number, ratios, spread, table, take_turns
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.plots.clock import clock

FRAMES, WIDTH, HANDS_OF_PEER = 50, 32, 3
TURNS = 5
TARGET = 8
OURS = "clockhands, 16 hands, 640 x 640"
WALL = "clockhands, 16 hands and their wall, 1200 x 660"
PEER = "matplotlib, 3 hands, 1000 x 600"


def ours(folder: Path, wall: bool = False) -> Path:
    """All hands of ``WIDTH`` dimensions, anti-aliased, with trails."""
    return clock(default_inv_freq(WIDTH), FRAMES, wall=wall).save(folder / f"ours-{wall}.gif")


def peer(folder: Path) -> Path:
    """The usual way: ``FuncAnimation`` moves three lines with ``set_data``, ``PillowWriter`` saves."""
    inv_freq = default_inv_freq(WIDTH)
    figure = Figure(figsize=(10, 6))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title="clock hands")
    axes.grid(True)
    lines = [axes.plot([], [], "o-", lw=2)[0] for _ in range(HANDS_OF_PEER)]
    says = axes.text(0.05, 0.95, "", transform=axes.transAxes)

    def update(position: int) -> list[Artist]:
        for line, speed in zip(lines, inv_freq, strict=False):
            line.set_data([0, np.sin(position * speed)], [0, np.cos(position * speed)])
        says.set_text(f"position {position}")
        return [*lines, says]

    path = folder / "peer.gif"
    animation = FuncAnimation(figure, update, frames=FRAMES, blit=True, interval=200)
    animation.save(path, writer=PillowWriter(fps=5))
    return path


def shares(folder: Path) -> list[tuple[str, str]]:
    """Where our time goes, as shares of the whole."""
    profile = cProfile.Profile()
    profile.runcall(ours, folder)
    functions = pstats.Stats(profile).stats
    taken = {(Path(file).name, name): each[3] for (file, _, name), each in functions.items()}
    whole = taken["clock_animation.py", "ours"]
    parts = {
        "once: fonts, rings, labels": taken["scene.py", "clock_painter"],
        "each frame: hands, trails and text": taken["scene.py", "frame"] - taken["canvas.py", "image"],
        "each frame: to the fixed palette": taken["canvas.py", "image"],
        "each frame: encoding": taken["gif.py", "_write"],
    }
    parts["the rest"] = whole - sum(parts.values())
    return [(name, f"{seconds / whole:.0%}") for name, seconds in parts.items()]


def measure() -> Report:
    """Alternated runs, the size of each file, and where the time goes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contenders = [
            Contender(OURS, lambda: ours(folder)),
            Contender(WALL, lambda: ours(folder, wall=True)),
            Contender(PEER, lambda: peer(folder)),
        ]
        seconds = take_turns(contenders, TURNS)
        sizes = {
            OURS: (folder / "ours-False.gif").stat().st_size,
            WALL: (folder / "ours-True.gif").stat().st_size,
            PEER: (folder / "peer.gif").stat().st_size,
        }
        where = shares(folder)
    rows = [
        (
            contender,
            spread(taken, "s"),
            number(FRAMES / statistics.median(taken)),
            f"{sizes[contender] / 1e3:,.0f} kB",
            "" if contender == PEER else ratios(seconds[PEER], taken),
        )
        for contender, taken in seconds.items()
    ]
    return Report(
        "Clock animation",
        (
            f"{FRAMES} frames as GIF, from the call to the finished file; {TURNS} turns after one that is "
            f"not counted, contenders alternating: median (range). The target is {TARGET} times faster.",
            table(("", "wall clock", "frames a second", "file", "times faster"), rows),
            "Where our time goes (640 x 640, under a profiler):",
            table(("", "share"), where),
        ),
    )
