"""Stories of angles that are wrong by how they are stored or computed, or that drift with position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.axes import RADIANS, RADIANS_PER_TOKEN, TOKENS, position_axis
from clockhands.analysis.labelled import Axis
from clockhands.analysis.precision import Precision, angle_error, rounded
from clockhands.check.outputs.stories.frequencies import dynamic, llama3
from clockhands.check.outputs.stories.kinds.curves import Curve, curves
from clockhands.check.outputs.stories.story import MEANT, RIGHT, USED, WRONG, Story
from clockhands.formulas.frequencies.geometric import default_inv_freq
from clockhands.formulas.frequencies.scaled import ntk_theta
from clockhands.language import Text
from clockhands.plots import style
from clockhands.plots.numerals import numeral

Floats = NDArray[np.float64]
ONE_RADIAN = (1.0, Text("1 rad", "1 弧度"))
ERROR = Text("worst error of an angle so far", "到此为止角度的最大误差")
_COLOURS = {"bf16": WRONG, "fp16": style.CATEGORIES[4], "fp32": RIGHT}


def _positions(last: int) -> NDArray[np.int64]:
    """Some 300 positions from 1 to ``last``, evenly spaced on a logarithmic axis."""
    return np.unique(np.geomspace(1, last, 300).round().astype(np.int64))


def of_frequencies(
    precision: Precision, at: NDArray[np.int64], width: int = 128, theta: float = 1e4
) -> Floats:
    """Worst error of the angles at each position where only frequencies are rounded, rad.

    >>> of_frequencies("bf16", np.array([511])).round(2).tolist()
    [0.63]
    """
    speed = default_inv_freq(width, theta)
    return np.abs(rounded(speed, precision) - speed).max() * at.astype(np.float64)


def angles_by_length() -> Story:
    """CH037: errors of angles kept in 16 and 32 bits, by position."""
    at = _positions(10_000_000)
    speed = default_inv_freq(128)
    kinds: tuple[Precision, ...] = ("bf16", "fp16", "fp32")
    errors = {kind: np.maximum.accumulate(angle_error(speed, at, kind).angle.values) for kind in kinds}
    finite = {kind: np.where(np.isfinite(error), error, np.nan) for kind, error in errors.items()}
    near = float(angle_error(speed, [131_072], "fp32").angle.values[0])
    far = float(angle_error(speed, np.arange(9_995_000, 10_000_001), "fp32").angle.values.max())
    lost = int(at[np.argmax(errors["bf16"] > 1)])
    return curves(
        Text(
            f"32 bits are off by {numeral(near, 1)} rad at 131,072 and by up to "
            f"{numeral(far, 1)} near ten million, bf16 by 1 rad from {lost} on.",
            f"32 位在 131,072 处误差 {numeral(near, 1)} 弧度，一千万附近最大 {numeral(far, 1)} "
            f"弧度；bf16 从 {lost} 起误差就超过 1 弧度。",
        ),
        position_axis(at),
        ERROR,
        [Curve(Text(kind, kind), finite[kind], _COLOURS[kind]) for kind in kinds],
        unit=RADIANS,
        log="xy",
        level=ONE_RADIAN,
    )


def frequencies_rounded() -> Story:
    """CH111: errors of angles whose frequencies alone are kept in 16 bits, by position."""
    at = _positions(32767)
    known = of_frequencies("bf16", np.array([511, 4095, 32767]))
    said = [numeral(float(error), 2) for error in known]
    return _rounded(
        at,
        Text(
            f"In bf16, head 128: {said[0]} rad at position 511, {said[1]} at 4,095, {said[2]} at 32,767.",
            f"bf16、头宽 128：位置 511 处误差 {said[0]} 弧度，4,095 处 {said[1]}，32,767 处 {said[2]}。",
        ),
    )


def frequencies_stored() -> Story:
    """CH223: the same, with the position from which it is a radian."""
    at = _positions(32767)
    past = {kind: int(np.ceil(1 / of_frequencies(kind, np.array([1]))[0])) for kind in ("bf16", "fp16")}
    return _rounded(
        at,
        Text(
            "Frequencies that went through 16 bits are off by 1 rad from position "
            f"{past['bf16']} (bf16) or {past['fp16']} (fp16) on.",
            f"经过 16 位存储的频率，从位置 {past['bf16']}（bf16）或 "
            f"{past['fp16']}（fp16）起误差达到 1 弧度。",
        ),
    )


def _rounded(at: NDArray[np.int64], says: Text) -> Story:
    kinds: tuple[Precision, ...] = ("bf16", "fp16", "fp32")
    drawn = [Curve(Text(kind, kind), of_frequencies(kind, at), _COLOURS[kind]) for kind in kinds]
    return curves(says, position_axis(at), ERROR, drawn, unit=RADIANS, log="xy", level=ONE_RADIAN)


def module_cast() -> Story:
    """CH160: errors of cosines whose frequencies are kept in 16 bits, by position."""
    at = _positions(8192)
    speed = default_inv_freq(128)
    off = {
        kind: np.abs(np.cos(np.outer(at, rounded(speed, kind))) - np.cos(np.outer(at, speed))).max(axis=1)
        for kind in ("bf16", "fp16")
    }
    worst = float(off["bf16"].max())
    return curves(
        Text(
            f"After module.to(bfloat16), cos is off by up to {worst:.2f}, and .float() doesn't "
            "bring it back.",
            f"执行 module.to(bfloat16) 之后，cos 的误差最大达 {worst:.2f}，.float() 也救不回来。",
        ),
        position_axis(at),
        Text("worst error of a cosine", "余弦的最大误差"),
        [Curve(Text(kind, kind), values, _COLOURS[kind]) for kind, values in off.items()],
        log="x",
        level=(2.0, Text("as wrong as can be", "误差的上限")),
    )


def products_rounded() -> Story:
    """Bug report B08: head 32, hand 1, position 1,857: 1044.268 rad; fp16 1,045, bf16 1,040."""
    at = np.arange(
        1830, 1890
    )  # position, speed and product in bf16, as tables in the model's dtype have them
    speed = float(default_inv_freq(32)[1])
    angle, kept = at * speed, rounded(rounded(at, "bf16") * float(rounded(speed, "bf16")), "bf16")
    there = 1857 - int(at[0])
    return curves(
        Text(
            f"At position 1,857 hand 1 of 16 has an angle of {angle[there]:.2f} rad; bf16 keeps "
            f"{kept[there]:.0f}.",
            f"在位置 1,857，16 根指针中的 1 号角度为 {angle[there]:.2f} 弧度；bf16 存成 {kept[there]:.0f}。",
        ),
        position_axis(at),
        Text("angle", "角度"),
        [Curve(MEANT, angle, RIGHT), Curve(Text("in bf16", "bf16 中"), kept, WRONG, "dots")],
        unit=RADIANS,
    )


def positions_rounded() -> Story:
    """CH110: positions against what bf16 makes of them."""
    at = np.arange(250, 278)
    left = len(np.unique(rounded(np.arange(4096), "bf16")))
    return curves(
        Text(
            f"From 256 on bf16 has no odd integers: of 4,096 positions {left} remain.",
            f"从 256 起 bf16 里没有奇数：4,096 个位置只剩 {left} 个。",
        ),
        position_axis(at),
        Text("position as stored", "存储后的位置"),
        [Curve(MEANT, at, RIGHT), Curve(Text("in bf16", "bf16 中"), rounded(at, "bf16"), WRONG, "dots")],
        unit=TOKENS,
    )


def cosine_of_error(meant: Floats, used: Floats, at: NDArray[np.int64]) -> Floats:
    """Mean over hands of the cosine of what the angles are off by, at each position: 1 where all is right.

    >>> first, other = default_inv_freq(128, 5e5), default_inv_freq(128, 1e4)
    >>> cosine_of_error(first, other, np.array([10, 100, 1000])).round(2).tolist()
    [0.87, 0.51, 0.19]
    """
    return np.cos(np.outer(at, meant - used)).mean(axis=1)


def base_looked_for() -> Story:
    """CH038: how alike the angles of bases 500,000 and 10,000 are, by position."""
    meant, used = default_inv_freq(128, 5e5), default_inv_freq(128, 1e4)
    near, middle, far = cosine_of_error(meant, used, np.array([10, 100, 1000]))
    return _drift(
        meant,
        used,
        100_000,
        Text(
            f"10,000 for 500,000: of 1 there is {near:.2f} left at 10 tokens, {middle:.2f} at "
            f"100 and {far:.2f} at 1,000.",
            f"500,000 变成 10,000：满分 1，10 个词元处剩 {near:.2f}，100 处剩 {middle:.2f}，1,000 "
            f"处剩 {far:.2f}。",
        ),
    )


def scaling_dropped() -> Story:
    """CH040: how alike the angles of Llama 3.1 with and without scaling are, by position."""
    meant, used = llama3(), default_inv_freq(128, 5e5)
    near, far = cosine_of_error(meant, used, np.array([1000, 60_000]))
    return _drift(
        meant,
        used,
        131_072,
        Text(
            f"Llama 3.1 without its scaling: of 1 there is {near:.2f} left at 1,000 tokens and "
            f"{far:.2f} at 60,000.",
            f"Llama 3.1 丢了缩放：满分 1，1,000 个词元处剩 {near:.2f}，60,000 处剩 {far:.2f}。",
        ),
    )


def _drift(meant: Floats, used: Floats, last: int, says: Text) -> Story:
    at = _positions(last)
    return curves(
        says,
        position_axis(at),
        Text("mean cosine of the error of the angles", "角度误差的余弦均值"),
        [Curve(USED, cosine_of_error(meant, used, at), WRONG)],
        log="x",
        level=(1.0, Text("all angles right", "角度全对")),
    )


def base_by_length() -> Story:
    """CH035: the base of dynamic NTK by length against a constant one."""
    trained, factor, width = 2048, 4.0, 128
    lengths = np.arange(256, 4 * trained + 1, 32)
    grown = factor * np.maximum(lengths, trained) / trained - (factor - 1)
    meant = np.array([ntk_theta(width, factor=float(each)) for each in grown]) / 1e4
    constant = np.full(len(lengths), meant[-1])
    ends = [numeral(float(meant[lengths == count * trained][0]), 2) for count in (1, 2, 4)]
    return curves(
        Text(
            f"Trained on {trained}, factor 4: the base should grow {ends[0]}, {ends[1]}, "
            f"{ends[2]} times by 1, 2 and 4 trained lengths, not at once.",
            f"训练长度 {trained}、因子 4：长度为训练长度的 1、2、4 倍时，底数应为 {ends[0]}、"
            f"{ends[1]}、{ends[2]} 倍，而不是一开始就到顶。",
        ),
        Axis(Text("length of the text", "文本长度"), lengths, TOKENS),
        Text("base, in multiples of the file's", "底数，为文件中底数的倍数"),
        [
            Curve(Text("as the text grows", "随文本增长"), meant, RIGHT),
            Curve(Text("length cancelled", "与长度无关"), constant, WRONG),
        ],
    )


def speed_by_length() -> Story:
    """CH126: the slowest hand under dynamic NTK, by length."""
    lengths = np.arange(512, 8193, 64)
    slowest = np.array([float(dynamic(int(length))[-1]) for length in lengths])
    ratio = slowest[0] / slowest[-1]
    return curves(
        Text(
            f"Keys cached at 2,048 tokens were turned with hands up to {ratio:.0f} times as "
            "fast as those of a query at 8,192.",
            f"在 2,048 个词元时缓存的键，其指针的速度最多是 8,192 处查询的 {ratio:.0f} 倍。",
        ),
        Axis(Text("length of the text", "文本长度"), lengths, TOKENS),
        Text("speed of the slowest hand", "最慢指针的角频率"),
        [
            Curve(Text("at this length", "在这一长度"), slowest, WRONG),
            Curve(Text("in a short text", "短文本中"), np.full(len(lengths), slowest[0]), RIGHT),
        ],
        unit=RADIANS_PER_TOKEN,
    )
