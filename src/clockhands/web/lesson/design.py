"""Step 14: a design of one's own."""

from __future__ import annotations

from clockhands.analysis.kernel import kernel
from clockhands.analysis.uniqueness import uniqueness
from clockhands.formulas import default_inv_freq
from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Slider, Step


def _numbers() -> Numbers:
    few = default_inv_freq(8)
    alias = uniqueness(few, 511).first_alias or 0
    near = [float(value) for value in kernel(few, [1, 2, alias]).values]
    better = uniqueness(default_inv_freq(8, 100), 511)
    mixed = claimed("mixed-is-best-of-both")
    return {
        "alias": alias,
        "k_1": near[0],
        "k_2": near[1],
        "k_alias": near[2],
        "later": better.first_alias or 0,
        "later_16": uniqueness(default_inv_freq(16), 511).first_alias or 0,
        "slow": mixed["longest wavelength, geometric"],
        "mixed": mixed["longest wavelength, mixed"],
        "echo": mixed["distance of the echo"],
        "echo_k": mixed["cosine there"],
    }


STEP = Step(
    id="design",
    title=Text("Design your own", "自己设计一个"),
    settings="dim=8&base=10000&context=512&pos=6&other=0&span=64",
    room="design",
    prose=(
        Text(
            "Nothing is sacred about 10,000. The base sets how slow the slowest hand is, the dimensions how "
            "many hands share the work. A small base spends them near by, a large one far out. The score "
            "card says what each choice costs.",
            "10,000 并不神圣。底数决定最慢的指针有多慢，维度决定有几根指针分担。底数小，指针都用在近处；"
            "底数大，都用在远处。成绩单告诉你，每种选择要付出什么。",
        ),
        Text(
            "It begins here with four hands, as in a small model whose heads are 8 dimensions wide.",
            "这里从四根指针开始，就像一个注意力头只有 8 维的小模型。",
        ),
    ),
    formula=(r"ω_i = base^{-2 i / d}",),
    buttons=(
        Button(Text("8 dimensions", "8 维"), "dim=8"),
        Button(Text("32", "32 维"), "dim=32"),
        Button(Text("128", "128 维"), "dim=128"),
        Button(Text("base 10", "底数 10"), "base=10"),
        Button(Text("100", "底数 100"), "base=100"),
        Button(Text("10,000", "底数 10,000"), "base=10000"),
        Button(Text("500,000", "底数 500,000"), "base=500000"),
    ),
    sliders=(Slider(Text("Distance", "距离"), "pos", 0, 511),),
    pictures=(Picture("kernel"), Picture("score")),
    reading=(),
    surprise=Text(
        "With four hands and base 100, no distance below {later} looks nearer than a neighbour. With base "
        "10,000 the first one that does is {alias}. A larger base is not a better one.",
        "四根指针、底数 100，{later} 以内没有哪个距离比相邻位置显得更近。底数 10,000 时，{alias} 就已经是了。"
        "底数大，不等于更好。",
    ),
    question=Question(
        Text(
            "Four hands, base 10,000. Which distance looks nearer than a neighbour (distance 1) does?",
            "四根指针，底数 10,000。哪个距离看上去比相邻（距离 1）还近？",
        ),
        (
            Answer(
                Text("2", "2"),
                Text(
                    "At 2 the similarity is {k_2:.3f}, below the neighbour's {k_1:.3f}. Look further right.",
                    "距离 2 处相似度是 {k_2:.3f}，低于相邻的 {k_1:.3f}。再往右看看。",
                ),
                "dim=8&base=10000&pos=2",
            ),
            Answer(
                Text("{alias}", "{alias}"),
                Text(
                    "Yes: {k_alias:.3f} against {k_1:.3f}. The fast hand is nearly round, and the other "
                    "three have hardly moved.",
                    "对：{k_alias:.3f} 对 {k_1:.3f}。快针快转满一圈了，另外三根还几乎没动。",
                ),
                "dim=8&base=10000&pos={alias}",
                right=True,
            ),
            Answer(
                Text("None does", "没有这样的距离"),
                Text(
                    "With 16 dimensions that would be right. Four hands are too few; look at the bumps.",
                    "16 维的话你就对了。四根太少，看看那些鼓包。",
                ),
                "dim=8&base=10000&pos=6",
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text(
                "Average two schedules, one linear and one geometric, and you get the best of both.",
                "把线性和几何两套频率取平均，就能兼得两者之长。",
            ),
            Text(
                "The slowest hand falls from {slow:,.0f} words a turn to {mixed:,.0f}, and a false echo of "
                "{echo_k:.3f} appears at distance {echo:.0f}. To mix, give bands of hands to each schedule.",
                "最慢的指针从 {slow:,.0f} 个词一圈缩到 {mixed:,.0f}，"
                "距离 {echo:.0f} 处还冒出一个 {echo_k:.3f} 的假回声。要混合，就按频段分给两套频率。",
            ),
        ),
    ),
    numbers=_numbers,
)
