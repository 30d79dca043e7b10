"""The rules of a verdict, each a function from a subject to its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.blocks import parts
from clockhands.analysis.detect_sinusoid import FEWEST_ROWS, Arrangement
from clockhands.analysis.exact_angle import TURN
from clockhands.analysis.findings import MOST_PLACES, Finding, Subject
from clockhands.analysis.inputs import Floats
from clockhands.analysis.mispairing import find_mispairing
from clockhands.analysis.neighbours import steps
from clockhands.analysis.precision import Precision, rounded
from clockhands.language import Text

Rule: TypeAlias = Callable[[Subject], Iterator[Finding]]

SAME = 1e-6
"""Rows nearer than this, relative to the largest value, are one row; so are columns."""
JUMP, STALL = 3.0, 0.1
"""A step this many times the median one stands out. Random tables of 8 columns or more stay between."""
NAMES: dict[Arrangement, Text] = {
    "interleaved": Text("interleaved", "交错"),
    "concatenated": Text("concatenated", "前后对半"),
}


def not_finite(subject: Subject) -> Iterator[Finding]:
    """NaN or infinity anywhere."""
    bad = np.argwhere(~np.isfinite(subject.table))
    if len(bad):
        row, column = subject.start + int(bad[0][0]), int(bad[0][1])
        yield Finding(
            "not-finite",
            "error",
            Text("numbers that are not finite", "非有限数值"),
            len(bad),
            Text(
                f"NaN or infinite numbers: {len(bad)}, the first at position {row}, dimension {column}; "
                "nothing else can be judged until they are gone",
                f"有 {len(bad)} 个数是 NaN 或无穷大，第一个在位置 {row}、维度 {column}："
                "先修复它们，才能判断其他问题",
            ),
            rows=_places(bad[:, 0] + subject.start),
            columns=_places(bad[:, 1]),
        )


def repeated_rows(subject: Subject) -> Iterator[Finding]:
    """Two positions with one code: no model can tell them apart."""
    twins = _twins(subject.table, SAME * subject.scale)
    if len(twins):
        one, other = (int(row) + subject.start for row in twins[0])
        yield Finding(
            "repeated-rows",
            "error",
            Text("repeated rows", "重复的行"),
            len(twins),
            Text(
                f"positions that repeat an earlier one: {len(twins)}, the first is {other}, equal to {one}; "
                "no model can tell them apart",
                f"有 {len(twins)} 个位置与前面的位置完全相同，第一个是位置 {other}（与位置 {one} 相同）："
                "模型无法区分它们",
            ),
            rows=_places(twins + subject.start),
        )


def dead_columns(subject: Subject) -> Iterator[Finding]:
    """Columns that are the same everywhere. A slow hand that has hardly moved yet is not dead."""
    all_turn = subject.sinusoid is not None and (subject.sinusoid.inv_freq != 0).all()
    if all_turn or len(subject.table) < FEWEST_ROWS:
        return
    width = subject.table.shape[1]
    dead = np.flatnonzero(np.ptp(subject.table, axis=0) <= 4 * subject.grain * subject.scale)
    if len(dead):
        yield Finding(
            "dead-columns",
            "warning",
            Text("dead columns", "不变的列"),
            len(dead),
            Text(
                f"dimensions that are the same at every position: {len(dead)} of {width}, the first is "
                f"{dead[0]}; they carry no position",
                f"{width} 个维度中有 {len(dead)} 个在所有位置上都相同，第一个是维度 {dead[0]}："
                "它们不含位置信息",
            ),
            columns=_places(dead),
        )


def aliased_columns(subject: Subject) -> Iterator[Finding]:
    """Columns that copy others up to the sign: two hands of one speed, or of speeds w and 2 pi - w."""
    moves = np.ptp(subject.table, axis=0)
    alive = np.flatnonzero(moves > 1000 * subject.grain * subject.scale)
    if len(alive) == 0 or len(subject.table) < FEWEST_ROWS:
        return
    shapes = subject.table[:, alive] / moves[alive]
    # The sign of the first value that is clearly not zero makes a column and its negative the same; the size
    # is a coordinate of its own, for slow hands of different speeds have one shape and differ in size.
    clear = np.abs(shapes) > 0.37 * np.abs(shapes).max(axis=0)
    signs = np.sign(np.take_along_axis(shapes, clear.argmax(axis=0)[None], axis=0))
    columns = np.concatenate([shapes * signs, np.log(moves[alive])[None]])
    twins = _twins(columns.T, SAME * len(columns) ** 0.5)
    if len(twins):
        one, other = (int(alive[column]) for column in twins[0])
        yield Finding(
            "aliased-columns",
            "warning",
            Text("aliased pairs", "重复的维度"),
            len(twins),
            Text(
                f"dimensions that repeat another up to the sign: {len(twins)}, the first is {other}, "
                f"like {one}; two hands of the same speed, or of speeds w and 2 pi - w, say the same",
                f"有 {len(twins)} 个维度与别的维度相同（最多差一个符号），第一个是维度 {other}"
                f"（与维度 {one} 相同）：角频率相同、或分别为 w 与 2π - w 的两根指针，说的是同一件事",
            ),
            columns=_places(alive[twins]),
        )


def uneven_neighbours(subject: Subject) -> Iterator[Finding]:
    """A step between neighbours that stands out. Hands take the same step everywhere."""
    taken = steps(subject.table)
    usual = float(np.median(taken)) if len(taken) > 2 else 0.0
    if usual == 0 or subject.sinusoid is not None:
        return
    moved = taken > SAME * subject.scale  # those that don't move are repeated rows
    odd = np.flatnonzero((taken > JUMP * usual) | ((taken < STALL * usual) & moved))
    if len(odd):
        worst = int(odd[np.abs(np.log(taken[odd] / usual)).argmax()])
        ratio = float(taken[worst] / usual)
        here, there = subject.start + worst, subject.start + worst + 1
        yield Finding(
            "uneven-neighbours",
            "warning",
            Text("uneven neighbour distance", "相邻位置距离不均匀"),
            ratio,
            Text(
                f"steps between neighbours that stand out: {len(odd)}; the worst, from position {here} to "
                f"{there}, is {ratio:.3g} times the usual one: look at these rows",
                f"有 {len(odd)} 处相邻位置距离异常；最异常的是位置 {here} 到 {there}，"
                f"为通常距离的 {ratio:.3g} 倍：请检查这些行",
            ),
            rows=_places(odd + subject.start),
        )


def wrong_pairing(subject: Subject) -> Iterator[Finding]:
    """Waves whose sine and cosine don't belong together."""
    wrong = find_mispairing(subject.table, subject.start) if subject.sinusoid is None else None
    if wrong is None:
        return
    if wrong.shuffled:
        yield Finding(
            "shuffled-pairs",
            "note",
            Text("shuffled pairs", "维度顺序被打乱"),
            wrong.pairs,
            Text(
                "a sinusoidal table in an order of its own: every sine has its cosine, but not beside it nor "
                "half a width away. A model trained with this order does not mind, any other does",
                "这是正弦位置表，但维度顺序与常见的两种都不同：每个 sin 都有对应的 cos，"
                "只是不在通常的位置。用这个顺序训练的模型不受影响，别的模型会读错",
            ),
        )
        return
    (one, other), (speed, other_speed) = wrong.columns, wrong.speeds
    yield Finding(
        "wrong-pairing",
        "error",
        Text("wrong pairing", "配对错误"),
        wrong.pairs,
        Text(
            f"pairs that are no hands: {wrong.pairs}; dimension {one} turns at {speed:.4g} rad / token, its "
            f"partner {other} at {other_speed:.4g}. Sine and cosine of a pair need one frequency and a "
            "quarter of a turn between them: count frequencies by pair, not by dimension",
            f"有 {wrong.pairs} 对不构成指针：维度 {one} 的角频率是 {speed:.4g} 弧度 / 词元，"
            f"它的搭档维度 {other} 是 {other_speed:.4g}。同一对的 sin 与 cos 必须频率相同、相差四分之一圈："
            "频率应按对编号，而不是按维度编号",
        ),
        columns=wrong.columns,
    )


def swapped_layout(subject: Subject) -> Iterator[Finding]:
    """A sinusoid in another arrangement than expected. With one pair there is no difference."""
    seen, expected = subject.sinusoid, subject.expected
    if seen is None or expected is None or seen.arrangement == expected or len(seen.inv_freq) < 2:
        return
    found, wanted = NAMES[seen.arrangement], NAMES[expected]
    yield Finding(
        "swapped-layout",
        "error",
        Text("swapped layout", "排列方式不符"),
        len(seen.inv_freq),
        Text(
            f"the table is {found.en}, not {wanted.en}: reorder its columns, or a model trained with the "
            "other order reads the wrong hands",
            f"这张表是{found.zh}排列，不是{wanted.zh}排列：请重排各列，否则按另一种顺序训练的模型会读错指针",
        ),
    )


def recognised_sinusoid(subject: Subject) -> Iterator[Finding]:
    """Says which convention a sinusoid follows."""
    seen = subject.sinusoid
    if seen is None:
        return
    turning = np.abs(seen.inv_freq[seen.inv_freq != 0])
    shortest, longest = (TURN / turning.max(), TURN / turning.min()) if turning.size else (np.inf, np.inf)
    name, pairs = NAMES[seen.arrangement], len(seen.inv_freq)
    first, last = _in_tokens(shortest), _in_tokens(longest)
    waves = Text(f"wavelengths {first} to {last} tokens", f"波长 {first} 到 {last} 词元")
    if first == last:
        waves = Text(f"wavelength {first} tokens", f"波长 {first} 词元")
    yield Finding(
        "sinusoid",
        "note",
        Text("sinusoidal table", "正弦位置表"),
        pairs,
        Text(
            f"a sinusoidal table; hands: {pairs}, {name.en}, {seen.first} first, {waves.en}",
            f"这是正弦位置表：{pairs} 根指针，{name.zh}排列，{seen.first} 在前，{waves.zh}",
        ),
    )


def clashes_in_16_bits(subject: Subject) -> Iterator[Finding]:
    """Rows that differ as given and are equal, or infinite, once rounded to bf16 or fp16."""
    formats: tuple[Precision, ...] = ("bf16", "fp16")
    for name in formats:
        kept = rounded(subject.table, name)
        if np.isfinite(kept).all():
            yield from _clash(subject, name, kept)
        else:
            yield Finding(
                f"{name}-overflow",
                "warning",
                Text(f"too large for {name}", f"超出 {name} 的范围"),
                subject.scale,
                Text(
                    f"the largest value, {subject.scale:.4g}, is infinite in {name}: "
                    "keep the table in 32 bits",
                    f"最大值 {subject.scale:.4g} 在 {name} 中是无穷大：请用 32 位保存这张表",
                ),
            )


def _clash(subject: Subject, name: Precision, kept: Floats) -> Iterator[Finding]:
    twins = _twins(kept, 0.0)
    gaps = np.linalg.norm(subject.table[twins[:, 0]] - subject.table[twins[:, 1]], axis=1)
    twins = twins[gaps > SAME * subject.scale]  # the others were equal before
    if len(twins):
        one, other = (int(row) + subject.start for row in twins[0])
        yield Finding(
            f"{name}-clash",
            "warning",
            Text(f"positions that {name} makes equal", f"{name} 下的位置重合"),
            len(twins),
            Text(
                f"positions that {name} makes equal to an earlier one: {len(twins)}, first {one} and "
                f"{other}; keep the table in 32 bits",
                f"在 {name} 下有 {len(twins)} 个位置与前面的位置重合，首先是 {one} 和 {other}："
                "请用 32 位保存这张表",
            ),
            rows=_places(twins + subject.start),
        )


RULES: tuple[Rule, ...] = (
    repeated_rows,
    dead_columns,
    aliased_columns,
    uneven_neighbours,
    wrong_pairing,
    swapped_layout,
    recognised_sinusoid,
    clashes_in_16_bits,
)


def _places(indices: NDArray[np.int64]) -> tuple[int, ...]:
    """The different indices in order, the first ``MOST_PLACES`` of them."""
    return tuple(int(index) for index in np.unique(indices)[:MOST_PLACES])


def _in_tokens(length: float) -> str:
    """A wavelength as people write it: 6.28, 628, 35,333."""
    return f"{length:,.0f}" if length >= 100 else f"{length:.3g}"


def _twins(rows: Floats, tolerance: float) -> NDArray[np.int64]:
    """Pairs of rows (earlier, later), ``(pairs, 2)``, no farther apart than ``tolerance``, by the later row.

    Equal rows have equal projections on any direction: sorted along a random one they are neighbours.
    """
    along = rows @ np.random.default_rng(0).normal(size=int(rows.shape[1]))
    order = np.argsort(along, kind="stable")
    gaps = np.empty(len(order) - 1)
    for part in parts(len(gaps), int(rows.shape[1])):
        gaps[part] = np.linalg.norm(np.diff(rows[order[part.start : part.stop + 1]], axis=0), axis=1)
    pairs = np.stack([order[:-1], order[1:]], axis=1)[gaps <= tolerance]
    pairs.sort(axis=1)
    return pairs[np.argsort(pairs[:, 1], kind="stable")]
