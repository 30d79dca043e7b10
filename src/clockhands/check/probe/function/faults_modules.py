"""What a torch module does when it is cast, copied, saved or made without memory."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from clockhands.check.probe.findings import conduct as say
from clockhands.check.probe.function.calling import Floats, Refused
from clockhands.check.probe.function.study import Study

ASKED = np.array([[0, 1, 17, 300, 900]])
"""Positions a moved module is asked for; the first ones in order where it takes none."""
CAST = 0.02
"""How far a code may be off after a cast, in its own lengths: rounding to bf16 leaves 0.004."""


def check_module(study: Study) -> None:
    """All about modules; nothing where the function is none."""
    module = study.asked.caller.fn
    before = _held(module)
    answer = _codes(study, module)
    if answer is None:
        return
    _codes(study, module, 3)
    if _changed(before, _held(module)):
        study.say(
            say.WRITES, "warning", _changed(before, _held(module)), "a call changes its own buffers",
            "调用会改变它自己的缓冲区",
            ("compute what depends on the call, and keep it nowhere",
             "取决于某次调用的内容应当场计算，不要保存"),
        )  # fmt: skip
    _copied(study, module, answer)
    _cast(study, module, answer)
    _saved(study, module, answer)
    _unfilled(study, module, answer)


def _codes(study: Study, module: Any, extra: int = 0) -> Floats | None:
    rows = int(study.facts.get("rows") or 1024)
    asked = study.asked.of_function(module)
    places = ASKED[rows - extra > ASKED][None] + extra
    if asked.reach != "any":
        places = np.arange(min(300 + extra, rows))[None]
    try:
        return asked.codes(places)
    except Refused:
        return None


def _held(module: Any) -> dict[str, Any]:
    return {
        name: value.detach().clone() for name, value in (*module.named_buffers(), *module.named_parameters())
    }


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    import torch

    return sorted(
        name
        for name in before.keys() | after.keys()
        if name not in before or name not in after or not torch.equal(before[name], after[name])
    )


def _copied(study: Study, module: Any, answer: Floats) -> None:
    def make() -> Any:
        return copy.deepcopy(module)

    _say_unless(
        study, say.COPIES, "error", _try(study, make), answer, "a deepcopy", "deepcopy 的副本",
        ("keep no reference to the module itself, and nothing that cannot be copied",
         "不要保存对模块自身的引用，也不要保存无法复制的内容"),
    )  # fmt: skip


def _saved(study: Study, module: Any, answer: Floats) -> None:
    if study.again is None:
        return
    make_new = study.again

    def make() -> Any:
        new = make_new()
        new.load_state_dict(module.state_dict())
        return new

    _say_unless(
        study, say.SAVES, "error", _try(study, make), answer, "a new one that loads its state_dict",
        "载入其 state_dict 的新模块",
        ("make fixed numbers in the constructor, and keep trained ones in parameters",
         "固定的数由构造函数生成，训练的数保存为参数"),
    )  # fmt: skip


def _unfilled(study: Study, module: Any, answer: Floats) -> None:
    """On the meta device, given memory, loaded. Memory is filled with 77 first: raw memory may be lucky."""
    if study.again is None:
        return
    import torch

    make_new = study.again

    def make() -> Any:
        with torch.device("meta"):
            new = make_new()
        new.to_empty(device="cpu")
        with torch.no_grad():
            for value in (*new.buffers(), *new.parameters()):
                value.fill_(77)
        new.load_state_dict(module.state_dict(), strict=False)
        return new

    _say_unless(
        study, say.META, "warning", _try(study, make), answer,
        "made on the meta device, given memory and loaded, it", "在 meta 设备上创建、分配并载入后",
        ("compute fixed numbers in forward, or refill them after to_empty",
         "在 forward 中计算固定的数，或在 to_empty 之后重新填充"),
    )  # fmt: skip


def _cast(study: Study, module: Any, answer: Floats) -> None:
    """To 16 bits and back: what a float32 run after a half-precision load gives."""
    import torch

    for dtype in (torch.bfloat16, torch.float16):
        name = str(dtype).removeprefix("torch.")
        try:
            moved = copy.deepcopy(module).to(dtype).float()
        except Exception:  # noqa: BLE001 - a module that cannot be copied was told of already
            return
        got = _codes(study, moved)
        if got is None or got.shape != answer.shape:
            return
        off = float(np.abs(got - answer).max()) / max(float(np.abs(answer).max()), 1e-30)
        study.facts.setdefault("cast_error", {})[name] = off
        if not off <= CAST:
            study.say(
                say.CASTS, "error", _changed(_held(module), _held(moved)) or ("buffers",),
                f"after .to({name}) and back its codes are off by {off:.3g} of their size",
                f"经 .to({name}) 再转回后，编码相差其大小的 {off:.3g} 倍",
                ("keep frequencies out of buffers that are cast: compute them in forward, in float32",
                 "不要把角频率放在会被转换的缓冲区：在 forward 中用 float32 计算"),
            )  # fmt: skip
            return


def _try(study: Study, make: Callable[[], Any]) -> Floats | BaseException | None:
    try:
        moved = make()
    except Exception as error:  # noqa: BLE001 - other people's module may raise anything
        return error
    return _codes(study, moved.eval())


def _say_unless(
    study: Study, rule: Any, severity: Any, got: Floats | BaseException | None, answer: Floats,
    what: str, what_zh: str, remedy: tuple[str, str],
) -> None:  # fmt: skip
    if isinstance(got, BaseException):
        said = " ".join(f"{type(got).__name__}: {got}".split())[:120]
        study.say(
            rule, severity, ("module",), f"{what} cannot be had: {said}", f"无法得到{what_zh}：{said}", remedy
        )
    elif got is None or not study.agree(answer, got):
        study.say(rule, severity, ("module",), f"{what} answers differently", f"{what_zh}，结果不同", remedy)
