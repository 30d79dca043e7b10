"""RoPE: the same hands, put on queries and keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.decay import decay_bound, random_scores
from clockhands.analysis.relative import relative_hands, rotated_scores
from clockhands.catalogue.description import Array
from clockhands.demo.chapter import Belief, Chapter, Figure, Story
from clockhands.demo.described import speeds
from clockhands.demo.speech import said, untrained
from clockhands.demo.studio import Studio
from clockhands.formulas import relayout, rotation
from clockhands.formulas.layouts import Layout
from clockhands.language import Text
from clockhands.plots.clock import relative_clock
from clockhands.plots.relative import hand_angles
from clockhands.plots.relative import relative as draw_relative

STORY = Story(
    title=Text("RoPE: turn the queries and keys", "RoPE：让查询和键转起来"),
    paragraphs=(
        Text(
            "If the projections destroy the stripes, come after the projections. RoPE takes the finished "
            "query and key, cuts each into pairs of numbers, and turns every pair like a clock hand: the "
            "query by its position, the key by its own.",
            "既然投影会毁掉条纹，那就放到投影之后。RoPE 拿做好的查询和键，把它们两个数一对地分开，每一对"
            "都像指针那样转：查询按自己的位置转，键按键的位置转。",
        ),
        Text(
            "In the picture both move on together. Each hand runs; the angle between them stands still, "
            "and that angle is all the score sees. Over {positions} starting points the score of one "
            "fixed query and key, {distance} apart, varies by {shift_error:power}. Their lengths change "
            "by {norm_error:power}. Values are not turned at all.",
            "图中查询和键一起往前走。每根针都在转，两根针之间的夹角却不动，而得分只看这个夹角。固定一个"
            "查询、一个键，相距 {distance}，从 {positions} 个起点量过去，得分的变化只有 "
            "{shift_error:power}。它们的长度变化 {norm_error:power}。值完全不转。",
        ),
    ),
    surprise=Text(
        "Nothing here makes far words matter less. Average over random queries and keys, and the score "
        "is {mean_near:.2f} at distance {near} and {mean_far:.2f} at distance {far}, against a spread of "
        "{spread:.1f}. For any distance there is a key that scores highest exactly there.",
        "这里没有什么东西让远处的词变得不重要。对随机的查询和键取平均，距离 {near} 时得分 "
        "{mean_near:.2f}，距离 {far} 时 {mean_far:.2f}，而标准差是 {spread:.1f}。不管多远，总有一个键恰"
        "好在那个距离上得分最高。",
    ),
    beliefs=(
        Belief(
            Text("RoPE makes attention decay with distance.", "RoPE 让注意力随距离衰减。"),
            Text(
                "The proof bounds the score from above. Measured with {draws} random pairs the mean is "
                "{mean_near:.2f}, {mean_mid:.2f} and {mean_far:.2f} at distances {near}, {mid} and {far}"
                ", all within {sigmas:.1f} standard errors of zero; {rising:.0%} of its single steps "
                "rise. Even the bound rises in {bound_rising:.0%} of its first {bound_reach} steps.",
                "论文证明的是得分的上界。用 {draws} 对随机向量实测，距离 {near}、{mid}、{far} 处的平均得"
                "分是 {mean_near:.2f}、{mean_mid:.2f}、{mean_far:.2f}，离零都不超过 {sigmas:.1f} 个标准"
                "误；单步里有 {rising:.0%} 是上升的。就连那个上界，前 {bound_reach} 步里也有 "
                "{bound_rising:.0%} 在上升。",
            ),
        ),
        Belief(
            Text(
                "The order of sines and cosines is a bug waiting to happen.",
                "正弦余弦的次序、维度的排列，弄错就是 bug。",
            ),
            Text(
                "Which dimensions form a pair is free, as long as training and use agree: with queries "
                "and keys permuted alike, both layouts give the same scores to within "
                "{layout_same:power}. Mixing them moves scores by up to {layout_mixed:.1f}: fluent "
                "gibberish, without any error message.",
                "哪两维配成一对可以任选，只要训练和使用一致：查询和键按同样的次序重排，两种排列的得分相"
                "差只有 {layout_same:power}。混用的话，得分最多差 {layout_mixed:.1f}：模型会流利地胡说，"
                "而且不报错。",
            ),
        ),
    ),
    question=Text(
        "A chat continues at position {offset} because {offset} words are already in the cache, but a "
        "program starts counting at zero again. What does the model see?",
        "对话已经有 {offset} 个词在 KV 缓存里，新词该从位置 {offset} 算起，程序却又从零开始数。模型看到"
        "了什么？",
    ),
    answer=Text(
        "New queries stand at the old beginning. A key {distance} words back now seems {wrong_distance} "
        "words *ahead*, and the score changes from {right_score:.2f} to {wrong_score:.2f}. The shift "
        "must be the same on both sides to cancel.",
        "新的查询站到了最开头。本来在后面 {distance} 个词处的键，现在好像在*前方* {wrong_distance} 个词，"
        "得分从 {right_score:.2f} 变成 {wrong_score:.2f}。两边平移得一样多，才会抵消。",
    ),
)
HEAD_DIM, POSITIONS, DISTANCE, OFFSET, SEED = 128, 1000, 5, 37, 0
SHOWN_DIM, SHOWN_PAIR, SHOWN_POSITIONS = 32, 3, 60
MOVING_ALT = Text(
    "Dials with two hands each, a query's and a key's, turning together at a fixed angle.",
    "每个表盘上有查询和键两根针，一起转动，夹角不变。",
)
MOVING_CAPTION = Text(
    "Query (solid) and key (hollow), {distance} words apart, moving through the text together.",
    "查询（实心）和键（空心）相距 {distance} 个词，一起在文本里往前走。",
)
ALT = Text(
    "Dials of a query hand and a key hand at several positions: both hands move, the angle between them "
    "stays.",
    "几个位置上的表盘，各有一根查询针和一根键针：两根针都在走，夹角不变。",
)
CAPTION = Text(
    "One query and one key, always {distance} apart, put at ever later positions. The dials show one of "
    "the {pairs} hands; below, the scores at all pairs of positions. Random vectors, seed {seed}.",
    "一个查询和一个键，始终相距 {distance}，一起放到越来越靠后的位置。表盘上是 {pairs} 根针中的一根，下"
    "面是任意两个位置的得分。随机向量，种子 {seed}。",
)
DRAWS, DISTANCES, BOUND_REACH = 4000, (0, 100, 500), 50


def tell(studio: Studio) -> Chapter:
    speed = speeds("rope", head_dim=HEAD_DIM)
    q, k = np.random.default_rng(SEED).normal(size=(2, HEAD_DIM))
    scores = rotated_scores(speed, q, k, POSITIONS).values / np.sqrt(HEAD_DIM)
    lengths = [np.linalg.norm(turned(x, np.arange(POSITIONS), speed), axis=1) for x in (q, k)]
    numbers = (
        {
            "positions": POSITIONS - DISTANCE,
            "distance": DISTANCE,
            "shift_error": np.ptp(np.diagonal(scores, -DISTANCE)),
            "norm_error": np.ptp(lengths, axis=1).max(),
            "offset": OFFSET,
            "wrong_distance": OFFSET - DISTANCE,
            "right_score": scores[OFFSET, OFFSET - DISTANCE],
            "wrong_score": scores[0, OFFSET - DISTANCE],
        }
        | averages(speed)
        | layouts(q, k, speed)
    )
    return STORY.told(numbers, [_moving(studio), _picture(studio)])


def _moving(studio: Studio) -> Figure:
    animation = relative_clock(
        speeds("rope", head_dim=SHOWN_DIM), DISTANCE, studio.effort.frames, lang=studio.lang
    )
    caption = said(MOVING_CAPTION, distance=DISTANCE)
    still_at = studio.effort.frames - 1
    return studio.moving("relative_clock", animation, still_at=still_at, alt=MOVING_ALT, caption=caption)


def _picture(studio: Studio) -> Figure:
    speed = speeds("rope", head_dim=SHOWN_DIM)
    q, k = np.random.default_rng(SEED).normal(size=(2, SHOWN_DIM))
    at = np.arange(DISTANCE, SHOWN_POSITIONS, SHOWN_POSITIONS // 6)
    shown = relative_hands(speed, DISTANCE, 0, at - DISTANCE)
    angles = np.stack([shown.query.values[:, SHOWN_PAIR], shown.key.values[:, SHOWN_PAIR]], axis=1)
    scores = replace(rotated_scores(speed, q, k, SHOWN_POSITIONS), note=untrained(SEED))
    picture = draw_relative(hand_angles(angles, at), scores, DISTANCE, lang=studio.lang)
    caption = said(CAPTION, distance=DISTANCE, pairs=len(speed), seed=SEED)
    return studio.picture("rope", picture, alt=ALT, caption=caption)


def turned(x: Array, positions: NDArray[Any], speed: Array, layout: Layout = "half") -> Array:
    """One vector put at each of ``positions``, ``(n, head_dim)``."""
    angle = rotation.angles(positions, speed)
    return rotation.rotate(x, np.cos(angle), np.sin(angle), layout)


def averages(speed: Array) -> dict[str, float]:
    """Scores of random queries and keys by distance, and the bound that is said to show decay."""
    near, mid, far = DISTANCES
    seen = random_scores(speed, np.arange(far + 1), DRAWS, SEED)
    means, spread = seen.mean.values, seen.spread.values[near]
    bound = decay_bound(speed, np.arange(BOUND_REACH + 1)).values
    return {
        "draws": DRAWS, "near": near, "mid": mid, "far": far, "spread": spread,
        "mean_near": means[near], "mean_mid": means[mid], "mean_far": means[far],
        "sigmas": np.abs(means[list(DISTANCES)]).max() / (spread / np.sqrt(DRAWS)),
        "rising": (np.diff(means) > 0).mean(),
        "bound_reach": BOUND_REACH, "bound_rising": (np.diff(bound) > 0).mean(),
    }  # fmt: skip


def layouts(q: Array, k: Array, speed: Array) -> dict[str, float]:
    """How far scores move if both layouts are used rightly, and if weights of one are read in the other."""
    at = np.arange(POSITIONS)
    q_moved, k_moved = (relayout(x, "half", "interleaved", num_heads=1) for x in (q, k))

    def scores(query: Array, key: Array, layout: Layout) -> Array:
        """One fixed query at every distance from one fixed key."""
        return turned(query, at, speed, layout) @ key / np.sqrt(HEAD_DIM)

    right = scores(q, k, "half")
    return {
        "layout_same": float(np.abs(scores(q_moved, k_moved, "interleaved") - right).max()),
        "layout_mixed": float(np.abs(scores(q, k, "interleaved") - right).max()),
    }
