"""Step 6: moving on by k words is one rotation, wherever one is."""

from __future__ import annotations

from math import degrees, pi

from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.one_hand import from_twelve
from clockhands.web.lesson.step import Answer, Belief, Numbers, Picture, Question, Slider, Step


def _numbers() -> Numbers:
    step = claimed("neighbour-distance-varies")
    order = claimed("sin-cos-order")
    return {
        "deg_22": 22 / (2 * pi),
        "deg_6": degrees(6),
        "off_6": from_twelve(6),
        "off_44": from_twelve(44),
        "step_32": step["neighbour distance, width 32"],
        "step_128": step["neighbour distance, width 128"],
        "step_512": step["neighbour distance, width 512"],
        "wobble": order["wobble of a wrong pairing"],
    }


STEP = Step(
    id="move",
    title=Text("A move is one rotation", "移动就是旋转"),
    settings="dim=6&base=100&context=200&pos=12&shift=5",
    prose=(
        Text(
            "“The word five places back” should mean the same everywhere in a text. With hands it does. To "
            "go from position p to p + k, turn each hand by kω. That is a small table of four numbers, a "
            "rotation.",
            "“往前数五个词”，在文章哪里都该是同一个意思。指针做得到。从位置 p 到 p + k，"
            "把每根指针再转 kω 就行。这是四个数的一张小表：一个旋转。",
        ),
        Text(
            "Hollow: the hand at p. Solid: at p + k. The shaded arc is the turn between them. Move p and see "
            "what changes, and what doesn't.",
            "空心的是位置 p 的指针，实心的是 p + k 的，阴影是两者之间转过的角。拨动 p，看看什么在变，"
            "什么不变。",
        ),
    ),
    formula=(
        r"PE(p + k) = R_k PE(p)",
        r"R_k = \rows{cos kω & sin kω ; - sin kω & cos kω}",
    ),
    buttons=(),
    sliders=(
        Slider(Text("Position p", "位置 p"), "pos", 0, 99),
        Slider(Text("Shift k", "移动 k"), "shift", 0, 100),
    ),
    pictures=(
        Picture(
            "move",
            Text(
                "Three hands at p and at p + k, with the arc between.",
                "三根指针在 p 和 p + k 处，以及之间的弧。",
            ),
        ),
    ),
    reading=(Text("The rotation of the fastest hand, ω = 1:", "最快的指针（ω = 1）的旋转："),),
    live=r"R_k = \rows{\live{cosine} & \live{sine} ; \live{minus} & \live{cosine}}",
    surprise=Text(
        "There is no p in the table of four numbers. The hands fly round, the rotation stands still. A "
        "network that learned “five back” once has learned it for every place.",
        "四个数的表里没有 p。指针转得飞快，旋转却纹丝不动。网络只要学会一次“往前五个”，就处处会了。",
    ),
    question=Question(
        Text(
            "For which shift does the fastest hand's rotation do almost nothing?",
            "移动多少时，最快那根指针的旋转几乎什么也没做？",
        ),
        (
            Answer(
                Text("k = 6", "k = 6"),
                Text(
                    "Nearly a turn, {deg_6:.1f}°, but {off_6:.1f}° short of it. There is a better one.",
                    "快一圈了，{deg_6:.1f}°，还差 {off_6:.1f}°。有更好的。",
                ),
                "shift=6",
            ),
            Answer(
                Text("k = 22", "k = 22"),
                Text(
                    "{deg_22:.2f} turns: half a turn too many. The table is nearly −1 on its diagonal, so "
                    "the hand points the opposite way.",
                    "{deg_22:.2f} 圈，多了半圈。表的对角线上差不多是 −1，指针正好指向反面。",
                ),
                "shift=22",
            ),
            Answer(
                Text("k = 44", "k = 44"),
                Text(
                    "Yes: seven turns and {off_44:.2f}°. The slower hands are what tells 44 from 0.",
                    "对：七圈零 {off_44:.2f}°。要分清 44 和 0，得靠更慢的那些指针。",
                ),
                "shift=44",
                right=True,
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text(
                "Plot the distance between neighbours to see if a code is healthy.",
                "画出相邻位置的距离，就能看编码健不健康。",
            ),
            Text(
                "It is the same everywhere, √(4 Σ sin²(ω/2)): {step_32:.5f} for 32 dimensions, "
                "{step_128:.5f} for 128, {step_512:.5f} for 512. A wavy plot shows rounding, blown up by "
                "its axis.",
                "它处处相同，等于 √(4 Σ sin²(ω/2))：32 维是 {step_32:.5f}，128 维是 {step_128:.5f}，"
                "512 维是 {step_512:.5f}。画出来弯弯曲曲的，是被坐标轴放大的舍入误差。",
            ),
        ),
        Belief(
            Text(
                "It matters whether the sine comes first or the cosine.", "sin 在前还是 cos 在前，大有关系。"
            ),
            Text(
                "Not to a model that is trained with it. But to give each dimension, not each pair, its own "
                "speed breaks the hands: steps then vary by {wobble:.0%} of their mean.",
                "训练时没有关系。真正的错误是给每一维（而不是每一对）各配一个速度：指针就散了，"
                "一步的长短会相差到平均值的 {wobble:.0%}。",
            ),
        ),
    ),
    numbers=_numbers,
)
