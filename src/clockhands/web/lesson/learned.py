"""Step 9: learned tables."""

from __future__ import annotations

from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Button, Numbers, Picture, Question, Slider, Step

GPT2, BERT, DIMENSIONS = 1024, 512, 768


def _numbers() -> Numbers:
    known = claimed("learned-knows-neighbours")
    return {
        "gpt2_rows": GPT2,
        "gpt2": GPT2 * DIMENSIONS,
        "bert_rows": BERT,
        "bert": BERT * DIMENSIONS,
        "dimensions": DIMENSIONS,
        "near": known["mean cosine of neighbours"],
        "spread": known["spread"],
    }


STEP = Step(
    id="learned",
    title=Text("Or simply learn a table", "或者干脆学一张表"),
    settings="scheme=learned&dim=32&rows=64&context=128&pos=12&other=11",
    prose=(
        Text(
            "BERT and GPT-2 do without any formula. Each position owns a row of free numbers, and training "
            "sets them like everything else: {bert_rows} × {dimensions} = {bert:,} numbers in BERT, "
            "{gpt2_rows:,} × {dimensions} = {gpt2:,} in GPT-2.",
            "BERT 和 GPT-2 不用任何公式。每个位置有一行自由的数，和别的参数一样靠训练得到：BERT 有 "
            "{bert_rows} × {dimensions} = {bert:,} 个，GPT-2 有 {gpt2_rows:,} × {dimensions} = {gpt2:,} 个。",
        ),
        Text(
            "Simple, and good enough for these models. But look at it as you looked at the hands: "
            "nothing says that 12 is next to 13. That has to be learned from data, row by row.",
            "简单，对这些模型也够用。但用看指针的眼光看看它：没有什么说明 12 和 13 相邻。"
            "这要从数据里一行一行地学。",
        ),
    ),
    formula=(r"PE(p) = E_p, E ∈ R^{n × d}",),
    buttons=(
        Button(Text("random numbers 1", "随机数 1"), "seed=0"),
        Button(Text("random numbers 2", "随机数 2"), "seed=1"),
        Button(Text("64 rows", "64 行"), "rows=64"),
        Button(Text("128 rows", "128 行"), "rows=128"),
    ),
    sliders=(Slider(Text("Position", "位置"), "pos", 0, 127),),
    pictures=(Picture("heatmap"), Picture("map")),
    reading=(Text("Row looked up: <<rowless>>", "查到的行：<<rowless>>"),),
    surprise=Text(
        "Move the slider past the last row. No repetition, no zeros: there is nothing. A table of 64 rows "
        "has nothing for a 65th word, however well it was trained.",
        "把滑块拨过最后一行。不是重复，也不是零：什么都没有。64 行的表就是没有第 65 个词，训练得再好也没用。",
    ),
    question=Question(
        Text(
            "Before training, how alike are the rows of two neighbours, compared with any two rows?",
            "训练之前，相邻两行有多像？和随便两行比呢？",
        ),
        (
            Answer(
                Text("More alike: they are neighbours", "更像：它们相邻"),
                Text(
                    "The table doesn't know who lives next door. Compare 12 with 11, then with 40.",
                    "表不知道谁住在隔壁。拿 12 和 11 比，再和 40 比。",
                ),
                "rows=64&pos=12&other=11",
            ),
            Answer(
                Text("No more than any two: about 0", "和随便两行一样：约等于 0"),
                Text(
                    "Yes. Over 512 rows of 64 numbers neighbours have a cosine of {near:.3f} on average, and "
                    "single pairs scatter by {spread:.2f}.",
                    "对。512 行、每行 64 个数，相邻两行的余弦平均是 {near:.3f}，"
                    "各对之间的标准差是 {spread:.2f}。",
                ),
                "rows=64&pos=12&other=40",
                right=True,
            ),
            Answer(
                Text("Less alike: rows repel", "更不像：各行互相排斥"),
                Text(
                    "Random numbers neither attract nor repel. The map shows it: one bright line, all else "
                    "noise.",
                    "随机数既不相吸也不相斥。图上看得出来：一条亮线，其余都是噪声。",
                ),
                "rows=64&pos=12&other=11",
            ),
        ),
    ),
    beliefs=(),
    numbers=_numbers,
)
