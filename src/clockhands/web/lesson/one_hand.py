"""Step 4: one hand, and why unique is not the same as safe."""

from __future__ import annotations

from math import degrees, pi

import numpy as np

from clockhands.analysis.horizon import nearest_return
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Numbers, Picture, Question, Slider, Step


def from_twelve(position: int) -> float:
    """Degrees between a hand of 1 rad / token and twelve."""
    return abs(degrees(np.angle(np.exp(1j * position))))


def _numbers() -> Numbers:
    back = nearest_return([1.0], 999)
    clock = claimed("cos-sin-clock")
    return {
        "step": degrees(1),
        "at": back.distance,
        "gap": back.value,
        "near": neighbour_distance([1.0]),
        "turns": round(back.distance / (2 * pi)),
        "off_44": from_twelve(44),
        "off_355": from_twelve(355),
        "off_710": from_twelve(710),
        "start": clock["start of (cos, sin)"],
        "backwards": clock["step of (cos, sin)"],
    }


STEP = Step(
    id="one-hand",
    title=Text("One hand", "一根指针"),
    settings="dim=2&context=1000&pos=0",
    prose=(
        Text(
            "Take one hand of a clock. At position 0 it points to twelve; with each word it moves on by one "
            "radian, {step:.1f}°. Write down where its tip is, sideways and up: these two numbers are the "
            "code.",
            "取一根时钟的指针。位置 0 时指向十二点；每过一个词，往前转一弧度，也就是 {step:.1f}°。"
            "记下针尖的横坐标和纵坐标：这两个数就是编码。",
        ),
        Text(
            "Never larger than 1. Every step equally long. And since π is not a fraction, the hand never "
            "points twice to exactly the same place. All wishes granted?",
            "永远不超过 1。每一步一样长。而且 π 不是分数，指针永远不会两次指向同一个地方。是不是全都满足了？",
        ),
    ),
    formula=(r"PE(p) = (sin p, cos p)",),
    buttons=(),
    sliders=(Slider(Text("Position", "位置"), "pos", 0, 999),),
    pictures=(Picture("clock"),),
    reading=(Text("The hand is <<gap>> from twelve.", "指针离十二点 <<gap>>。"),),
    surprise=Text(
        "Go to position {at}. After {turns} turns the hand stands only {gap:.5f} from where it began, while "
        "a neighbour is {near:.2f} away. Unique is not the same as safe.",
        "拨到位置 {at}。转了 {turns} 圈之后，指针离出发点只有 {gap:.5f}，而相邻的位置相差 {near:.2f}。"
        "独一无二，不等于保险。",
    ),
    question=Question(
        Text("Which of these positions looks most like position 0?", "下面哪个位置看上去最像位置 0？"),
        (
            Answer(
                Text("44", "44"),
                Text(
                    "Close: 7 turns, {off_44:.2f}° past twelve. One of the others is nearer.",
                    "很近：7 圈，过了十二点 {off_44:.2f}°。另外两个里还有更近的。",
                ),
                "pos=44",
            ),
            Answer(
                Text("355", "355"),
                Text(
                    "A good thought, since 355/113 is nearly π. But that makes 56½ turns: the hand points "
                    "to six, {off_355:.3f}° away.",
                    "想得好，355/113 确实接近 π。可那是 56 圈半：指针指着六点，差了 {off_355:.3f}°。",
                ),
                "pos=355",
            ),
            Answer(
                Text("710", "710"),
                Text(
                    "Yes: {turns} turns and {off_710:.4f}°. Twice 355, so the half turn becomes a whole one.",
                    "对：{turns} 圈，只差 {off_710:.4f}°。正好是 355 的两倍，半圈凑成了整圈。",
                ),
                "pos=710",
                right=True,
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text(
                "Draw the pair as (cos, sin) and you see the clock.", "把这两个数画成 (cos, sin)，就是时钟。"
            ),
            Text(
                "That hand starts {start:.0f}° from twelve and runs backwards, {backwards:.1f}° a word. "
                "What is stored is (sin, cos): from twelve, clockwise.",
                "那样画，指针从离十二点 {start:.0f}° 的地方出发，每个词 {backwards:.1f}°，是倒着走的。"
                "存的其实是 (sin, cos)：从十二点出发，顺时针走。",
            ),
        ),
    ),
    numbers=_numbers,
    plays=True,
)
