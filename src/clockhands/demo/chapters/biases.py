"""No hands at all: ALiBi's lines and T5's buckets."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.bias import bucket_edges, windows
from clockhands.demo.chapter import Chapter, Figure, Story
from clockhands.demo.described import biases
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.formulas import alibi_slopes
from clockhands.language import Text
from clockhands.plots.bias import bias as draw_bias

STORY = Story(
    title=Text("No hands at all", "不用指针的办法"),
    paragraphs=(
        Text(
            "One can also leave queries and keys alone and write on the scores. *ALiBi* subtracts a "
            "straight line, a slope times the distance, with another slope for every head. *T5* sorts "
            "distances into {buckets} buckets, exact ones near by, ever wider ones farther off, and "
            "learns one number per bucket and head.",
            "也可以不碰查询和键，直接改得分。*ALiBi* 减去一条直线：斜率乘距离，每个头斜率不同。*T5* 把距"
            "离分进 {buckets} 个桶，近处一格一桶，越远桶越宽，每个头给每个桶学一个数。",
        ),
        Text(
            "With {heads} heads, ALiBi's slopes run from {steepest} down to {flattest:.4f}. If contents "
            "say nothing, the steepest head gives {share:.0%} of its weight to the nearest {near_window} "
            "words, the flattest to {far_window}.",
            "{heads} 个头时，ALiBi 的斜率从 {steepest} 到 {flattest:.4f}。如果内容不起作用，最陡的头把 "
            "{share:.0%} 的权重给了最近的 {near_window} 个词，最平的头给了 {far_window} 个词。",
        ),
        Text(
            "T5 tells every distance below {exact} apart. Its last bucket begins at {last_bucket} words: "
            "from there on, near and far are the same to it.",
            "T5 能区分 {exact} 以内的每一个距离。最后一个桶从 {last_bucket} 个词开始：再往后，远近对它来"
            "说都一样。",
        ),
    ),
    surprise=Text(
        "Slopes depend on the head count in a way that is easy to get wrong. For {odd_heads} heads the "
        "published rule starts with {right_slope:.4f}; the formula for powers of two, applied as it "
        "stands, gives {wrong_slope:.4f}. Every head would be off.",
        "斜率和头数的关系很容易写错。{odd_heads} 个头时，公开的规则第一个斜率是 {right_slope:.4f}；把二"
        "的幂的公式直接套上去，得到的是 {wrong_slope:.4f}。每个头都会偏。",
    ),
    question=Text(
        "Which of the {heads} ALiBi heads still notices a word {far} back, if the contents are equal?",
        "内容相同时，{heads} 个 ALiBi 头里，哪几个还能注意到 {far} 个词以前的词？",
    ),
    answer=Text(
        "Only the flattest: there the word keeps {flat_weight:.1%} of the weight of the nearest one. In "
        "the next flattest it keeps {next_weight:.2%}. The steepest: {steep_weight:power}.",
        "只有最平的那个头：那个词还保有最近词权重的 {flat_weight:.1%}。次平的头只剩 {next_weight:.2%}，"
        "最陡的头是 {steep_weight:power}。",
    ),
)
HEADS, T5_HEADS, ODD_HEADS, FAR, SHOWN, SEED = 8, 4, 12, 1000, 100, 0
ALIBI_TITLE, T5_TITLE = Text("ALiBi", "ALiBi"), Text("T5", "T5")
ALIBI_ALT = Text(
    "A map for each head that darkens away from the diagonal, quickly in the first head, hardly in the last.",
    "每个头一张图，离对角线越远颜色越深：第一个头变得很快，最后一个几乎不变。",
)
ALIBI_CAPTION = Text(
    "What ALiBi adds to the scores of {shown} positions, {heads} heads on one scale.",
    "ALiBi 加在 {shown} 个位置得分上的数，{heads} 个头共用一个色标。",
)
T5_ALT = Text(
    "A map for each head made of diagonal bands that widen away from the diagonal, each band one colour.",
    "每个头一张图，由平行于对角线的色带组成，越远越宽，每条带一种颜色。",
)
T5_CAPTION = Text(
    "T5's buckets with untrained numbers, seed {seed}: one colour a bucket, wider and wider. Training "
    "sets the colours.",
    "T5 的桶，数值未经训练，种子 {seed}：一个桶一种颜色，越来越宽。颜色要靠训练来定。",
)


def tell(studio: Studio) -> Chapter:
    slopes = alibi_slopes(HEADS)
    window = windows(slopes).holds_99.values
    edges = bucket_edges().values
    weights = np.exp(-slopes * (FAR - 1))
    numbers = {
        "heads": HEADS,
        "steepest": slopes[0],
        "flattest": slopes[-1],
        "share": 0.99,
        "near_window": int(window[0]),
        "far_window": int(window[-1]),
        "buckets": len(edges),
        "exact": int(np.flatnonzero(np.diff(edges) > 1)[0]),
        "last_bucket": int(edges[-1]),
        "odd_heads": ODD_HEADS,
        "right_slope": alibi_slopes(ODD_HEADS)[0],
        "wrong_slope": 2 ** (-8 / ODD_HEADS),
        "far": FAR,
        "flat_weight": weights[-1],
        "next_weight": weights[-2],
        "steep_weight": weights[0],
    }
    return STORY.told(numbers, [_alibi(studio), _t5(studio)])


def _alibi(studio: Studio) -> Figure:
    picture = draw_bias(biases("alibi", SHOWN, num_heads=HEADS), lang=studio.lang, about=ALIBI_TITLE)
    return studio.picture(
        "alibi", picture, alt=ALIBI_ALT, caption=said(ALIBI_CAPTION, shown=SHOWN, heads=HEADS)
    )


def _t5(studio: Studio) -> Figure:
    picture = draw_bias(biases("t5", SHOWN, num_heads=T5_HEADS, seed=SEED), lang=studio.lang, about=T5_TITLE)
    return studio.picture("t5", picture, alt=T5_ALT, caption=said(T5_CAPTION, seed=SEED))
