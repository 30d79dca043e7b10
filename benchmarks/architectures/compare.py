"""Whether what was measured is what the code was read to do: layer by layer, field by field."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.formulas.buckets import t5_bucket

EXACT = (
    "family",
    "mixer",
    "layout",
    "head_dim",
    "rotary_dim",
    "rotary_dims",
    "num_buckets",
    "rows",
    "window",
)
CLOSE = ("attention_factor", "score_scale")
LISTS = ("inv_freq", "slopes")
ABSENT_COUNTS = ("window", "mrope_section")
"""Fields where nothing is an answer too: no window, one axis."""


def differences(measured: Iterable[LayerForm], said: Iterable[LayerForm]) -> tuple[str, ...]:
    """Sentences ``layer 3 window: measured 21, read None``; none where they agree."""
    mine, theirs = _by_layer(measured), _by_layer(said)
    out: dict[str, list[str]] = {}
    for key in sorted({*mine, *theirs}, key=str):
        stack, layer, _ = key
        where = f"{stack + ' ' if stack else ''}{layer}"
        if key not in mine or key not in theirs:
            word = "only read" if key in theirs else "only measured"
            out.setdefault(f"{word}: {(theirs.get(key) or mine[key]).family}", []).append(where)
            continue
        for each in _fields(mine[key], theirs[key]):
            out.setdefault(each, []).append(where)
    return tuple(f"{what} (layers {', '.join(where)})" for what, where in out.items())


def _by_layer(forms: Iterable[LayerForm]) -> dict[tuple[str | None, int, bool], LayerForm]:
    """Forms by stack, layer, and whether they are about what is added to tokens while another is about
    attention."""
    forms = tuple(forms)
    found: dict[tuple[str | None, int, bool], LayerForm] = {}
    for form in forms:
        for layer in form.layers:
            others = [
                each
                for each in forms
                if each.stack == form.stack and layer in each.layers and each is not form
            ]
            table = form.family in ("learned", "sinusoidal") and bool(others)
            found[form.stack, layer, table] = form
    return found


def _fields(a: LayerForm, b: LayerForm) -> list[str]:
    out = []
    for name in (*EXACT, *CLOSE, *LISTS, "offset", "mrope_section", "max_distance", "bidirectional"):
        x, y = getattr(a, name), getattr(b, name)
        if name == "offset":
            x, y = x or 0, y or 0
        if x is None and y is None:
            continue
        if (y is None and name not in ABSENT_COUNTS) or (
            x is None and name not in ABSENT_COUNTS and name == "rows"
        ):
            continue
        if not _same(name, x, y, a):
            out.append(f"{name}: measured {_short(x)}, read {_short(y)}")
    return out


def _same(name: str, x: object, y: object, form: LayerForm) -> bool:
    if x is None or y is None:
        return False
    if name in CLOSE:
        return math.isclose(x, y, rel_tol=1e-4)  # type: ignore[arg-type]
    if name in LISTS:
        xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        return xs.shape == ys.shape and bool(
            np.allclose(xs, ys, rtol=1e-3 if name == "slopes" else 1e-5, atol=1e-10)
        )
    if name == "max_distance" and form.family == "t5" and form.num_buckets:
        # Two numbers that put every distance in the same bucket are one function.
        far = np.arange(-4000, 4000)
        both = [t5_bucket(far, form.num_buckets, each, bool(form.bidirectional)) for each in (x, y)]  # type: ignore[arg-type]
        return int((both[0] != both[1]).sum()) <= 4
    return x == y


def _short(value: object) -> str:
    if isinstance(value, tuple) and len(value) > 4:
        return f"{len(value)} from {value[0]:.6g} to {value[-1]:.6g}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
