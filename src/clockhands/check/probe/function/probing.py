"""``probe``: what somebody's function really does with position, and what is wrong with it.

Nothing but the function is looked at: it is called about a hundred times with small arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from clockhands.arrays import require_whole
from clockhands.check.form import LayerForm
from clockhands.check.probe.findings import conduct as findings_conduct
from clockhands.check.probe.findings import turning as findings_turning
from clockhands.check.probe.function.attention import attention_form
from clockhands.check.probe.function.axes import axes_followed
from clockhands.check.probe.function.bias import bias_form, some_bias
from clockhands.check.probe.function.calling import Refused
from clockhands.check.probe.function.expected import check_expected
from clockhands.check.probe.function.faults_conduct import check_conduct, check_steadiness
from clockhands.check.probe.function.faults_far import (
    check_history,
    check_silent_ends,
    find_rows,
    first_answers,
    say_rows,
)
from clockhands.check.probe.function.faults_modules import check_module
from clockhands.check.probe.function.faults_places import check_places
from clockhands.check.probe.function.faults_precision import check_angles, check_collisions
from clockhands.check.probe.function.faults_widths import check_odd_width, check_shift
from clockhands.check.probe.function.hands import Hands, angle_hands, judge_hands, turned_hands
from clockhands.check.probe.function.loading import load
from clockhands.check.probe.function.makers import check_makers, some_places
from clockhands.check.probe.function.rotation import turns
from clockhands.check.probe.function.signature import Signature, parse
from clockhands.check.probe.function.starting import (
    cannot,
    is_module,
    made,
    other_heads,
    some_tokens,
    started,
    ways,
)
from clockhands.check.probe.function.study import Study
from clockhands.check.probe.function.tables import table_form
from clockhands.check.probe.function.tables_given import tables_given_form
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.errors import BadParameter, ClockhandsError, shown, shown_zh

WIDEST, WIDEST_TURNED = 2**14, 2**10
"""Dimensions of a vector; what turns is asked with as many vectors as it has dimensions."""

DTYPES = ("float32", "float64", "float16", "bfloat16")


def probe(
    fn: str | Callable[..., Any],
    *,
    head_dim: int,
    signature: str = "q, k, position_ids",
    num_heads: int = 6,
    num_kv_heads: int | None = None,
    layout_of_heads: str = "b h t d",
    dtype: str = "float32",
    arrays: Literal["auto", "numpy", "torch"] = "auto",
    expect: Mapping[str, Any] | None = None,
    causal: bool = True,
) -> Subject:
    """Measure a function, a torch module, or what makes one: ``measured`` and ``found`` of what comes back.

    fn                the callable, or ``package.module:function`` or ``path/file.py:function``; a class or a
                      function without arguments makes a module anew where a fresh one is needed
    head_dim          width of a head; of the whole vector where there are no heads
    signature         how it is called, see ``signature``: ``"x, positions"``, ``"x, offset="``,
                      ``"positions -> cos, sin"``, ``"query_length, key_length -> bias"`` …
    num_kv_heads      key heads: by default fewer than query heads, where the function takes that
    layout_of_heads   order of axes of q, k, v and x: any of b, h, t, d, such as ``"t h d"`` or ``"b t d"``
    dtype             of q, k, v and x: float32 unless something else is asked
    arrays            whether it takes numpy arrays or torch tensors, where that is not plain
    expect            what it is meant to be, by names of the normal form and of ``rope_parameters``
    causal            whether keys ahead of a query are masked, for a bias

    Raises ClockhandsError where it cannot be called so, or takes too long.
    """
    target, plain = load(fn)
    asked_for = parse(signature)
    layout = _layout(layout_of_heads, asked_for)
    require_whole(head_dim, "head_dim", least=1)
    widest = WIDEST_TURNED if asked_for.kind in ("turned", "attention") else WIDEST
    if head_dim > widest:
        raise BadParameter(
            "head_dim",
            f" is {number(head_dim)}, which a probe is too slow for: use {number(widest)} or less",
            f" 为 {number(head_dim)}，探测会太慢：请用 {number(widest)} 或更小的数",
        )
    require_whole(num_heads, "num_heads", least=1)
    if num_kv_heads is not None:
        require_whole(num_kv_heads, "num_kv_heads", least=1)
    if asked_for.kind == "attention" and head_dim < 2:
        raise BadParameter(
            "head_dim",
            f" is {head_dim}, and nothing turns in one dimension: use 2 or more",
            f" 为 {head_dim}，一维无法转动：请用 2 或更大的数",
        )
    if dtype not in DTYPES:
        raise BadParameter("dtype", f" is {shown(dtype)}: use one of {', '.join(DTYPES)}",
        f" 为{shown_zh(dtype)}：请用 {'、'.join(DTYPES)} 之一")  # fmt: skip
    one, again = made(plain)
    tried = ways(one, asked_for, layout, num_heads, num_kv_heads, head_dim, dtype, arrays)
    first = some_bias if asked_for.kind == "bias" else some_places if asked_for.makes else some_tokens
    asked = started(tried, first)
    study = Study(
        asked, again, causal, same={"float16": 2e-3, "bfloat16": 2e-2}.get(asked.caller.dtype, 1e-5)
    )
    try:
        forms = _measured(study)
    except Refused as refusal:  # a question that it refuses, though it answered the first
        raise cannot(refusal, asked_for.text) from refusal.error
    if expect is not None:
        check_expected(study, forms, expect)
    return Subject(
        target=target, kind="function", dialect=asked.caller.library, measured=forms,
        dtype=asked.caller.dtype, facts=study.facts, found=tuple(study.found),
    )  # fmt: skip


def _measured(study: Study) -> tuple[LayerForm, ...]:
    if study.asked.caller.signature.makes:
        forms = check_makers(study)
        check_conduct(study)
        return forms
    if study.asked.caller.signature.kind == "bias":
        form = bias_form(study)
        check_conduct(study)
        return (form,)
    check_steadiness(study)
    if study.found:  # random numbers: nothing else can be told
        check_conduct(study)
        return (LayerForm(layers=(0,), family="other", source="measured"),)
    if not np.isfinite(study.asked.codes(np.arange(5))).all():
        study.say(
            findings_conduct.NOT_FINITE, "error", ("positions",), "it gives numbers that are not finite",
            "它给出非有限的数", ("see what its frequencies are", "检查角频率的值"),
        )  # fmt: skip
        return (LayerForm(layers=(0,), family="other", source="measured"),)
    if study.asked.caller.signature.kind == "attention":
        form = attention_form(study)
        check_conduct(study)
        return (form,)
    if study.asked.caller.signature.tables:
        check_places(study)
        form = tables_given_form(study)
        if form.family == "rope":
            _heads_as_given(study)
            check_shift(study)
        check_conduct(study)
        return (form,)
    before = first_answers(study)
    check_places(study)
    find_rows(study)
    form, hands = _form(study)
    say_rows(study)
    if form.family == "learned":
        form = replace(form, rows=study.facts.get("rows"), offset=0)
    check_collisions(study, hands)
    check_silent_ends(study)
    check_angles(study, hands)
    check_history(study, before)
    check_shift(study)
    if hands is not None and study.asked.caller.signature.takes("axes"):
        form = replace(form, **axes_followed(study, hands))
    if form.family == "sinusoidal":
        check_odd_width(study)
    check_conduct(study)
    if is_module(study.asked.caller.fn):
        check_module(study)
    return (form,)


def _form(study: Study) -> tuple[LayerForm, Hands | None]:
    """The normal form, and the hands if there are any."""
    signature = study.asked.caller.signature
    width = study.asked.caller.head_dim
    if signature.kind == "table":
        return table_form(study), None
    if signature.kind == "angles":
        hands = angle_hands(study, width)
    else:
        found = turns(study.asked, study.facts.get("rows"))
        _heads_as_given(study)
        first = next(iter(found.values()))
        nothing = LayerForm(layers=(0,), family="other", head_dim=width, source="measured")
        kept = all(turn.pairs or turn.kept for turn in found.values())
        if np.abs(first.added).max() > 1e-6:
            return (table_form(study) if kept else nothing), None
        if not all(turn.linear for turn in found.values()):
            raise ClockhandsError(
                "the function does more than turn vectors: the sum of two does not become the sum of what "
                "they become. Give the part of it that turns them",
                "这个函数不只是转动向量：两个向量之和的结果不等于各自结果之和。请只给出其中转动向量的部分",
            )
        if not any(turn.pairs for turn in found.values()):
            if not kept:
                return nothing, None
            return LayerForm(layers=(0,), family="none", head_dim=width, source="measured"), None
        hands = turned_hands(study, found)
    if hands is None:
        return LayerForm(layers=(0,), family="other", head_dim=width, source="measured"), None
    judge_hands(study, hands)
    return hands.form(), hands


def _heads_as_given(study: Study) -> None:
    """Keys with fewer heads must become what they become with as many as queries have."""
    other = other_heads(study.asked)
    if other is None:
        return
    start = 0 if study.asked.reach == "start" else 3
    places = np.arange(start, start + 5)[None]
    try:
        few, many = study.asked.answer(places), other.answer(places)
    except Refused:
        return
    if not study.agree(few["k"][:, :, 0], many["k"][:, :, 0]):
        study.say(
            findings_turning.HEADS, "error", ("k", "num_kv_heads"),
            f"keys of {study.asked.caller.kv_heads} heads become something else than keys of "
            f"{other.caller.kv_heads}",
            f"{study.asked.caller.kv_heads} 个头的键与 {other.caller.kv_heads} 个头的键得到不同结果",
            ("shape keys by num_kv_heads", "键按 num_kv_heads 变形"),
        )  # fmt: skip


def _layout(text: str, signature: Signature) -> tuple[str, ...]:
    letters = tuple(str(text).split())
    fine = set(letters) <= set("bthd") and len(set(letters)) == len(letters) and {"t", "d"} <= set(letters)
    if not fine or letters[-1] != "d":
        raise BadParameter(
            "layout_of_heads",
            f" is {shown(text)}: name axes by b, h, t and d, d last, such as 'b h t d' or 't h d'",
            f" 为{shown_zh(text)}：请用 b、h、t、d 表示各轴，d 在最后，例如“b h t d”或“t h d”",
        )  # fmt: skip
    return letters
