"""The clock animation against matplotlib's, 50 frames from nothing to the finished file, GIF and MP4.

Needs PyAV (extra ``video``) for our MP4; for matplotlib's an ``ffmpeg`` that is on the PATH or comes with the
package imageio-ffmpeg; without them their rows say so. About three minutes.
"""

from __future__ import annotations

import cProfile
import importlib
import pstats
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.animation import AbstractMovieWriter, FFMpegWriter, FuncAnimation, PillowWriter
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from benchmarks.harness import Contender, Report, number, ratios, spread, table, take_turns
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.plots.clock import clock
from clockhands.plots.clock.dial import ring_radii
from clockhands.plots.writers import FrameWriter, GifWriter, Timing, VideoWriter, write_frames

FRAMES, WIDTH, HANDS_OF_ARTICLE = 50, 32, 3
LONG_RUN = 1000
TURNS = 3
OURS, OURS_MP4 = "clockhands, 16 hands, 640 x 640, GIF", "clockhands, the same, MP4"
WALL = "clockhands, 16 hands and their wall, 1200 x 660, GIF"
SAME, SAME_MP4 = "FuncAnimation, 16 hands, 640 x 640, Pillow, GIF", "FuncAnimation, the same, ffmpeg, MP4"
ARTICLE = "FuncAnimation as in article A, 3 hands, 1000 x 600, Pillow, GIF"
DRAWN = "our frames drawn, nothing written"
GIF_ALONE, MP4_ALONE = "our GIF writer, frames already drawn", "our MP4 writer, frames already drawn"
PILLOW_ALONE = "Pillow's GIF writer (as PillowWriter calls it), the same frames already drawn"
ALONE = (OURS, DRAWN, GIF_ALONE, PILLOW_ALONE, OURS_MP4, MP4_ALONE)
PEER_OF = {OURS: SAME, OURS_MP4: SAME_MP4, WALL: SAME}
"""What each of ours is compared with; the wall is compared with less than it draws."""

_PEAK = """
import sys
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.plots.clock import clock
clock(default_inv_freq({width}), {frames}, wall=False).save(sys.argv[1])
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


def ours(path: Path, wall: bool = False) -> Path:
    """All hands of ``WIDTH`` dimensions, anti-aliased, with trails."""
    return clock(default_inv_freq(WIDTH), FRAMES, wall=wall).save(path)


def only_drawn(path: Path) -> Path:
    for _ in clock(default_inv_freq(WIDTH), FRAMES, wall=False).frames():
        pass
    return path


def written(path: Path, writer: type[FrameWriter], frames: list[Image.Image]) -> Path:
    """By our writer alone."""
    write_frames(path, writer, frames, len(frames), Timing(Fraction(1, 5)))
    return path


def pillow(path: Path, frames: list[Image.Image]) -> Path:
    """What ``PillowWriter`` does once all frames are drawn."""
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=200, loop=0)
    return path


def article(path: Path) -> Path:
    """The usual way: ``FuncAnimation`` moves three lines with ``set_data``, ``PillowWriter`` saves."""
    figure = Figure(figsize=(10, 6))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title="clock hands")
    axes.grid(True)
    return _moved(figure, np.ones(HANDS_OF_ARTICLE), path, PillowWriter(fps=5))


def same(path: Path, writer: AbstractMovieWriter) -> Path:
    """Our clock the usual way: 16 hands on rings; no trails, which would take further artists."""
    figure = Figure(figsize=(6.4, 6.4), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.05, 0.02, 0.9, 0.9))
    axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
    axes.set_axis_off()
    radii, around = ring_radii(WIDTH // 2), np.linspace(0, 2 * np.pi, 200)
    for radius in radii:
        axes.plot(radius * np.sin(around), radius * np.cos(around), color="0.8", lw=0.6)
    return _moved(figure, radii, path, writer)


def _moved(figure: Figure, radii: np.ndarray, path: Path, writer: AbstractMovieWriter) -> Path:
    """One line a hand, and the position in words."""
    inv_freq, axes = default_inv_freq(WIDTH), figure.axes[0]
    lines = [axes.plot([], [], "o-", lw=2)[0] for _ in radii]
    says = axes.text(0.02, 0.97, "", transform=axes.transAxes)

    def update(position: int) -> list[Artist]:
        for line, radius, speed in zip(lines, radii, inv_freq, strict=False):
            line.set_data([0, radius * np.sin(position * speed)], [0, radius * np.cos(position * speed)])
        says.set_text(f"position {position}")
        return [*lines, says]

    FuncAnimation(figure, update, frames=FRAMES, blit=True, interval=200).save(path, writer=writer)
    return path


def ffmpeg() -> str | None:
    """The program, wherever it is."""
    if found := shutil.which("ffmpeg"):
        return found
    if find_spec("imageio_ffmpeg"):
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    return None


def contenders(folder: Path) -> tuple[dict[str, Callable[[], Path]], dict[str, str]]:
    """What can be run here, and why what can't is missing."""
    found: dict[str, Callable[[], Path]] = {
        OURS: lambda: ours(folder / "ours.gif"),
        WALL: lambda: ours(folder / "wall.gif", wall=True),
        SAME: lambda: same(folder / "same.gif", PillowWriter(fps=5)),
        ARTICLE: lambda: article(folder / "article.gif"),
    }
    drawn = [frame.copy() for frame in clock(default_inv_freq(WIDTH), FRAMES, wall=False).frames()]
    rgb = [frame.convert("RGB") for frame in drawn]
    found[DRAWN] = lambda: only_drawn(folder / "ours.gif")
    found[GIF_ALONE] = lambda: written(folder / "alone.gif", GifWriter, drawn)
    found[PILLOW_ALONE] = lambda: pillow(folder / "pillow.gif", rgb)
    missing: dict[str, str] = {}
    if find_spec("av"):
        found[OURS_MP4] = lambda: ours(folder / "ours.mp4")
        found[MP4_ALONE] = lambda: written(folder / "alone.mp4", VideoWriter, drawn)
    else:
        missing[OURS_MP4] = missing[MP4_ALONE] = "PyAV is not installed"
    if ffmpeg():
        found[SAME_MP4] = lambda: same(folder / "same.mp4", FFMpegWriter(fps=5))
    else:
        missing[SAME_MP4] = "there is no ffmpeg"
    return found, missing


def shares(folder: Path) -> list[tuple[str, str]]:
    """Where our time goes, as shares of the whole."""
    profile = cProfile.Profile()
    profile.runcall(ours, folder / "profiled.gif")
    functions = vars(pstats.Stats(profile))["stats"]  # which type checkers do not know
    taken = {(Path(file).name, name): each[3] for (file, _, name), each in functions.items()}
    whole = taken["animation.py", "ours"]
    parts = {
        "once: fonts, rings, labels": taken["scene.py", "clock_painter"],
        "each frame: hands, trails and text": taken["scene.py", "frame"] - taken["canvas.py", "image"],
        "each frame: to the fixed palette": taken["canvas.py", "image"],
        "each frame: encoding": taken["gif.py", "_write"],
    }
    parts["the rest"] = whole - sum(parts.values())
    return [(name, f"{seconds / whole:.0%}") for name, seconds in parts.items()]


def peak(frames: int, folder: Path) -> str:
    """Most memory of a process that writes so many frames, where the system says it."""
    if not Path("/proc/self/status").exists():
        return "not known on this system"
    program = _PEAK.format(width=WIDTH, frames=frames)
    command = [sys.executable, "-c", program, str(folder / "long.gif")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return f"{int(said) / 1e3:,.0f} MB"


def versions() -> str:
    """Of whatever draws and encodes here."""
    packages = [name for name in ("matplotlib", "pillow", "av", "imageio-ffmpeg") if _installed(name)]
    exe = ffmpeg()
    first = (
        subprocess.run([exe, "-version"], capture_output=True, text=True, check=True).stdout if exe else ""
    )
    said = [f"{name} {version(name)}" for name in packages]
    return ", ".join([*said, *(first.split(" Copyright")[:1] if first else [])]) + "."


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def measure() -> Report:
    """Alternated runs, the size of each file, where the time goes, and memory by the number of frames."""
    exe = ffmpeg()
    with tempfile.TemporaryDirectory() as name, mpl.rc_context({"animation.ffmpeg_path": exe or "ffmpeg"}):
        folder = Path(name)
        made, missing = contenders(folder)
        seconds = take_turns([Contender(each, run) for each, run in made.items()], TURNS)
        sizes = {each: run().stat().st_size for each, run in made.items()}
        where = shares(folder)
        memory = [(f"{frames:,}", peak(frames, folder)) for frames in (FRAMES, LONG_RUN)]
    rows: list[tuple[str, ...]] = []
    for each in (OURS, SAME, OURS_MP4, SAME_MP4, WALL, ARTICLE):
        if each in missing:
            rows.append((each, missing[each], "", "", ""))
            continue
        taken, other = seconds[each], PEER_OF.get(each)
        faster = ratios(seconds[other], taken) if other in seconds else ""
        fps = number(FRAMES / statistics.median(taken))
        rows.append((each, spread(taken, "s"), fps, f"{sizes[each] / 1e3:,.0f} kB", faster))
    alone = [
        (each, missing[each], "")
        if each in missing
        else (each, spread(seconds[each], "s"), ratios(seconds[each], seconds[OURS]))
        for each in ALONE
    ]
    return Report(
        "Clock animation",
        (
            f"{FRAMES} frames, from the call to the finished file; {TURNS} turns after one that is not "
            "counted, contenders alternating: median (range). Ours draws trails and wavelengths, "
            "FuncAnimation the hands and rings alone; the last column is against FuncAnimation with 16 hands "
            "and the same kind of file (the wall: GIF).",
            table(("", "wall clock", "frames a second", "file", "times faster"), rows),
            "The writers by themselves, measured in the same turns: 16 hands, 640 x 640.",
            table(("", "wall clock", "times the whole of our GIF"), alone),
            "manim is not measured: it needs pycairo and manimpango, of which pip found no wheels for this "
            "Python on Linux, so a folder of its own is not enough: it takes a compiler and system packages.",
            versions(),
            "Where our time goes (640 x 640, under a profiler):",
            table(("", "share"), where),
            "Most memory of a process by the number of frames that it writes (GIF):",
            table(("frames", "most memory"), memory),
        ),
    )
