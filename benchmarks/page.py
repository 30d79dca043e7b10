"""The page in a browser, against the numbers it is to reach, and beside BertViz and CircuitsVis.

Needs Chromium, Node, ``npm ci --prefix benchmarks/browser`` and, for the two others, ``pip install --no-deps
bertviz==1.4.1 circuitsvis==1.43.3 importlib-metadata==8.7.0 zipp==4.1.2``: what else they ask for (boto3,
sentencepiece) isn't used to write a page. ``make bench`` does all that. What one of them can't do is its row.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.harness import Report, number, table

HOME = Path(__file__).parent / "browser"
SIZES = (64, 256, 512, 1024)
PATIENCE = 90  # seconds that a page may take to be written, and again to be shown
TURNS = 3
SHOWN = {"clockhands": ".heads .map canvas", "bertviz": "svg rect", "circuitsvis": "canvas, img"}
BARE = "<!doctype html><html lang='en'><title>bare</title><main><button>here</button></main></html>"
NAMES = {"clockhands": "clockhands", "bertviz": "BertViz 1.4.1", "circuitsvis": "CircuitsVis 1.43.3"}


def browse(**task: Any) -> dict[str, Any]:
    """What a task of ``measure.mjs`` found, in a browser of its own."""
    command = ["node", str(HOME / "measure.mjs"), json.dumps(task)]
    late = f"nothing within {PATIENCE} s"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE + 30, check=True)
    except subprocess.TimeoutExpired:
        return {"failed": late}
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["ended by itself"]
        return {"failed": next((line.strip() for line in lines if "Error" in line), lines[-1])[:200]}
    found = json.loads(done.stdout)
    return {"failed": late} if f"{1000 * PATIENCE}ms exceeded" in found.get("failed", "") else found


def write(who: str, count: int, path: Path) -> str:
    """A page of ``count`` tokens; why there is none, if so."""
    command = [sys.executable, "-m", "benchmarks.browser", who, str(count), str(path)]
    try:
        subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except subprocess.TimeoutExpired:
        return f"not written within {PATIENCE} s"
    except subprocess.CalledProcessError as error:
        return f"not written: {error.stderr.strip().splitlines()[-1][:200]}"
    return ""


def beside(folder: Path) -> list[tuple[str, ...]]:
    """A row for each page of attention and each size."""
    rows: list[tuple[str, ...]] = []
    for count in SIZES:
        for who, show in SHOWN.items():
            path = folder / f"{who}-{count}.html"
            failed = write(who, count, path)
            size = f"{path.stat().st_size / 1e6:,.2f} MB" if path.exists() else ""
            found: dict[str, Any] = {"failed": failed}
            if not failed:
                room = "room=attention" if who == "clockhands" else ""
                found = browse(what="first", file=str(path), room=room, show=show, seconds=PATIENCE)
            if why := found.get("failed"):
                rows.append((str(count), NAMES[who], size, why, ""))
            else:
                time, used = f"{number(found['milliseconds'])} ms", f"{number(found['memory'])} MB"
                rows.append((str(count), NAMES[who], size, time, used))
            path.unlink(missing_ok=True)
    return rows


def against(name: str, most: float | None, founds: list[dict[str, Any]], *keys: str) -> tuple[str, ...]:
    """A row: median and range of one number over the turns, beside the most it may be; or what failed."""
    unit = "MB" if keys[-1] == "memory" else "ms"
    asked = f"{number(most)} {unit}" if most else ""
    if failed := [found["failed"] for found in founds if "failed" in found]:
        return (name, asked, failed[0], "missed" if most else "")
    values = []
    for found in founds:
        value: Any = found
        for key in keys:
            value = value[key]
        values.append(float(value))
    half = statistics.median(values)
    verdict = "" if most is None else "reached" if half <= most else "missed"
    return (name, asked, f"{number(half)} {unit} ({number(min(values))} to {number(max(values))})", verdict)


def ours(folder: Path) -> tuple[list[tuple[str, ...]], str]:
    """What was asked of the page, and what it does, beside a page of nothing; and which browser it was."""
    from clockhands import web

    page, bare, data = folder / "page.html", folder / "bare.html", folder / "long.safetensors"
    web.save(page)
    bare.write_text(BARE, encoding="utf-8")
    if failed := write("long", 4096, data):
        raise SystemExit(failed)
    at = {"file": str(page), "seconds": PATIENCE}
    if failed := browse(what="first", show="main button", file=str(bare), seconds=PATIENCE).get("failed"):
        raise SystemExit(f"no page can be measured, not even one of a button: {failed}")
    empty, ready, play, far, hover = (
        [browse(**at | task) for _ in range(TURNS)]
        for task in (
            {"what": "first", "show": "main button", "file": str(bare)},
            {"what": "first", "show": "main button"},
            {"what": "play"},
            {"what": "map"},
            {"what": "hover", "data": str(data)},
        )
    )
    rows = [
        against("page ready", 400, ready, "milliseconds"),
        against("the same of a page with one button and no script", None, empty, "milliseconds"),
        against("512 hands play: main thread a frame, 95th percentile", 16.7, play, "work", "most"),
        against("the same, median", None, play, "work", "half"),
        against("from frame to frame, 95th percentile", None, play, "gaps", "most"),
        against("map of 1,000,000 positions: first paint", 300, far, "first"),
        against("a step of zoom, median of ten", 50, far, "half"),
        against("a step of zoom, the slowest of ten", 50, far, "most"),
        against("memory of the page's process", 200, far, "memory"),
        against("4,096 tokens, pointer handled, 95th percentile", 16, hover, "handled", "most"),
        against("from the pointer to the screen, 95th percentile", None, hover, "shown", "most"),
    ]
    return rows, str(ready[0].get("browser", "none"))


def measure() -> Report:
    """All of it, one browser at a time."""
    if not (HOME / "node_modules").exists():
        raise SystemExit("the benchmark of the page needs its packages: npm ci --prefix benchmarks/browser")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, browser = ours(folder)
        others = beside(folder)
    return Report(
        "The page in a browser",
        (
            f"Headless Chromium {browser} without a graphics card, a new browser each time; {TURNS} turns, "
            "median and range. Work is all that the page's main thread does from one animation frame to the "
            "next: script, style, layout and paint. A step of zoom lasts from the click until its frame is "
            "handed on. The page with one button tells how long the browser itself takes on this machine.",
            table(("", "to reach", "measured", ""), rows),
            "Beside others: the same causal attention of 12 heads at random (seed 0), one layer, once each. "
            "The file, the time from the start of the page until attention is first on the screen, and the "
            "memory that the page's process then has to itself. BertViz loads require.js, d3 and jQuery from "
            "a network; here they come from npm packages at once (jQuery 2.1.0 for 2.0.0, which npm lacks), "
            "which flatters it. CircuitsVis has its script inside the file. Ours opens in the room of "
            f"attention. A page is given {PATIENCE} s and 6,144 MB.",
            table(("tokens", "", "file", "first paint", "memory"), others),
        ),
    )
