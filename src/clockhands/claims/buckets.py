"""The claim that T5's bucket formula may be written in any equal form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import distance_axis
from clockhands.analysis.labelled import Labelled
from clockhands.claims.claim import Claim, Number, Verdict, judged
from clockhands.formulas import t5_bucket
from clockhands.language import Text
from clockhands.plots import Picture

SIZES = tuple((buckets, far) for buckets in (8, 32) for far in range(2 * buckets, 1025, 4))
DEFAULT = (32, 128)


def published(distance: np.ndarray, buckets: int, far: int, dtype: type) -> np.ndarray:
    """``ln(r / e) / ln(max / e) * e``, in the order of operations of T5's code."""
    exact = buckets // 2
    ratio = np.log(distance.astype(dtype) / dtype(exact)) / dtype(math.log(far / exact))
    return _whole(distance, ratio * dtype(exact), exact)


def rewritten(distance: np.ndarray, buckets: int, far: int, dtype: type) -> np.ndarray:
    """The same in exact arithmetic: ``(ln r - ln e) / ln(max / e) * e``."""
    exact = buckets // 2
    above = np.log(distance.astype(dtype)) - np.log(dtype(exact))
    return _whole(distance, above / dtype(math.log(far / exact)) * dtype(exact), exact)


def _whole(distance: np.ndarray, large: np.ndarray, exact: int) -> np.ndarray:
    return np.where(distance < exact, distance, np.minimum(exact + large.astype(np.int64), 2 * exact - 1))


def _wrong(form: Any, sizes: tuple[tuple[int, int], ...]) -> dict[tuple[int, int], list[int]]:
    """Sizes at which a form puts some distance in another bucket than exact integers do, and which."""
    found = {}
    for buckets, far in sizes:
        distance = np.arange(1, far + 2)
        exact = t5_bucket(distance, buckets, far)
        off = [form(distance, buckets, far, dtype) != exact for dtype in (np.float32, np.float64)]
        if np.any(off):
            found[buckets, far] = distance[np.any(off, axis=0)].tolist()
    return found


def _any_form() -> Verdict:
    kept, changed = _wrong(published, SIZES), _wrong(rewritten, SIZES)
    usual = _wrong(published, (DEFAULT,))
    first = next(iter(changed.items()), None)
    example = (
        Text("", "")
        if first is None
        else Text(
            f" With {first[0][0]} buckets up to {first[0][1]}, distance {first[1][0]} moves.",
            f"例如 {first[0][0]} 个桶、最远 {first[0][1]} 时，距离 {first[1][0]} 就挪了桶。",
        )
    )
    return judged(
        not kept and not changed,
        Text(
            "Distances on a boundary hang on the last bit. In the published order of operations, float32 and "
            f"float64 differ from exact integers at {len(kept)} of {len(SIZES)} sizes; with ln r - ln e in "
            "place "
            f"of ln(r / e), at {len(changed)}." + example.en,
            "落在边界上的距离取决于最后一位。按公布的运算顺序，float32 与 float64 "
            f"在 {len(SIZES)} 种大小里有 {len(kept)} 种与精确整数不一致；"
            f"把 ln(r / e) 写成 ln r - ln e，就有 {len(changed)} 种。" + example.zh,
        ),
        Number(Text("sizes that differ, published form", "不一致的大小，公布的写法"), len(kept)),
        Number(Text("sizes that differ, rewritten", "不一致的大小，改写后"), len(changed)),
        Number(Text("sizes looked at", "检查过的大小"), len(SIZES)),
        condition=Text("in the published order of operations", "运算顺序与公布的代码相同"),
        holds_then=not usual and len(kept) < len(changed),
    )


def _draw(**page: Any) -> Picture:
    distance = np.arange(1, 161)
    edges = t5_bucket(distance, *DEFAULT)
    axes = (distance_axis(distance),)
    lines = [
        Labelled("bucket", Text("bucket", "桶"), edges, axes),
        Labelled("smooth", Text("before rounding down", "向下取整之前"), _smooth(distance), axes),
    ]
    says = Text(
        "Boundaries are where the smooth curve meets a whole number: 16, 32 and 64 sit exactly on one.",
        "光滑曲线碰到整数的地方就是边界：16、32、64 正好落在边界上。",
    )
    return plots.curves(lines, says=says, measured=Text("bucket", "桶"), **page)


def _smooth(distance: np.ndarray) -> np.ndarray:
    large = 16 + np.log(np.maximum(distance, 16) / 16) / np.log(8) * 16
    return np.where(distance < 16, distance, np.minimum(large, 31))


CLAIMS = (
    Claim(
        id="t5-any-form",
        statement=Text(
            "T5's bucket formula may be written in any equal form and any float precision.",
            "T5 的分桶公式，用任何等价的写法、任何浮点精度都一样。",
        ),
        source="Raffel et al. 2020, arXiv 1910.10683, and its code, _relative_position_bucket",
        examine=_any_form,
        draw=_draw,
    ),
)
