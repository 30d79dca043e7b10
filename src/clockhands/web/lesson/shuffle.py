"""Step 1: attention doesn't know order."""

from __future__ import annotations

from math import factorial

from clockhands.claims.claim import figure
from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Step
from clockhands.web.lesson.twins import shuffled_apart

WORDS = 8


def _numbers() -> Numbers:
    order = claimed("order-needs-positions")
    return {
        "words": WORDS,
        "orders": factorial(WORDS),
        "half": factorial(WORDS) // 2,
        "aparts": "|".join(figure(shuffled_apart(mode), 3) for mode in range(3)),
        "masked": order["change with a causal mask"],
    }


STEP = Step(
    id="shuffle",
    title=Text("Shuffle the sentence", "把句子打乱"),
    settings="mode=0",
    prose=(
        Text(
            "Two sentences about men of the *Water Margin*: Shi Jin strikes Zheng Tu; Zheng Tu strikes Shi "
            "Jin. The same three words, and yet you know at once who should run. Order told you.",
            "先看两句话：史进打郑屠；郑屠打史进。字一个不差，可谁该快跑，你一眼就知道。告诉你的，是顺序。",
        ),
        Text(
            "Attention, the heart of a Transformer, can't see it. For each word it asks how well every "
            "other word fits, and mixes them in those shares. Nowhere does it ask who came first. Shuffle "
            "the words (that is what Π does) and the same results come out, shuffled the same way.",
            "Transformer 的核心是注意力，而注意力看不见顺序。对每个词，它只问别的词和它有多合，"
            "再按比例混起来，从不问谁先谁后。把词打乱（公式里的 Π），出来的还是那几个结果，"
            "只是跟着换了位置。",
        ),
    ),
    formula=("attention(Π x) = Π attention(x)",),
    buttons=(
        Button(Text("no position", "不加位置"), "mode=0"),
        Button(Text("only a causal mask", "只有因果掩码"), "mode=1"),
        Button(Text("clock hands added", "加上时钟指针"), "mode=2"),
    ),
    sliders=(),
    pictures=(
        Picture(
            "shuffle",
            Text(
                "Both orders of the sentence; below each word what attention makes of it.",
                "句子的两种顺序；每个词下面是注意力算出的结果。",
            ),
        ),
    ),
    reading=(
        Text(
            "Each stripe is what comes out for a word. Between the two orders, one and the same word's "
            "stripe changes by <<apart>> at most.",
            "每条色带是一个词的输出。两种顺序之间，同一个词的色带最多相差 <<apart>>。",
        ),
    ),
    surprise=Text(
        "The middle button adds no positions at all, and still the stripes change. Under a causal mask each "
        "word sees only those before it, and how many there are already gives something away.",
        "中间那个按钮没有加任何位置，色带却也变了。有了因果掩码，每个词只能看到前面的词；"
        "光是“前面有几个、是哪几个”，就已经泄露了顺序。",
    ),
    question=Question(
        Text(
            "Eight different words can stand in {orders:,} orders. With no position and no mask, how many of "
            "these can attention tell apart?",
            "八个不同的词有 {orders:,} 种排法。不加位置、也没有掩码时，注意力能分清其中几种？",
        ),
        (
            Answer(
                Text("All {orders:,}", "全部 {orders:,} 种"),
                Text(
                    "That would need the stripes to differ between orders. Look: with no position the "
                    "change is 0.",
                    "那样的话，换了顺序色带就得变。看一看：不加位置时，差是 0。",
                ),
                "mode=0",
            ),
            Answer(
                Text("Half of them", "一半"),
                Text(
                    "A fair guess: some codes do tell only some orders apart. But here the change is 0 for "
                    "every swap.",
                    "猜得不离谱，可这里不管怎么换，差都是 0。",
                ),
                "mode=0",
            ),
            Answer(
                Text("None: all look alike", "一种也分不清，全都一样"),
                Text(
                    "Yes. To this layer a sentence is a bag of words. Position has to be brought in from "
                    "outside.",
                    "对。在这一层眼里，句子就是一袋词。位置得从外面带进来。",
                ),
                "mode=0",
                right=True,
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text(
                "Without a positional encoding a Transformer can't know order.",
                "没有位置编码，Transformer 就不知道顺序。",
            ),
            Text(
                "True where words see both ways, as in BERT. Under a causal mask it isn't: reverse the order "
                "of all words but the last, and after two layers the output of the last changes by "
                "{masked:.2f}. Some decoders do without any encoding (NoPE).",
                "对 BERT 这样前后都看的模型，是对的。有因果掩码就不对了：把最后一个以外的词全部倒过来，"
                "两层之后，它的输出变了 {masked:.2f}。有些解码器干脆不用位置编码（NoPE）。",
            ),
        ),
    ),
    numbers=_numbers,
)
