"""Step 15: attention that was trained, with and without position."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Step


def record() -> dict[str, Any]:
    """What ``web/golden/attention.py`` trained: the sentence, right answers and weights of its models."""
    path = files("clockhands.web.lesson").joinpath("attention.json")
    return json.loads(path.read_text(encoding="utf-8"))


ENGLISH = {
    "史进": "Shi Jin", "看": "sees", "郑屠": "Zheng Tu", "打": "strikes", "王进": "Wang Jin", "，": ",",
    "鲁提辖": "Major Lu", "笑": "laughs", "。": ".",
}  # fmt: skip
"""The words of the sentence, as the English page has them."""

MODELS = ("none", "rope", "none_copies", "rope_copies")
"""In the order of the buttons: naming the word before, and the word itself, without and with RoPE."""


def drawn() -> str:
    """What the picture draws: the words, and the weights of each model in thousandths."""
    found = record()
    words = found["sentence"]
    about = {
        "zh": words,
        "en": [ENGLISH[word] for word in words],
        "maps": [found[name]["weights"] for name in MODELS],
    }
    return json.dumps(about, ensure_ascii=False, separators=(",", ":"))


def _numbers() -> Numbers:
    found, moved = record(), claimed("weight-is-importance")
    rope, none = (found[name]["weights"] for name in ("rope", "none"))
    return {
        "words": found["words"],
        "right_none": found["none"]["right"],
        "right_rope": found["rope"]["right"],
        "right_copies": found["none_copies"]["right"],
        "rope_copies": found["rope_copies"]["right"],
        "rights": "|".join(f"{found[name]['right']:.0%}" for name in MODELS),
        "chance": 1 / found["words"],
        "least": min(rope[i][i - 1] for i in range(1, len(rope))) / 1000,
        "most_none": max(map(max, none)) / 1000,
        "moved": moved["weight moved"],
        "change": moved["difference of the outputs"],
    }


STEP = Step(
    id="attention",
    title=Text("Real attention", "真实的注意力"),
    settings="mode=0",
    room="attention",
    prose=(
        Text(
            "Now train something. The task can't be done without position: at every word, name the word "
            "before it. Two small encoders with one head each start from the same weights and learn for 200 "
            "steps on random sentences of {words} words. One turns its queries and keys (RoPE); the other "
            "has no positions at all.",
            "现在来真的训练一次。任务离开位置就做不成：在每个词处，说出它前面那个词。两个小编码器，"
            "各一个注意力头，初始权重相同，用 {words} 个词的随机句子训练 200 步。一个转动查询和键（RoPE），"
            "另一个没有任何位置。",
        ),
        Text(
            "Each row is a word that looks, each column a word that is looked at; the brighter, the more "
            "weight. The last two buttons show the same encoders after a task that needs no position: name "
            "the word itself.",
            "每一行是在看的词，每一列是被看的词；越亮，权重越大。后两个按钮是同样的编码器，"
            "学的却是一个用不着位置的任务：照抄当前这个词。",
        ),
    ),
    formula=(r"a_{i j} = \frac{exp(s_{i j})}{\sum_l exp(s_{i l})}",),
    buttons=(
        Button(Text("word before, no position", "说前一个词，没有位置"), "mode=0"),
        Button(Text("word before, RoPE", "说前一个词，RoPE"), "mode=1"),
        Button(Text("same word, no position", "照抄，没有位置"), "mode=2"),
        Button(Text("same word, RoPE", "照抄，RoPE"), "mode=3"),
    ),
    sliders=(),
    pictures=(
        Picture(
            "trained",
            Text("Attention weights between the words of a sentence.", "一句话里各词之间的注意力权重。"),
            drawn(),
        ),
    ),
    reading=(Text("Answers right: <<right>>", "答对：<<right>>"),),
    surprise=Text(
        "With RoPE the map becomes one clean line below the diagonal: each word puts at least {least:.0%} of "
        "its weight on the one before it, and {right_rope:.0%} of the answers are right. Without position "
        "the weight is spread evenly (never more than {most_none:.0%} on one word). That model still gets "
        "{right_none:.0%} right, from knowing which words occur; blind guessing would get {chance:.0%}.",
        "有了 RoPE，注意力头成了对角线下方干干净净的一条线：每个词都看它前面那个，权重至少 {least:.0%}，"
        "答对 {right_rope:.0%}。没有位置，权重摊得很平（一个词上最多 {most_none:.0%}），"
        "答对 {right_none:.0%}，靠的是知道句子里有哪些词；瞎猜是 {chance:.0%}。",
    ),
    question=Question(
        Text(
            "Suppose the task were to say the word itself. Would the map then show whether RoPE works?",
            "假如任务改成“照抄当前这个词”，注意力图能说明 RoPE 起作用了吗？",
        ),
        (
            Answer(
                Text("Yes, if the loss falls", "能，只要损失下降"),
                Text(
                    "Look: without any position {right_copies:.0%} are right, too. To copy a word one need "
                    "only look at it. A task that doesn't need position proves nothing about position.",
                    "看：没有任何位置，也答对了 {right_copies:.0%}。照抄一个词，看着它就行。"
                    "不需要位置的任务，证明不了位置。",
                ),
                "mode=2",
            ),
            Answer(
                Text("No: that task needs no position", "不能：这个任务用不着位置"),
                Text(
                    "Yes: {rope_copies:.0%} are right with RoPE, {right_copies:.0%} without, and the maps "
                    "are much alike. To test a positional encoding, take a task that fails without it, and "
                    "show the run without it beside the run with it.",
                    "对：有 RoPE 答对 {rope_copies:.0%}，没有也答对 {right_copies:.0%}，两张图也差不多。"
                    "要检验位置编码，就选一个缺了它做不成的任务，并且把有它、没它的结果放在一起看。",
                ),
                "mode=3",
                right=True,
            ),
            Answer(
                Text("Yes, if the map looks neat", "能，只要图好看"),
                Text(
                    "A neat map may come from anything. Ask what it would look like without the thing you "
                    "test: here, hardly different.",
                    "好看的图什么都可能是。先问一句：去掉要检验的东西，图会是什么样？这里几乎没有差别。",
                ),
                "mode=3",
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text("A large attention weight means an important word.", "注意力权重大，说明这个词重要。"),
            Text(
                "Not by itself: one can move {moved:.0%} of a row's weight elsewhere and change the output "
                "by no more than {change:.0e}. And in many trained decoders the first word takes most of the "
                "weight. Such an *attention sink* is a place for weight that is not needed, not a bug.",
                "单看权重说明不了：可以把一行里 {moved:.0%} 的权重挪走，输出只变 {change:.0e}。另外，"
                "很多训练好的解码器里，第一个词拿走大部分权重，叫*注意力汇*（attention sink）："
                "用不着的权重总得有个地方放。这不是程序出错。",
            ),
        ),
    ),
    numbers=_numbers,
)
