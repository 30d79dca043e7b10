"""Step 7: the map of all pairs is one curve."""

from __future__ import annotations

from clockhands.analysis.horizon import horizon
from clockhands.analysis.kernel import kernel
from clockhands.formulas import default_inv_freq
from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Slider, Step


def _numbers() -> Numbers:
    narrow, middle, wide = (horizon(default_inv_freq(width), 99) for width in (32, 128, 512))
    far = horizon(default_inv_freq(512), 20_000)
    at = [float(value) for value in kernel(default_inv_freq(32), [4, 5, 50, 57, 100]).values]
    return {
        "rise": narrow.first_rise or 0,
        "then": (narrow.first_rise or 0) + 1,
        "rise_128": middle.first_rise or 0,
        "rise_512": wide.first_rise or 0,
        "up_32": narrow.rising_share,
        "up_128": middle.rising_share,
        "up_512": wide.rising_share,
        "k_4": at[0],
        "k_5": at[1],
        "k_50": at[2],
        "k_57": at[3],
        "k_100": at[4],
        "lowest": far.lowest.value,
        "lowest_at": far.lowest.distance,
        "spread": claimed("dot-product-roughly")["spread along a diagonal"],
    }


STEP = Step(
    id="curve",
    title=Text("The whole map is one curve", "整张图就是一条曲线"),
    settings="dim=32&context=128&pos=50&other=0&span=0",
    prose=(
        Text(
            "How alike are two positions? Multiply their codes number by number and add up. Each hand gives "
            "the cosine of the angle between its two places, and that angle is its speed times the "
            "distance. So the similarity is a mean of cosines, and the positions themselves have dropped "
            "out.",
            "两个位置有多像？把编码逐个相乘再加起来。每根指针给出的，是它两处夹角的余弦，"
            "而夹角等于速度乘距离。所以相似度是一堆余弦的平均，位置本身已经消掉了。",
        ),
        Text(
            "That is why the map of all pairs is made of stripes. Cut across them and you have everything: "
            "one curve k(Δ). Even a map of 100,000 by 100,000 is that curve and nothing more.",
            "所有位置对的图为什么全是斜条纹？原因就在这里。横着切一刀，就得到全部信息：一条曲线 k(Δ)。"
            "哪怕是 100,000 乘 100,000 的图，也只是这条曲线。",
        ),
    ),
    formula=(r"k(Δ) = \frac{2}{d} PE(p) \cdot PE(p + Δ) = \frac{2}{d} \sum_i cos(ω_i Δ)",),
    buttons=(
        Button(Text("32 dimensions", "32 维"), "dim=32"),
        Button(Text("128", "128 维"), "dim=128"),
        Button(Text("512", "512 维"), "dim=512"),
        Button(Text("100,000 positions", "100,000 个位置"), "context=100000&span=0"),
    ),
    sliders=(Slider(Text("Distance from position 0", "离位置 0 的距离"), "pos", 0, 127),),
    pictures=(Picture("kernel"), Picture("map")),
    reading=(),
    surprise=Text(
        "The curve doesn't fall steadily. With 32 dimensions it first rises at {rise} → {then} ({k_4:.4f} → "
        "{k_5:.4f}), and of the first 99 steps {up_32:.0%} go up. And it goes below zero: with 512 to "
        "{lowest:.3f}, at distance {lowest_at:,}.",
        "曲线并不是一路往下。32 维时，在 {rise} → {then} 第一次上升（{k_4:.4f} → {k_5:.4f}），"
        "前 99 步里有 {up_32:.0%} 是往上走的。它还会变负：512 维时，距离 {lowest_at:,} 处是 {lowest:.3f}。",
    ),
    question=Question(
        Text(
            "32 dimensions. Which position looks more like position 0: 50 or 57?",
            "32 维。哪个位置更像位置 0：50 还是 57？",
        ),
        (
            Answer(
                Text("50, it is nearer", "50，它更近"),
                Text(
                    "One would think so. The curve says {k_50:.3f} at 50. Now move on to 57.",
                    "按理说是。可曲线在 50 处是 {k_50:.3f}。再拨到 57 看看。",
                ),
                "dim=32&context=128&pos=50",
            ),
            Answer(
                Text("57", "57"),
                Text(
                    "Yes: {k_57:.3f} against {k_50:.3f}. Even 100 away it is {k_100:.3f}.",
                    "对：{k_57:.3f} 对 {k_50:.3f}。哪怕远到 100，也有 {k_100:.3f}。",
                ),
                "dim=32&context=128&pos=57",
                right=True,
            ),
            Answer(
                Text("Both alike", "一样像"),
                Text(
                    "They differ, and not by little: read the value below the curve at 50 and at 57.",
                    "不一样，差得还不少：分别看看 50 和 57 处曲线下方的数。",
                ),
                "dim=32&context=128&pos=57",
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text("Similarity falls steadily with distance.", "相似度随距离稳步下降。"),
            Text(
                "Roughly, never steadily. First rise after distance {rise}, {rise_128}, {rise_512} for 32, "
                "128, 512 dimensions; of the first 99 steps {up_32:.0%}, {up_128:.0%}, {up_512:.0%} go up.",
                "大致如此，但绝不是稳步。32、128、512 维时，分别在距离 {rise}、{rise_128}、"
                "{rise_512} 之后第一次上升；前 99 步里往上走的占 {up_32:.0%}、{up_128:.0%}、{up_512:.0%}。",
            ),
        ),
        Belief(
            Text("The product depends on the distance approximately.", "乘积近似地只和距离有关。"),
            Text(
                "Exactly. Along a diagonal it varies by {spread:.0e}, which is rounding.",
                "不是近似，是恰好。沿一条对角线，它只相差 {spread:.0e}，那是舍入误差。",
            ),
        ),
    ),
    numbers=_numbers,
)
