"""What else a function does: to its inputs, to dtypes, for other strides, to the world around it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from clockhands.check.probe.findings import conduct as say
from clockhands.check.probe.findings import places as places
from clockhands.check.probe.function.asking import Asked
from clockhands.check.probe.function.calling import Refused
from clockhands.check.probe.function.starting import is_module
from clockhands.check.probe.function.study import Study

TOKENS = 6
SETTINGS_ZH = {
    "the default device": "默认设备", "the default dtype": "默认类型",
    "deterministic algorithms": "确定性算法开关",
    "the number of threads": "线程数", "how numpy treats errors": "numpy 的错误处理方式",
    "the working directory": "工作目录", "the gradient mode": "梯度模式",
}  # fmt: skip


def check_steadiness(study: Study) -> None:
    """The same question twice in a row."""
    one = study.asked.codes(np.arange(TOKENS))
    study.asked.caller.stirred = True
    other = study.asked.codes(np.arange(TOKENS))
    study.asked.caller.stirred = False
    if not np.array_equal(one, other, equal_nan=True):
        study.say(
            say.UNSTEADY, "error", ("random",),
            "called twice with the same arrays it gives different numbers",
            "用相同的数组调用两次，给出不同的数",
            ("probe it in evaluation mode, with a fixed generator", "请在评估模式下、用固定的生成器探测"),
        )  # fmt: skip


def check_conduct(study: Study) -> None:
    """All of it, at the end: what was seen during all calls counts."""
    if any(study.asked.caller.signature.takes(word) for word in ("q", "k", "v", "x")):
        _dtypes(study)
        _strides(study)
    seen = study.asked.caller.seen
    changed = sorted(word.removeprefix("mutates ") for word in seen if word.startswith("mutates "))
    study.facts["mutates_input"] = bool(changed)
    if changed:
        names, names_zh = " and ".join(changed), "和".join(changed)
        study.say(
            say.MUTATES, "error", changed,
            f"after the call {names} "
            f"{'is not what it was' if len(changed) == 1 else 'are not what they were'}",
            f"调用之后 {names_zh} 的内容变了",
            ("write into a new array, or copy first", "写入新数组，或先复制"),
        )  # fmt: skip
    if "prints" in seen:
        study.say(
            say.PRINTS, "note", ("output",), "it prints at every call", "每次调用都会打印",
            ("remove it, or log it", "去掉打印，或改用日志"),
        )  # fmt: skip
    sets = sorted(word.removeprefix("sets ") for word in seen if word.startswith("sets "))
    if sets:
        named, named_zh = " and ".join(sets), "、".join(SETTINGS_ZH[each] for each in sets)
        study.say(
            say.SETS, "warning", ("global",), f"it changes {named} for the whole process",
            f"它改变了整个进程的{named_zh}",
            ("pass what is wanted as an argument, or put it back", "把需要的值作为参数传入，或用完恢复"),
        )  # fmt: skip
    if "random" in seen:
        study.say(
            say.RANDOM, "warning", ("random",), "it draws from, or sets, the global random state",
            "它使用或改变了全局随机状态",
            ("give it a generator of its own", "让它使用自己的生成器"),
        )  # fmt: skip


def _dtypes(study: Study) -> None:
    names = ("float16",) if study.asked.caller.library == "numpy" else ("bfloat16", "float16", "float64")
    differing: dict[str, str] = {}
    for number, name in enumerate((study.asked.caller.dtype, *names)):  # each with a shape of its own
        asked = _cast(study.asked.of_dtype(name), name)
        got = None if asked is None else _given_back(asked, TOKENS + number)
        if got is not None and got != name:
            differing[name] = got
    study.facts["output_dtypes"] = differing
    if differing:
        name, got = next(iter(differing.items()))
        study.say(
            say.DTYPE, "warning", ("dtype",), f"{name} arrays come back as {got}",
            f"{name} 的数组返回时成了 {got}",
            ("cast the result to the dtype of the input", "把结果转回输入的类型"),
        )  # fmt: skip
        return
    # A kept output shows where the first call of a shape decides the dtype of later ones.
    narrow = names[0]
    _given_back(study.asked, TOKENS + 5)
    asked = _cast(study.asked.of_dtype(narrow), narrow)
    got = None if asked is None else _given_back(asked, TOKENS + 5)
    if got is not None and got != narrow:
        study.say(
            places.STALE, "error", ("dtype",),
            f"{narrow} arrays come back as {got} once arrays of that shape were given in {got}",
            f"先给过同形状的 {got} 数组后，{narrow} 的数组返回时也成了 {got}",
            ("let no cache depend on the shape alone", "缓存不要只按形状查找"),
        )  # fmt: skip


def _cast(asked: Asked, dtype: str) -> Asked | None:
    """A module is cast as its inputs are: parameters of another dtype rightly widen the result."""
    module = asked.caller.fn
    if not is_module(module) or not any(True for _ in module.parameters()):
        return asked
    import torch

    try:
        return asked.of_function(copy.deepcopy(module).to(getattr(torch, dtype)))
    except Exception:  # noqa: BLE001 - a module that cannot be copied is told of elsewhere
        return None


def _given_back(asked: Asked, tokens: int) -> str | None:
    """The dtype that the first array comes back in; None where it refuses."""
    start = 0 if asked.reach == "start" else 3
    positions = np.arange(start, start + tokens)[None]
    vectors = np.ones((1, tokens, asked.caller.head_dim))
    try:
        raw = asked.caller.call(asked.given(positions, vectors))
    except Refused:
        return None
    for word, value in zip(asked.caller.signature.returned, raw, strict=False):
        if word != "_":
            return str(value.dtype).removeprefix("torch.")
    return None


def _strides(study: Study) -> None:
    """The same numbers with every other place of memory between them, and with axes stored the other way."""
    start = 0 if study.asked.reach == "start" else 3
    positions = np.arange(start, start + TOKENS)[None]
    plain = study.asked.codes(positions)
    for name, prepare in (("sliced", _sliced), ("transposed", _transposed)):
        try:
            got = study.asked.codes(positions, prepare)
        except Refused as refusal:
            if name == "sliced":
                continue  # few ever see such strides, and a refusal is no wrong answer
            study.say(
                say.STRIDES, "warning", ("strides",), f"given {name} arrays, {refusal.en}",
                f"输入为{_ZH[name]}的数组时，{refusal.zh}",
                ("use reshape, or make the input contiguous first", "使用 reshape，或先把输入变为连续"),
            )  # fmt: skip
            return
        if not study.agree(plain, got):
            study.say(
                say.STRIDES, "error", ("strides",), f"{name} arrays of the same numbers get another answer",
                f"数值相同但{_ZH[name]}的数组得到另一个结果",
                ("index by axes, or make the input contiguous first", "按轴索引，或先把输入变为连续"),
            )  # fmt: skip
            return


_ZH = {"sliced": "切片", "transposed": "转置"}


def _sliced(array: Any) -> Any:
    """Every second column of a wider array whose other columns hold something else."""
    shape = (*array.shape[:-1], 2 * array.shape[-1])
    wide = array.new_full(shape, 77.0) if hasattr(array, "new_full") else np.full(shape, 77.0, array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def _transposed(array: Any) -> Any:
    """The first axes stored in the other order, the last one as it was."""
    if array.ndim < 3:
        return array
    if hasattr(array, "contiguous"):
        return array.transpose(-2, -3).contiguous().transpose(-2, -3)
    return np.ascontiguousarray(array.swapaxes(-2, -3)).swapaxes(-2, -3)
