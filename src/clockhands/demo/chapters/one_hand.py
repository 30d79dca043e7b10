"""One hand never repeats, and still comes too near."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.axes import position_axis
from clockhands.analysis.horizon import nearest_return
from clockhands.analysis.labelled import Labelled
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.precision import rounded
from clockhands.analysis.spectrum import spectrum
from clockhands.demo.chapter import Belief, Chapter, Story
from clockhands.demo.drawing import dots
from clockhands.demo.studio import Studio
from clockhands.language import Text

STORY = Story(
    title=Text("One hand", "一根指针"),
    paragraphs=(
        Text(
            "Take one clock hand. At position zero it points to twelve; each word turns it by one "
            "radian. After {wavelength:.2f} words it has gone round once. Its tip, (sin p, cos p), is "
            "the code of position p: two numbers, bounded, every step the same.",
            "拿一根指针。位置零时它指着十二点，每过一个词转一弧度，走过 {wavelength:.2f} 个词正好转一圈。"
            "针尖的坐标 (sin p, cos p) 就是位置 p 的编码：两个数，有界，每一步都一样大。",
        ),
        Text(
            "Does it ever repeat? Never. A whole number of radians is never a whole number of turns, "
            "because π is irrational.",
            "它会重复吗？永远不会。整数个弧度不可能是整数圈，因为 π 是无理数。",
        ),
    ),
    surprise=Text(
        "Unique is not the same as safe. At position {return_at} the hand has made {turns} turns and "
        "stands {gap:power} rad from twelve. Added to a word in bfloat16, the number format of most "
        "training, where numbers near one move in steps of {bf16_step:.4f}, that difference is gone.",
        "唯一不等于安全。到位置 {return_at}，指针转了 {turns} 圈，离十二点只差 {gap:power} 弧度。训练常"
        "用的数字格式 bfloat16 在一附近每格是 {bf16_step:.4f}，把编码加到词上，这点差别就没了。",
    ),
    beliefs=(
        Belief(
            Text(
                "The code repeats only when all hands are back at the start; many hands make it unique.",
                "只有所有指针都回到原点时编码才会重复；指针多，才保证唯一。",
            ),
            Text(
                "One hand is enough to be unique, for ever. What it lacks is margin: within {reach} "
                "positions it comes back to within {gap:power} rad. More hands buy margin, as the next "
                "step shows.",
                "一根针就永远唯一。它缺的是余量：{reach} 个位置之内就回到离起点 {gap:power} 弧度处。多几"
                "根针，买来的是余量，见下一步。",
            ),
        ),
    ),
    question=Text(
        "Suppose the hand turned by exactly a hundredth of a turn each word. How many words until it "
        "repeats, and how exactly?",
        "如果每个词正好转百分之一圈，多少个词以后会重复？重复得有多准？",
    ),
    answer=Text(
        "After {rational_return} words, exactly. A hand that divides the turn evenly repeats; one radian "
        "a word never does, but look how near it comes.",
        "{rational_return} 个词以后，分毫不差。把一圈等分的针会重复；每词一弧度的针永不重复，但可以近得"
        "惊人。",
    ),
)
SPEED, REACH, HUNDREDTH = 1.0, 1000, 2 * np.pi / 100
PICTURE = Text("How far one hand is from where it started", "一根指针离出发点有多远")
ALT = Text(
    "Dots for the distance of the hand from twelve at each position; ever lower ones are ringed, the "
    "lowest far below all others.",
    "每个位置一个点，表示指针离十二点的距离；越来越低的几个点被圈出，最低的远远低于其他所有点。",
)
CAPTION = Text(
    "Each dot is a position; ringed are those more than three times nearer to the start than any before. "
    "The axis is logarithmic.",
    "每个点是一个位置；圈出的位置，离起点不到此前最近者的三分之一。纵轴是对数的。",
)


def tell(studio: Studio) -> Chapter:
    back = nearest_return([SPEED], REACH)
    rational = nearest_return([HUNDREDTH], REACH)
    below_one = rounded(1 - 2.0 ** -np.arange(1, 24), "bf16")
    wavelength = spectrum([SPEED], REACH).longest
    numbers = {
        "wavelength": wavelength,
        "reach": REACH,
        "return_at": back.distance,
        "turns": round(back.distance / wavelength),
        "gap": back.value,
        "bf16_step": 1 - below_one[below_one < 1].max(),
        "rational_return": rational.distance,
    }
    gaps = np.array([neighbour_distance([SPEED], step) for step in range(1, REACH + 1)])
    before = np.minimum.accumulate(np.concatenate([[2.0], gaps[:-1]]))
    records = np.flatnonzero(gaps < before / 3)
    far = Labelled(
        "gap",
        Text("distance from the start", "离起点的距离"),
        gaps,
        (position_axis(np.arange(1, REACH + 1)),),
    )
    picture = dots(far, records.tolist(), lang=studio.lang, title=PICTURE)
    return STORY.told(numbers, [studio.picture("one_hand", picture, alt=ALT, caption=CAPTION)])
