"""Are positions, frequencies and angles exact enough, in float32 and when 16-bit arrays go in?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from clockhands.check.probe.findings import places as say
from clockhands.check.probe.function.asking import Asked
from clockhands.check.probe.function.calling import Floats, Refused
from clockhands.check.probe.function.fit import fit
from clockhands.check.probe.function.hands import Hands
from clockhands.check.probe.function.study import Study
from clockhands.check.saying import number

SCANNED = 4097
"""Positions looked at one by one: bf16 collides from 257 on, fp16 from 2049 on."""
LOOSE = 1e-2
"""Relative: within this, frequencies are meant to be those of a fit, and something rounded them."""
OFF = 0.05
"""rad: more than rounding of cos and sin to bf16 (0.004) and float32 angles at 4096 (0.0003) leave."""


def scanned(study: Study, asked: Asked) -> Floats | None:
    """Codes of the first positions in one call; fewer where a table ends before; None if it refuses."""
    count = min(SCANNED, int(study.facts.get("rows") or SCANNED))
    try:
        return asked.codes(np.arange(count))[0]
    except Refused:
        return None


def check_collisions(study: Study, hands: Hands | None) -> None:
    """Neighbours with one code: in the dtype of the probe, then with 16-bit arrays where arrays go in."""
    for asked, dtype in _dtypes(study):
        codes = scanned(study, asked.lean())
        if codes is not None:
            _collisions(study, codes, dtype, hands)
        if study.has(say.POSITIONS_ROUNDED):
            return


def check_angles(study: Study, hands: Hands | None) -> None:
    """Frequencies and angles, in each of these dtypes."""
    spoilt = study.has(say.POSITIONS_ROUNDED, say.STALE, say.MISPLACED)
    if hands is None or spoilt or study.facts.get("length_dependent"):
        return
    _rounded_speeds(study, hands)
    for asked, dtype in _dtypes(study):
        if not study.has(say.SPEEDS_ROUNDED, say.ANGLES_ROUNDED):
            _rounded_angles(study, hands, asked.lean(), dtype)


def _dtypes(study: Study) -> Iterator[tuple[Asked, str]]:
    yield study.asked, ""
    if any(study.asked.caller.signature.takes(word) for word in ("q", "k", "x")):
        library = study.asked.caller.library
        for dtype in ("float16",) if library == "numpy" else ("bfloat16", "float16"):
            if dtype != study.asked.caller.dtype:
                yield study.asked.of_dtype(dtype), dtype


def _collisions(study: Study, codes: Floats, dtype: str, hands: Hands | None) -> None:
    """Neighbours with the very same code, where codes move at all."""
    if len(codes) < 3 or not np.isfinite(codes).all() or (codes == codes[0]).all():
        return
    same = (codes[1:] == codes[:-1]).all(axis=1)
    first = int(np.argmax(same)) + 1 if same.any() else 0
    if not same.any() or first < 16 or same[first - 1 :].all():
        return  # nothing, hands too slow for their own dtype, or a table's end (told apart elsewhere)
    if hands is not None and _off_before(study, hands, dtype, first):
        return  # angles are rounded, and collide because of that
    distinct = len(codes) - int(same.sum())
    where = f" with {dtype} arrays" if dtype else ""
    where_zh = f"（输入为 {dtype} 时）" if dtype else ""
    study.facts["distinct_positions"] = distinct
    study.facts["first_collision"] = first
    study.say(
        say.POSITIONS_ROUNDED, "error", ("positions",),
        f"of {number(len(codes))} positions {number(distinct)} are told apart{where}: position "
        f"{number(first)} equals {number(first - 1)}",
        f"{number(len(codes))} 个位置中只能区分 {number(distinct)} 个{where_zh}：位置 {number(first)} 与 "
        f"{number(first - 1)} 重合",
        ("keep positions integers, and multiply by inv_freq in float32",
         "位置保持整数，与 inv_freq 在 float32 中相乘"),
    )  # fmt: skip


def _rounded_speeds(study: Study, hands: Hands) -> None:
    """Frequencies that 16 bits hold exactly, and that are near those of a fit but not they."""
    if hands.noise > 0 or hands.fit() is not None or not (hands.speeds != 0).any():
        return
    speeds = np.abs(hands.speeds)
    near = _near(study, hands)
    for dtype, rounded in (("bfloat16", to_bf16(near)), ("float16", near.astype(np.float16).astype(float))):
        if np.abs(near - rounded).max() > 1e-6 * near.max() or not _steady(study, hands, rounded):
            continue
        meant = fit(speeds, hands.width, LOOSE)
        if meant is None:
            continue
        off = float(np.abs(rounded - meant.expected).max())
        study.facts["angle_error"] = {1000: off * 1000, 100_000: off * 100_000}
        study.say(
            say.SPEEDS_ROUNDED, "error", ("inv_freq",),
            f"frequencies are those of base {number(meant.rope_theta)} rounded to {dtype}: angles are off by "
            f"{off * 1000:.3g} rad at position 1,000 and {off * 100_000:.3g} rad at 100,000",
            f"角频率是底数 {number(meant.rope_theta)} 的值舍入到 {dtype}：位置 1,000 的角度差 "
            f"{off * 1000:.3g} 弧度，位置 100,000 差 {off * 100_000:.3g} 弧度",
            ("keep inv_freq in float32", "inv_freq 保持 float32"),
        )  # fmt: skip
        return


def _near(study: Study, hands: Hands) -> Floats:
    """Speeds as position 1 shows them."""
    where = [[0, 1]] if study.asked.reach != "any" else [[1]]
    start = hands.seen([[0]], study.asked)[0]
    return np.abs(np.angle(hands.seen(where, study.asked)[-1] * start.conj()))


def _steady(study: Study, hands: Hands, speeds: Floats) -> bool:
    """Whether hands really turn at ``speeds`` further out."""
    places = np.arange(300)
    hand = hands.seen(places, study.asked)
    signed = np.sign(hands.speeds) * speeds
    return float(np.abs(_phase_error(hand, places, signed)).max()) < 2e-3


def _phase_error(hand: NDArray[np.complex128], places: NDArray[np.int64], speeds: Floats) -> Floats:
    turned = hand * np.exp(-1j * places[:, None] * speeds)
    return np.where(speeds != 0, np.angle(turned), 0.0)


def _angle_errors(study: Study, hands: Hands, asked: Asked, count: int) -> Floats | None:
    """rad, the worst hand at each of the first positions; None where it cannot be asked."""
    places = np.arange(min(count, int(study.facts.get("rows") or count)))
    try:
        hand = hands.seen(places, asked)
    except Refused:
        return None
    if not np.isfinite(hand).all():
        return None
    speeds = hands.speeds
    if hands.fit() is None:
        meant = fit(np.abs(speeds), hands.width, LOOSE)
        speeds = speeds if meant is None else np.sign(speeds) * meant.expected
    start = np.angle(hand[:1])  # where a function counts from 1, say
    return np.abs(_phase_error(hand * np.exp(-1j * start), places, speeds)).max(axis=1)


def _off_before(study: Study, hands: Hands, dtype: str, first: int) -> bool:
    """Whether angles are off before the first collision, where rounded positions are still exact."""
    asked = study.asked.of_dtype(dtype) if dtype else study.asked
    errors = _angle_errors(study, hands, asked.lean(), first - 1)
    return errors is not None and float(errors.max(initial=0.0)) >= OFF


def _rounded_angles(study: Study, hands: Hands, asked: Asked, dtype: str) -> None:
    """Angles that leave the straight line through the small positions."""
    count = min(2049, int(study.facts.get("stops_at") or 2049))
    errors = _angle_errors(study, hands, asked, count)
    if errors is None or float(errors.max(initial=0.0)) < OFF:
        return
    first, worst = int(np.argmax(errors >= OFF)), float(errors.max())
    study.facts["angle_error"] = {len(errors) - 1: worst}
    where = f" with {dtype} arrays" if dtype else ""
    where_zh = f"（输入为 {dtype} 时）" if dtype else ""
    study.say(
        say.ANGLES_ROUNDED, "error", ("angle",),
        f"angles are off by up to {worst:.3g} rad below position {number(len(errors))}{where}, by more than "
        f"{OFF} rad from position {number(first)} on",
        f"位置 {number(len(errors))} 以下角度最多差 {worst:.3g} 弧度{where_zh}，从位置 {number(first)} 起超"
        "过 "
        f"{OFF} 弧度",
        ("multiply positions and frequencies in float32, and cast cos and sin last",
         "位置与角频率在 float32 中相乘，最后再转换 cos 和 sin 的类型"),
    )  # fmt: skip


def to_bf16(values: Floats) -> Floats:
    """Rounded to the nearest bfloat16, ties to even.

    >>> to_bf16(np.asarray([257.0, 258.0])).tolist()
    [256.0, 258.0]
    """
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32).astype(np.float64)
