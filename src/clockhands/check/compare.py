"""Two models side by side in the normal form: where they do not do the same with position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.saying import number, ranges, spaced
from clockhands.check.settings import finite
from clockhands.check.wording import (
    FAMILIES,
    OTHER_MIXER,
    PAIRED,
    STACKS,
    TABLES,
    WHERE,
    WINDOW_KINDS,
)
from clockhands.formulas.buckets import t5_bucket
from clockhands.language import Language, Text

NEAR = 1e-6
"""Relative difference of frequencies and factors up to which two are the same: float32 against float64."""

NAMES: dict[str, Text] = {
    "layers": Text("layers", "层数"),
    "family": Text("family", "位置编码"),
    "mixer": Text("mixer", "混合方式"),
    "layout": Text("layout", "排列方式"),
    "head_dim": Text("head width", "头宽"),
    "rotary_dim": Text("turned dimensions", "旋转维数"),
    "rotary_dims": Text("place of the turned dimensions", "旋转维的位置"),
    "rope_theta": Text("base", "底数"),
    "rope_type": Text("scaling type", "缩放类型"),
    "scaling": Text("scaling", "缩放参数"),
    "inv_freq": Text("frequencies", "频率"),
    "attention_factor": Text("attention factor", "注意力系数"),
    "score_scale": Text("score scale", "得分缩放"),
    "slopes": Text("slopes", "斜率"),
    "num_buckets": Text("buckets", "分桶数"),
    "max_distance": Text("largest distance", "最大距离"),
    "bidirectional": Text("bidirectional", "双向"),
    "rows": Text("rows", "行数"),
    "offset": Text("offset", "偏移"),
    "window": Text("window", "窗口"),
    "window_kind": Text("kind of window", "窗口种类"),
    "mrope_section": Text("hands of each axis", "各轴指针数"),
    "mrope_interleaved": Text("interleaved axes", "轴交错"),
    "table_layout": Text("layout of cos and sin", "cos 和 sin 的排列"),
}

MEASURED, SPEED, STEP = 1e-3, 2e-5, 1e-7
"""Of measured frequencies: relative at most; relative, and rad / token besides, for slow hands that are seen
over few tokens. Rounding to fp16 makes up to 5e-4, which is half a turn by position 10000."""

FOLLOWING = ("rope_theta", "rope_type", "scaling")
"""Ways of saying frequencies: no difference where those are known and equal, else the cause of one."""

BY_LENGTH = frozenset({"dynamic", "longrope"})
"""Types whose frequencies change past the trained length: equal ones for short texts aren't all of them."""

FARTHEST = 4096
"""Largest distances of buckets are compared by what they do up to here."""

WINDOWED = ("window",)
"""None means none here, not that nothing is known."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One thing that differs in the same way on ``layers``.

    where  of which layers it is said
    what   the name of the field
    said   both values, in words
    """

    field: str
    layers: tuple[int, ...]
    first: Any
    second: Any
    where: Text
    what: Text
    said: tuple[Text, Text]
    stack: str | None = None

    @property
    def message(self) -> Text:
        """Of two targets, A and B."""
        a, b = self.said
        return Text(
            f"{self.where.en}{self.what.en} {a.en} against {b.en}",
            f"{self.where.zh}{self.what.zh}，A 为{spaced(a.zh)}，B 为{spaced(b.zh)}",
        )

    @property
    def as_measured(self) -> Text:
        """Of one target: what is declared, and what was measured."""
        a, b = self.said
        return Text(
            f"{self.where.en}{self.what.en} declared as {a.en}, measured as {b.en}",
            f"{self.where.zh}{self.what.zh}，声明为{spaced(a.zh)}，实测为{spaced(b.zh)}",
        )

    def as_record(self, lang: Language = "en") -> dict[str, Any]:
        """For JSON."""
        return {
            "field": self.field,
            "stack": self.stack,
            "layers": list(self.layers),
            "first": _plain(self.first),
            "second": _plain(self.second),
            "message": self.message.said_in(lang),
        }


def differences(first: Iterable[LayerForm], second: Iterable[LayerForm]) -> tuple[Difference, ...]:
    """Where they differ, layers that differ alike together; empty where they are equal.

    A field that is None on either side is not known there, and no difference; but for ``window``, which a
    model has or hasn't. Bases, types and their parameters are told only where the frequencies that they give
    differ, or would in longer texts.

    >>> form = LayerForm(layers=(0, 1), family="rope", layout="half", head_dim=64)
    >>> from dataclasses import replace
    >>> [each.message.en for each in differences([form], [replace(form, layout="interleaved")])]
    ['layers 0-1: layout half against interleaved']
    """
    mine, other = _by_layer(first), _by_layer(second)
    found: list[Difference] = []
    for stack in dict.fromkeys([*mine, *other]):
        here, there = mine.get(stack, {}), other.get(stack, {})
        if set(here) != set(there):
            found.append(_difference("layers", stack, (), len(here), len(there)))
        seen: dict[tuple[str, str, str], tuple[list[int], Any, Any]] = {}
        for layer in sorted(set(here) & set(there)):
            for name, a, b in _between(here[layer], there[layer]):
                seen.setdefault((name, repr(a), repr(b)), ([], a, b))[0].append(layer)
        order = list(NAMES)
        for (name, _, _), (layers, a, b) in sorted(seen.items(), key=lambda each: order.index(each[0][0])):
            found.append(_difference(name, stack, tuple(layers), a, b))
    return tuple(found)


def _by_layer(forms: Iterable[LayerForm]) -> dict[str | None, dict[int, list[LayerForm]]]:
    found: dict[str | None, dict[int, list[LayerForm]]] = {}
    for form in forms:
        for layer in form.layers:
            found.setdefault(form.stack, {}).setdefault(layer, []).append(form)
    return found


def _between(mine: Sequence[LayerForm], other: Sequence[LayerForm]) -> Iterable[tuple[str, Any, Any]]:
    """Field and both values of what differs on one layer, which several forms may speak of."""
    waiting = list(other)
    alone: list[LayerForm] = []
    for form in mine:
        alike = [each for each in waiting if each.family == form.family]
        match = next((each for each in alike if each.mixer == form.mixer), alike[0] if alike else None)
        if match is None:
            alone.append(form)
        else:
            waiting.remove(match)
            yield from _fields(form, match)
    if alone or waiting:
        yield "family", _families(alone), _families(waiting)


def _families(forms: Sequence[LayerForm]) -> str:
    return " + ".join("mixing" if form.mixer == "other" else form.family for form in forms) or "none"


def _fields(a: LayerForm, b: LayerForm) -> Iterable[tuple[str, Any, Any]]:
    speeds_known = a.inv_freq is not None and b.inv_freq is not None
    turning = not speeds_known or not same_speeds(a, b)
    seen = "measured" in (a.source, b.source)  # in texts of one length: of others nothing is known
    later = not seen and bool(BY_LENGTH & {a.rope_type, b.rope_type})
    caused = False
    for name in NAMES:
        if name in ("layers", "family", "inv_freq"):
            continue
        if (
            name in FOLLOWING
            and (a.family == "rope")
            and not turning
            and not (later and name != "rope_theta")
        ):
            continue
        mine, other = getattr(a, name), getattr(b, name)
        if name not in WINDOWED and (mine is None or other is None):
            continue
        if name == "scaling":
            near = MEASURED if "measured" in (a.source, b.source) else NEAR
            mine, other = _shared(mine, other, speeds_known and turning, near)
        if name == "max_distance" and _same_buckets(a, b):
            continue
        if not _same(mine, other):
            caused = caused or name in FOLLOWING or name == "rotary_dim"
            yield name, mine, other
    if speeds_known and turning and not caused:
        yield "inv_freq", a.inv_freq, b.inv_freq


def same_speeds(a: LayerForm, b: LayerForm) -> bool:
    """Whether hands turn alike, within what measuring in float32 leaves where one side was measured."""
    mine, other = np.asarray(a.inv_freq), np.asarray(b.inv_freq)
    if "measured" not in (a.source, b.source):
        return _same(a.inv_freq, b.inv_freq)
    if mine.shape != other.shape:
        return False
    size = np.maximum(np.abs(mine), np.abs(other))
    return bool((np.abs(mine - other) <= np.minimum(MEASURED * size, SPEED * size + STEP)).all())


def _same_buckets(a: LayerForm, b: LayerForm) -> bool:
    """Whether two largest distances of T5's bias put every distance in the same bucket.

    In what was measured a boundary may fall one token aside: the published formula decides it by the last bit
    of a float.
    """
    aside = 4 if "measured" in (a.source, b.source) else 0
    said = (a.num_buckets, a.max_distance, b.max_distance)
    if (
        a.family != "t5"
        or a.num_buckets != b.num_buckets
        or not all(each and each < FARTHEST for each in said)
    ):
        return False
    far = np.arange(-2 * FARTHEST, 2 * FARTHEST) if a.bidirectional else np.arange(2 * FARTHEST)
    both = [t5_bucket(far, a.num_buckets, each, bool(a.bidirectional)) for each in said[1:]]  # type: ignore[arg-type]
    return int(np.count_nonzero(both[0] != both[1])) <= aside


def _shared(
    mine: Mapping[str, Any], other: Mapping[str, Any], whole: bool, near: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters that differ: of those both know, and with ``whole`` of all."""
    names = [name for name in {**mine, **other} if whole or (name in mine and name in other)]
    names = [name for name in names if not _same(mine.get(name), other.get(name), near)]
    return ({n: mine[n] for n in names if n in mine}, {n: other[n] for n in names if n in other})


def _same(a: Any, b: Any, near: float = NEAR) -> bool:
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_same(x, y, near) for x, y in zip(a, b, strict=True))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key], near) for key in a)
    x, y = finite(a), finite(b)
    if x is None or y is None or isinstance(a, bool) or isinstance(b, bool):
        return a == b
    return abs(x - y) <= near * max(abs(x), abs(y))


def _difference(name: str, stack: str | None, layers: tuple[int, ...], a: Any, b: Any) -> Difference:
    side = STACKS.get(stack or "", Text("", ""))
    said = _first_apart(a, b) if name == "inv_freq" else (_said(name, a), _said(name, b))
    where = Text(f"{side.en} ".lstrip(), side.zh)
    if layers:
        plural = "s" if len(layers) > 1 else ""
        which = ranges(layers)
        where = Text(f"{where.en}layer{plural} {which}: ", f"{side.zh}第 {which} 层：")
    return Difference(
        field=name, stack=stack, layers=layers, first=a, second=b, where=where, what=NAMES[name], said=said
    )


def _first_apart(a: Sequence[float], b: Sequence[float]) -> tuple[Text, Text]:
    """The first hand that turns differently, or how many hands there are."""
    if len(a) != len(b):
        return (Text(f"{len(a)} hands", f"{len(a)} 根指针"), Text(f"{len(b)} hands", f"{len(b)} 根指针"))
    n = next(n for n, (x, y) in enumerate(zip(a, b, strict=True)) if not _same(x, y))
    return (
        Text(f"{number(a[n])} rad / token at hand {n}", f"第 {n} 根指针 {number(a[n])} 弧度 / 词元"),
        Text(number(b[n]), f"{number(b[n])} 弧度 / 词元"),
    )


def _said(name: str, value: Any) -> Text:
    if name == "family" and isinstance(value, str):
        said = [OTHER_MIXER if each == "mixing" else FAMILIES[each] for each in value.split(" + ")]
        return Text(" + ".join(each.en for each in said), " + ".join(each.zh for each in said))
    worded = {
        "layout": PAIRED, "rotary_dims": WHERE, "window_kind": WINDOW_KINDS, "table_layout": TABLES,
    }.get(name, {})  # fmt: skip
    if isinstance(value, str) and value in worded:
        return worded[value]
    if value is None or value == {}:
        return Text("none", "无")
    if isinstance(value, bool):
        return Text("yes", "是") if value else Text("no", "否")
    if isinstance(value, Mapping):
        return Text(*(", ".join(f"{key} {_said('', each).said_in(lang)}" for key, each in value.items())
                      for lang in ("en", "zh")))  # fmt: skip
    if isinstance(value, list | tuple):
        shown = ", ".join(_said("", each).en for each in value[:4])
        return Text(*(f"[{shown}{', …' if len(value) > 4 else ''}]" for _ in range(2)))
    exact = finite(value)
    plain = str(value) if exact is None else number(exact)
    return Text(plain, plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
