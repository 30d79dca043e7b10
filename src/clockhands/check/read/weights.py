"""What the weights of a model say of positions, held against its configuration; read without torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from clockhands.check.finding import Finding
from clockhands.check.form import LayerForm
from clockhands.check.read import weight_names as names
from clockhands.check.read.file_rules import (
    BUFFER_DIFFERS,
    REMOTE_CODE,
    SHAPES_CONTRADICT,
    TABLE_MISFIT,
)
from clockhands.check.read.rows import MOST_QUERIES_READ, layout_of_rows, spread_over
from clockhands.check.read.rows_said import about_rows
from clockhands.check.read.safetensors_folder import weights_in
from clockhands.check.read.safetensors_header import StoredTensor, numbers
from clockhands.check.saying import brief, has, listed, number
from clockhands.check.subject import Subject
from clockhands.language import Text

MOST_WEIGHTS = 2**22  # of one head


def with_weights(subject: Subject, folder: str | Path) -> Subject:
    """The subject of a configuration, with what the safetensors of its folder add.

    Findings: projections of another size than declared, tables with fewer rows, frequencies that differ,
    shards that are missing, pickles that were not opened, rows of q and k in another layout than the class
    turns.
    ``facts["stored_rows"]`` has what the rows say, where there are enough.
    """
    weights = weights_in(folder)
    tensors = {name: each for name, each in weights.tensors.items() if not names.OTHERS.search(name)}
    found = [*subject.found, *weights.found, *_remote_code(subject)]
    found += _shapes(subject, tensors)
    found += _tables(subject, tensors)
    found += _frequencies(subject, tensors)
    facts, more = _rows(subject, tensors)
    return replace(subject, kind="model", facts={**subject.facts, **facts}, found=(*found, *more))


def _remote_code(subject: Subject) -> list[Finding]:
    told = subject.settings.file.get("auto_map") if subject.settings else None
    if not told:
        return []
    classes = _named(told)
    return [
        REMOTE_CODE.finding(
            "note",
            ["auto_map"],
            Text(
                f"auto_map names {classes.en} in files that come with the model: remote code, which was "
                "not run",
                f"auto_map 指向模型附带文件中的类 {classes.zh}：那是远程代码，没有运行它",
            ),
            Text("read the code there for what it does with positions", "请阅读那里的代码，看它如何处理位置"),
        )
    ]


def _named(told: Any) -> Text:
    """The classes that ``auto_map`` names, or so many of them as a sentence can hold."""
    each = [told]
    if isinstance(told, Mapping):  # tokenizers know no position
        each = [name for key, name in told.items() if "Tokenizer" not in str(key)] or list(told.values())
    names = list(dict.fromkeys(brief(str(name), LONGEST_NAME) for name in each if name))
    more = len(names) - MOST_NAMED
    shown = listed(names[:MOST_NAMED])
    return shown if more <= 0 else Text(f"{shown.en} and {more} more", f"{shown.zh} 等 {len(names)} 个")


MOST_NAMED, LONGEST_NAME = 3, 80


def _form_of(subject: Subject, name: str, *families: str) -> LayerForm | None:
    """The form of the layer that a tensor belongs to."""
    layer = names.LAYER.search(name)
    stack = "decoder" if names.DECODER.search(name) else "encoder" if names.ENCODER.search(name) else None
    for form in subject.declared:
        if families and form.family not in families:
            continue
        if form.stack is not None and stack is not None and form.stack != stack:
            continue
        if layer is None or int(layer[1]) in form.layers:
            return form
    return None


def _whole(subject: Subject, name: str) -> int | None:
    return subject.settings.whole(name) if subject.settings else None


ATTENTION = ("rope", "none", "alibi", "t5", "shaw", "transformer_xl", "deberta")


def _shapes(subject: Subject, tensors: Mapping[str, StoredTensor]) -> list[Finding]:
    heads = _whole(subject, "num_attention_heads")
    groups = _whole(subject, "num_key_value_heads") or heads
    wrong: dict[str, list[tuple[str, int, int]]] = {}
    for name, tensor in tensors.items():
        for side, pattern, count in (("q", names.Q, heads), ("k", names.K, groups), ("v", names.V, groups)):
            form = _form_of(subject, name, *ATTENTION) if pattern.search(name) else None
            if (
                form is None
                or not form.head_dim
                or not count
                or form.mixer == "other"
                or len(tensor.shape) != 2
            ):
                continue
            rows, said = tensor.shape[0], count * form.head_dim
            allowed = (said, 2 * said) if side == "q" else (said,)  # some q projections hold gates too
            if side != "v" and rows not in allowed:
                wrong.setdefault(side, []).append((name, rows, said))
    return [
        SHAPES_CONTRADICT.finding(
            "error",
            [first[0], "num_attention_heads" if side == "q" else "num_key_value_heads", "head_dim"],
            Text(
                f"{first[0]} has {number(first[1])} rows, but heads times head_dim is {number(first[2])}"
                + ("" if len(all_of) == 1 else f"; {has(len(all_of) - 1, OTHER).en} like it"),
                f"{first[0]} 有 {number(first[1])} 行，但头数乘以 head_dim 是 {number(first[2])}"
                + ("" if len(all_of) == 1 else f"；另有 {len(all_of) - 1} 个同样不符"),
            ),
            Text("take the configuration that belongs to these weights", "请使用与这些权重配套的配置"),
        )
        for side, all_of in wrong.items()
        for first in all_of[:1]
    ]


OTHER = Text("other tensor", "个张量")


def _tables(subject: Subject, tensors: Mapping[str, StoredTensor]) -> list[Finding]:
    found = []
    for name, tensor in tensors.items():
        if len(tensor.shape) != 2:
            continue
        learned = names.LEARNED_TABLES.search(name)
        form = _form_of(subject, name, "learned") if learned else None
        if form is not None and form.rows is not None and tensor.shape[0] < form.rows:
            what = Text("rows of positions", "行位置")
            found.append(_misfit(name, tensor.shape[0], form.rows, what))
        form = _form_of(subject, name, "t5") if names.RELATIVE_BIAS.search(name) else None
        if form is not None and form.num_buckets is not None and tensor.shape[0] != form.num_buckets:
            found.append(_misfit(name, tensor.shape[0], form.num_buckets, Text("buckets", "个桶")))
    return found


def _misfit(name: str, rows: int, declared: int, what: Text) -> Finding:
    return TABLE_MISFIT.finding(
        "error",
        [name],
        Text(
            f"{name} has {number(rows)} {what.en}, and the configuration says {number(declared)}",
            f"{name} 有 {number(rows)} {what.zh}，而配置写的是 {number(declared)}",
        ),
        Text("take the configuration that belongs to these weights", "请使用与这些权重配套的配置"),
    )


ROUNDED, SAME = 2.0**-7, 1e-5  # bf16 keeps 8 bits; float32 and its own arithmetic more than 16


def _frequencies(subject: Subject, tensors: Mapping[str, StoredTensor]) -> list[Finding]:
    worst: tuple[float, str] = (0.0, "")
    for name, tensor in tensors.items():
        form = _form_of(subject, name, "rope") if names.FREQUENCIES.search(name) else None
        if form is None or form.inv_freq is None or tensor.shape != (len(form.inv_freq),):
            continue
        stored, declared = numbers(tensor), np.asarray(form.inv_freq)
        if stored is None:
            continue
        with np.errstate(all="ignore"):
            off = np.abs(stored - declared) / np.maximum(np.abs(declared), 1e-30)
        worst = max(worst, (float(np.nan_to_num(off, nan=np.inf).max()), name))
    if worst[0] <= SAME:
        return []
    share, name = worst
    rounded = share <= ROUNDED
    why = Text(": they went through 16 bits", "：它们经过了 16 位存储") if rounded else Text("", "")
    return [
        BUFFER_DIFFERS.finding(
            "warning",
            [name],
            Text(
                f"frequencies stored as {name} differ from the declared ones by up to {share:.2%}{why.en}",
                f"{name} 中所存的频率与声明的最多相差 {share:.2%}{why.zh}",
            ),
            Text(
                "leave the buffer out of the checkpoint, or declare what it holds",
                "请从检查点中去掉这个缓冲区，或按它的内容声明",
            ),
        )
    ]


def _rows(subject: Subject, tensors: Mapping[str, StoredTensor]) -> tuple[dict[str, Any], list[Finding]]:
    form = next((each for each in subject.declared if each.family == "rope" and each.rotary_dim), None)
    if form is None or form.rotary_dim is None or form.rotary_dims not in ("whole", "prefix"):
        return {}, []
    rows = layout_of_rows(_heads(subject, form, tensors), form.rotary_dim)
    if rows is None:
        return {}, []
    return {"stored_rows": rows.as_record()}, about_rows(rows, form.layout, Text("the model class", "模型类"))


def _heads(
    subject: Subject, form: LayerForm, tensors: Mapping[str, StoredTensor]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    width, heads = form.head_dim, _whole(subject, "num_attention_heads")
    groups = _whole(subject, "num_key_value_heads") or heads
    if not width or not heads or not groups or heads % groups:
        return
    q_of, k_of = (_by_layer(tensors, pattern) for pattern in (names.Q, names.K))
    layers = tuple(n for n in form.layers if n in q_of and n in k_of)
    for layer, head in spread_over(layers, lambda _: groups):
        q, k = q_of[layer], k_of[layer]
        if q.shape != (heads * width, k.shape[-1]) or k.shape != (groups * width, q.shape[-1]):
            continue
        if width * q.shape[1] > MOST_WEIGHTS:
            continue
        queries = heads // groups
        few = min(queries, MOST_QUERIES_READ)
        q_rows, k_rows = numbers(q, head * queries * width, few * width), numbers(k, head * width, width)
        if q_rows is not None and k_rows is not None:
            yield q_rows.reshape(few, width, -1), k_rows


def _by_layer(tensors: Mapping[str, StoredTensor], pattern: Any) -> dict[int, StoredTensor]:
    found = {}
    for name, tensor in tensors.items():
        layer = names.LAYER.search(name)
        if layer and pattern.search(name) and len(tensor.shape) == 2 and not names.DECODER.search(name):
            found.setdefault(int(layer[1]), tensor)
    return found
