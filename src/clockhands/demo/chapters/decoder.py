"""Guessing the next word: two decoders with one loss, of which one reads the order."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.attention import attention_statistics
from clockhands.analysis.labelled import Labelled
from clockhands.demo.chapter import Belief, Chapter, Figure, Story
from clockhands.demo.chapters.order import smoothed
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.demo.trained import Trained, loss_with_past_shuffled, trained
from clockhands.language import Text
from clockhands.plots.attention import attention
from clockhands.plots.curves import curves

STORY = Story(
    title=Text("The same loss, read differently", "损失一样，读法不同"),
    paragraphs=(
        Text(
            "Last, a decoder: every word guesses the next one and sees only what came before. With RoPE "
            "the loss after {steps} steps is {rope:.3f}. Without any position it is {nope:.3f}. So is "
            "position useless here?",
            "最后是解码器：每个词猜下一个词，只看得见前面的词。有 RoPE 时，{steps} 步之后损失是 "
            "{rope:.3f}；完全没有位置时是 {nope:.3f}。那么位置在这里没有用吗？",
        ),
        Text(
            "Ask in another way. Shuffle all words before the last one. With RoPE the loss then rises "
            "from {rope_kept:.2f} to {rope_shuffled:.2f}: this model counts on the order. Without "
            "position it goes from {nope_kept:.3f} to {nope_shuffled:.3f}: it mostly goes by *which* "
            "words came before. In a text this small that is enough. The mask could have told it the "
            "order, as the first step showed; nothing forced it to listen.",
            "换个问法：把最后一个词之前的词全部打乱。有 RoPE 时，损失从 {rope_kept:.2f} 升到 "
            "{rope_shuffled:.2f}：这个模型依靠次序。没有位置时，从 {nope_kept:.3f} 变到 "
            "{nope_shuffled:.3f}：它主要看前面*有哪些*词，文本这么小，这就够了。掩码本来可以告诉它次序（"
            "见第一步），但没有什么逼它去听。",
        ),
    ),
    surprise=Text(
        "Look at the first column. The head most fond of it rests {sink:.0%} of its weight there, on the "
        "start sign `<bos>`, which says nothing at all; chance would give {sink_chance:.0%}. That is an "
        "*attention sink*: where to look when there is nothing to look for.",
        "看第一列。最偏爱它的头把 {sink:.0%} 的权重放在那里，放在什么也没说的起始符 `<bos>` 上；碰运气只"
        "会有 {sink_chance:.0%}。这就是*注意力汇*（attention sink）：没什么可看的时候，目光停放的地方。",
    ),
    beliefs=(
        Belief(
            Text(
                "If the loss is as low without a position code, the code makes no difference.",
                "不用位置编码损失也一样低，说明编码没有作用。",
            ),
            Text(
                "Losses {rope:.3f} and {nope:.3f}; but shuffling the past costs {rope_cost:.2f} with "
                "RoPE and {nope_cost:.3f} without. One loss, two ways of reading.",
                "损失是 {rope:.3f} 和 {nope:.3f}；可是打乱前文，有 RoPE 时损失上升 {rope_cost:.2f}，没有"
                "时上升 {nope_cost:.3f}。同样的损失，两种读法。",
            ),
        ),
        Belief(
            Text(
                "The first word gets most attention, so it is the most important.",
                "第一个词得到的注意力最多，所以最重要。",
            ),
            Text(
                "Here the first token is a start sign without content, and one head still gives it "
                "{sink:.0%}.",
                "这里第一个词元是没有内容的起始符，仍有一个头给了它 {sink:.0%} 的权重。",
            ),
        ),
    ),
    question=Text(
        "How would you find out whether a model of your own reads the order of words?",
        "怎样知道你自己的模型读不读词的次序？",
    ),
    answer=Text(
        "Not by its loss and not by its maps. Shuffle the past and look what it costs, or set a task "
        "that is impossible without order; and always train a twin without position beside it.",
        "不看损失，也不看注意力图。把前文打乱，看损失上升多少；或者换一个没有次序就做不成的任务；旁边总"
        "要训练一个没有位置的孪生模型。",
    ),
)
SEED, MOST_SENTENCES = 0, 6
NAMES = {"rope": Text("RoPE", "RoPE"), "nope": Text("no position", "没有位置")}
LOSS_TITLE = Text("Guessing the next word", "猜下一个词")
LOSS_ALT = Text("Two loss curves that end together.", "两条损失曲线，最后走到一起。")
LOSS_CAPTION = Text(
    "Training loss, mean over {width} steps, seed {seed}. The text is learned by heart.",
    "训练损失，每 {width} 步取平均，种子 {seed}。文本被整段背了下来。",
)
MAP_TITLE = Text("The layer with the strongest sink", "注意力汇最强的一层")
MAP_ALT = Text(
    "Attention maps of one layer; each word sees only earlier ones, and some heads have a bright first "
    "column.",
    "一层的注意力图，每个词只看得见前面的词；有的头第一列特别亮。",
)
MAP_CAPTION = Text(
    "The decoder with RoPE reads the first sentence. Trained, seed {seed}; hatched: hidden by the mask.",
    "带 RoPE 的解码器读第一句。已训练，种子 {seed}；斜线部分被掩码遮住。",
)


def tell(studio: Studio) -> Chapter:
    sentences = studio.passages.sentences[:MOST_SENTENCES]
    steps = studio.effort.next_steps
    runs = {name: trained(sentences, "next-token", name, steps, seed=SEED, dropout=0.0) for name in NAMES}
    weights = runs["rope"].maps[0]
    on_first = attention_statistics(weights.values).on_first.values
    numbers = {
        **shuffling(runs),
        "steps": steps,
        "rope": runs["rope"].late(),
        "nope": runs["nope"].late(),
        "sink": on_first.max(),
        "sink_chance": (1 / np.arange(2, weights.values.shape[-1] + 1)).mean(),
    }
    layer = int(on_first.max(axis=1).argmax())
    return STORY.told(numbers, [_losses(studio, runs), _layer(studio, weights, layer)])


def shuffling(runs: dict[str, Trained]) -> dict[str, float]:
    """What each model loses when the words before the last one are shuffled."""
    numbers: dict[str, float] = {}
    for name, run in runs.items():
        kept, shuffled = loss_with_past_shuffled(run, SEED)
        numbers |= {f"{name}_kept": kept, f"{name}_shuffled": shuffled, f"{name}_cost": shuffled - kept}
    return numbers


def _losses(studio: Studio, runs: dict[str, Trained]) -> Figure:
    width = max(1, studio.effort.next_steps // 40)
    lines = [smoothed(name, NAMES[name], run, width) for name, run in runs.items()]
    picture = curves(lines, lang=studio.lang, title=LOSS_TITLE)
    caption = said(LOSS_CAPTION, width=width, seed=SEED)
    return studio.picture("decoder_loss", picture, alt=LOSS_ALT, caption=caption)


def _layer(studio: Studio, weights: Labelled, layer: int) -> Figure:
    shown = Labelled(weights.id, weights.name, weights.values[layer], weights.axes[1:])
    picture = attention(shown, causal=True, lang=studio.lang, title=MAP_TITLE)
    return studio.picture("decoder", picture, alt=MAP_ALT, caption=said(MAP_CAPTION, seed=SEED))
