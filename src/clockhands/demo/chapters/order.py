"""Filling in hidden words: a task that an encoder can't do without position."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.attention import attention_statistics
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.demo.chapter import Belief, Chapter, Figure, Story
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import plainly, said
from clockhands.demo.studio import Studio
from clockhands.demo.trained import Trained, trained
from clockhands.language import Text
from clockhands.plots.curves import curves

STORY = Story(
    title=Text("A task that needs order", "离不开顺序的任务"),
    paragraphs=(
        Text(
            "Now hide some words of the text, each time others, and let a small encoder fill them in. "
            "The text has {tokens} words, so the model may simply learn it by heart. With RoPE it does: "
            "after {steps} steps the loss is {rope:.2f}, as if it chose among {rope_choices:.1f} words. "
            "Without position it is stuck at {nope:.2f}, among {nope_choices:.0f}: a blank looks like "
            "any other blank, wherever it stands.",
            "现在把文本里的一些词遮住，每次遮的不同，让一个小编码器来填。文本只有 {tokens} 个词，模型大"
            "可以整段背下来。有 RoPE 时它背下来了：{steps} 步之后损失 {rope:.2f}，相当于在 "
            "{rope_choices:.1f} 个词里选。没有位置时卡在 {nope:.2f}，相当于在 {nope_choices:.0f} 个词里"
            "选：空格和空格看上去都一样，不管它在哪里。",
        ),
        Text(
            "This time the maps do say something. With RoPE, the head that minds its neighbours most "
            "gives {rope_near:.0%} of its weight to one of the two words beside it; without position the "
            "best any head can do is {nope_near:.0%}, about what chance gives ({chance_near:.0%}).",
            "这一次，图真的说明了问题。有 RoPE 时，最关注邻词的那个头，把 {rope_near:.0%} 的权重给了紧邻"
            "的一个词；没有位置时，做得最好的头也只有 {nope_near:.0%}，和碰运气（{chance_near:.0%}）差不"
            "多。",
        ),
    ),
    surprise=Text(
        "Same model, same seed, same text; the only difference is a few rotations without a single "
        "trainable number. They turn a loss of {nope:.2f} into {rope:.2f}.",
        "同样的模型，同样的种子，同样的文本，差别只是几个旋转，其中没有一个可训练的参数。损失就从 "
        "{nope:.2f} 变成了 {rope:.2f}。",
    ),
    beliefs=(
        Belief(
            Text("Whether RoPE works shows in the heat maps.", "RoPE 有没有用，看热力图就知道。"),
            Text(
                "It shows beside a run without it, on a task that needs order: loss {rope:.2f} against "
                "{nope:.2f}, weight on a neighbour {rope_near:.0%} against {nope_near:.0%}.",
                "要在离不开顺序的任务上，和不用它的训练放在一起才看得出：损失 {rope:.2f} 对 {nope:.2f}，"
                "落在邻词上的权重 {rope_near:.0%} 对 {nope_near:.0%}。",
            ),
        ),
    ),
    question=Text(
        "The model has learned this text by heart. Does that show that RoPE helps with texts it has "
        "never seen?",
        "模型把这段文本背下来了。这能说明 RoPE 对没见过的文本也有帮助吗？",
    ),
    answer=Text(
        "No. It shows that without position not even learning by heart is possible. For the other "
        "question train on a longer text and measure the part that was held out: `clockhands attend "
        "--task masked --text FILE`.",
        "不能。它只说明没有位置时连死记硬背都做不到。要回答另一个问题，得用更长的文本训练，再用留出的部"
        "分来测：`clockhands attend --task masked --text 文件`。",
    ),
)
SEED, MOST_SENTENCES = 0, 6
NAMES = {"rope": Text("RoPE", "RoPE"), "nope": Text("no position", "没有位置")}
LOSS_TITLE = Text("Filling in hidden words", "填补被遮住的词")
LOSS_ALT = Text(
    "Two loss curves: with RoPE it falls far, without position it levels off high up.",
    "两条损失曲线：有 RoPE 的一路降下去，没有位置的停在高处。",
)
LOSS_CAPTION = Text(
    "Training loss, mean over {width} steps, seed {seed}.", "训练损失，每 {width} 步取平均，种子 {seed}。"
)
MAP_TITLE = Text("The head that minds its neighbours most", "最关注邻词的头")
MAP_HEADING = Text("{name}: layer {layer}, head {head}", "{name}：第 {layer} 层第 {head} 头")
MAP_ALT = Text(
    "Two attention maps: with RoPE a line runs beside the diagonal; without position there are only columns.",
    "两张注意力图：有 RoPE 时，对角线旁有一条线；没有位置时只有竖条。",
)
MAP_CAPTION = Text(
    "Each row is a word, each column a word that it looks at. Both models are trained, seed {seed}.",
    "每行一个词，每列是它所看的词。两个模型都经过训练，种子 {seed}。",
)


def tell(studio: Studio) -> Chapter:
    sentences = studio.passages.sentences[:MOST_SENTENCES]
    steps = studio.effort.steps
    runs = {name: trained(sentences, "masked", name, steps, seed=SEED, dropout=0.0) for name in NAMES}
    rope, nope = runs["rope"].late(), runs["nope"].late()
    best = {name: nearest_looking(run.maps[0]) for name, run in runs.items()}
    numbers = {
        "tokens": sum(map(len, sentences)),
        "steps": steps,
        "rope": rope,
        "nope": nope,
        "rope_choices": np.exp(rope),
        "nope_choices": np.exp(nope),
        "rope_near": best["rope"][2],
        "nope_near": best["nope"][2],
        "chance_near": 1 / len(sentences[0]),
    }
    return STORY.told(numbers, [_losses(studio, runs), _heads(studio, runs, best)])


def nearest_looking(weights: Labelled) -> tuple[int, int, float]:
    """Layer and head that look most at the word before, or at the word after; and how much, on average."""
    seen = attention_statistics(weights.values).profile
    distance = np.asarray(seen.axes[-1].values)
    beside = np.maximum(*(seen.values[..., distance == d][..., 0] for d in (-1, 1)))
    layer, head = np.unravel_index(beside.argmax(), beside.shape)
    return int(layer), int(head), float(beside.max())


def _losses(studio: Studio, runs: dict[str, Trained]) -> Figure:
    width = max(1, studio.effort.steps // 40)
    lines = [smoothed(name, NAMES[name], run, width) for name, run in runs.items()]
    picture = curves(lines, lang=studio.lang, title=LOSS_TITLE)
    caption = said(LOSS_CAPTION, width=width, seed=SEED)
    return studio.picture("order_loss", picture, alt=LOSS_ALT, caption=caption)


def smoothed(id: str, name: Text, run: Trained, width: int) -> Labelled:
    """The loss of a run, mean over windows of ``width`` steps."""
    count = len(run.loss) // width
    means = run.loss[: count * width].reshape(count, width).mean(axis=1)
    steps = (np.arange(count) + 1) * width
    return Labelled(id, name, means, (Axis(Text("step", "步"), steps),))


def _heads(studio: Studio, runs: dict[str, Trained], best: dict[str, tuple[int, int, float]]) -> Figure:
    panels = []
    for name, (layer, head, _) in best.items():
        weights = runs[name].maps[0]
        shown = Labelled(name, weights.name, weights.values[layer, head], weights.axes[2:])
        heading = plainly(MAP_HEADING, name=NAMES[name], layer=layer + 1, head=head + 1)
        panels.append(Map(shown, heading))
    picture = maps(panels, lang=studio.lang, title=MAP_TITLE, weights=True, widest=4.6)
    return studio.picture("order", picture, alt=MAP_ALT, caption=said(MAP_CAPTION, seed=SEED))
