"""The file of an ``AttentionRun``: safetensors, with the words as JSON in its header.

Tensors of sentence ``n`` are ``n.q``, ``n.k`` (F16 or F32), ``n.lse``, ``n.bias`` (F32), or ``n.weights``
(F16); shapes as in ``Sentence``. ``__metadata__`` holds ``clockhands``, a JSON text: ``format``, ``version``,
``title`` and ``sentences`` with everything that is no tensor. ``web/src/attention/read.ts`` reads the same.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from clockhands.analysis.attention_trace import AttentionRun, Sentence
from clockhands.check.read.safetensors_header import StoredTensor, read_header
from clockhands.errors import ClockhandsError, reason_of
from clockhands.language import Text
from clockhands.text.pieces import spelled
from clockhands.writing import file_path, written_aside

FORMAT, VERSION = "clockhands-attention", 1
ENDING = "_attention.safetensors"
"""How the file of ``clockhands attend`` ends."""

_TENSORS = {"q": ("F16", "F32"), "k": ("F16", "F32"), "lse": ("F32",), "bias": ("F32",), "weights": ("F16",)}
_CODES = {"F16": "<f2", "F32": "<f4"}
_NAMES = {np.dtype(np.float16): "F16", np.dtype(np.float32): "F32"}
_WORDS = ("tokens", "ids", "positions", "spans", "marks", "text", "words", "causal", "scale", "error")


def to_bytes(run: AttentionRun) -> bytes:
    """The file. Raises nothing: a run is sound.

    Pieces of a tokenizer that says no ``spans`` are written as what they spell (``clockhands.text.pieces``).
    """
    read = [_as_read(one) for one in run.sentences]
    about = {
        "format": FORMAT,
        "version": VERSION,
        "title": _both(run.title),
        "sentences": [
            {name: _plain(getattr(one, name)) for name in _WORDS} | {"name": _both(one.name)} for one in read
        ],
    }
    header: dict[str, Any] = {"__metadata__": {"clockhands": json.dumps(about, ensure_ascii=False)}}
    parts: list[bytes] = []
    end = 0
    for number, one in enumerate(read):
        for name in _TENSORS:
            array = getattr(one, name)
            if array is None:
                continue
            dtype = _NAMES[array.dtype]
            parts.append(np.ascontiguousarray(array, _CODES[dtype]).tobytes())
            places = [end, end + len(parts[-1])]
            header[f"{number}.{name}"] = {"dtype": dtype, "shape": array.shape, "data_offsets": places}
            end = places[1]
    written = json.dumps(header, ensure_ascii=False).encode("utf-8", "replace")
    written += b" " * (-len(written) % 8)
    return b"".join((len(written).to_bytes(8, "little"), written, *parts))


def _as_read(one: Sentence) -> Sentence:
    found = None if one.spans else spelled(one.tokens, [mark > 0 for mark in one.marks])
    return one if found is None else replace(one, tokens=found.labels, spans=found.spans, text=found.text)


def save_attention(path: str | os.PathLike[str], run: AttentionRun) -> Path:
    """Write ``run`` to ``path``. Raises ClockhandsError where that can't be written."""
    path = file_path(path)
    with written_aside(path) as aside:
        aside.write_bytes(to_bytes(run))
    return path


def load_attention(path: str | os.PathLike[str]) -> AttentionRun:
    """Read the file, or the one that ``clockhands attend -o`` left in a folder.

    Raises ClockhandsError where there is none, or it is damaged or another kind of file.
    """
    path = _file_in(file_path(path))
    tensors = read_header(path)
    raw = path.read_bytes()
    try:
        metadata = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")]).get("__metadata__")
        about = json.loads(metadata["clockhands"])
        if about["format"] != FORMAT or about["version"] != VERSION:
            raise _no_attention(path)
        title = _words(about["title"])
        sentences = [_sentence(raw, tensors, n, words) for n, words in enumerate(about["sentences"])]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        raise _no_attention(path) from None
    if not sentences:
        raise _no_attention(path)
    return AttentionRun(title, tuple(sentences))


def _file_in(path: Path) -> Path:
    try:
        if not path.is_dir():
            return path
        found = sorted(path.glob(f"*{ENDING}"))
    except OSError as error:
        reason = reason_of(error)
        raise ClockhandsError(
            f"{path} can't be read: {reason.en}", f"无法读取 {path}：{reason.zh}"
        ) from error
    if len(found) != 1:
        names = ", ".join(each.name for each in found)
        raise ClockhandsError(
            f"{path} holds several attention files ({names}): name one of them"
            if found
            else f"{path} holds no attention file (…{ENDING}): clockhands attend -o FOLDER makes one, and "
            f"clockhands attend --run {path} --sentence TEXT -o FOLDER with a run that is there",
            f"{path} 里有多个注意力文件（{names}）：请指明其中一个"
            if found
            else f"{path} 里没有注意力文件（…{ENDING}）：请用 clockhands attend -o 文件夹 生成，"
            f"已有训练结果时用 clockhands attend --run {path} --sentence 句子 -o 文件夹",
        )
    return found[0]


def _sentence(raw: bytes, tensors: dict[str, StoredTensor], number: int, words: dict[str, Any]) -> Sentence:
    """Raises ValueError, TypeError or KeyError where anything is not as it should be."""
    found = {name: _array(raw, tensors.get(f"{number}.{name}"), kinds) for name, kinds in _TENSORS.items()}
    one = Sentence(
        tokens=tuple(map(_text, words["tokens"])),
        ids=tuple(map(int, words["ids"])),
        positions=tuple(map(int, words["positions"])),
        spans=tuple((int(start), int(end)) for start, end in words["spans"]),
        marks=tuple(map(int, words["marks"])),
        text=_text(words["text"]),
        causal=bool(words["causal"]),
        scale=tuple(map(float, words["scale"])),
        words=tuple((int(start), int(end)) for start, end in words.get("words", ())),
        name=None if words.get("name") is None else _words(words["name"]),
        error=math.nan if words["error"] is None else float(words["error"]),
        **found,
    )
    count = len(one.tokens)
    shaped = one.q if one.weights is None else one.weights
    if shaped is None or shaped.ndim != 4 or 0 in shaped.shape or shaped.shape[2] != count:
        raise ValueError("shape")
    layers, heads, _, width = shaped.shape
    wanted: dict[str, tuple[int, ...]] = {
        "lse": (layers, heads, count),
        "bias": (layers, heads, 2 * count - 1),
    }
    if one.weights is None:
        if one.k is None or one.lse is None or one.k.ndim != 4 or not one.k.shape[1]:
            raise ValueError("keys")
        wanted["k"] = (layers, one.k.shape[1], count, width)
        if heads % one.k.shape[1]:
            raise ValueError("groups")
    else:
        wanted["weights"] = (layers, heads, count, count)
    fits = all(found[name] is None or found[name].shape == shape for name, shape in wanted.items())
    lengths = (len(one.positions), len(one.marks), len(one.ids) or count, len(one.spans) or count)
    finite = all(array is None or np.isfinite(array).all() for array in found.values())
    if not fits or lengths != (count,) * 4 or len(one.scale) != layers or not finite:
        raise ValueError("parts")
    return one


def _array(raw: bytes, tensor: StoredTensor | None, kinds: tuple[str, ...]) -> Any:
    if tensor is None:
        return None
    if tensor.dtype not in kinds:
        raise ValueError(tensor.dtype)
    part = raw[tensor.start : tensor.start + tensor.size]
    return np.frombuffer(part, _CODES[tensor.dtype]).reshape(tensor.shape)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _both(text: Text | None) -> dict[str, str] | None:
    return None if text is None else {"en": text.en, "zh": text.zh}


def _words(value: Any) -> Text:
    return Text(_text(value["en"]), _text(value["zh"]))


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _no_attention(path: Path) -> ClockhandsError:
    return ClockhandsError(
        f"{path} is no attention file of clockhands, or a damaged one: clockhands attend -o FOLDER makes one",
        f"{path} 不是 clockhands 的注意力文件，或已损坏：可用 clockhands attend -o 文件夹 生成",
    )
