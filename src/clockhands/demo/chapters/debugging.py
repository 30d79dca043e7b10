"""Looking at a table to find what is wrong with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.axes import dimension_axis, position_axis
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.analysis.neighbours import table_neighbours
from clockhands.analysis.verdict import Verdict, examine
from clockhands.catalogue.description import Array
from clockhands.demo.chapter import Belief, Chapter, Figure, Story, Table
from clockhands.demo.described import speeds
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import listed, number, quoted
from clockhands.demo.studio import Studio
from clockhands.formulas import sinusoid
from clockhands.language import Text

STORY = Story(
    title=Text("Is my table healthy?", "我的位置表正常吗"),
    paragraphs=(
        Text(
            "Tutorials advise to look at the heat map now and then, to be sure that there is no odd "
            "pattern. Good advice, but eyes miss a lot. Below, a sound table and one with a classic "
            "slip: frequencies counted by column instead of by pair, so that a sine gets another "
            "frequency than its cosine.",
            "教程常劝人时不时看看热力图，确认没有异常的花纹。话是不错，但眼睛会漏掉很多。下面一张表是好"
            "的，另一张犯了经典的错误：频率按列来数，而不是按维度对来数，于是正弦和它的余弦频率不同。",
        ),
        Text(
            "Both have fine waves in the first columns and calm in the last. Measured, they differ at "
            "once. The list shows what is found in {cases} tables: one sound, two that are merely "
            "arranged otherwise, the others with one fault built in.",
            "两张图都是前几列起伏、后几列平静。一测就分出来了。表里是 {cases} 张位置表的检查结果：一张原"
            "样，两张只是换了排列，其余各带一个人为的毛病。",
        ),
        Text(
            "For a table of your own: `clockhands show --table FILE --view verdict`.",
            "检查你自己的位置表：`clockhands show --table 文件 --view verdict`。",
        ),
    ),
    surprise=Text(
        "Swapping sine and cosine, or putting all sines first, is *not* a fault: the network learns with "
        "whatever order it gets. Pairing a sine with the wrong frequency is one: the step from one "
        "position to the next then varies between {broken_least:.3f} and {broken_most:.3f}, instead of "
        "being {healthy_step:.3f} everywhere.",
        "正弦余弦对调，或者把所有正弦排在前面，都*不是*毛病：用什么次序训练，网络就学什么次序。正弦配错"
        "了频率才是：相邻位置的距离在 {broken_least:.3f} 和 {broken_most:.3f} 之间变化，而不是处处 "
        "{healthy_step:.3f}。",
    ),
    beliefs=(
        Belief(
            Text("Look at the heat map to see that nothing is wrong.", "看看热力图，就知道有没有问题。"),
            Text(
                "The two maps look alike, but the steps of the broken one run from {broken_least:.3f} to "
                "{broken_most:.3f} where the sound one has {healthy_step:.3f} everywhere.",
                "两张图看上去差不多，可是坏表的步长从 {broken_least:.3f} 到 {broken_most:.3f} 不等，好表"
                "处处是 {healthy_step:.3f}。",
            ),
        ),
    ),
    question=Text("Why does the wrong pairing make the steps uneven?", "为什么配错频率，步子就不匀了？"),
    answer=Text(
        "A sine and a cosine of one speed lie on a circle, where each step is the same chord. With two "
        "speeds the tip runs along a tangle, slow in the bends: here the length of the code, too, varies "
        "by {norm_spread:.2f}.",
        "同一速度的正弦和余弦合起来是圆，每一步都是同样长的弦。速度不同，针尖走的就是一团乱线，转弯处慢："
        "这里连编码的长度也变化了 {norm_spread:.2f}。",
    ),
)
POSITIONS, DIM = 100, 32
PICTURE = Text("Which of these is broken?", "哪一张是坏的？")
HEADINGS = (Text("sound", "正常"), Text("each column its own frequency", "每列一个频率"))
ALT = Text(
    "Two heat maps that look alike: waves in the fast columns, calm in the slow ones.",
    "两张看上去差不多的热力图：快的几列起伏不停，慢的几列一片平静。",
)
CAPTION = Text("A sound table and a broken one; the eye hardly tells.", "一张好表和一张坏表，肉眼很难分辨。")
CASES = {
    "sound": Text("as it should be", "原样"),
    "cos_first": Text("cosine before sine", "余弦在前"),
    "apart": Text("all sines, then all cosines", "先全部正弦，再全部余弦"),
    "mispaired": Text("each column its own frequency", "每列一个频率"),
    "repeated": Text("one row copied over another", "有一行被另一行覆盖"),
    "aliased": Text("two hands of one speed", "两根针速度相同"),
    "leap": Text("one row much too large", "有一行大得离谱"),
}
HEADER = (Text("table", "位置表"), Text("found", "检查结果"), Text("faults", "问题数"))
NOTHING_FOUND = Text("nothing wrong", "没有问题")
TABLE_CAPTION = Text(
    "What the checks say of each table, without looking at it.", "不用眼睛看，检查给出的结论。"
)


def tell(studio: Studio) -> Chapter:
    tables = faulty_tables()
    steps = table_neighbours(tables["mispaired"]).distance.values
    lengths = np.linalg.norm(tables["mispaired"], axis=1)
    numbers = {
        "cases": len(tables),
        "broken_least": steps.min(),
        "broken_most": steps.max(),
        "healthy_step": table_neighbours(tables["sound"]).mean,
        "norm_spread": np.ptp(lengths),
    }
    verdicts = {name: examine(table) for name, table in tables.items()}
    return STORY.told(numbers, [_picture(studio, tables), _list(studio, verdicts)])


def faulty_tables() -> dict[str, Array]:
    """A sound table, two that are only arranged otherwise, and one for each fault."""
    positions, speed = np.arange(POSITIONS), speeds("sinusoidal", d_model=DIM)
    sound = sinusoid(positions, speed)
    repeated, leap, twice = sound.copy(), sound.copy(), speed.copy()
    repeated[60] = repeated[40]
    leap[70] *= 5
    twice[5] = twice[4]
    return {
        "sound": sound,
        "cos_first": sinusoid(positions, speed, first="cos"),
        "apart": sinusoid(positions, speed, arrangement="concatenated"),
        "mispaired": mispaired(positions),
        "repeated": repeated,
        "aliased": sinusoid(positions, twice),
        "leap": leap,
    }


def mispaired(positions: NDArray[Any]) -> Array:
    """The slip: a frequency for every column instead of one for every pair of columns."""
    column = np.arange(DIM)
    angle = positions[:, None] * 10000.0 ** (-column / DIM)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def _picture(studio: Studio, tables: dict[str, Array]) -> Figure:
    axes = (position_axis(np.arange(POSITIONS)), dimension_axis(DIM))
    panels = [
        Map(Labelled(name, Text("value", "数值"), tables[name], axes), heading)
        for name, heading in zip(("sound", "mispaired"), HEADINGS, strict=True)
    ]
    return studio.picture(
        "debugging", maps(panels, lang=studio.lang, title=PICTURE), alt=ALT, caption=CAPTION
    )


def _list(studio: Studio, verdicts: dict[str, Verdict]) -> Table:
    faults = {
        name: [finding for finding in verdict.findings if finding.severity != "note"]
        for name, verdict in verdicts.items()
    }
    rows = [
        [
            CASES[name],
            listed(quoted(one.what) for one in found) if found else NOTHING_FOUND,
            number(len(found)),
        ]
        for name, found in faults.items()
    ]
    axis = Axis(HEADER[0], np.array(list(faults), dtype=object))
    data = Labelled("faults", HEADER[2], np.array([len(found) for found in faults.values()]), (axis,))
    return studio.table("verdicts", HEADER, rows, TABLE_CAPTION, data)
