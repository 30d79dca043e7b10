"""What options of llama.cpp make of a model: ``--rope-scaling``, ``--rope-freq-base``, ``--yarn-…``, ``-c``.

The options stand over the values of the file as in the constructor of ``llama_context``: 0, or below 0 for
factors and betas of YaRN, means "from the model"; ``--rope-scale N`` is ``--rope-freq-scale 1/N``. Layers
with a window keep the base and the scale of the file, but for architectures whose graph takes those of the
command line (``Windows.follows``).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from clockhands.check.finding import Finding
from clockhands.check.form import LayerForm, merged
from clockhands.check.read.file_rules import BAD_VALUE, CONTEXT_CAPPED, NO_EFFECT
from clockhands.check.read.gguf_kinds import MSCALE_IN_SCALE, NAMES, WINDOWS
from clockhands.check.read.gguf_values import LARGEST, SMALLEST
from clockhands.check.read.llama_turning import (
    Scaling,
    Turning,
    own_amplitude,
    sharpness,
    with_turning,
)
from clockhands.check.saying import number, ranges, spaced
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.errors import BadParameter, ClockhandsError, nearest, shown, shown_zh
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.language import Text

OPTIONS = (
    "rope-scaling",
    "rope-scale",
    "rope-freq-base",
    "rope-freq-scale",
    "yarn-orig-ctx",
    "yarn-ext-factor",
    "yarn-attn-factor",
    "yarn-beta-slow",
    "yarn-beta-fast",
    "ctx-size",
)
SHORT = {"c": "ctx-size"}
OF_YARN = ("yarn-orig-ctx", "yarn-ext-factor", "yarn-beta-slow", "yarn-beta-fast")
BELOW_ZERO = ("yarn-ext-factor", "yarn-attn-factor", "yarn-beta-slow", "yarn-beta-fast")
"""Options that mean "from the model" by a number below 0, as their defaults do."""
MAY_BE_ZERO = ("yarn-ext-factor", "yarn-attn-factor")
NEVER_ZERO = ("rope-scale", "yarn-beta-slow", "yarn-beta-fast")
"""Options of which llama.cpp takes 0 as it is, and divides by it."""
ABOVE = Text("above 0", "大于 0 的数")
KINDS: tuple[Scaling, ...] = ("none", "linear", "yarn")
MOST_TOKENS = 2**31 - 1


def override(subject: Subject, options: Mapping[str, Any]) -> Subject:
    """The subject as llama.cpp serves it under ``options``.

    options  by their names on the command line, with or without dashes in front, ``_`` or ``-`` within:
             ``{"--rope-scale": 4, "rope_scaling": "yarn", "-c": 32768}``. Values may be text.

    Options that change nothing give a finding. An unknown one, or a value that llama.cpp would not take,
    raises ``BadParameter``.
    """
    asked = _asked(options)
    turning = [form for form in subject.declared if form.family == "rope" and form.rope_theta is not None]
    found = list(subject.found)
    forms = [_served(form, asked, subject) if form in turning else form for form in subject.declared]
    found += _without_effect(asked, turning, subject)
    found += _no_base(asked, turning)
    context = replace(
        subject.context,
        served=asked.get("ctx-size") or subject.context.served,
        promised=_reach(subject, forms),
    )
    found += _capped(asked, subject)
    return replace(
        subject,
        dialect="llama.cpp",
        framework="llama.cpp",
        declared=merged(forms),
        context=context,
        found=tuple(found),
    )


def _asked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Values in use by plain names; what means "from the model" is left out."""
    asked: dict[str, Any] = {}
    for given, value in options.items():
        name = str(given).lstrip("-").replace("_", "-")
        name = SHORT.get(name, name)
        if name not in OPTIONS:
            hint = nearest(name, OPTIONS)
            raise BadParameter(
                str(given),
                f" is no option of llama.cpp that changes positions: {hint.en}",
                f" 不是 llama.cpp 中与位置有关的选项：{hint.zh}",
            )
        if name == "rope-scaling":
            if value not in KINDS:
                raise BadParameter(
                    str(given),
                    f" is {shown(value)}, but it must be none, linear or yarn",
                    f" 为{shown_zh(value)}，但它必须是 none、linear 或 yarn",
                )
            asked[name] = value
            continue
        number = _number(str(given), value, whole=name in ("ctx-size", "yarn-orig-ctx"))
        if (number < 0 and name not in BELOW_ZERO) or (number == 0 and name in NEVER_ZERO):
            least = (
                ABOVE
                if name in NEVER_ZERO
                else Text("0 (from the model) or above", "0（取自模型）或更大的数")
            )
            raise BadParameter(
                str(given),
                f" is {shown(value)}, but it must be {least.en}",
                f" 为{shown_zh(value)}，但它必须是{spaced(least.zh)}",
            )
        if number > 0 or (number == 0 and name in MAY_BE_ZERO):
            asked[name] = number
    return asked


def _number(name: str, value: Any, *, whole: bool) -> float:
    if value is True:  # a name on the command line with nothing behind it
        raise BadParameter(name, " has no value: write one behind it", " 后面没有值：请写上")
    number = None
    with suppress(ValueError):  # said below, as any other value that is no number
        number = finite(float(value)) if isinstance(value, str) else finite(value)
    if number is not None and number and not SMALLEST <= abs(number) <= LARGEST:
        number = None
    if number is None or (whole and (number != int(number) or number > MOST_TOKENS)):
        what = Text("a whole number", "整数") if whole else Text("a finite number", "有限数")
        raise BadParameter(
            name,
            f" is {shown(value)}, but it must be {what.en}",
            f" 为{shown_zh(value)}，但它必须是{what.zh}",
        )
    return int(number) if whole else number


def _follows(form: LayerForm, subject: Subject) -> Literal["nothing", "base", "all"]:
    """What of base and scaling layers take from the command line."""
    told = "" if subject.settings is None else subject.settings.model_type
    windows = WINDOWS.get(NAMES.get(told, told))
    return "all" if form.window is None or windows is None else windows.follows


def _served(form: LayerForm, asked: Mapping[str, Any], subject: Subject) -> LayerForm:
    """One kind of layers under the options."""
    before, after = turning_of_form(form, subject), _after(form, asked, subject)
    if after == before and after.short_divisors is None:  # LongRoPE's depend on the context too
        return form
    served = with_turning(form, after.at(asked.get("ctx-size")))
    if _squares(form, before, subject) and form.score_scale is not None:
        ratio = sharpness(after) / (sharpness(before) or 1.0)
        served = replace(served, score_scale=form.score_scale * ratio * ratio)
    return served


def _squares(form: LayerForm, before: Turning, subject: Subject) -> bool:
    """Whether YaRN's magnitude is squared into the scale of scores: latent attention."""
    told = "" if subject.settings is None else subject.settings.model_type
    return form.rotary_dims == "suffix" and (told in MSCALE_IN_SCALE or before.log_multiplier != 0)


def _after(form: LayerForm, asked: Mapping[str, Any], subject: Subject) -> Turning:
    """The parameters of one kind of layers under the options."""
    before, follows = turning_of_form(form, subject), _follows(form, subject)
    after = before
    if follows != "nothing":
        after = replace(after, theta=asked.get("rope-freq-base", before.theta))
    if follows == "base":
        return after
    scaling = asked.get("rope-scaling", before.scaling)
    if follows == "all":
        after = replace(after, factor=_factor(asked, before))
    elif scaling == "none":  # which stops the blend and not the layers' own factor
        scaling = "linear"
    after = replace(
        after,
        scaling=scaling,
        original=asked.get("yarn-orig-ctx", before.original),
        beta_fast=asked.get("yarn-beta-fast", before.beta_fast),
        beta_slow=asked.get("yarn-beta-slow", before.beta_slow),
        ext_factor=asked.get("yarn-ext-factor", before.ext_factor),
    )
    if after.original is None:
        after = replace(after, original=subject.context.trained or subject.context.promised)
    if not after.blend and "yarn-attn-factor" in asked:
        after = replace(after, attention=before.attention * asked["yarn-attn-factor"])
    return after


def _reach(subject: Subject, served: list[LayerForm]) -> int | None:
    """Where the slowest hand reaches the angle that it has at the end of what the file promises.

    A hand that has gone round by then has no angle left to reach: slowed at all, it goes any length.
    """
    promised = subject.context.promised
    reached = []
    for before, after in zip(subject.declared, served, strict=True):
        if promised is None or before.window is not None or not before.inv_freq or not after.inv_freq:
            continue
        slow, slower = min(before.inv_freq), min(after.inv_freq)
        if 0 < slower < slow:
            round_by_then = slow * promised >= 2 * np.pi
            reached.append(MOST_TOKENS if round_by_then else round(promised * slow / slower))
    return min(reached, default=promised)


def _factor(asked: Mapping[str, Any], before: Turning) -> float:
    """The later of the two ways of saying it counts."""
    factor = before.factor
    for name, value in asked.items():
        if name == "rope-scale":
            factor = value
        elif name == "rope-freq-scale":
            factor = 1 / value
    return factor


OTHER_KINDS = ("llama3", "proportional", "divisors")


def turning_of_form(form: LayerForm, subject: Subject) -> Turning:
    """llama.cpp's parameters of layers in the normal form, read from a GGUF file or from a configuration.

    Dynamic NTK is not converted: a file of such a model turns as within the trained length (CH035 tells). The
    fixed ``alpha`` of Hunyuan is: the conversion multiplies the base by ``alpha ** (d / (d - 2))``.
    """
    kind, s = form.rope_type or "default", form.scaling
    if kind == "dynamic":
        kind, s = "default", {}
    assert form.rotary_dim is not None
    assert form.rope_theta is not None
    if kind not in ("default", "linear", "yarn", "longrope", *OTHER_KINDS):
        raise ClockhandsError(
            f"llama.cpp has no scaling '{kind}', so no file converted from {subject.target} has it: leave "
            "--llama-cpp out",
            f"llama.cpp 没有“{kind}”缩放，由 {subject.target} 转换出的文件不会带有它：请去掉 --llama-cpp",
        )
    length = finite(s.get("original_max_position_embeddings"))
    alpha, width = finite(form.scaling.get("alpha")), form.rotary_dim
    fixed = alpha ** (width / (width - 2)) if alpha and width > 2 else 1.0
    turning = Turning(
        rotary_dim=width, theta=form.rope_theta * fixed, original=None if length is None else int(length)
    )
    amplitude = 1.0 if form.attention_factor is None else form.attention_factor
    factor = finite(s.get("factor")) or 1.0
    if kind == "longrope":
        return replace(
            turning,
            scaling="longrope",
            extension=factor,
            attention=amplitude,
            short_divisors=s.get("short_factor"),
            long_divisors=s.get("long_factor"),
        )
    if kind in OTHER_KINDS:
        return replace(turning, divisors=_divisors(form), attention=amplitude)
    turning = replace(turning, factor=factor, attention=amplitude)
    if kind == "yarn":
        turning = replace(
            turning,
            scaling="yarn",
            ext_factor=finite(s.get("ext_factor")),
            beta_fast=finite(s.get("beta_fast")) or 32.0,
            beta_slow=finite(s.get("beta_slow")) or 1.0,
            log_multiplier=finite(s.get("mscale_all_dim")) or 0.0,
        )
        if turning.log_multiplier:
            turning = replace(turning, mscale=finite(s.get("mscale")) or 1.0)
        turning = replace(turning, attention=amplitude / own_amplitude(turning))
    return turning


def _divisors(form: LayerForm) -> tuple[float, ...] | None:
    if form.inv_freq is None or form.rotary_dim is None or form.rope_theta is None:
        return None
    plain = np.asarray(default_inv_freq(form.rotary_dim, form.rope_theta))
    mine = np.asarray(form.inv_freq)
    return tuple(1e30 if speed == 0 else float(one / speed) for one, speed in zip(plain, mine, strict=True))


def _without_effect(asked: Mapping[str, Any], turning: list[LayerForm], subject: Subject) -> list[Finding]:
    rotary = [name for name in asked if name != "ctx-size"]
    if not turning:
        return [_nothing(name, Text("no layer turns q and k", "没有一层旋转 q 和 k")) for name in rotary]
    found = []
    after = [_after(form, asked, subject) for form in turning]
    scales = [name for name in asked if name in ("rope-scale", "rope-freq-scale")]
    if len(scales) == 2:
        found.append(
            _nothing(scales[0], Text(f"--{scales[1]} comes after it", f"后面的 --{scales[1]} 取代了它"))
        )
    if all(each.scaling == "none" for each in after):
        found += [
            _nothing(name, Text("--rope-scaling is none", "--rope-scaling 为 none")) for name in scales[-1:]
        ]
    if not any(each.blend for each in after):
        found += [
            _nothing(name, Text("YaRN is off", "YaRN 没有启用"))
            for name in OF_YARN[:1] + OF_YARN[2:]
            if name in asked
        ]
    elif all(each.slowed == 1 for each in after):
        why = Text("the factor is 1, without --rope-scale", "没有 --rope-scale，因子为 1")
        names = [name for name in OF_YARN if name in asked] + (
            ["rope-scaling"] if "rope-scaling" in asked else []
        )
        found += [_nothing(name, why) for name in names]
    if "yarn-attn-factor" in asked and all(each.blend for each in after):
        why = Text(
            "under YaRN llama.cpp puts its own in its place", "启用 YaRN 时 llama.cpp 会用自己的值取代它"
        )
        found.append(_nothing("yarn-attn-factor", why))
    for name in [name for name in ("rope-freq-base", *scales) if name in asked]:
        heard = ("all", "base") if name == "rope-freq-base" else ("all",)
        windows = [form for form in turning if _follows(form, subject) not in heard]
        if windows:
            layers = ranges(n for form in windows for n in form.layers)
            why = Text(
                f"layers with a window ({layers}) keep the file's base and scale",
                f"有窗口的层（第 {layers} 层）保留文件中的底数和缩放",
            )
            found.append(_nothing(name, why, severity="note"))
    return found


def _nothing(name: str, why: Text, severity: Any = "warning") -> Finding:
    return NO_EFFECT.finding(
        severity,
        [f"--{name}"],
        Text(f"--{name} changes nothing: {why.en}", f"--{name} 不起作用：{why.zh}"),
        Text("leave it out, or set what it needs", "请去掉它，或设置它所依赖的选项"),
    )


def _no_base(asked: Mapping[str, Any], turning: list[LayerForm]) -> list[Finding]:
    base = asked.get("rope-freq-base")
    if base is None or base > 1 or not turning:
        return []
    return [
        BAD_VALUE.finding(
            "error",
            ["--rope-freq-base"],
            Text(
                f"--rope-freq-base is {number(base)}: the base of the frequencies must be a number above 1",
                f"--rope-freq-base 为 {number(base)}：频率的底数必须是大于 1 的数",
            ),
            Text("leave it out, so that the model's own is taken", "请去掉它，使用模型自己的底数"),
        )
    ]


def _capped(asked: Mapping[str, Any], subject: Subject) -> list[Finding]:
    served, promised = asked.get("ctx-size"), subject.context.promised
    if not served or not promised or served <= promised:
        return []
    return [
        CONTEXT_CAPPED.finding(
            "warning",
            ["--ctx-size", subject.key("max_position_embeddings")],
            Text(
                f"--ctx-size is {number(served)}, and the file's own context is {number(promised)}: "
                "llama-server "
                f"from before pull request 28030 caps each slot at {number(promised)} tokens, whatever the "
                "scaling",
                f"--ctx-size 为 {number(served)}，而文件自身的上下文为 {number(promised)}：在 pull request "
                f"28030 之前，无论怎样缩放，llama-server 都把每个槽位限制在 {number(promised)} 个词元",
            ),
            Text(
                "use a version that has it, or set the context_length of the file",
                "请使用包含这一改动的版本，或修改文件的 context_length",
            ),
        )
    ]
