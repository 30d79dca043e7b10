"""Filling in hidden words: a task that an encoder can't do without position, if the text is long enough."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clockhands.analysis.attention import attention_statistics
from clockhands.analysis.axes import NATS_A_TOKEN
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.demo.chapter import Belief, Chapter, Figure, Story
from clockhands.demo.drawing import Map, maps
from clockhands.demo.outcome import lower_loss, well_above
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
            "The text has {tokens} words, so the model may simply learn it by heart. After {steps} steps "
            "the loss with RoPE is {rope:.2f}, as if it chose among {rope_choices:.1f} words; without "
            "position it is {nope:.2f}, among {nope_choices:.1f}. {losses}",
            "现在把文本里的一些词遮住，每次遮的不同，让一个小编码器来填。文本只有 {tokens} 个词，模型大"
            "可以整段背下来。{steps} 步之后，有 RoPE 时损失是 {rope:.2f}，相当于在 {rope_choices:.1f} 个"
            "词里选；没有位置时是 {nope:.2f}，相当于在 {nope_choices:.1f} 个词里选。{losses}",
        ),
        Text(
            "With RoPE, the head that minds its neighbours most gives {rope_near:.0%} of its weight to "
            "one of the two words beside it; without position the most that any head gives is "
            "{nope_near:.0%}, and chance alone {chance_near:.0%}. {maps}",
            "有 RoPE 时，最关注邻词的那个头，把 {rope_near:.0%} 的权重给了紧邻的一个词；没有位置时，给得"
            "最多的头给了 {nope_near:.0%}；单凭运气是 {chance_near:.0%}。{maps}",
        ),
    ),
    surprise=Text(
        "Same model, same seed, same text; the only difference is a few rotations without a single "
        "trainable number. Without them the loss is {nope:.2f}, with them {rope:.2f}.",
        "同样的模型，同样的种子，同样的文本，差别只是几个旋转，其中没有一个可训练的参数。没有它们，损失"
        "是 {nope:.2f}；有了它们，是 {rope:.2f}。",
    ),
    beliefs=(
        Belief(
            Text("Whether RoPE works shows in the heat maps.", "RoPE 有没有用，看热力图就知道。"),
            Text(
                "Only beside a run without it, on a task that needs order, can it show. Here: loss "
                "{rope:.2f} against {nope:.2f}, weight on a neighbour {rope_near:.0%} against "
                "{nope_near:.0%}.",
                "只有在离不开顺序的任务上，和不用它的训练放在一起，才可能看得出。这里是：损失 {rope:.2f} "
                "对 {nope:.2f}，落在邻词上的权重 {rope_near:.0%} 对 {nope_near:.0%}。",
            ),
        ),
    ),
    question=Text(
        "Say that a model with RoPE has learned its text by heart, and one without has not. Does that "
        "show that RoPE helps with texts it has never seen?",
        "假如有 RoPE 的模型把文本背了下来，没有的背不下来。这能说明 RoPE 对没见过的文本也有帮助吗？",
    ),
    answer=Text(
        "No. It shows that this task asks for position, even where it is only learned by heart. For the "
        "other question train on a longer text and measure the part that was held out: `clockhands attend "
        "--task masked --text FILE`.",
        "不能。它只说明这个任务需要位置，哪怕只是死记硬背。要回答另一个问题，得用更长的文本训练，再用留出的部"
        "分来测：`clockhands attend --task masked --text 文件`。",
    ),
)
LOSSES_APART = Text(
    "That is what position is worth here: without it a blank looks like any other blank, wherever it stands.",
    "差的就是位置：没有它，空格和空格看上去都一样，不管在哪里。",
)
LOSSES_CLOSE = Text(
    "So in this run RoPE is not clearly ahead. A short text, or a short training, leaves order little to do.",
    "可见在这次训练里，RoPE 并没有明显领先。文本太短，或训练太短，顺序就没有多少用武之地。",
)
MAPS_TELL = Text("This time the maps do say something.", "这一次，图真的说明了问题。")
MAPS_SILENT = Text("From this run the maps say nothing certain.", "就这次训练来说，图还说明不了什么。")
SEED, MOST_SENTENCES = 0, 6
NAMES = {"rope": Text("RoPE", "RoPE"), "nope": Text("no position", "没有位置")}
LOSS = Text("loss", "损失")
LOSS_TITLE = Text("Filling in hidden words", "填补被遮住的词")
LOSS_ALT = Text("Two loss curves, with RoPE and without position.", "两条损失曲线：有 RoPE 与没有位置。")
LOSS_ALT_APART = Text(
    "Two loss curves: the one with RoPE ends lower than the one without position.",
    "两条损失曲线：有 RoPE 的一条，最后低于没有位置的一条。",
)
LOSS_CAPTION = Text(
    "Training loss, mean over {width} steps, seed {seed}.", "训练损失，每 {width} 步取平均，种子 {seed}。"
)
MAP_TITLE = Text("The head that minds its neighbours most", "最关注邻词的头")
MAP_HEADING = Text("{name}: layer {layer}, head {head}", "{name}：第 {layer} 层第 {head} 头")
MAP_ALT = Text("Two attention maps, with RoPE and without position.", "两张注意力图：有 RoPE 与没有位置。")
MAP_ALT_TELLS = Text(
    "Two attention maps: with RoPE more weight lies beside the diagonal than without position.",
    "两张注意力图：有 RoPE 时，落在对角线旁的权重比没有位置时多。",
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
    apart, tells = losses_apart(numbers), maps_tell(numbers)
    figures = [
        _losses(studio, runs, LOSS_ALT_APART if apart else LOSS_ALT),
        _heads(studio, runs, best, MAP_ALT_TELLS if tells else MAP_ALT),
    ]
    return STORY.told(
        numbers,
        figures,
        losses=LOSSES_APART if apart else LOSSES_CLOSE,
        maps=MAPS_TELL if tells else MAPS_SILENT,
    )


def losses_apart(numbers: Mapping[str, float]) -> bool:
    """Whether RoPE is clearly ahead, in nats."""
    return lower_loss(numbers["rope"], numbers["nope"])


def maps_tell(numbers: Mapping[str, float]) -> bool:
    """Whether RoPE is ahead, with a weight on neighbours well above chance and the one without."""
    others = max(numbers["nope_near"], numbers["chance_near"])
    return losses_apart(numbers) and well_above(numbers["rope_near"], others)


def nearest_looking(weights: Labelled) -> tuple[int, int, float]:
    """Layer and head that look most at the word before, or at the word after; and how much, on average."""
    seen = attention_statistics(weights.values).profile
    distance = np.asarray(seen.axes[-1].values)
    beside = np.maximum(*(seen.values[..., distance == d][..., 0] for d in (-1, 1)))
    layer, head = np.unravel_index(beside.argmax(), beside.shape)
    return int(layer), int(head), float(beside.max())


def _losses(studio: Studio, runs: dict[str, Trained], alt: Text) -> Figure:
    width = max(1, studio.effort.steps // 40)
    lines = [smoothed(name, NAMES[name], run, width) for name, run in runs.items()]
    picture = curves(lines, lang=studio.lang, title=LOSS_TITLE, measured=LOSS)
    caption = said(LOSS_CAPTION, width=width, seed=SEED)
    return studio.picture("order_loss", picture, alt=alt, caption=caption)


def smoothed(id: str, name: Text, run: Trained, width: int) -> Labelled:
    """The loss of a run, nats a token, mean over windows of ``width`` steps."""
    count = len(run.loss) // width
    means = run.loss[: count * width].reshape(count, width).mean(axis=1)
    steps = (np.arange(count) + 1) * width
    return Labelled(id, name, means, (Axis(Text("step", "步"), steps),), NATS_A_TOKEN)


def _heads(
    studio: Studio, runs: dict[str, Trained], best: dict[str, tuple[int, int, float]], alt: Text
) -> Figure:
    panels = []
    for name, (layer, head, _) in best.items():
        weights = runs[name].maps[0]
        shown = Labelled(name, weights.name, weights.values[layer, head], weights.axes[2:])
        heading = plainly(MAP_HEADING, name=NAMES[name], layer=layer + 1, head=head + 1)
        panels.append(Map(shown, heading))
    picture = maps(panels, lang=studio.lang, title=MAP_TITLE, weights=True, widest=4.6)
    return studio.picture("order", picture, alt=alt, caption=said(MAP_CAPTION, seed=SEED))
