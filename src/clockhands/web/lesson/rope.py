"""Step 10: the same hands, on queries and keys."""

from __future__ import annotations

from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Slider, Step


def _numbers() -> Numbers:
    decay, layouts = claimed("rope-decays"), claimed("layouts-equal")
    return {
        "mean": decay["largest mean score"],
        "spread": decay["spread of the score"],
        "bound": decay["rising steps of the bound"],
        "shift": claimed("rope-relative")["largest change"],
        "kept": layouts["difference, rows kept"],
    }


STEP = Step(
    id="rope",
    title=Text("RoPE: turn the query and the key", "RoPE：转动查询和键"),
    settings="scheme=rope&dim=8&base=100&context=200&pos=30&other=24",
    prose=(
        Text(
            "Here is the turn of the story. Don't add the hands to the word. Take the query and the key as "
            "they come out of W_q and W_k, cut them into pairs, and turn each pair as a hand: the query by "
            "its position m, the key by its position n.",
            "故事在这里拐了个弯：不把指针加到词上。取 W_q、W_k 算出来的查询和键，两维两维地切开，"
            "把每一对当成指针来转：查询按自己的位置 m 转，键按自己的位置 n 转。",
        ),
        Text(
            "When the two are multiplied, only the difference of their turns is left. No projection comes "
            "after, so nothing can undo it. Lengths stay as they are, and values are not touched.",
            "两者相乘，只剩下转角之差。后面再没有矩阵，谁也破坏不了它。长度不变，值（value）也没有动。",
        ),
    ),
    formula=(r"⟨R_m q, R_n k⟩ = ⟨R_{m - n} q, k⟩",),
    buttons=(
        Button(Text("both 1 further", "一起 +1"), "pos=+1&other=+1"),
        Button(Text("both 10 further", "一起 +10"), "pos=+10&other=+10"),
        Button(Text("layout: halves", "排列：前后对半"), "layout=half"),
        Button(Text("layout: interleaved", "排列：交错"), "layout=interleaved"),
    ),
    sliders=(
        Slider(Text("Query at m", "查询的位置 m"), "pos", 0, 199),
        Slider(Text("Key at n", "键的位置 n"), "other", 0, 199),
    ),
    pictures=(
        Picture(
            "turning",
            Text(
                "Four pairs of one query (solid) and one key (hollow), turned to their positions.",
                "一个查询（实心）和一个键（空心）的四对维度，转到各自的位置。",
            ),
        ),
    ),
    reading=(
        Text(
            "Distance <<distance>>: score <<score>>. Length of the query: <<norm>>. (q and k random, seeds "
            "fixed.)",
            "距离 <<distance>>：得分 <<score>>。查询的长度：<<norm>>。（q、k 随机，种子固定。）",
        ),
    ),
    surprise=Text(
        "Push both on together: every hand turns, and the score doesn't move by more than {shift:.0e}. This "
        "time distance is in the score, for this q and this k, exactly.",
        "把两个一起往前推：每根指针都在转，得分的变化却不超过 {shift:.0e}。这一次，对固定的 q 和 k，"
        "距离真的进了得分，一点不差。",
    ),
    question=Question(
        Text(
            "Leave q and k as they are and switch the layout, that is, which dimensions form a pair. What "
            "happens?",
            "q 和 k 不变，只换排列方式，也就是换哪两维配成一对。会怎样？",
        ),
        (
            Answer(
                Text("Nothing: a turn is a turn", "没事：转就是转"),
                Text(
                    "Lengths do stay. But watch the score while you switch.",
                    "长度确实不变。不过切换的时候，看看得分。",
                ),
                "pos=30&other=24&layout=interleaved",
            ),
            Answer(
                Text("The score changes: other pairs are turned", "得分变了：转的是另外的维度对"),
                Text(
                    "Yes. Each layout is right by itself. Weights trained with one and run with the other "
                    "give gibberish, and no error message.",
                    "对。两种排列各自都没错。可是用一种训练、用另一种运行，就是胡言乱语，而且不会报错。",
                ),
                "pos=30&other=24&layout=interleaved",
                right=True,
            ),
            Answer(
                Text("The length of the query changes", "查询的长度变了"),
                Text(
                    "A rotation never changes a length; the reading shows it.",
                    "旋转不改变长度，读数上看得到。",
                ),
                "pos=30&other=24&layout=interleaved",
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text("RoPE's scores decay with distance.", "RoPE 的得分随距离衰减。"),
            Text(
                "The proof is of an upper bound, and even that rises in {bound:.0%} of its first 50 steps. "
                "With random q and k the mean score is near 0 at all of 0, 1, 10, 100 and 500 (at most "
                "{mean:.1f}, beside a scatter of {spread:.0f}). Slow pairs carry content, fast ones make "
                "heads that look at a place (Barbero et al. 2024).",
                "论文证明的是上界，而上界自己在前 50 步里就有 {bound:.0%} 是上升的。q、k 随机时，距离 0、1、"
                "10、100、500 处的平均得分都在 0 附近（最多 {mean:.1f}，而标准差是 {spread:.0f}）。"
                "慢的维度对带内容，快的用来盯住某个位置（Barbero 等，2024）。",
            ),
        ),
    ),
    numbers=_numbers,
)
