"""Attention without positions can't tell a sentence from its shuffled self."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.demo import toy
from clockhands.demo.chapter import Belief, Chapter, Story
from clockhands.demo.described import table
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import said, tokens, untrained
from clockhands.demo.studio import Studio
from clockhands.language import Text
from clockhands.text.labels import label_of

STORY = Story(
    title=Text("Shuffle the sentence", "把句子打乱"),
    paragraphs=(
        Text(
            "{sentence}. And now backwards: {backwards}. The same {words} words, and to you they say two "
            "different things.",
            "{sentence}。倒过来：{backwards}。同样 {words} 个词，在你读来是两件事。",
        ),
        Text(
            "An attention layer compares every word with every word, but never asks where a word stands. "
            "Give it both orders, and each word comes out as the same vector: the largest difference "
            "anywhere is {without:power}, which is rounding. The second map below is the first one, read "
            "from the other end.",
            "注意力层让每个词和每个词相比，却从不问它站在哪里。两种词序分别送进去，每个词得到的输出向量"
            "都一样：最大的差别是 {without:power}，只是舍入误差。下面第二张图就是第一张图，只不过从另一"
            "头读起。",
        ),
        Text(
            "Add to each word a code for its position, the clock hands of this page, and the same word "
            "comes out differently in the two orders: by up to {with_hands:.2f}.",
            "给每个词加上表示位置的编码（就是本页要讲的时钟指针），同一个词在两种词序里的输出就不同了，"
            "最多相差 {with_hands:.2f}。",
        ),
    ),
    surprise=Text(
        "Hiding the future tells order too. With a causal mask and no code at all, outputs differ by up "
        "to {with_mask:.2f}: the first word sees one word, the second sees two. So a decoder can do "
        "without a position code (that is called NoPE). An encoder, which sees everything, can't.",
        "光是遮住后文，也会泄露顺序。不加任何编码，只用因果掩码，输出就相差 {with_mask:.2f}：第一个词只"
        "看得见自己，第二个词看得见两个词。所以解码器可以不要位置编码（这叫 NoPE），而什么都看得见的编码"
        "器不行。",
    ),
    beliefs=(
        Belief(
            Text(
                "Only a position code tells a transformer the order.",
                "只有位置编码才能让 Transformer 知道顺序。",
            ),
            Text(
                "A causal mask tells it too: outputs move by {with_mask:.2f}. With neither mask nor code "
                "they move by {without:power}.",
                "因果掩码也能：输出变化 {with_mask:.2f}。掩码和编码都没有时，变化是 {without:power}。",
            ),
        ),
    ),
    question=Text(
        "An encoder without a position code is trained on a million sentences. Can it learn to answer "
        "{sentence} and {backwards} differently?",
        "一个没有位置编码的编码器，用一百万个句子训练。它能学会区分 {sentence} 和 {backwards} 吗？",
    ),
    answer=Text(
        "No. Training changes the weights, but whatever the weights are, both orders give each word the "
        "same numbers.",
        "不能。训练改变的是权重；可无论权重是什么，两种词序给每个词的数都一样。",
    ),
)
WIDTH, SEED = 32, 0
PICTURE = Text("Attention without positions", "没有位置信息的注意力")
FORWARDS, BACKWARDS = Text("as written", "原来的词序"), Text("backwards", "倒过来")
ALT = Text(
    "Two attention maps of the same words in opposite order; the second is the first turned upside down "
    "and left to right.",
    "同一批词两种词序的注意力图，第二张是第一张上下左右都翻过来。",
)
CAPTION = Text(
    "How much each word (row) looks at each word (column). The head is random: untrained, seed {seed}.",
    "每个词（行）看每个词（列）的比重。注意力头是随机的：未训练，种子 {seed}。",
)


def tell(studio: Studio) -> Chapter:
    sentence = studio.passages.short
    generator = np.random.default_rng(SEED)
    words, head = toy.words(sentence, WIDTH, generator), toy.Head.random(WIDTH, generator)
    hands = table("sinusoidal", len(sentence), d_model=WIDTH)

    def moved(positions: toy.Array, causal: bool = False) -> float:
        """Largest change in any word's output when the sentence is read backwards."""
        there = head.outputs(words + positions, causal)
        back = head.outputs(words[::-1] + positions, causal)[::-1]
        return float(np.abs(there - back).max())

    nothing = np.zeros_like(words)
    numbers = {
        "words": len(sentence),
        "without": moved(nothing),
        "with_hands": moved(hands),
        "with_mask": moved(nothing, causal=True),
    }
    panels = [
        Map(_labelled("forwards", head.weights(words), sentence), FORWARDS),
        Map(_labelled("backwards", head.weights(words[::-1]), sentence[::-1]), BACKWARDS),
    ]
    picture = maps(panels, lang=studio.lang, title=PICTURE, weights=True)
    figure = studio.picture("shuffle", picture, alt=ALT, caption=said(CAPTION, seed=SEED))
    return STORY.told(numbers, [figure], sentence=tokens(sentence), backwards=tokens(sentence[::-1]))


def _labelled(id: str, weights: toy.Array, keys: tuple[str, ...]) -> Labelled:
    axis = Axis(Text("word", "词"), np.array([label_of(key) for key in keys], dtype=object))
    return Labelled(id, Text("weight", "权重"), weights, (axis, axis), note=untrained(SEED))
