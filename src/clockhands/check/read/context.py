"""How long a context a configuration was trained for, and how long a one it promises."""

from __future__ import annotations

from collections.abc import Iterable

from clockhands.check.form import Context, LayerForm
from clockhands.check.read.frequencies import LENGTH
from clockhands.check.settings import Settings, finite

LENGTHS = (
    "max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length", "seq_length", "n_ctx",
    "max_target_positions", "model_max_length",
)  # fmt: skip
"""Keys of the longest text, the usual one first."""

MOST = 2**52
"""Tokens, as far as angles are known; tokenizers write 1e30 where they mean no limit."""


def context_of(s: Settings, forms: Iterable[LayerForm]) -> Context:
    """Trained and promised lengths, of the layers that promise most.

    ``yarn``: trained on ``original_max_position_embeddings``, and promises ``factor`` times as much, or
    ``max_position_embeddings`` where that is longer. ``llama3``, ``longrope``: promise the latter.
    ``dynamic``: was trained on it, and promises ``factor`` times it. ``linear``: promises it; what it was
    trained on is known only where the file says so. A learned table: its rows.
    """
    told = next((length for key in LENGTHS if (length := _length(s.get(key))) is not None), None)
    trained, promised = [], []
    for form in forms:
        if form.family == "learned" and form.rows is not None:
            rows = form.rows - (form.offset or 0)
            trained.append(rows)
            promised.append(rows)
        elif form.family == "rope":
            first, last = _of_rope(s, form, told)
            trained.append(first)
            promised.append(last)
    if not promised:
        return Context(trained=told, promised=told)
    return Context(trained=_least(trained), promised=_most(promised))


def _of_rope(s: Settings, form: LayerForm, told: int | None) -> tuple[int | None, int | None]:
    original, factor = _length(form.scaling.get(LENGTH)), finite(form.scaling.get("factor"))
    stretched = _length(original * factor) if original is not None and factor is not None else None
    if form.rope_type == "yarn":
        return original, _most([told, stretched])
    if form.rope_type in ("llama3", "longrope"):
        return original, told
    if form.rope_type == "dynamic":
        return told, stretched
    if form.rope_type == "linear" and factor != 1:
        return _length(s.within("rope_scaling").get(LENGTH, s.within("rope_parameters").get(LENGTH))), told
    return told, told


def _length(value: object) -> int | None:
    number = finite(value)
    return int(number) if number is not None and 1 <= number < MOST else None


def _least(lengths: list[int | None]) -> int | None:
    return min((each for each in lengths if each is not None), default=None)


def _most(lengths: list[int | None]) -> int | None:
    return max((each for each in lengths if each is not None), default=None)
