"""Through a model's projections the stripes vanish."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clockhands.analysis.diagonals import diagonal_spread, projected_scores
from clockhands.analysis.similarity import table_similarity
from clockhands.demo.chapter import Belief, Chapter, Story
from clockhands.demo.described import table
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import said, untrained
from clockhands.demo.studio import Studio
from clockhands.language import Text

STORY = Story(
    title=Text("Where the stripes go", "条纹去哪了"),
    paragraphs=(
        Text(
            "A model never compares codes directly. It multiplies by one matrix to make queries and by "
            "another to make keys, and compares those. The matrices here are random, as at the start of "
            "training (seed {seed}).",
            "模型从不直接比较编码。它先乘一个矩阵得到查询，再乘另一个矩阵得到键，比较的是这两样。这里用"
            "随机矩阵，就像训练刚开始时那样（随机种子 {seed}）。",
        ),
        Text(
            "On the left the plain similarity; in the middle the scores after the two matrices; on the "
            "right with words added, too. If scores depended on distance only, every diagonal would be "
            "constant: the spread *within* diagonals, compared with the whole spread, goes from "
            "{plain:power} to {projected:.0%}, and with words to {content:.0%}.",
            "左边是原来的相似度；中间是乘过两个矩阵之后的得分；右边再加上词。如果得分只取决于距离，每条"
            "对角线都应是常数。可是*对角线内部*的离散程度与总的离散程度之比，从 {plain:power} 变成了 "
            "{projected:.0%}，加上词以后是 {content:.0%}。",
        ),
    ),
    surprise=Text(
        "The neat stripes on every poster are gone after one multiplication. A model can learn matrices "
        "that bring them back, but nothing gives it relative distance for free.",
        "到处都能看到的漂亮条纹，乘一次矩阵就没了。模型可以学出能让条纹回来的矩阵，但相对距离不是白送的。",
    ),
    beliefs=(
        Belief(
            Text(
                "So with sinusoidal codes attention depends only on the distance.",
                "所以用正弦编码，注意力只取决于距离。",
            ),
            Text(
                "After random query and key matrices the spread within diagonals is {projected:.0%} of "
                "the whole, with words added {content:.0%}. Only a rotation of queries and keys (RoPE) "
                "or a bias on the scores puts distance itself into attention.",
                "乘上随机的查询、键矩阵后，对角线内部的离散程度是总体的 {projected:.0%}；再加上词，是 "
                "{content:.0%}。只有旋转查询和键（RoPE），或者在得分上加偏置，才把距离本身放进注意力。",
            ),
        ),
    ),
    question=Text(
        "If both matrices were one and the same rotation of the whole space, what would the middle map "
        "look like?",
        "如果两个矩阵是整个空间里的同一个旋转，中间那张图会是什么样？",
    ),
    answer=Text(
        "Like the left one: a rotation applied to both sides changes no dot product. Here, with one "
        "random rotation, the spread within diagonals is {turned:power} of the whole.",
        "和左边一样：两边同时旋转，点积不变。这里用一个随机旋转试了，这个比例是 {turned:power}。",
    ),
)
POSITIONS, DIM, SEED = 100, 32, 0
PICTURE = Text("The stripes, after the model's own matrices", "乘过模型的矩阵之后，条纹还在吗")
HEADINGS = (
    Text("codes compared directly", "直接比较编码"),
    Text("as queries and keys", "变成查询和键之后"),
    Text("with words added", "再加上词"),
)
ALT = Text(
    "Three maps: clean diagonal stripes, then a woven pattern without diagonals, then noise.",
    "三张图：先是整齐的斜条纹，然后是没有对角线的编织花纹，最后像噪声。",
)
CAPTION = Text(
    "Scores of {positions} positions, {dim} dimensions, each map on its own scale. Matrices and words "
    "are random.",
    "{positions} 个位置之间的得分，{dim} 维，每张图各用自己的色标。矩阵和词向量都是随机的。",
)


def tell(studio: Studio) -> Chapter:
    codes = table("sinusoidal", POSITIONS, d_model=DIM)
    generator = np.random.default_rng(SEED)
    words = generator.normal(size=codes.shape)
    turn = np.linalg.qr(generator.normal(size=(DIM, DIM)))[0]
    scores = (
        table_similarity(codes, measure="dot"),
        projected_scores(codes, SEED),
        replace(projected_scores(codes, SEED, words), id="with_words"),
    )
    plain, projected, content = (diagonal_spread(one.values).share for one in scores)
    numbers = {
        "seed": SEED,
        "plain": plain,
        "projected": projected,
        "content": content,
        "turned": diagonal_spread((codes @ turn) @ (codes @ turn).T).share,
    }
    panels = [
        Map(replace(one, note=untrained(SEED)) if one.note.en else one, heading)
        for one, heading in zip(scores, HEADINGS, strict=True)
    ]
    picture = maps(panels, lang=studio.lang, title=PICTURE, shared=False)
    caption = said(CAPTION, positions=POSITIONS, dim=DIM)
    return STORY.told(numbers, [studio.picture("projections", picture, alt=ALT, caption=caption)])
