"""Write the numbers that the page's own mathematics is held to: ``python web/golden/make.py [--check]``.

Every vector is computed by clockhands in float64 and written with all its digits. ``--check`` writes nothing
and fails where the committed file differs by more than rounding.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np

import clockhands
from clockhands import formulas, web
from clockhands.analysis.attention_trace import weights_of
from clockhands.analysis.horizon import horizon, nearest_return
from clockhands.analysis.kernel import kernel
from clockhands.analysis.kernel_map import kernel_map
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.precision import angle_error, distinct_positions, rounded
from clockhands.analysis.spectrum import spectrum
from clockhands.analysis.uniqueness import uniqueness
from clockhands.formulas import frequencies as speeds
from clockhands.language import Text
from clockhands.web.attention_file import to_bytes
from clockhands.web.lesson import twins
from clockhands.web.lesson.draws import normals

HOME = Path(__file__).with_name("vectors.json")

LADDERS = ((32, 1e4), (128, 1e4), (512, 1e4), (128, 5e5), (6, 1e2))
LLAMA = speeds.by_parts_inv_freq(
    128, 5e5, factor=8.0, original_max_position_embeddings=8192, slow=1.0, fast=4.0
)
PROPORTIONAL = speeds.proportional_inv_freq(64, 1e4, partial_rotary_factor=0.5)


def cases() -> dict[str, Any]:
    """All vectors by subject."""
    return {
        "frequencies": _frequencies(),
        "attention_factors": [
            {"kind": "yarn", "factor": f, "value": speeds.yarn_attention_factor(f)} for f in (1.0, 4.0, 40.0)
        ]
        + [
            {"kind": "longrope", "factor": f, "value": speeds.longrope_attention_factor(f, 4096)}
            for f in (1.0, 32.0)
        ],
        "sinusoid": _sinusoid(),
        "rotation": _rotation(),
        "kernel": _kernel(),
        "blocks": _blocks(),
        "alibi": [
            {"heads": heads, "slopes": formulas.slopes.alibi_slopes(heads)} for heads in (1, 3, 8, 12, 32)
        ],
        "t5": _t5(),
        "precision": _precision(),
        "spectrum": _spectrum(),
        "uniqueness": _uniqueness(),
        "attention": _attention(),
        "ladders": _ladders(),
        "lesson": _lesson(),
    }


def _frequencies() -> list[dict[str, Any]]:
    lists = {"short": [1.0 + i / 48 for i in range(48)], "long": [1.0 + i for i in range(48)]}
    found = [
        {"kind": "default", "dim": dim, "base": base, "inv_freq": speeds.default_inv_freq(dim, base)}
        for dim, base in (*LADDERS, (7, 1e4), (2, 1e4))
    ]
    found += [
        {
            "kind": "sinusoid", "dim": dim, "base": 1e4, "exponent": exponent,
            "inv_freq": speeds.sinusoid_inv_freq(dim, 1e4, exponent),
        }
        for dim in (8, 7, 2) for exponent in ("2i/d", "i/(d/2-1)")
    ]  # fmt: skip
    for dim, base in LADDERS:
        common = {"dim": dim, "base": base}
        for factor in (1.0, 4.0, 32.0):
            plain = {**common, "factor": factor}
            found.append(
                {"kind": "linear", **plain, "inv_freq": speeds.linear_inv_freq(dim, base, factor=factor)}
            )
            found.append({"kind": "ntk", **plain, "inv_freq": speeds.ntk_inv_freq(dim, base, factor=factor)})
            for length in (1024, 40000):
                inv_freq = speeds.dynamic_ntk_inv_freq(
                    dim, base, factor=factor, max_position_embeddings=4096, length=length
                )
                found.append(
                    {"kind": "dynamic", **plain, "trained": 4096, "length": length, "inv_freq": inv_freq}
                )
            for truncate in (True, False):
                yarn = speeds.yarn_inv_freq(
                    dim, base, factor=factor, original_max_position_embeddings=4096, truncate=truncate
                )
                found.append(
                    {"kind": "yarn", **plain, "trained": 4096, "truncate": truncate, "inv_freq": yarn}
                )
            parts = speeds.by_parts_inv_freq(
                dim, base, factor=factor, original_max_position_embeddings=8192, slow=1.0, fast=4.0
            )
            found.append(
                {"kind": "llama3", **plain, "trained": 8192, "slow": 1.0, "fast": 4.0, "inv_freq": parts}
            )
        for share in (0.25, 0.5, 1.0):
            inv_freq = speeds.proportional_inv_freq(dim, base, partial_rotary_factor=share)
            found.append({"kind": "proportional", **common, "share": share, "inv_freq": inv_freq})
    for length in (4096, 4097):
        inv_freq = speeds.longrope_inv_freq(
            96, 1e4, short_factor=lists["short"], long_factor=lists["long"],
            original_max_position_embeddings=4096, length=length,
        )  # fmt: skip
        found.append(
            {
                "kind": "longrope", "dim": 96, "base": 1e4, "trained": 4096, "length": length, **lists,
                "inv_freq": inv_freq,
            }
        )  # fmt: skip
    return found


def _sinusoid() -> list[dict[str, Any]]:
    places = [0, 1, 37, 1024]
    return [
        {
            "width": width, "arrangement": arrangement, "first": first, "positions": places,
            "table": formulas.sinusoid(
                np.array(places), speeds.sinusoid_inv_freq(width), arrangement, first, width
            ),
        }
        for width in (8, 7) for arrangement in ("interleaved", "concatenated") for first in ("sin", "cos")
    ]  # fmt: skip


def _rotation() -> list[dict[str, Any]]:
    x = np.random.default_rng(0).normal(size=10)
    inv_freq = speeds.default_inv_freq(8)
    return [
        {
            "x": x, "inv_freq": inv_freq, "position": position, "layout": layout,
            "turned": formulas.rotate(x, np.cos(angle), np.sin(angle), layout),
        }
        for position in (0, 1, 37) for layout in ("half", "interleaved")
        for angle in [position * inv_freq]
    ]  # fmt: skip


def _kernel() -> list[dict[str, Any]]:
    distances = [0, 1, 2, 5, 57, 1000, 999_999, 10**9]
    found = []
    for inv_freq in (speeds.default_inv_freq(32), speeds.default_inv_freq(512), LLAMA, PROPORTIONAL):
        seen = horizon(inv_freq, 4096)
        found.append(
            {
                "inv_freq": inv_freq, "distances": distances, "values": kernel(inv_freq, distances).values,
                "n": 4096, "first_rise": seen.first_rise, "rising_share": seen.rising_share,
                "first_negative": seen.first_negative,
                "lowest": {"distance": seen.lowest.distance, "value": seen.lowest.value},
                "echo": seen.echo and {"distance": seen.echo.distance, "value": seen.echo.value},
            }
        )  # fmt: skip
    return found


def _blocks() -> list[dict[str, Any]]:
    """Windows of whole cells, and one cell that the end cuts short."""
    found = []
    for inv_freq in (speeds.default_inv_freq(32), LLAMA, PROPORTIONAL, np.array([2 * np.pi, 1.0, 4.0])):
        for size, row, column in ((1, 0, 0), (7, 3, 100), (100_000, 0, 0), (61, 999_000, 2)):
            rows, columns = (row, row + 4 * size), (column, column + 5 * size)
            values = kernel_map(inv_freq, rows, columns, (4, 5)).values
            found.append(
                {
                    "inv_freq": inv_freq, "n": 1_000_000, "size": size, "row": row, "column": column,
                    "height": 4, "width": 5, "values": values,
                }
            )  # fmt: skip
        cut = kernel_map(inv_freq, (90, 100), (30, 60), (1, 1)).values
        found.append(
            {
                "inv_freq": inv_freq, "n": 100, "size": 30, "row": 90, "column": 30, "height": 1, "width": 1,
                "values": cut,
            }
        )  # fmt: skip
    return found


def _t5() -> list[dict[str, Any]]:
    distances = np.array(
        [-5000, -129, -128, -64, -17, -16, -8, -1, 0, 1, 7, 8, 15, 16, 31, 32, 64, 127, 128, 9999]
    )
    return [
        {
            "buckets": buckets, "max_distance": far, "bidirectional": both, "distances": distances,
            "values": formulas.buckets.t5_bucket(distances, buckets, far, both),
        }
        for buckets, far, both in ((32, 128, False), (32, 128, True), (8, 12, False), (64, 1000, True))
    ]  # fmt: skip


def _precision() -> dict[str, Any]:
    numbers = [0.0, 0.1, 1 / 3, 255.0, 257.0, 2049.0, 65519.0, 65520.0, 1e-5, 6e-8, 2.9e-8, 1e6 + 1, -3.14159]
    inv_freq = speeds.default_inv_freq(128)
    places = np.array([1, 100, 257, 4095, 100_001])
    kinds = ("bf16", "fp16", "fp32")
    errors = {kind: angle_error(inv_freq, places, kind) for kind in kinds}
    counts = {kind: distinct_positions(70_000, kind) for kind in kinds}
    return {
        "numbers": numbers,
        "rounded": {kind: _written(rounded(numbers, kind)) for kind in kinds},
        "n": 70_000,
        "distinct": {
            kind: {"distinct": c.distinct, "first_clash": c.first_clash and c.first_clash[0]}
            for kind, c in counts.items()
        },
        "inv_freq": inv_freq,
        "positions": places,
        "angle": {kind: _written(error.angle.values) for kind, error in errors.items()},
        "tip": {kind: _written(error.tip.values) for kind, error in errors.items()},
    }


def _spectrum() -> list[dict[str, Any]]:
    found = []
    for inv_freq in (speeds.default_inv_freq(512), PROPORTIONAL):
        seen = spectrum(inv_freq, 4096)
        found.append(
            {
                "inv_freq": inv_freq, "length": 4096, "wavelength": _written(seen.wavelength.values),
                "turns": seen.turns.values, "finished": seen.finished,
            }
        )  # fmt: skip
    return found


def _uniqueness() -> list[dict[str, Any]]:
    found = []
    for inv_freq in (speeds.default_inv_freq(32), speeds.default_inv_freq(6, 1e2), LLAMA, np.array([1.0])):
        seen, back = uniqueness(inv_freq, 4096), nearest_return(inv_freq, 4096)
        found.append(
            {
                "inv_freq": inv_freq, "n": 4096, "neighbour": neighbour_distance(inv_freq),
                "nearest": {"distance": back.distance, "value": back.value},
                "first_alias": seen.first_alias, "slowest_alone": seen.slowest_alone,
            }
        )  # fmt: skip
    return found


def _attention() -> dict[str, Any]:
    """A file of attention in base64, and every weight that it stands for; masked ones are 0."""
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 2, 4, 6, 8))
    plain = web.sentence(
        ["史进", "打", "打", "</b>", "郑屠", "。"], q, k, ids=range(6), marks=[1, 0, 0, 0, 0, 2]
    )
    grouped = web.sentence(
        "abcdef", q, k[:, :2], causal=False, scale=[0.5, 0.25], bias=rng.standard_normal((2, 4, 11))
    )
    dense = web.sentence("abcdef", weights=np.tri(6)[None, None] / np.arange(1, 7)[:, None])
    bytewise = [f"<0x{byte:02X}>" for byte in "史进打🙂".encode()]
    split = web.sentence(
        ["<s>", *bytewise], *rng.standard_normal((2, 1, 2, len(bytewise) + 1, 4)),
        marks=[1] + [0] * len(bytewise), words=[(0, 2), (2, 3)],
    )  # fmt: skip
    run = web.AttentionRun(Text("golden", "基准"), (plain, grouped, dense, split))
    weights = [
        [[weights_of(one, layer, head) for head in range(one.heads)] for layer in range(one.layers)]
        for one in run.sentences
    ]
    joined = {
        unit: {"starts": [0, *np.cumsum(sizes)], "weights": [_joined(each, sizes) for each in weights[3][0]]}
        for unit, sizes in {"characters": (1, 3, 3, 3, 4), "words": (1, 6, 3, 4)}.items()
    }
    return {"file": b64encode(to_bytes(run)).decode(), "weights": weights, "joined": joined}


def _joined(weights: Any, sizes: tuple[int, ...]) -> Any:
    """Weights between groups of so many tokens: the mean over the queries of one, the sum over its keys."""
    groups = np.repeat(np.eye(len(sizes)), sizes, axis=1)
    return (groups / np.array(sizes)[:, None]) @ weights @ groups.T


def _ladders() -> list[dict[str, Any]]:
    """Ladders that the page can bend, as the formulas of published schemes have them."""
    plain = {"bend": "0_0~1_-4", "deep": "", "layers": 1, "depth": 0, "line": 0, "moves": 1}
    half = {"linear_weight": 0.25, "log_weight": 0.75}
    bands = np.interp(np.arange(24) / 24, [0, 0.4, 0.401, 1], [0, -0.5, -2, -3.25])
    return [
        {"dim": 32, **plain, "inv_freq": speeds.default_inv_freq(32)},
        {
            "dim": 128, **plain, "bend": "0_0~1_-5.698970004336019",
            "inv_freq": speeds.default_inv_freq(128, 5e5),
        },
        {"dim": 32, **plain, "line": 0.5, "inv_freq": speeds.mixed_inv_freq(32)},
        {"dim": 64, **plain, "line": 0.25, "inv_freq": speeds.mixed_inv_freq(64, **half)},
        {
            "dim": 64, **plain, "moves": 0.5,
            "inv_freq": speeds.proportional_inv_freq(64, partial_rotary_factor=0.5),
        },
        {
            "dim": 32, **plain, "deep": "0_0~1_-6", "layers": 12, "depth": 5,
            "inv_freq": speeds.default_inv_freq(32, speeds.layer_theta(5, 12, 1e4, 1e6)),
        },
        {"dim": 48, **plain, "bend": "0_0~0.4_-0.5~0.401_-2~1_-3.25", "inv_freq": 10.0**bands},
    ]  # fmt: skip


def _lesson() -> dict[str, Any]:
    """What the lesson's own pictures draw; of large maps a corner and the sum of squares."""
    maps = [twins.scores(mode) for mode in range(3)]
    return {
        "normals": [{"count": 7, "seed": seed, "values": normals(7, seed)} for seed in (0, 3, 9999)],
        "outputs": [
            {"order": order, "mode": mode, "values": twins.outputs(order, mode)}
            for order in ((0, 1, 2), (2, 1, 0)) for mode in range(3)
        ],
        "codes": [
            {"mode": mode, "n": n, "values": twins.codes(mode, n)} for mode in range(4) for n in (8, 33)
        ],
        "maps": [
            {"mode": mode, "corner": values[:3, -3:], "squares": float((values**2).sum())}
            for mode, values in enumerate(maps)
        ],
    }  # fmt: skip


def _written(values: Any) -> list[float | str]:
    """JSON has no infinity: it is written as a word."""
    return [float(each) if np.isfinite(each) else "Infinity" for each in np.asarray(values)]


def as_json(record: Any) -> Any:
    """Arrays as lists, numbers of numpy as Python's."""
    if isinstance(record, dict):
        return {key: as_json(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [as_json(value) for value in record]
    return record.tolist() if isinstance(record, np.ndarray | np.generic) else record


def vectors() -> dict[str, Any]:
    """The whole file."""
    provenance = {
        "made_by": "python web/golden/make.py",
        "clockhands": clockhands.__version__,
        "dtype": "float64",
        "note": "computed by clockhands.formulas and clockhands.analysis, whose own tests give their sources",
    }
    return as_json({"provenance": provenance, **cases()})


def differences(found: Any, committed: Any, path: str = "") -> list[str]:
    """Places where two records differ by more than rounding.

    >>> differences({"a": [1.0, 2.0]}, {"a": [1.0, 2.5]})
    ['/a/1']
    """
    if isinstance(found, dict) and isinstance(committed, dict) and found.keys() == committed.keys():
        return [at for key in found for at in differences(found[key], committed[key], f"{path}/{key}")]
    if isinstance(found, list) and isinstance(committed, list) and len(found) == len(committed):
        pairs = enumerate(zip(found, committed, strict=True))
        return [at for place, (one, other) in pairs for at in differences(one, other, f"{path}/{place}")]
    if isinstance(found, float) and isinstance(committed, int | float):
        return [] if abs(found - committed) <= 1e-13 * max(1.0, abs(found)) else [path]
    return [] if found == committed else [path]


if __name__ == "__main__":
    if "--check" in sys.argv:
        wrong = differences(vectors(), json.loads(HOME.read_text(encoding="utf-8")))
        sys.exit(f"{HOME.name} differs at {wrong[0]} and {len(wrong) - 1} other places" if wrong else 0)
    HOME.write_text(json.dumps(vectors(), indent=None, separators=(",", ":")) + "\n", encoding="utf-8")
