"""What saved files hold, in JSON: ``python read_back.py FOLDER``. Numbers are held against clockhands."""

from __future__ import annotations

import csv
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from PIL import Image

import clockhands as ch
from clockhands.analysis.kernel import kernel
from clockhands.formulas.frequencies import sinusoid_inv_freq

DIM, POS, POSITIONS = 16, 5, 16
INV_FREQ = sinusoid_inv_freq(DIM)


def image(path: Path) -> dict[str, Any]:
    """Size, frames, their time in all, and whether the first shows the still picture of the same position."""
    with Image.open(path) as opened:
        frames = getattr(opened, "n_frames", 1)
        durations = []
        for frame in range(frames):
            opened.seek(frame)
            durations.append(opened.info.get("duration", 0))
        opened.seek(0)
        drawn = np.asarray(opened.convert("RGB"))
        return {
            "size": opened.size,
            "frames": frames,
            "ms": sum(durations),
            "first": len(np.unique(drawn)) > 20,
        }


def arrays(path: Path) -> dict[str, Any]:
    """How far arrays are from Python's own."""
    assert zipfile.ZipFile(path).testzip() is None
    with np.load(path) as held:
        if path.stem == "heatmap":
            return {"error": _apart(held["values"], ch.position_encoding(64, DIM))}
        if path.stem == "kernel":
            return {"error": _apart(held["curve"], curve(256))}
        if path.stem == "map":
            place = np.arange(256)
            return {"error": _apart(held["map"], curve(256)[abs(place[:, None] - place)])}
        weights = held["weights"]
        sums = np.nansum(weights, axis=1)
        return {"shape": weights.shape, "masked": int(np.isnan(weights).sum()), "error": _apart(sums, 1)}


def curve(count: int) -> np.ndarray:
    return kernel(INV_FREQ, np.arange(count)).values


def table(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    values = np.array(rows, dtype=float)
    if path.stem == "kernel":
        expected = np.stack((np.arange(256), curve(256)), 1)
    else:
        angle = INV_FREQ * POS
        turns = angle / (2 * np.pi)
        expected = np.stack(
            (np.arange(8), 2 * np.pi / INV_FREQ, turns, 360 * (turns % 1), np.sin(angle), np.cos(angle)), 1
        )
    return {"head": head, "error": float((abs(values - expected) / np.maximum(1, abs(expected))).max())}


def drawing(path: Path) -> dict[str, Any]:
    """Parts of an SVG, which is well-formed if it can be read at all."""
    root = ElementTree.parse(path).getroot()
    named = {
        kind: list(root.iter(f"{{http://www.w3.org/2000/svg}}{kind}"))
        for kind in ("path", "animateTransform", "text")
    }
    turns = named["animateTransform"]
    written = "".join(each.text or "" for each in named["text"])
    found: dict[str, Any] = {"boxes": written.count("\ufffd"), "hands": len(turns)}
    hands = re.compile(r"M(\S+) (\S+)L(\S+) (\S+)")
    found["lines"] = sum(
        each.get("stroke-width") == "1.6" and bool(hands.fullmatch(each.get("d", "")))
        for each in named["path"]
    )
    if turns:
        found["seconds"] = sorted({float(each.get("dur", "").rstrip("s")) for each in turns})
        ends = np.array([[float(each.get(end, "").split()[0]) for end in ("from", "to")] for each in turns])
        angles = np.degrees(INV_FREQ[::-1, None] * np.array([POS, POS + POSITIONS]))
        found["error"] = _apart(ends, angles)
    return found


def _apart(one: Any, other: Any) -> float:
    return float(np.abs(one - other).max())


KINDS = {".png": image, ".npz": arrays, ".csv": table, ".svg": drawing}

if __name__ == "__main__":
    paths = sorted(Path(sys.argv[1]).iterdir())
    sys.stdout.write(json.dumps({path.name: KINDS[path.suffix](path) for path in paths}))
