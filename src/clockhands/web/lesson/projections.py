"""Step 8: added to words and projected, the stripes are gone."""

from __future__ import annotations

from clockhands.analysis.diagonals import diagonal_spread
from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Step
from clockhands.web.lesson.twins import scores


def _numbers() -> Numbers:
    cleaner = claimed("concatenation-is-cleaner")
    return {
        "shares": "|".join(f"{diagonal_spread(scores(mode)).share:.0%}" for mode in range(3)),
        "alone": diagonal_spread(scores(1)).share,
        "added": diagonal_spread(scores(2)).share,
        "cosine": cleaner["cosine of tokens and positions"],
        "directions": cleaner["directions that positions use"],
        "width": 128,
    }


STEP = Step(
    id="projections",
    title=Text("Then the model looks through glasses", "然后，模型戴上了眼镜"),
    settings="mode=0",
    prose=(
        Text(
            "A model doesn't compare codes as they are. It adds each to its word and sends the sum through "
            "two matrices, W_q for the word that asks and W_k for the word that is asked. Multiply out and "
            "there are four terms: word with word, word with position, position with word, position with "
            "position.",
            "模型比较的不是原样的编码。它先把编码加到词上，再让和穿过两个矩阵：提问的词用 W_q，"
            "被问的词用 W_k。乘开来有四项：词对词，词对位置，位置对词，位置对位置。",
        ),
        Text(
            "Here W_q and W_k are random, as before training. What becomes of the stripes?",
            "这里的 W_q 和 W_k 是随机的，和训练之前一样。条纹会怎样？",
        ),
    ),
    formula=(r"s_{i j} = {(x_i + p_i)}^{\top} W_q W_k^{\top} (x_j + p_j)",),
    buttons=(
        Button(Text("hands alone", "只有指针"), "mode=0"),
        Button(Text("hands through W_q and W_k", "指针穿过 W_q 和 W_k"), "mode=1"),
        Button(Text("with words added", "再加上词"), "mode=2"),
    ),
    sliders=(),
    pictures=(
        Picture(
            "stripes",
            Text("Scores of every pair of 64 positions.", "64 个位置两两之间的得分。"),
        ),
    ),
    reading=(
        Text(
            "Not explained by distance: <<share>> of the variation. (Random numbers, seeds fixed.)",
            "距离解释不了的起伏：<<share>>。（随机数，种子固定。）",
        ),
    ),
    surprise=Text(
        "After the projections {alone:.0%} of the variation has nothing to do with distance; with words "
        "added, {added:.0%}. The neat stripes were never promised to the model. It has to learn to see them.",
        "穿过矩阵之后，{alone:.0%} 的起伏与距离无关；加上词，是 {added:.0%}。整齐的条纹从来不是白送给模型的，"
        "它得自己学会去看。",
    ),
    question=Question(
        Text(
            "The matrices turn and stretch both codes. How much of the variation does distance no longer "
            "explain?",
            "两个矩阵把编码又转又拉。距离解释不了的起伏，占多少？",
        ),
        (
            Answer(
                Text("None: a product stays a product", "没有：乘积还是乘积"),
                Text(
                    "That would hold if W_q and W_k were the same rotation. They are two different matrices: "
                    "look at the map.",
                    "如果 W_q 和 W_k 是同一个旋转，那没错。可它们是两个不同的矩阵；看看图。",
                ),
                "mode=1",
            ),
            Answer(
                Text("About a tenth", "十分之一左右"),
                Text(
                    "Look for stripes in the map. They are hardly there.",
                    "在图里找找条纹吧，几乎找不到了。",
                ),
                "mode=1",
            ),
            Answer(
                Text("More than nine tenths", "九成以上"),
                Text(
                    "Yes: {alone:.0%}. This is why people looked for ways to put distance into the score "
                    "itself.",
                    "对：{alone:.0%}。所以才有人想办法，把距离直接放进得分里。",
                ),
                "mode=1",
                right=True,
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text(
                "Adding mixes words and positions; concatenating is cleaner.",
                "相加会把词和位置搅在一起，拼接更干净。",
            ),
            Text(
                "Concatenating and then multiplying *is* adding, with a block of the matrix for each. And "
                "they stay apart when added: random words meet positions at a cosine of {cosine:.2f}, and "
                "positions use {directions:.0f} of {width} directions.",
                "先拼接再乘矩阵，*就是*相加，只不过各用矩阵的一块。相加之后也分得开："
                "随机的词与位置的余弦只有 {cosine:.2f}，位置只占 {width} 个方向里的 {directions:.0f} 个。",
            ),
        ),
    ),
    numbers=_numbers,
)
