"""Calls somebody's function: arrays of its kind go in, numpy comes out, what it does besides is seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clockhands.check.form import TableLayout
from clockhands.check.probe.function.loading import shown_plain
from clockhands.check.probe.function.signature import Signature
from clockhands.check.probe.function.surroundings import watched
from clockhands.check.saying import has, spaced
from clockhands.errors import ClockhandsError
from clockhands.language import Text

Floats = NDArray[np.float64]
Library = Literal["numpy", "torch"]
MOST_SECONDS = 0.5
"""A probe makes about a hundred calls, so one that takes longer is not to be waited for."""


class Refused(Exception):
    """The function raised, or gave back what is no answer; ``error`` is what it raised, if it did."""

    def __init__(self, en: str, zh: str, error: BaseException | None = None):
        super().__init__(en, zh)
        self.en, self.zh, self.error = en, zh, error


@dataclass
class Caller:
    """A function with its signature, and what was seen of it so far.

    layout      order of axes of q, k, v and x, such as ``b h t d``
    heads       of queries; ``kv_heads`` of keys and values
    library     whose arrays it takes
    dtype       of q, k, v, x
    flat        whether positions, and cos and sin, go in as one row ``(t,)``, ``(t, width)``
    single      whether it takes batches of one row only
    tables      layout of the cos and sin that go in; ``spread``: whether they have an axis for heads. Where
                positions go in too, they are looked up in them: one row for each position there is
    turning     dimensions that those are for; 0: the whole head
    axis        the only axis of positions that moves; None: all of them do
    seen        names of what it does besides: ``prints``, ``random``, ``mutates q`` …
    stirred     whether random states are moved on before a call, and put back after it
    """

    fn: Callable[..., Any]
    signature: Signature
    layout: tuple[str, ...]
    heads: int
    kv_heads: int
    head_dim: int
    library: Library
    dtype: str = "float32"
    flat: bool = False
    single: bool = False
    tables: TableLayout = "half"
    spread: bool = False
    turning: int = 0
    axis: int | None = None
    seen: set[str] = field(default_factory=set)
    calls: int = 0
    seconds: float = 0.0
    stirred: bool = False

    def one_row(self) -> bool:
        """Whether a call can hold one row of a batch only."""
        return self.flat or self.single or ("b" not in self.layout and bool(self.signature.sides))

    def heads_of(self, word: str) -> int:
        """How many heads the array of this word has."""
        return 1 if "h" not in self.layout else self.kv_heads if word in ("k", "v") else self.heads

    def call(self, given: dict[str, Any], prepare: Callable[[Any], Any] | None = None) -> tuple[Any, ...]:
        """What comes back, a raw tuple as long as the signature says.

        given    by word: vectors ``(b, t, d)`` or ``(b, t, heads, d)`` for q, k, v, x; else what is passed
        prepare  makes of each array what really goes in (other strides, say)
        """
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        before: list[tuple[str, Any, Any]] = []
        for argument in self.signature.arguments:
            value = argument.constant
            if argument.word:
                value = self._made(argument.word, given[argument.word])
                if prepare is not None and argument.word in ("q", "k", "v", "x"):
                    value = prepare(value)
                if hasattr(value, "dtype"):
                    before.append((argument.word, value, _copy(value)))
            if argument.keyword:
                keywords[argument.keyword] = value
            else:
                positional.append(value)
        started = time.perf_counter()
        with watched(self.seen, self.stirred):
            try:
                answer = self.fn(*positional, **keywords)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise Refused(*_raised(error, self._shapes(before)), error) from error
        self.calls += 1
        self.seconds = time.perf_counter() - started
        for word, value, copy in before:
            if not _same(value, copy):
                self.seen.add(f"mutates {word}")
        return self._taken_apart(answer)

    def vectors(self, raw: Any, word: str, rows: int, tokens: int) -> Floats:
        """One array that came back as ``(b, t, heads, d)`` in float64; Refused where its shape is another."""
        array = as_numbers(raw)
        if word == "output" and array.shape == (rows, tokens, self.heads * self.head_dim):
            return array.reshape(rows, tokens, self.heads, self.head_dim)  # heads beside one another
        sizes = {"b": rows, "t": tokens, "h": self.heads_of(word), "d": self.head_dim}
        expected = tuple(sizes[axis] for axis in self.layout)
        if array.shape != expected:
            raise Refused(
                f"it gave {word} back in shape {array.shape}, and {expected} was expected",
                f"它返回的 {word} 形状为 {array.shape}，而应为 {expected}",
            )
        present = [letter for letter in "bthd" if letter in self.layout]
        array = array.transpose([self.layout.index(letter) for letter in present])
        return array.reshape(rows, tokens, self.heads_of(word), self.head_dim)

    def _made(self, word: str, value: Any) -> Any:
        if word in ("q", "k", "v", "x"):
            return self._to_library(self._laid_out(np.asarray(value), word), self.dtype)
        if word == "boundaries":
            return self._to_library(np.asarray(value), "int64")
        if word == "axes":
            return self._to_library(self._axes(np.asarray(value)), "int64")
        if word in ("positions", "mask"):
            rows = np.asarray(value)
            return self._to_library(rows[0] if self.flat else rows, "int64")
        if word.partition("_")[0] in ("cos", "sin", "cis"):
            return self._table(word.partition("_")[0], np.asarray(value))
        if word in ("distance", "relative"):
            return self._to_library(np.asarray(value), "int64")
        return int(value)

    def _axes(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """``(3, b, t)``: the same on every axis, or on ``axis`` alone and 0 on the others."""
        moving = [self.axis in (None, axis) for axis in range(3)]
        axes = np.stack([positions if moves else np.zeros_like(positions) for moves in moving])
        return axes[:, 0] if self.flat else axes

    def _table(self, word: str, positions: NDArray[np.int64]) -> Any:
        """Cosines, sines or both of ``positions`` ``(b, t)``, as they are to be laid out."""
        width = self.turning or self.head_dim
        angle = positions[..., None] * table_speeds(width)
        if word == "cis":
            made, dtype = np.exp(1j * angle), "complex128" if self.dtype == "float64" else "complex64"
        else:
            made, dtype = (np.cos(angle) if word == "cos" else np.sin(angle)), self.dtype
        if self.tables == "half":
            made = np.concatenate((made, made), axis=-1)
        elif self.tables == "interleaved":
            made = made.repeat(2, axis=-1)
        if self.flat or self.signature.takes("positions"):
            made = made[0]
        elif self.spread:
            made = made[:, :, None]  # (b, t, heads, width), then in the order of the vectors' own axes
            taken = [axis for axis, letter in enumerate("bthd") if letter not in self.layout]
            present = [letter for letter in "bthd" if letter in self.layout]
            made = made.squeeze(tuple(taken)).transpose([present.index(letter) for letter in self.layout])
        return self._to_library(made, dtype)

    def _laid_out(self, vectors: NDArray[Any], word: str) -> NDArray[Any]:
        """``(b, t, d)`` or ``(b, t, heads, d)`` as the layout has it."""
        if vectors.ndim == 3:
            shape = (*vectors.shape[:2], self.heads_of(word), vectors.shape[2])
            vectors = np.broadcast_to(vectors[:, :, None, :], shape)
        taken = [axis for axis, letter in enumerate("bthd") if letter not in self.layout]
        present = [letter for letter in "bthd" if letter in self.layout]
        vectors = vectors.reshape([size for axis, size in enumerate(vectors.shape) if axis not in taken])
        return vectors.transpose([present.index(letter) for letter in self.layout])

    def _to_library(self, array: NDArray[Any], dtype: str) -> Any:
        if self.library == "numpy":
            return np.array(array, dtype=dtype, order="C")
        import torch

        return torch.tensor(np.ascontiguousarray(array)).to(getattr(torch, dtype))

    def _taken_apart(self, answer: Any) -> tuple[Any, ...]:
        count = len(self.signature.returned)
        if count == 1 and not isinstance(answer, tuple | list):
            answer = (answer,)
        if isinstance(answer, dict):
            answer = tuple(answer.values())
        several = isinstance(answer, tuple | list)
        if not several or len(answer) < count:
            got = Text(type(answer).__name__, type(answer).__name__)
            if several:
                got = has(len(answer), Text("value", "个值"))
            wanted = ", ".join(self.signature.returned)
            raise Refused(
                f"it gave back {got.en}, and {wanted} was expected",
                f"它返回了{spaced(got.zh)}，而应返回 {wanted}",
            )
        for word, value in zip(self.signature.returned, answer, strict=False):
            if word != "_" and not hasattr(value, "shape"):
                raise Refused(
                    f"it gave back {type(value).__name__} for {word}, and an array was expected",
                    f"它返回的 {word} 是 {type(value).__name__}，而应为数组",
                )
        return tuple(answer)

    def _shapes(self, made: list[tuple[str, Any, Any]]) -> str:
        return ", ".join(f"{word} {tuple(value.shape)}" for word, value, _ in made) or "nothing"


def table_speeds(width: int) -> Floats:
    """rad / token of the hands in the cos and sin that are given: base 10000 over ``width``.

    An odd dimension has no partner, and no hand.
    """
    return np.asarray(10000.0 ** (-2 * np.arange(width // 2) / width))


def as_numbers(raw: Any) -> Any:
    """An array of whatever library as numpy, float64 or complex128."""
    if hasattr(raw, "detach"):
        try:
            raw = raw.detach().cpu()
            raw = raw.to(dtype=_wide(raw)).numpy()
        except (NotImplementedError, RuntimeError, TypeError) as error:  # without memory, sparse, quantized
            said = shown_plain(str(error))
            raise Refused(
                f"it gave back a tensor that holds no plain numbers ({said})",
                f"它返回的张量中没有普通的数（{said}）",
                error,
            ) from error
    array = np.asarray(raw)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    if array.dtype.kind not in "biuf":
        raise Refused("it gave back no numbers", "它返回的不是数字")
    return array.astype(np.float64)


def _wide(tensor: Any) -> Any:
    import torch

    return torch.complex128 if tensor.is_complex() else torch.float64


def _copy(value: Any) -> Any:
    return value.clone() if hasattr(value, "clone") else value.copy()


def _same(value: Any, copy: Any) -> bool:
    return bool((value == copy).all())


def _raised(error: BaseException, shapes: str) -> tuple[str, str]:
    said = shown_plain(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
    return f"it raised {said}, given {shapes}", f"它在收到 {shapes} 时抛出 {said}"


def too_slow(seconds: float) -> ClockhandsError:
    """The error where one call takes too long."""
    return ClockhandsError(
        f"one call takes {seconds:.1f} s and the probe makes about a hundred: give a function that answers "
        f"within {MOST_SECONDS} s, or smaller sizes",
        f"一次调用要 {seconds:.1f} 秒，而探测要调用约一百次：请给出 {MOST_SECONDS} 秒内能返回的函数，"
        f"或减小尺寸",
    )
