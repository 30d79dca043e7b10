"""Stories of biases: slopes of heads, and what a distance costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.axes import LOGITS, distance_axis, head_axis
from clockhands.analysis.labelled import Axis
from clockhands.check.outputs.stories.kinds.curves import Curve, curves
from clockhands.check.outputs.stories.story import MEANT, RIGHT, USED, WRONG, Story
from clockhands.formulas.buckets import t5_bucket
from clockhands.formulas.slopes import alibi_bias, alibi_slopes
from clockhands.language import Text
from clockhands.plots.numerals import numeral

Floats = NDArray[np.float64]
SLOPE, BIAS, BUCKET = Text("slope", "斜率"), Text("bias", "偏置"), Text("bucket", "桶")
LOGITS_A_TOKEN = Text("logits / token", "得分 / 词元")
BUCKETS, FAR = 32, 128


def one_series(heads: int, first: int = 1) -> Floats:
    """A geometric series straight over the heads, whose exponents start at ``first``.

    >>> one_series(6).round(3).tolist()
    [0.397, 0.157, 0.062, 0.025, 0.01, 0.004]
    """
    return 2.0 ** (-8.0 * (np.arange(heads) + first) / heads)


def _slopes(says: Text, meant: Floats, used: Floats) -> Story:
    said = says.filled(meant=numeral(float(meant[0]), 3), used=numeral(float(used[0]), 3))
    drawn = [Curve(MEANT, meant, RIGHT, "rings"), Curve(USED, used, WRONG, "dots")]
    return curves(said, head_axis(len(meant)), SLOPE, drawn, unit=LOGITS_A_TOKEN, log="y")


def slopes_of_six() -> Story:
    """CH032: ALiBi's slopes of 6 heads against one series."""
    return _slopes(
        Text(
            "Six heads: the paper's first slope is {meant}, a series straight over six starts at {used}.",
            "6 个头：论文的第一个斜率是 {meant}，直接按 6 个头取等比数列则从 {used} 开始。",
        ),
        alibi_slopes(6),
        one_series(6),
    )


def slopes_of_a_series() -> Story:
    """CH170: ALiBi's slopes of 12 heads against one series."""
    return _slopes(
        Text(
            "Twelve heads: 8 slopes of the power below and 4 of the power above, first "
            "{meant}; one series starts at {used}.",
            "12 个头：先取 8 个头的斜率，再取 16 个头中的 4 个，第一个是 {meant}；"
            "一个等比数列则从 {used} 开始。",
        ),
        alibi_slopes(12),
        one_series(12),
    )


def slopes_declared() -> Story:
    """CH305: ALiBi's slopes of 40 heads against one series."""
    return _slopes(
        Text(
            "Forty heads: the published models' first slope is {meant}, a series straight "
            "over forty starts at {used}.",
            "40 个头：公开模型的第一个斜率是 {meant}，直接按 40 个头取等比数列则从 {used} 开始。",
        ),
        alibi_slopes(40),
        one_series(40),
    )


def slopes_from_one() -> Story:
    """CH171: ALiBi's slopes of 8 heads against exponents from 0."""
    return _slopes(
        Text(
            "Eight heads: exponents count from 1, so head 0 has {meant}; counted from 0 it has {used}.",
            "8 个头：指数从 1 数起，0 号头为 {meant}；从 0 数起则为 {used}。",
        ),
        alibi_slopes(8),
        one_series(8, first=0),
    )


def ahead_rewarded() -> Story:
    """CH172: ALiBi's bias of an encoder against the plain line."""
    distance = np.arange(-16, 17)
    slope = alibi_slopes(8)[:1]
    meant, used = alibi_bias(distance, slope, symmetric=True)[0], alibi_bias(distance, slope)[0]
    said = numeral(float(used[0]), 3)
    return curves(
        Text(
            f"A key 16 ahead of the query (distance -16) gets {said} logits more instead of less.",
            f"在查询之后 16 位的键（距离 -16）得分多了 {said}，本应减少。",
        ),
        distance_axis(distance),
        BIAS,
        [Curve(MEANT, meant, RIGHT), Curve(USED, used, WRONG, "dots")],
        unit=LOGITS,
    )


def unclamped(distance: NDArray[np.int64], most: int = FAR) -> NDArray[np.int64]:
    """T5's buckets for keys in the past, as its formula gives them without the last clamp.

    >>> unclamped(np.array([127, 128])).tolist()
    [31, 32]
    """
    exact = BUCKETS // 2
    far = np.maximum(distance, exact) / exact
    steps = np.floor(np.log(far) / np.log(most / exact) * exact + 1e-9).astype(np.int64)
    return np.where(distance < exact, distance, exact + steps)


def _buckets(says: Text, distance: NDArray[np.int64], used: NDArray[np.int64]) -> Story:
    meant = t5_bucket(distance, BUCKETS, FAR)
    filled = says.filled(count=int((meant != used).sum()), of=len(distance))
    drawn = [Curve(MEANT, meant, RIGHT, "rings"), Curve(USED, used, WRONG, "dots")]
    return curves(filled, distance_axis(distance), BUCKET, drawn)


def buckets_misfit() -> Story:
    """CH033: T5's buckets up to 128 against a largest distance within the exact ones."""
    distance = np.arange(0, 41)
    return _buckets(
        Text(
            "max_distance 8 lies within the 16 exact buckets: from distance 17 on buckets run "
            "backwards, {count} of {of} distances are wrong.",
            "max_distance 为 8，落在 16 个精确桶之内：从距离 17 起桶号倒退，{of} 个距离中有 "
            "{count} 个是错的。",
        ),
        distance,
        unclamped(distance, 8),
    )


def sign_turned() -> Story:
    """CH173: T5's buckets against those of the opposite distance."""
    distance = np.arange(-40, 41)
    return _buckets(
        Text(
            "With the sign turned all keys in the past share bucket 0: {count} of {of} "
            "distances have the wrong bucket.",
            "符号反了，过去的键都落进 0 号桶：{of} 个距离中有 {count} 个的桶是错的。",
        ),
        distance,
        t5_bucket(-distance, BUCKETS, FAR),
    )


def past_the_table() -> Story:
    """CH174: T5's buckets against those without the last clamp."""
    distance = np.arange(96, 200)
    first = int(unclamped(np.array([FAR]))[0])
    return _buckets(
        Text(
            f"Distance {FAR} is bucket {first}, and the table ends with {BUCKETS - 1}: "
            f"{{count}} of {{of}} distances drawn lie past it.",
            f"距离 {FAR} 落进 {first} 号桶，而表的最后一桶是 {BUCKETS - 1} 号：所画 {{of}} "
            f"个距离中有 {{count}} 个在表外。",
        ),
        distance,
        unclamped(distance),
    )


def other_buckets() -> Story:
    """CH175: T5's buckets up to 128 against 256."""
    distance = np.arange(0, 160)
    return _buckets(
        Text(
            "Buckets that end at 256 and not at 128: {count} of {of} distances look up "
            "another row of the trained table.",
            "桶到 256 才结束，而不是 128：{of} 个距离中有 {count} 个查到训练表的另一行。",
        ),
        distance,
        t5_bucket(distance, BUCKETS, 2 * FAR),
    )


KEY = Text("key", "键")


def _row(says: Text, meant: Floats, used: Floats) -> Story:
    drawn = [Curve(MEANT, meant, RIGHT, "rings"), Curve(USED, used, WRONG, "dots")]
    return curves(says, Axis(KEY, np.arange(len(meant))), BIAS, drawn, unit=LOGITS)


def decoded_row() -> Story:
    """CH176: the last row of a bias against the first."""
    slots = np.arange(12)
    whole = alibi_bias(slots[:, None] - slots[None, :], alibi_slopes(8)[:1], symmetric=True)[0]
    return _row(
        Text(
            f"Decoding token {slots[-1]}: its row is the last, nearest to itself; row 0 in its "
            f"place is off by up to {numeral(float(np.abs(whole[0] - whole[-1]).max()), 3)}.",
            f"解码 {slots[-1]} 号词元：应取最后一行，离自己最近处为 0；若取第 0 行，最多相差 "
            f"{numeral(float(np.abs(whole[0] - whole[-1]).max()), 3)}。",
        ),
        whole[-1],
        whole[0],
    )


def padded() -> Story:
    """The last token of a row behind 4 of padding: its position skips the padding, those of keys don't."""
    pads, tokens = 4, 10
    keys = np.arange(tokens)
    slope = alibi_slopes(8)[:1]
    meant = alibi_bias(tokens - 1 - keys, slope, symmetric=True)[0]
    used = alibi_bias(tokens - 1 - (keys + pads), slope, symmetric=True)[0]
    peak = int(used.argmax())
    return _row(
        Text(
            f"Behind {pads} tokens of padding, with keys counted from the row's start: key "
            f"{peak} seems nearest to query {tokens - 1}.",
            f"前面有 {pads} 个填充，而键从行首数起：离查询 {tokens - 1} 最近的似乎成了键 {peak}。",
        ),
        meant,
        used,
    )
