"""Whether what was measured is what the code was read to do: layer by layer, field by field.

The comparison is the one that ``clockhands check A B`` makes, and stricter in one thing: what was read and
not measured is a miss.
"""

from __future__ import annotations

from collections.abc import Iterable

from clockhands.check.compare import differences as product
from clockhands.check.form import LayerForm
from clockhands.check.wording import ranges

ASKED = (
    "layout", "head_dim", "rotary_dim", "rotary_dims", "inv_freq", "attention_factor", "score_scale",
    "slopes", "num_buckets", "max_distance", "bidirectional", "mrope_section", "window_kind",
)  # fmt: skip
"""Fields that are to be measured wherever they are read."""

BOTH_WAYS = ("mrope_section",)
"""Fields where nothing is an answer: one axis."""


def differences(measured: Iterable[LayerForm], said: Iterable[LayerForm]) -> tuple[str, ...]:
    """Sentences; none where they agree."""
    measured, said = tuple(measured), tuple(said)
    found = [f"{each.message.en} (measured, read)" for each in product(measured, said)]
    return (*found, *_unknown(measured, said))


def _unknown(measured: tuple[LayerForm, ...], said: tuple[LayerForm, ...]) -> Iterable[str]:
    out: dict[str, list[int]] = {}
    for form in said:
        for layer in form.layers:
            other = next(
                (
                    each
                    for each in measured
                    if layer in each.layers
                    and (each.stack, each.family, each.mixer) == (form.stack, form.family, form.mixer)
                ),
                None,
            )
            for name in ASKED if other is not None else ():
                read, seen = getattr(form, name), getattr(other, name)
                stack = f"{form.stack} " if form.stack else ""
                if read is not None and seen is None:
                    out.setdefault(f"{stack}{name}: not measured, read {_short(read)}", []).append(layer)
                elif name in BOTH_WAYS and read is None and seen is not None:
                    out.setdefault(f"{stack}{name}: measured {_short(seen)}, not read", []).append(layer)
    return [f"{what} (layers {ranges(tuple(layers))})" for what, layers in out.items()]


def _short(value: object) -> str:
    if isinstance(value, tuple) and len(value) > 4:
        return f"{len(value)} from {value[0]:.6g} to {value[-1]:.6g}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
