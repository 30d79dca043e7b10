"""A GGUF file as a subject: its metadata and the tensors that say something of positions.

The metadata is read by this project's own scanner (``gguf_header``), so that a file is checked before
anything is allocated, and nothing needs to be installed. The package ``gguf``, whose reader believes what a
header says, is asked for one thing: to expand quantised rows of q and k. It gets bytes, never the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from clockhands.check.finding import Finding
from clockhands.check.form import Context, LayerForm
from clockhands.check.read.file_rules import (
    NO_EFFECT,
    TENSOR_MISFIT,
    TWICE_SHARPENED,
    UNKNOWN_ARCHITECTURE,
)
from clockhands.check.read.gguf_header import Header, read_header
from clockhands.check.read.gguf_kinds import YARN_READERS
from clockhands.check.read.gguf_layers import (
    BETA_FAST,
    BETA_SLOW,
    Positions,
    Sizes,
    forms_of,
    pairs_of,
    sizes_of,
)
from clockhands.check.read.gguf_rows import rows_as_stored
from clockhands.check.read.gguf_tensors import vector
from clockhands.check.read.gguf_values import Values
from clockhands.check.read.llama_turning import magnitude
from clockhands.check.read.rows_said import about_rows
from clockhands.check.saying import has, number
from clockhands.check.settings import Settings
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError, MissingExtra, shown, shown_zh
from clockhands.language import Text

DIVISORS = ("rope_freqs", "rope_factors_long", "rope_factors_short")

ALIASES = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "max_position_embeddings": "context_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "sliding_window": "attention.sliding_window",
    "rope_theta": "rope.freq_base",
}
"""Names of configurations for keys of the format, under the architecture's name."""


def read_gguf(path: str | Path, *, rows: bool = True) -> Subject:
    """The model in the GGUF file at ``path``.

    rows  whether q and k rows are measured too, which reads some megabytes of weights

    ``facts["stored_rows"]`` has what the rows say, where they could be read. Raises ``ClockhandsError``, one
    sentence, where the file is none, is cut off or contradicts itself.
    """
    header = read_header(path)
    v = _values(path, header)
    sizes = sizes_of(v)
    positions, misfits = _positions(path, header)
    forms = forms_of(v, sizes, positions)
    more = [*misfits, *_of_tensors(v, sizes, positions, forms), *_of_settings(v, forms)]
    found = [*v.found, *more]  # v.found last of all: it grows while values are read
    facts: dict[str, Any] = {}
    if rows:
        facts, more = _measured_rows(path, header, v, sizes, forms)
        found += more
    return Subject(
        target=str(path),
        kind="gguf",
        dialect="gguf",
        context=_context(v, sizes, forms),
        settings=Settings(
            header.values,
            aliases={name: v.path(key) for name, key in ALIASES.items()},
            model_type=v.arch,
        ),
        declared=forms,
        framework="llama.cpp",
        facts=facts,
        found=tuple(found),
    )


def _values(path: str | Path, header: Header) -> Values:
    arch = header.values.get("general.architecture")
    if not isinstance(arch, str) or not arch:
        raise ClockhandsError(
            f"{path} has {shown(arch)} for general.architecture, which names none: it holds no model",
            f"{path} 的 general.architecture 为{shown_zh(arch)}，不是架构名：里面没有模型",
        )
    return Values(header.values, arch)


def _positions(path: str | Path, header: Header) -> tuple[Positions, list[Finding]]:
    divisors, misfits = {}, []
    for name in DIVISORS:
        tensor = _named(header, name)
        array = None if tensor is None else vector(path, header, tensor)
        if tensor is not None and array is None:
            misfits.append(
                _misfit(tensor, Text("it is no short list of plain numbers", "它不是一小列普通的数"))
            )
        if array is not None:
            divisors[name] = array
    table = _named(header, "position_embd")
    rows = None
    if table is not None and len(header.tensors[table].shape) == 2:
        rows = header.tensors[table].shape[0]
    return Positions(divisors, rows), misfits


def _named(header: Header, name: str) -> str | None:
    """The tensor's full name: some files have one a layer, all of them alike."""
    ways = (f"{name}.weight", f"blk.0.{name}.weight", name)
    return next((each for each in ways if each in header.tensors), None)


def _of_tensors(v: Values, sizes: Sizes, positions: Positions, forms: tuple[LayerForm, ...]) -> list[Finding]:
    found = []
    turned = {form.rotary_dim for form in forms if form.rotary_dim}
    for name, array in positions.divisors.items():
        if not (np.isfinite(array) & (array > 0)).all():
            found.append(
                _misfit(name, Text("its divisors must be finite and above 0", "除数必须是大于 0 的有限数"))
            )
        elif turned and len(array) not in {each // 2 for each in turned}:
            hands = ", ".join(str(each // 2) for each in sorted(turned))
            divisors = has(len(array), Text("divisor", "个除数"))
            found.append(
                _misfit(
                    name,
                    Text(
                        f"it has {divisors.en} for {hands} hands",
                        f"它有 {divisors.zh}，而指针有 {hands} 根",
                    ),
                )
            )
    rows = positions.table_rows
    if rows is not None and sizes.context is not None and rows < sizes.context:
        found.append(
            _misfit(
                "position_embd",
                Text(
                    f"it has {number(rows)} rows, and {v.path('context_length')} promises "
                    f"{number(sizes.context)} "
                    "positions",
                    f"它有 {number(rows)} 行，而 {v.path('context_length')} 承诺了 {number(sizes.context)} "
                    "个位置",
                ),
            )
        )
    return found


def _misfit(tensor: str, what: Text) -> Finding:
    return TENSOR_MISFIT.finding(
        "error",
        [tensor],
        Text(f"the tensor {tensor} doesn't fit: {what.en}", f"张量 {tensor} 不相符：{what.zh}"),
        Text("convert the model again", "请重新转换模型"),
    )


def _of_settings(v: Values, forms: tuple[LayerForm, ...]) -> list[Finding]:
    found = []
    if pairs_of(v) is None:
        found.append(
            UNKNOWN_ARCHITECTURE.finding(
                "warning",
                ["general.architecture"],
                Text(
                    f"the architecture {shown(v.arch)} is not known here, and the format doesn't say how its "
                    "dimensions pair up",
                    f"这里不认识架构{shown_zh(v.arch)}，而该格式并不说明它的维度如何配对",
                ),
                Text("compare it with the model's own configuration", "请与模型自己的配置对照"),
            )
        )
    found += _unread(v, forms)
    factor, attention = v.raw("rope.scaling.factor"), v.raw("rope.scaling.attn_factor")
    if v.text("rope.scaling.type") == "yarn" and isinstance(factor, float) and isinstance(attention, float):
        own = magnitude(factor)
        if own != 1 and abs(attention - own) < 1e-3 * own:
            found.append(
                TWICE_SHARPENED.finding(
                    "warning",
                    [v.path("rope.scaling.attn_factor")],
                    Text(
                        f"{v.path('rope.scaling.attn_factor')} is {number(attention)}, YaRN's own factor for "
                        f"{number(factor)}, which llama.cpp applies by itself: scores then carry "
                        f"{number(own * attention)}, squared",
                        f"{v.path('rope.scaling.attn_factor')} 为 {number(attention)}，正是 YaRN 在因子 "
                        f"{number(factor)} 时自己的值，而 llama.cpp 本来就会乘上它：得分里便是 "
                        f"{number(own * attention)} 的平方",
                    ),
                    Text("set it to 1, or leave it out", "请设为 1，或去掉它"),
                )
            )
    return found


def _unread(v: Values, forms: tuple[LayerForm, ...]) -> list[Finding]:
    """Parameters of YaRN in the file that llama.cpp doesn't read for this architecture, where they matter."""
    amplitude = next((each.attention_factor for each in forms if each.rope_type == "yarn"), None)
    if amplitude is None or v.arch in YARN_READERS:
        return []
    # 1 is what "no factor of its own" is written as, by some
    used = {BETA_FAST: (32.0,), BETA_SLOW: (1.0,), "rope.scaling.yarn_attn_factor": (amplitude, 1.0)}
    found = []
    for name, values in used.items():
        told = v.number(name)
        if told is None or any(abs(told - each) < 1e-3 * each for each in values):
            continue
        found.append(
            NO_EFFECT.finding(
                "warning",
                [v.path(name)],
                Text(
                    f"{v.path(name)} is {number(told)}, and llama.cpp doesn't read it for {shown(v.arch)}: "
                    f"{number(values[0])} is used",
                    f"{v.path(name)} 为 {number(told)}，而 llama.cpp 不为{shown_zh(v.arch)}读取它：实际用的"
                    "是 "
                    f"{number(values[0])}",
                ),
                Text(
                    "give llama.cpp the betas with --yarn-beta-fast and --yarn-beta-slow"
                    if name in (BETA_FAST, BETA_SLOW)
                    else "fold what is missing into rope.scaling.attn_factor, which it reads",
                    "请用 --yarn-beta-fast 和 --yarn-beta-slow 把 beta 告诉 llama.cpp"
                    if name in (BETA_FAST, BETA_SLOW)
                    else "请把缺少的倍数乘进 rope.scaling.attn_factor，它会读取这个键",
                ),
            )
        )
    return found


def _measured_rows(
    path: str | Path, header: Header, v: Values, sizes: Sizes, forms: tuple[LayerForm, ...]
) -> tuple[dict[str, Any], list[Finding]]:
    turning = next((form for form in forms if form.family == "rope" and form.rotary_dim), None)
    if turning is None or turning.rotary_dims == "suffix":
        return {}, []
    try:
        rows = rows_as_stored(path, header, v, sizes, turning)
    except MissingExtra as error:
        return {"stored_rows": None, "stored_rows_missing": error.text}, []
    if rows is None:
        return {"stored_rows": None}, []
    by = Text(f"llama.cpp for {shown(v.arch)}", f" llama.cpp 对{shown_zh(v.arch)}")
    return {"stored_rows": rows.as_record()}, about_rows(rows, turning.layout, by)


def _context(v: Values, sizes: Sizes, forms: tuple[LayerForm, ...]) -> Context:
    trained = v.whole("rope.scaling.original_context_length")
    for form in forms:
        told = form.scaling.get("original_max_position_embeddings")
        if trained is None and told is not None and form.rope_type != "default":
            trained = int(told)
    return Context(trained=trained or sizes.context, promised=sizes.context)
