"""Add the code to the word, or put it beside it?"""

from __future__ import annotations

import numpy as np

from clockhands.analysis.add_concatenate import concatenation_gap, four_terms, overlap, parameter_counts
from clockhands.demo import toy
from clockhands.demo.chapter import Belief, Chapter, Story
from clockhands.demo.described import table
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.language import Text
from clockhands.plots.four_terms import four_terms as draw_four_terms

STORY = Story(
    title=Text("Add, or put side by side?", "相加，还是拼接？"),
    paragraphs=(
        Text(
            "The original Transformer simply adds the code to the word vector. Doesn't that spoil the "
            "word? The score of two words then has four parts: word with word, word with place, place "
            "with word, place with place. Below they are, for {words} words of the text and one "
            "untrained head.",
            "最初的 Transformer 把编码直接加到词向量上。词不会被搅乱吗？两个词的得分于是有四部分：词对词、"
            "词对位置、位置对词、位置对位置。下面就是文本中 {words} 个词、一个未经训练的注意力头的这四部"
            "分。",
        ),
        Text(
            "The alternative is to concatenate: some dimensions for the word, others for the place. But "
            "the first thing a layer does is multiply by a matrix, and [x; p] W is the same as x W₁ + p "
            "W₂: an addition again, with two separate blocks (checked here to within {same:power}). "
            "Adding is the case where both share one block.",
            "另一种做法是拼接：一部分维度给词，一部分给位置。可是网络接下来就要乘一个矩阵，而 [x; p] W "
            "就等于 x W₁ + p W₂：还是相加，只不过用了矩阵的两块（这里验证，误差 {same:power}）。相加就是"
            "两者共用一块。",
        ),
        Text(
            "What does separation cost? Keep {dim} dimensions for words and put {half} more beside them, "
            "and the first layer's three projections grow from {added:,} to {grown:,} numbers. At equal "
            "width the words must make room: {left} dimensions are left for them.",
            "分开的代价呢？词仍占 {dim} 维，旁边再放 {half} 维位置，第一层的三个投影矩阵就从 {added:,} "
            "个数增加到 {grown:,} 个。如果总宽度不变，词就得让位，只剩 {left} 维。",
        ),
    ),
    surprise=Text(
        "Wide spaces have room. With {wide} dimensions, the codes of {positions} positions need only "
        "{directions} directions for all but a hundredth of what sets them apart. The others are free, "
        "and a random word meets a code at a cosine of {wide_cosine:.3f}: what chance gives ("
        "{wide_chance:.3f}). So both can be read from the sum, if training makes use of the room.",
        "高维空间很宽敞。{wide} 维时，{positions} 个位置的编码之间的差别，百分之九十九只用到 "
        "{directions} 个方向，其余方向都空着；随机的词向量和编码的夹角余弦是 {wide_cosine:.3f}，和碰运气"
        "一样（{wide_chance:.3f}）。所以从和里，词和位置都读得出来，只要训练用上这些余地。",
    ),
    beliefs=(
        Belief(
            Text(
                "Adding mixes words and positions; concatenating is cleaner.",
                "相加会把词和位置搅在一起，拼接更干净。",
            ),
            Text(
                "Concatenation followed by any projection is an addition too (difference {same:power}). "
                "And random words and codes hardly overlap: cosine {cosine:.2f} with {dim} dimensions, "
                "{wide_cosine:.2f} with {wide}.",
                "拼接之后只要乘矩阵，就也是相加（相差 {same:power}）。随机的词向量和位置编码几乎垂直：夹"
                "角余弦，{dim} 维时 {cosine:.2f}，{wide} 维时 {wide_cosine:.2f}。",
            ),
        ),
    ),
    question=Text(
        "Which of the four parts can carry “the word just before me”?",
        "四部分里，哪一部分能表达“我前面的那个词”？",
    ),
    answer=Text(
        "Place with place: it alone knows where both stand. The two mixed parts know one word and one "
        "place (“words like me look early”). In this picture the spread of the four parts is "
        "{spread_ww:.2f}, {spread_wp:.2f}, {spread_pw:.2f} and {spread_pp:.2f}.",
        "位置对位置：只有它同时知道两边站在哪里。混合的两部分只知道一边的词和另一边的位置（“像我这样的词"
        "喜欢看前面”）。图中四部分的标准差分别是 {spread_ww:.2f}、{spread_wp:.2f}、{spread_pw:.2f}、"
        "{spread_pp:.2f}。",
    ),
)
DIM, WIDE, POSITIONS, SEED = 32, 512, 512, 0
ALT = Text(
    "Four small maps whose sum is the fifth: word with word is speckled, the mixed ones are striped, "
    "place with place is smooth; beside them bars for the number of parameters.",
    "四张小图加起来等于第五张：词对词是斑点，混合的两张是条纹，位置对位置是平滑的；旁边的条形表示参数量。",
)
CAPTION = Text(
    "One sentence of the text: the score of each word (row) for each word (column) is the sum of the "
    "four parts. Random word vectors, one random head, seed {seed}.",
    "文本中的一句：每个词（行）给每个词（列）的得分，就是四部分之和。词向量和注意力头都是随机的，种子 "
    "{seed}。",
)


def tell(studio: Studio) -> Chapter:
    generator = np.random.default_rng(SEED)
    keys = studio.passages.sentences[0].keys
    words, places = toy.words(keys, DIM, generator), codes(DIM, len(keys))
    split = four_terms(words, places, SEED)
    added, kept, grown = parameter_counts(len(set(keys)), DIM, DIM // 2)
    narrow, wide = (
        overlap(generator.normal(size=(POSITIONS, dim)), codes(dim, POSITIONS)) for dim in (DIM, WIDE)
    )
    numbers = {
        "words": len(keys),
        "dim": DIM,
        "wide": WIDE,
        "positions": POSITIONS,
        "half": DIM // 2,
        "added": added.projections,
        "grown": grown.projections,
        "left": kept.token_width,
        "same": concatenation_gap(words, places, DIM, SEED),
        "directions": wide.directions,
        "cosine": narrow.cosine,
        "wide_cosine": wide.cosine,
        "wide_chance": wide.by_chance,
        **dict(zip(("spread_ww", "spread_wp", "spread_pw", "spread_pp"), split.spread.values, strict=True)),
    }
    picture = draw_four_terms(split, (added, kept, grown), numbers["same"], lang=studio.lang)
    return STORY.told(numbers, [studio.picture("adding", picture, alt=ALT, caption=said(CAPTION, seed=SEED))])


def codes(dim: int, positions: int) -> toy.Array:
    """The sinusoidal table of this width, ``(positions, dim)``."""
    return table("sinusoidal", positions, d_model=dim)
