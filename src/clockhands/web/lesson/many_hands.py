"""Step 5: more hands buy margin."""

from __future__ import annotations

from math import pi

from clockhands.analysis.horizon import nearest_return
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.spectrum import spectrum
from clockhands.formulas import default_inv_freq
from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Slider, Step

REACH = 100_000


def _numbers() -> Numbers:
    few, wide = default_inv_freq(32), default_inv_freq(512)
    three = nearest_return(few[:3], 2000)
    lasts = claimed("longest-wavelength")
    usual = spectrum(default_inv_freq(128), 4096)
    seen = spectrum(wide, 512)
    return {
        "ratio_32": few[0] / few[1],
        "ratio_512": wide[0] / wide[1],
        "at": three.distance,
        "gap": three.value,
        "step": neighbour_distance(few[:3]),
        "reach": REACH,
        "nearest": nearest_return(few, REACH).distance,
        "unfinished": seen.unfinished,
        "finished": seen.finished,
        "usual": usual.unfinished,
        "first": int(512 * wide[0] / (2 * pi)),
        "last_32": lasts["longest, width 32"],
        "last_512": lasts["longest, width 512"],
        "promised": lasts["2π · 10000"],
    }


STEP = Step(
    id="many-hands",
    title=Text("Many hands", "许多根指针"),
    settings="dim=32&context=1024&pos=37",
    prose=(
        Text(
            "A clock tells seconds from hours by having several hands, each slower than the last. So does "
            "this code. Hand 0 moves by one radian a word, and every further hand turns slower by the same "
            "factor: {ratio_32:.2f} with 16 hands, {ratio_512:.3f} with 256.",
            "钟表分得清秒和小时，靠的是好几根针，一根比一根慢。这种编码也一样。第 0 根每个词转一弧度，"
            "后面每一根都按同一个比例变慢：16 根指针时是 {ratio_32:.2f} 倍，256 根时是 {ratio_512:.3f} 倍。",
        ),
        Text(
            "Unlike in a real clock, nothing carries over. The second hand doesn't push the minute "
            "hand; each simply turns at its own speed. Fast hands say what is near, slow ones roughly where "
            "you are.",
            "有一点和真的钟不同：没有进位。秒针不推分针，各转各的。快针分清近处，慢针说出大概在哪儿。",
        ),
    ),
    formula=(r"ω_i = 10000^{-2 i / d}", r"PE(p) = (sin ω_0 p, cos ω_0 p, sin ω_1 p, …)"),
    buttons=(
        Button(Text("3 hands", "3 根"), "dim=6"),
        Button(Text("16 hands", "16 根"), "dim=32"),
        Button(Text("256 hands", "256 根"), "dim=512"),
    ),
    sliders=(Slider(Text("Position", "位置"), "pos", 0, 1023),),
    pictures=(Picture("clock"), Picture("odometer")),
    reading=(),
    surprise=Text(
        "Most hands hardly move. Of 256 hands, {unfinished} make no full turn in 512 words. In a head of "
        "128 dimensions, {usual} of 64 make none in 4,096.",
        "大多数指针几乎不动。256 根里有 {unfinished} 根，走完 512 个词还没转满一圈。128 维的注意力头里，"
        "64 根有 {usual} 根走完 4,096 个词也转不满。",
    ),
    question=Question(
        Text(
            "256 hands, 512 words. How many hands have made a full turn by the end?",
            "256 根指针，512 个词。走到头，有几根转满了一圈？",
        ),
        (
            Answer(
                Text("All 256", "256 根全部"),
                Text(
                    "The slowest needs {last_512:,.0f} words for one turn. Read the line below the small "
                    "dials.",
                    "最慢的那根，转一圈要 {last_512:,.0f} 个词。看看小表盘下面那行字。",
                ),
                "dim=512&pos=512",
            ),
            Answer(
                Text("{finished}", "{finished} 根"),
                Text(
                    "Yes, fewer than half. What do the others do? They tell of long stretches; and in RoPE "
                    "(step 10) they carry meaning, which should not turn with every word.",
                    "对，还不到一半。其余的做什么？它们管大范围；在 RoPE 里（第 10 步）还带着内容，"
                    "内容可不该每个词都转一下。",
                ),
                "dim=512&pos=512",
                right=True,
            ),
            Answer(
                Text("Only the first", "只有第一根"),
                Text(
                    "The first has made {first} turns by then, and many have followed. The small dials show "
                    "which.",
                    "第一根那时已经转了 {first} 圈，转满的还有不少。看看那些小表盘。",
                ),
                "dim=512&pos=512",
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text(
                "Positions differ because all hands would have to return at once.",
                "因为所有指针要同时回到原处，位置才各不相同。",
            ),
            Text(
                "One hand alone never repeats. More hands buy *margin*: the three fastest come within "
                "{gap:.3f} of the start at {at:,}, where a neighbour is {step:.3f} away; all 16 together "
                "never come nearer than a neighbour within {reach:,} words.",
                "一根指针自己就不会重复。多几根，换来的是*余量*：最快的三根在 {at:,} 处离出发点只有 "
                "{gap:.3f}，而相邻位置相差 {step:.3f}；16 根全用上，{reach:,} 个词以内没有哪里比邻居更近。",
            ),
        ),
        Belief(
            Text("The wavelengths run from 2π to 10000 · 2π.", "波长从 2π 一直到 10000 × 2π。"),
            Text(
                "The last is 2π · 10000^((d−2)/d): {last_32:,.0f} words for 16 hands, {last_512:,.0f} for "
                "256, never {promised:,.0f}.",
                "最后一根是 2π × 10000^((d−2)/d)：16 根时是 {last_32:,.0f} 个词，"
                "256 根时是 {last_512:,.0f}，都到不了 {promised:,.0f}。",
            ),
        ),
    ),
    numbers=_numbers,
    plays=True,
)
